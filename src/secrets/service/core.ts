import { type CryptoPort, nodeCrypto, randomBase62 } from '../../crypto/index.ts'
import { type Words, words } from '../../http/index.ts'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import { type Env, type Refused, refuse, systemEnv, systemTimers, type Timers } from '../../kernel/index.ts'
import type { Snapshot } from '../../store/index.ts'
import { type Decision, type Runner, runner } from '../../store/transactions/runner.ts'
import {
  type Mount,
  type MountFound,
  type MountPolicy,
  type MountTable,
  mountFinder,
} from '../mounts/index.ts'
import type { ServerRole } from '../seal/index.ts'
import { happened, unheard } from './decision.ts'
import type { Happening, SecretsEvent } from './events.ts'
import type { SecretsOptions } from './options.ts'
import { debris, entryNames, kvConfigs, mountTables, seals, secrets } from './records.ts'
import { type Barrier, barrier } from './seal/barrier.ts'

/** A part of the service's paths with mounts, policies and tokens of its own. */
export interface Namespace {
  readonly id: string
  /** Empty for the root, otherwise with a trailing slash. */
  readonly path: string
}

export const rootNamespace: Namespace = { id: 'root', path: '' }

/** A mount and the namespace it is in: where a command does its work. */
export interface Place {
  readonly namespace: Namespace
  readonly mount: Mount
}

/** What the parts of one service share. */
export interface Core {
  readonly options: SecretsOptions
  readonly env: () => Env
  readonly timers: Timers
  readonly crypto: CryptoPort
  readonly words: Words
  readonly idpWords: readonly [string, ...string[]]
  readonly role: ServerRole
  readonly barrier: Barrier
  /** The newest state, read afresh. */
  readonly fresh: () => Promise<Snapshot>
  readonly mountPolicy: MountPolicy
  /** Loads, decides, commits and tells: the one way in which the service changes what it keeps. */
  readonly commit: Runner<Happening>['commit']
  readonly randomText: (length: number) => string
  /**
   * An outcome of an engine, whose events say where in the service they happened; without events where there is no listener,
   * for there are some at every write.
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

/** The mounts of a namespace as they are now. */
export interface Mounts {
  readonly table: MountTable
  readonly find: (path: string) => MountFound | undefined
}

const systemLeaseSeconds = 768 * 3600

/** The lease times of what asks for none, and of what asks for too much. */
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

/** What every service reads all the time; parts of it add their own. */
const heldByAll = [seals, mountTables, kvConfigs, secrets, entryNames, debris]

export function createCore(
  options: SecretsOptions,
  types: MountPolicy['types'],
  held: readonly { readonly prefixes: readonly string[] }[],
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

/** Looks mounts up, and builds the finder of a table once, not once per request. */
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

/** Whether something is a refusal, where it may also be what was asked for. */
export const isRefused = <R extends Refused<string>>(value: R | object): value is R =>
  'ok' in value && value.ok === false

/** The refusal for a mount that went away, or became another version's, while a request was under way. */
export const mountIsGone = (mount: Mount): Refused<'mount_gone'> =>
  refuse('mount_gone', `the mount at ${mount.path} was disabled, moved or upgraded meanwhile`)
