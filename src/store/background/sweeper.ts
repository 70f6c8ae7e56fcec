import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import { type Env, systemEnv, systemTimers, type Timers } from '../../kernel/index.ts'
import { type Collection, collection, type Stored } from '../port/collection.ts'
import { endOfTurn } from '../port/end-of-turn.ts'
import { isStoreError, StoreError } from '../port/errors.ts'
import { encodePart, type Part, prefixOf } from '../port/keys.ts'
import type { Entry, Rev } from '../port/port.ts'
import type { Replica } from '../replica/replica.ts'
import { transact } from '../transactions/transact.ts'
import type { Tx } from '../transactions/transaction.ts'

/**
 * A sweep: a collection with an index that begins with the instant when a record falls due.
 */
export interface Sweep<T> {
  readonly collection: Collection<T>
  /** The index whose first part is the instant; a record that never falls due has no value in it. */
  readonly index: string
  /**
   * Handles a due record; deletes it by default. It may write a few keys, and must make the record no longer due. If it
   * throws, the record stays, and the next sweep retries it.
   */
  expire?(tx: Tx, record: Stored<T>): void
}

/**
 * Options of {@link sweeper}.
 */
export interface SweeperOptions {
  /** The name of the work: sweepers of one name take turns. */
  readonly name: string
  /** How often to look, in milliseconds; 5 s by default. */
  readonly everyMs?: number | undefined
  /** How long the lease lasts, in milliseconds; 15 s by default. Sweepers of one name may differ. */
  readonly leaseMs?: number | undefined
  /** Records of one commit; 10 by default. A commit has 64 keys. */
  readonly batch?: number | undefined
  /** The clock and the identifiers; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** Schedules the sweeps; the system's timers by default. */
  readonly timers?: Timers | undefined
  /** Called for sweeps that failed; the next one runs anyway. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const sweeperOptions: OptionNames<SweeperOptions> = {
  name: true,
  everyMs: true,
  leaseMs: true,
  batch: true,
  env: true,
  timers: true,
  onError: true,
}

/**
 * A sweeper at work.
 */
export interface Sweeper {
  /**
   * Sweeps until nothing is due; 0 if another process holds the lease. Returns the number of removed records, or throws
   * the error of the first record that could not be swept, after all others are.
   */
  sweep(): Promise<number>
  /** Stops the sweeper; a running sweep ends with its current batch. */
  close(): Promise<void>
}

interface Lease {
  readonly name: string
  readonly holder: string
  readonly until: number
  /** The duration of the lease, which its holder chooses. Earlier versions did not write it. */
  readonly leaseMs?: number
}

const leases = collection<Lease>({ name: 'sweep-lease', key: (lease) => [lease.name], scopes: () => [] })

/**
 * Removes due records in small commits, from one process at a time.
 *
 * @remarks
 * Sweeping only frees space and cascades: reads check the time themselves, so a late sweep revives nothing. Nothing is
 * written while nothing is due. Each commit expects the lease that this process wrote, so that a sweeper that was
 * paused past its lease is refused.
 *
 * A lease lasts until the instant that its holder wrote. One that ends later than twice its length from now was taken
 * before the clock was set back, or by a process whose clock is ahead, and is free: no sweeper waits longer than that.
 * A record is due by the clock of the process that sweeps it.
 *
 * @example
 * ```ts
 * import { testClock } from 'plinth/testing'
 * import { collection, memoryStore, replica, sweeper, transact } from 'plinth/store'
 *
 * interface Nonce { readonly id: string; readonly expiresAt: number }
 * const nonces = collection<Nonce>({ name: 'nonce', key: (n) => [n.id], indexes: { due: (n) => [n.expiresAt] } })
 * const clock = testClock({ now: 1000 })
 * const view = await replica(memoryStore(), [nonces])
 * await transact(view, () => 'commit-1', (tx) => tx.put(nonces, { id: 'n', expiresAt: 2000 }))
 *
 * const sweeps = sweeper(view, [{ collection: nonces, index: 'due' }], { name: 'nonces', ...clock })
 * await sweeps.sweep() // 0
 * await clock.advance(1000)
 * await sweeps.sweep() // 1
 * ```
 */
export function sweeper(view: Replica, sweeps: readonly Sweep<unknown>[], options: SweeperOptions): Sweeper {
  checkOptions('sweeper', options, sweeperOptions)
  const { name, everyMs = 5_000, leaseMs = 15_000, batch = 10 } = options
  checkNumbers({ least: 1, unit: 'milliseconds' }, { everyMs, leaseMs })
  checkNumbers({ least: 1, unit: 'records', whole: true }, { batch })
  const env = options.env ?? systemEnv
  const timers = options.timers ?? systemTimers
  const hold = leaseHolder(view, env, name, leaseMs)
  const report = eventEmitter(options.onError)
  let closed = false

  const sweeping: Sweeping = { view, name, batch, env, hold, isClosed: () => closed }

  const sweepAll = async (): Promise<number> => {
    let total = 0
    let failure: { readonly error: unknown } | undefined
    const failed = (error: unknown) => {
      failure ??= { error }
    }
    for (const sweep of sweeps) {
      let swept: number
      do {
        swept = await sweepThrough(sweeping, sweep, failed)
        total += swept
      } while (swept > 0)
    }
    if (failure !== undefined) throw failure.error
    return total
  }

  let running: Promise<number> | undefined
  const sweep = (): Promise<number> => {
    running ??= sweepAll().finally(() => {
      running = undefined
    })
    return running
  }
  let cancel = () => {}
  const arm = () => {
    cancel = timers.after(everyMs, () => {
      const ended = sweep().catch((error: unknown) => {
        if (!isStoreError(error, 'closed')) report(error)
      })
      void ended.then(() => (closed ? undefined : arm()))
    })
  }
  arm()

  return {
    sweep,
    close: async () => {
      closed = true
      cancel()
      await running?.catch(() => undefined)
    },
  }
}

/** What the sweeps of a sweeper have in common. */
interface Sweeping {
  readonly view: Replica
  readonly name: string
  readonly batch: number
  readonly env: () => Env
  /** Takes or renews the lease: its revision, or undefined while another process holds it. */
  readonly hold: ReturnType<typeof leaseHolder>
  readonly isClosed: () => boolean
}

/** Sweeps these records in one commit; returns their number, or undefined while another process holds the lease. */
async function sweepThese(
  { view, name, env, hold }: Sweeping,
  sweep: Sweep<unknown>,
  due: readonly string[],
): Promise<number | undefined> {
  const { collection: from, index } = sweep
  const { now } = env()
  const fence = await hold()
  if (fence === undefined) return undefined
  const isStillDue = (record: Stored<unknown> | undefined): record is Stored<unknown> =>
    record !== undefined && isDue(from, index, record.value, now)
  const { result } = await transact(
    view,
    () => env().newId('commit'),
    (tx) => {
      const lease = tx.get(leases, name)
      if (lease?.modified !== fence) return { ok: false, swept: 0 } as const
      let swept = 0
      for (const key of due) {
        const record = tx.at(from, key)
        // It may have been renewed since it was found.
        if (!isStillDue(record)) continue
        if (sweep.expire === undefined) tx.delete(from, ...from.parts(record.value))
        else sweep.expire(tx, record)
        if (isStillDue(tx.at(from, key)))
          throw new StoreError('invalid', `expire() left a record of ${from.name} as due as it was`)
        swept += 1
      }
      return { ok: true, swept } as const
    },
    { load: [leases.keyOf(name), ...due] },
  )
  return result.swept
}

/** The same one by one, if one of them blocks the others; `failed` receives the error. */
async function sweepEach(
  sweeping: Sweeping,
  sweep: Sweep<unknown>,
  due: readonly string[],
  failed: (error: unknown) => void,
): Promise<number | undefined> {
  try {
    return await sweepThese(sweeping, sweep, due)
  } catch (error) {
    if (!isOfRecord(error)) throw error
    if (due.length === 1) {
      failed(error)
      return 0
    }
  }
  let total = 0
  for (const key of due) {
    const swept = sweeping.isClosed() ? undefined : await sweepEach(sweeping, sweep, [key], failed)
    if (swept === undefined) return undefined
    total += swept
  }
  return total
}

/** Everything that is due, in order, without records that cannot be swept. */
async function sweepThrough(
  sweeping: Sweeping,
  sweep: Sweep<unknown>,
  failed: (error: unknown) => void,
): Promise<number> {
  const { view, batch, env, isClosed } = sweeping
  let total = 0
  for (let after: string | undefined; !isClosed(); ) {
    const due = await dueEntries(view, sweep, env().now, after, batch)
    if (due.length === 0) break
    after = due.at(-1)?.key
    const swept = await sweepEach(sweeping, sweep, due.flatMap(holderOf), failed)
    if (swept === undefined) break
    total += swept
    await endOfTurn(view.store)
  }
  return total
}

/** Takes or renews the lease; its revision is the fencing token. Undefined while another process holds it. */
function leaseHolder(view: Replica, env: () => Env, name: string, leaseMs: number) {
  const holder = env().newId('sweeper')
  const load = [leases.keyOf(name)]
  return async (): Promise<Rev | undefined> => {
    const { now } = env()
    const { result, rev } = await transact(
      view,
      () => env().newId('commit'),
      (tx): 'taken' | 'kept' | { readonly ok: false } => {
        const lease = tx.get(leases, name)?.value
        if (lease !== undefined) {
          const leftMs = lease.until - now
          if (lease.holder === holder) {
            if (leftMs > leaseMs / 2 && leftMs <= leaseMs) return 'kept'
          } else if (leftMs > 0 && leftMs <= 2 * (lease.leaseMs ?? leaseMs)) return { ok: false }
        }
        tx.put(leases, { name, holder, until: now + leaseMs, leaseMs })
        return 'taken'
      },
      { load },
    )
    if (typeof result === 'object') return undefined
    if (result === 'taken') return rev
    const [lease] = await view.store.read((now) => now.get(load))
    return lease?.modified
  }
}

/** Whether the error was caused by the record (its `expire` or its reads) and not by the store. */
const isOfRecord = (error: unknown): boolean =>
  !isStoreError(error) || isStoreError(error, 'invalid', 'unique', 'not_held', 'corrupt')

/** The index entries of the next due records, after a key of the index. */
async function dueEntries(
  view: Replica,
  { collection: from, index }: Sweep<unknown>,
  now: number,
  after: string | undefined,
  limit: number,
): Promise<Entry[]> {
  const prefix = prefixOf(`${from.name}#${index}`)
  const found = await view.store.read((snapshot) => snapshot.scan({ prefix, after, limit }))
  const last = prefix + encodePart(Math.max(0, Math.floor(now)))
  return found.filter(({ key }) => key.slice(0, last.length) <= last)
}

/** The key of the record that an index entry leads to. */
const holderOf = ({ value }: Entry): string[] => (typeof value === 'string' ? [value] : [])

function isDue(from: Collection<unknown>, index: string, record: unknown, now: number): boolean {
  const prefix = prefixOf(`${from.name}#${index}`)
  const key = from.indexKeys(record).find((each) => each.startsWith(prefix))
  const last: Part = encodePart(Math.max(0, Math.floor(now)))
  return key !== undefined && key.slice(prefix.length, prefix.length + last.length) <= last
}
