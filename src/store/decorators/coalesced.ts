import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { checkCommit } from '../port/check.ts'
import { isStoreError, StoreError } from '../port/errors.ts'
import type { Commit, LocalStore, Store, Verdict } from '../port/port.ts'
import { decorated } from './decorated.ts'

/**
 * Options of {@link coalesced}.
 */
export interface CoalescedOptions {
  /** The maximum number of commits per batch; 64 by default. */
  readonly maxCommits?: number | undefined
  /** The approximate maximum of bytes of values per batch; 32 MiB by default. A single commit may be larger. */
  readonly maxBytes?: number | undefined
}

const coalescedOptions: OptionNames<CoalescedOptions> = {
  maxCommits: true,
  maxBytes: true,
}

/**
 * Collects commits that arrive while another is in progress and submits them as one batch, in one engine transaction.
 *
 * @remarks
 * Each commit is checked separately and gets its own revision, so a stale one does not affect the others; callers
 * notice only the speed. If a batch fails as `unknown` or `unreachable`, those that wait behind it fail as `unreachable`,
 * and nothing of them was written. One disk sync or network round trip, which carried one commit, now carries 64. The adapters
 * for SQLite and PostgreSQL do this already; wrap your own.
 *
 * @example
 * ```ts
 * import { coalesced, memoryStore } from 'plinth/store'
 *
 * const store = coalesced(memoryStore())
 * const put = (id: string) => store.commit([{ id, put: [{ key: id, value: 1 }] }])
 * const verdicts = await Promise.all([put('a'), put('b'), put('c')])
 * verdicts.flat().map((verdict) => verdict.rev) // [1, 2, 3]
 * ```
 */
export function coalesced(store: LocalStore, options?: CoalescedOptions): LocalStore
export function coalesced(store: Store, options?: CoalescedOptions): Store
export function coalesced(store: Store, options: CoalescedOptions = {}): Store {
  checkOptions('coalesced', options, coalescedOptions)
  const maxCommits = options.maxCommits ?? 64
  const maxBytes = options.maxBytes ?? 32 * 1024 * 1024
  checkNumbers({ least: 1, unit: 'commits' }, { maxCommits })
  checkNumbers({ least: 1, unit: 'bytes' }, { maxBytes })
  const commit = commitQueue(store, maxCommits, maxBytes)
  let closed = false
  return decorated(store, {
    commit: async (batch) => {
      if (closed) throw new StoreError('closed', 'the store was closed')
      return commit(batch)
    },
    close: () => {
      closed = true
      return store.close()
    },
  })
}

/** Queues commits, and sends those that wait together in one batch. */
function commitQueue(store: Store, maxCommits: number, maxBytes: number): Store['commit'] {
  let waiting: Waiting[] = []
  let running = false

  /** The longest prefix of the queue that fits into one batch; at least one caller's commits. */
  const next = (): Waiting[] => {
    let commits = 0
    let bytes = 0
    let taken = 0
    for (const { batch, size } of waiting) {
      commits += batch.length
      bytes += size
      if (taken > 0 && (commits > maxCommits || bytes > maxBytes)) break
      taken += 1
    }
    const served = waiting.slice(0, taken)
    waiting = waiting.slice(taken)
    return served
  }
  const send = async () => {
    running = true
    while (waiting.length > 0) {
      const served = next()
      try {
        const verdicts = await store.commit(served.flatMap(({ batch }) => batch))
        let at = 0
        for (const { batch, resolve } of served) {
          resolve(verdicts.slice(at, at + batch.length))
          at += batch.length
        }
      } catch (error) {
        for (const { reject } of served) reject(error)
        // Otherwise they would wait for the same outage anew, one batch after the other.
        if (isStoreError(error, 'unknown') || isStoreError(error, 'unreachable'))
          for (const { reject } of waiting.splice(0))
            reject(
              new StoreError('unreachable', `the store did not answer the commits before: ${error.message}`),
            )
      }
      // Callers that were just answered may commit again immediately: a batch without them would be followed by a small
      // one.
      await nextMacrotask()
    }
    running = false
  }
  return (batch) =>
    new Promise((resolve, reject) => {
      // Checked here: in a batch, one caller's invalid commit would fail all callers.
      let size = 0
      for (const each of batch) size += checkCommit(each)
      waiting.push({ batch, size, resolve, reject })
      // Deferred, so that callers of the same turn share a batch.
      if (!running) {
        running = true
        queueMicrotask(send)
      }
    })
}

interface Waiting {
  readonly batch: readonly Commit[]
  readonly size: number
  readonly resolve: (verdicts: readonly Verdict[]) => void
  readonly reject: (error: unknown) => void
}
