import { type CryptoPort, nodeCrypto, randomBase62 } from '../../../crypto/index.ts'
import { type Words, words } from '../../../http/index.ts'
import { checkNumbers } from '../../../kernel/check-numbers.ts'
import { eventEmitter } from '../../../kernel/event-emitter.ts'
import {
  type Env,
  type Refused,
  refuse,
  systemEnv,
  systemTimers,
  type Timers,
} from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import { type Decision, type Runner, runner } from '../../../store/transactions/runner.ts'
import {
  type Mount,
  type MountFound,
  type MountPolicy,
  type MountTable,
  mountFinder,
} from '../../mounts/index.ts'
import type { ServerRole } from '../../seal/index.ts'
import type { Token } from '../../tokens/index.ts'
import { entryNames, kvConfigs, secrets } from '../kv/records.ts'
import { type Barrier, type BarrierOptions, barrier } from './barrier.ts'
import { happened, unheard } from './decision.ts'
import type { Happening, SecretsEvent } from './events.ts'
import type { SecretsOptions } from './options.ts'
import { debris, mountTables, seals } from './records.ts'

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

/** The shared state of the parts of one service. */
export interface Core {
  readonly options: SecretsOptions
  readonly env: () => Env
  readonly timers: Timers
  readonly crypto: CryptoPort
  readonly words: Words
  readonly idpWords: readonly [string, ...string[]]
  readonly role: ServerRole
  readonly barrier: Barrier
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
  readonly report: (error: unknown) => void
  /** Finds mounts of a namespace by path. */
  readonly mountsOf: (now: Snapshot, namespace: Namespace) => Mounts
}

/** The current mounts of a namespace. */
export interface Mounts {
  readonly table: MountTable
  readonly find: (path: string) => MountFound | undefined
}

const systemLeaseSeconds = 768 * 3600

/** The default and maximum lease times. */
function leaseTimes({
  maxLeaseTtlSeconds = systemLeaseSeconds,
  defaultLeaseTtlSeconds = Math.min(systemLeaseSeconds, maxLeaseTtlSeconds),
}: SecretsOptions): Omit<MountPolicy, 'types'> {
  checkNumbers({ least: 1, unit: 'seconds', whole: true }, { maxLeaseTtlSeconds, defaultLeaseTtlSeconds })
  if (defaultLeaseTtlSeconds > maxLeaseTtlSeconds)
    throw new RangeError(
      `defaultLeaseTtlSeconds is ${defaultLeaseTtlSeconds}: it can be no more than maxLeaseTtlSeconds, ${maxLeaseTtlSeconds}`,
    )
  return { defaultLeaseTtlSeconds, maxLeaseTtlSeconds }
}

/** The records that every service replicates; its parts add their own. */
const heldByAll = [seals, mountTables, kvConfigs, secrets, entryNames, debris]

export function createCore(
  options: SecretsOptions,
  types: MountPolicy['types'],
  held: BarrierOptions['held'],
): Core {
  const leases = leaseTimes(options)
  if (options.idpWords?.length === 0)
    throw new TypeError('idpWords is empty: pass at least one, the word of the identity-provider method')
  checkNumbers({ least: 1, unit: 'bytes' }, { maxBodyBytes: options.maxBodyBytes })
  const env = options.env ?? systemEnv
  const crypto = options.crypto ?? nodeCrypto()
  const product = words(options.words ?? ['Secrets'])
  const report = (error: unknown) => options.onError?.(error)
  const emit = eventEmitter(options.onEvent, report)
  const opening = barrier({
    store: options.store,
    crypto,
    env,
    word: product.canonical,
    held: [...heldByAll, ...held],
    onError: report,
  })
  return {
    options,
    env,
    timers: options.timers ?? systemTimers,
    crypto,
    words: product,
    idpWords: options.idpWords ?? ['idp'],
    role: options.role ?? 'active',
    barrier: opening,
    fresh: async () => opening.enter().view.fresh(),
    commit: runner<Happening>({ view: () => opening.enter().view, env, emit }).commit,
    mountPolicy: { types, ...leases },
    randomText: (length) => randomBase62(length, crypto.randomBytes),
    happened: options.onEvent === undefined ? unheard : happened,
    emit,
    report,
    mountsOf: mountLookup(),
  }
}

/** Finds mounts, and builds the index of a table only when it changes. */
function mountLookup(): Core['mountsOf'] {
  const finders = new WeakMap<MountTable, Mounts>()
  const nothing: Mounts = { table: { mounts: {} }, find: () => undefined }
  return (now, namespace) => {
    const table = mountTables.get(now, namespace.id)?.value.table
    if (table === undefined) return nothing
    const known = finders.get(table)
    if (known) return known
    const mounts: Mounts = { table, find: mountFinder(table) }
    finders.set(table, mounts)
    return mounts
  }
}

/** Whether a value is a refusal, if it may also be a result. */
export const isRefused = <R extends Refused<string>>(value: R | object): value is R =>
  'ok' in value && value.ok === false

/** The refusal if a mount was deleted, or changed its version, during a request. */
export const mountIsGone = (mount: Mount): Refused<'mount_gone'> =>
  refuse('mount_gone', `the mount at ${mount.path} was disabled, moved or upgraded meanwhile`)
