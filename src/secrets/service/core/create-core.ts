import { nodeCrypto, randomBase62 } from '../../../crypto/index.ts'
import { words } from '../../../http/index.ts'
import { checkNumbers } from '../../../kernel/check-numbers.ts'
import { eventEmitter, type Reporter } from '../../../kernel/event-emitter.ts'
import { systemTimers } from '../../../kernel/index.ts'
import { steadyEnv } from '../../../kernel/system-env.ts'
import { timeLimited } from '../../../store/decorators/time-limited.ts'
import { runner } from '../../../store/transactions/runner.ts'
import { productWords } from '../../headers/listener.ts'
import { type MountPolicy, type MountTable, mountFinder } from '../../mounts/index.ts'
import { barrier } from './barrier.ts'
import type { Concept, Core, Mounts } from './core.ts'
import { happened, withoutEvents } from './decision.ts'
import type { Happening } from './events.ts'
import type { SecretsOptions } from './options.ts'
import { debris, mountTables, namespaceTables, seals } from './records.ts'
import { checkStaticSeal } from './static-seal.ts'
import { sweeper } from './sweeper.ts'
import { versionOf } from './version.ts'

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

/** The records of the core itself. */
const ofCore: Concept = { held: [seals, mountTables, namespaceTables, debris] }

export function createCore(
  options: SecretsOptions,
  types: MountPolicy['types'],
  concepts: readonly Concept[],
  openapi: Core['openapi'],
): Core {
  const leases = leaseTimes(options)
  if (options.idpWords?.length === 0)
    throw new TypeError('idpWords is empty: pass at least one, the word of the identity-provider method')
  checkNumbers({ least: 1, unit: 'bytes' }, { maxBodyBytes: options.maxBodyBytes })
  const env = options.env ?? steadyEnv()
  const crypto = options.crypto ?? nodeCrypto()
  const product = words(productWords(options.words))
  const report: Reporter = eventEmitter(options.onError)
  const emit = eventEmitter(options.onEvent, report)
  const opening = barrier({
    store: options.store && timeLimited(options.store, options.storeTimeoutMs).store,
    crypto,
    env,
    word: product.canonical,
    held: [ofCore, ...concepts].flatMap(({ held }) => held ?? []),
    onError: report,
    staticSeal: checkStaticSeal(options.staticSeal),
  })
  const core: Core = {
    options,
    env,
    timers: options.timers ?? systemTimers,
    crypto,
    words: product,
    idpWords: options.idpWords ?? ['idp'],
    version: versionOf(options.version),
    role: options.role ?? 'active',
    barrier: opening,
    concepts,
    sweeper: sweeper(() => core),
    openapi,
    fresh: async () => opening.enter().view.fresh(),
    commit: runner<Happening>({ service: 'secrets', view: () => opening.enter().view, env, emit }).commit,
    mountPolicy: { types, ...leases },
    randomText: (length) => randomBase62(length, crypto.randomBytes),
    happened: options.onEvent === undefined ? withoutEvents : happened,
    emit,
    report,
    mountsOf: mountLookup(),
  }
  return core
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
