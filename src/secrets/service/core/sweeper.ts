import { unwrap } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { isBelow } from '../../../store/port/check.ts'
import type { Core, Sweeper } from './core.ts'
import { done } from './decision.ts'
import { debris } from './records.ts'

/** Keys deleted per commit. */
const batch = 48
/** The same of large values. */
const largeBatch = 4
/** The number of batches after which the event loop continues: a store in memory commits synchronously. */
const batchesAtOnce = 16
/** The minimum time between sweeps: records that expire together are swept together. */
const restMs = 1000
/** The pause before a failed sweep is retried, in milliseconds. */
const retryMs = 60_000
/**
 * The maximum time between sweeps: objects that other servers created, and did not live to delete, are not announced.
 */
const longestWaitMs = 24 * 3_600_000

/** @param coreOf - returns the core, which does not exist yet when its sweeper is made */
export function sweeper(coreOf: () => Core): Sweeper {
  let cancel: (() => void) | undefined
  let due = Number.POSITIVE_INFINITY
  let running: Promise<number> | undefined
  let stopped = false

  const arm = (instant: number) => {
    if (stopped || instant >= due) return
    const core = coreOf()
    due = instant
    cancel?.()
    const wait = Math.min(longestWaitMs, Math.max(restMs, instant - core.env().now))
    cancel = core.timers.after(wait, () => {
      due = Number.POSITIVE_INFINITY
      cancel = undefined
      sweep().catch((error: unknown) => {
        if (stopped) return
        core.report(error)
        arm(core.env().now + retryMs)
      })
    })
  }

  const sweep = () => {
    running ??= sweepAll(coreOf(), arm).finally(() => {
      running = undefined
    })
    return running
  }

  return {
    sweep,
    at: arm,
    stop: () => {
      stopped = true
      cancel?.()
    },
  }
}

/** Lets the event loop continue after some batches. */
type Rest = () => Promise<void>

async function sweepAll(core: Core, arm: (instant: number) => void): Promise<number> {
  let batches = 0
  const rest = async (): Promise<void> => {
    batches += 1
    if (batches % batchesAtOnce === 0) await nextMacrotask()
  }
  let total = 0
  for (;;) {
    const swept = await core.barrier.unlessSealed(async () => {
      const some = await sweepSome(core, rest)
      if (some === 0) arm(await nextExpiry(core))
      return some
    })
    if (typeof swept !== 'number') return total
    total += swept
    if (swept === 0) return total
    await rest()
  }
}

async function sweepSome(core: Core, rest: Rest): Promise<number> {
  let swept = await clear(core, rest)
  for (const { sweep } of core.concepts) swept += (await sweep?.(core)) ?? 0
  return swept
}

async function nextExpiry(core: Core): Promise<number> {
  const expiries = [core.env().now + longestWaitMs]
  for (const { nextExpiry } of core.concepts) {
    const at = await nextExpiry?.(core)
    if (at !== undefined) expiries.push(at)
  }
  return Math.min(...expiries)
}

/** Deletes everything below the prefixes of one debris record, then the record. */
async function clear(core: Core, rest: Rest): Promise<number> {
  const { view } = core.barrier.enter()
  const now = await view.fresh()
  const [piece] = now.scan({ prefix: debris.prefix, limit: 1 }).map((entry) => debris.stored(entry).value)
  if (piece === undefined) return 0
  const large = core.concepts.flatMap(({ large = [] }) => large.map(({ prefix }) => prefix))
  let deleted = 0
  for (const prefix of piece.prefixes) {
    const limit = isBelow(prefix, large) ? largeBatch : batch
    for (;;) {
      const found = await view.store.read((at) => at.scan({ prefix, limit }))
      if (found.length === 0) break
      const id = core.env().newId('commit')
      const prefixes = found.flatMap((entry) =>
        core.concepts.flatMap(({ ofRecord }) => ofRecord?.(entry) ?? []),
      )
      const put = prefixes.length > 0 ? [{ key: debris.keyOf(id), value: { id, prefixes } }] : []
      await view.store.commit([{ id, put, del: found.map(({ key }) => key) }])
      deleted += found.length
      await rest()
    }
  }
  const { namespaceId } = piece
  if (namespaceId !== undefined)
    for (const { endNamespace } of core.concepts) deleted += (await endNamespace?.(core, namespaceId)) ?? 0
  unwrap(await core.commit((tx) => done(tx.delete(debris, piece.id))))
  return deleted + 1
}
