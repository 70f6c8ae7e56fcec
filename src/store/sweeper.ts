import { checkNumbers } from '../kernel/check-numbers.ts'
import { type Env, systemEnv, systemTimers, type Timers } from '../kernel/index.ts'
import { type Collection, collection, type Stored } from './collection.ts'
import { isStoreError, StoreError } from './errors.ts'
import { encodePart, type Part, prefixOf } from './keys.ts'
import type { Entry, Rev } from './port.ts'
import type { Replica } from './replica.ts'
import { transact } from './transact.ts'
import type { Tx } from './transaction.ts'

/**
 * What is to be swept: a collection with an index that begins with the instant a record falls due.
 *
 * @public
 */
export interface Sweep<T> {
  readonly collection: Collection<T>
  /** The index whose first part is the instant; a record that never falls due has no value in it. */
  readonly index: string
  /** What happens to a due record; it is deleted unless told. May write a few keys, and must end its being due. */
  expire?(tx: Tx, record: Stored<T>): void
}

/**
 * Options of {@link sweeper}.
 *
 * @public
 */
export interface SweeperOptions {
  /** Whose work it is: sweepers of one name take turns. */
  readonly name: string
  /** How often to look, in milliseconds; 5 s unless told. */
  readonly everyMs?: number | undefined
  /** How long a sweeper that fell silent keeps the others out, in milliseconds; 15 s unless told. */
  readonly leaseMs?: number | undefined
  /** Records of one commit; 10 unless told. A commit has 64 keys. */
  readonly batch?: number | undefined
  readonly env?: (() => Env) | undefined
  readonly timers?: Timers | undefined
  /** Hears of sweeps that failed; the next one comes all the same. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * A sweeper at work.
 *
 * @public
 */
export interface Sweeper {
  /** Sweeps now, until nothing is due; 0 where another process holds the lease. Returns how many records went. */
  sweep(): Promise<number>
  /** Stops; a sweep under way ends with its present batch. */
  close(): Promise<void>
}

interface Lease {
  readonly name: string
  readonly holder: string
  readonly until: number
}

const leases = collection<Lease>({ name: 'sweep-lease', key: (lease) => [lease.name], scopes: () => [] })

/**
 * Removes records once they are due, in small commits, by one process at a time.
 *
 * @remarks
 * Sweeping only frees space and cascades: reads judge by the clock themselves, so a late sweep revives nothing. Nothing
 * is written while nothing is due. Each commit expects the lease as this process wrote it, so that a sweeper that was
 * paused past its lease is refused, however long it slept.
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
 *
 * @public
 */
export function sweeper(view: Replica, sweeps: readonly Sweep<unknown>[], options: SweeperOptions): Sweeper {
  const { name, everyMs = 5_000, leaseMs = 15_000, batch = 10 } = options
  checkNumbers({ least: 1, unit: 'milliseconds' }, { everyMs, leaseMs })
  checkNumbers({ least: 1, unit: 'records', whole: true }, { batch })
  const env = options.env ?? systemEnv
  const timers = options.timers ?? systemTimers
  const holder = env().newId('sweeper')
  const leaseKey = leases.keyOf(name)
  const newId = () => env().newId('commit')
  let closed = false

  /** Takes or renews the lease; its revision is the fence. Nothing while another process holds it. */
  const hold = async (): Promise<Rev | undefined> => {
    const { now } = env()
    const load = [leaseKey]
    const { result, rev } = await transact(
      view,
      newId,
      (tx): 'taken' | 'kept' | { readonly ok: false } => {
        const lease = tx.get(leases, name)?.value
        // A lease that runs longer than one does was taken before the clock was set back; the fence keeps its holder out.
        const leftMs = lease === undefined || lease.until - now > leaseMs ? 0 : lease.until - now
        if (lease?.holder !== holder && leftMs > 0) return { ok: false }
        if (lease?.holder === holder && leftMs > leaseMs / 2) return 'kept'
        tx.put(leases, { name, holder, until: now + leaseMs })
        return 'taken'
      },
      { load },
    )
    if (typeof result === 'object') return undefined
    if (result === 'taken') return rev
    const [lease] = await view.store.read((now) => now.get(load))
    return lease?.modified
  }

  /** One commit of due records; the keys of those that went. */
  const sweepSome = async (sweep: Sweep<unknown>, before: ReadonlySet<string>): Promise<string[]> => {
    const { collection: from, index } = sweep
    const { now } = env()
    const due = await dueKeys(view, from, index, now, batch)
    if (due.length === 0) return []
    if (due.every((key) => before.has(key)))
      throw new StoreError('invalid', `expire() left records of ${from.name} as due as they were`)
    const fence = await hold()
    if (fence === undefined) return []
    const { result } = await transact(
      view,
      newId,
      (tx) => {
        const lease = tx.get(leases, name)
        if (lease?.modified !== fence) return { ok: false, swept: [] } as const
        const swept: string[] = []
        for (const record of due.flatMap((key) => tx.at(from, key) ?? [])) {
          // It may have been renewed since it was found.
          if (!isDue(from, index, record.value, now)) continue
          if (sweep.expire === undefined) tx.delete(from, ...from.parts(record.value))
          else sweep.expire(tx, record)
          swept.push(record.key)
        }
        return { ok: true, swept } as const
      },
      { load: [leaseKey, ...due] },
    )
    return [...result.swept]
  }

  const sweepAll = async (): Promise<number> => {
    let total = 0
    for (const sweep of sweeps) {
      let swept: string[] = []
      do {
        swept = closed ? [] : await sweepSome(sweep, new Set(swept))
        total += swept.length
      } while (swept.length > 0)
    }
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
        if (!isStoreError(error, 'closed')) options.onError?.(error)
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

/** The keys of the records that are due first. */
async function dueKeys(
  view: Replica,
  from: Collection<unknown>,
  index: string,
  now: number,
  limit: number,
): Promise<string[]> {
  const prefix = prefixOf(`${from.name}#${index}`)
  const found = await view.store.read((snapshot) => snapshot.scan({ prefix, limit }))
  const last = prefix + encodePart(Math.max(0, Math.floor(now)))
  const isPast = ({ key }: Entry) => key.slice(0, last.length) <= last
  return found.filter(isPast).flatMap(({ value }) => (typeof value === 'string' ? [value] : []))
}

function isDue(from: Collection<unknown>, index: string, record: unknown, now: number): boolean {
  const prefix = prefixOf(`${from.name}#${index}`)
  const key = from.indexKeys(record).find((each) => each.startsWith(prefix))
  const last: Part = encodePart(Math.max(0, Math.floor(now)))
  return key !== undefined && key.slice(prefix.length, prefix.length + last.length) <= last
}
