import type { CryptoPort } from '../../../crypto/index.ts'
import type { OpenApiDocument, Words } from '../../../http/index.ts'
import type { Reporter } from '../../../kernel/event-emitter.ts'
import { type Env, type Refused, refuse, type Timers } from '../../../kernel/index.ts'
import type { Collection, Entry, Snapshot } from '../../../store/index.ts'
import type { Decision, Runner } from '../../../store/transactions/runner.ts'
import type { Mount, MountFound, MountPolicy, MountTable } from '../../mounts/index.ts'
import type { ServerRole } from '../../seal/index.ts'
import type { RenewPolicy, Token } from '../../tokens/index.ts'
import type { Barrier, BarrierOptions } from './barrier.ts'
import type { Happening, SecretsEvent } from './events.ts'
import type { SecretsOptions } from './options.ts'

/** A namespace: a part of the service's paths with its own mounts, policies and tokens. */
export interface Namespace {
  readonly id: string
  /** Empty for the root, otherwise with a trailing slash. */
  readonly path: string
}

export const rootNamespace: Namespace = { id: 'root', path: '' }

/** A mount and its namespace: the target of a command. */
export interface Place {
  readonly namespace: Namespace
  readonly mount: Mount
}

/** The caller of a request. */
export interface Caller {
  readonly token: Token
  /** The token as sent, which `lookup-self` returns as its id. */
  readonly text: string
}

/** The shared state of the concepts of one service. */
export interface Core {
  readonly options: SecretsOptions
  readonly env: () => Env
  readonly timers: Timers
  readonly crypto: CryptoPort
  readonly words: Words
  readonly idpWords: readonly [string, ...string[]]
  /** The version that clients see. */
  readonly version: string
  readonly role: ServerRole
  readonly barrier: Barrier
  readonly concepts: readonly Concept[]
  readonly sweeper: Sweeper
  /** The OpenAPI document of the service. */
  readonly openapi: () => OpenApiDocument
  /** The newest state. */
  readonly fresh: () => Promise<Snapshot>
  readonly mountPolicy: MountPolicy
  /** Loads, decides, commits and reports events: the only way in which the service changes its data. */
  readonly commit: Runner<Happening>['commit']
  readonly randomText: (length: number) => string
  /**
   * Adds the location in the service to the events of an engine's outcome; drops the events if there is no listener,
   * because every write has some.
   */
  readonly happened: <Value, Event extends object, Where extends object, Code extends string>(
    outcome: Decision<Value, Event> | Refused<Code>,
    where: Where,
  ) => Decision<Value, Event & Where> | Refused<Code>
  readonly emit: (event: SecretsEvent) => void
  readonly report: Reporter
  /** Finds mounts of a namespace by path. */
  readonly mountsOf: (now: Snapshot, namespace: Namespace) => Mounts
}

/** The current mounts of a namespace. */
export interface Mounts {
  readonly table: MountTable
  readonly find: (path: string) => MountFound | undefined
}

/** Deletes unreachable data: leftovers of removed mounts, pruned versions and dead tokens. */
export interface Sweeper {
  /** Sweeps until nothing is left; returns the number of deleted keys. */
  readonly sweep: () => Promise<number>
  /** Schedules a sweep at this instant. */
  readonly at: (instant: number) => void
  readonly stop: () => void
}

/** Why the token of a login is not renewed. */
export type RenewalRefusal =
  | 'idp_policies_changed'
  | 'idp_not_configured'
  | 'login_policies_changed'
  | 'login_user_gone'
  | 'token_not_found'

/** A concept's part in the work that concerns all of them. */
export interface Concept {
  /** The collections to replicate. */
  readonly held?: BarrierOptions['held']
  /** The key prefixes of a mount's data, which is unreachable once the mount is deleted, and swept later. */
  readonly ofMount?: (mountId: string) => readonly string[]
  /** The same for a namespace, its mounts aside. */
  readonly ofNamespace?: (namespaceId: string) => readonly string[]
  /** The prefixes of the data that belongs to a swept record and is stored apart from it. */
  readonly ofRecord?: (entry: Entry) => readonly string[]
  /** The collections of large values: the sweeper deletes a few at a time. */
  readonly large?: readonly Pick<Collection<unknown>, 'prefix'>[]
  /** Deletes some expired or unreachable records; returns their number. */
  readonly sweep?: (core: Core) => Promise<number>
  /** When the next record expires; `undefined` if none does. */
  readonly nextExpiry?: (core: Core) => Promise<number | undefined>
  /** Deletes the records of a removed namespace that no prefix has; returns their number. */
  readonly endNamespace?: (core: Core, namespaceId: string) => Promise<number>
  /** Resumes work that was interrupted by the end of a process. */
  readonly resume?: (core: Core) => Promise<void>
  /** Of an auth method with roles: the role that a login names, for quotas of roles. */
  readonly loginRole?: {
    readonly mountTypes: readonly string[]
    readonly of: (
      now: Snapshot,
      mountId: string,
      body: Readonly<Record<string, unknown>>,
    ) => string | undefined
  }
  /** Of an auth method: the settings for the renewal of a login's token. */
  readonly renewal?: {
    readonly isOf: (core: Core, mountType: string) => boolean
    readonly settings: (
      core: Core,
      token: Token,
      namespace: Namespace,
      login: NonNullable<Token['login']>,
    ) => Promise<RenewPolicy | Refused<RenewalRefusal>>
  }
}

/** State of a concept in one service: made when it is first needed, and gone with the service. */
export function stateOf<State>(make: (core: Core) => State): (core: Core) => State {
  const states = new WeakMap<Core, State>()
  return (core) => {
    const known = states.get(core)
    if (known !== undefined) return known
    const made = make(core)
    states.set(core, made)
    return made
  }
}

/** The refusal if a mount was deleted, or changed its version, during a request. */
export const mountIsGone = (mount: Mount): Refused<'mount_gone'> =>
  refuse('mount_gone', `the mount at ${mount.path} was disabled, moved or upgraded meanwhile`)
