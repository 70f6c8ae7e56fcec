import type { Timers } from '../../kernel/index.ts'
import { isStoreError } from './errors.ts'
import type { Since } from './port.ts'
import type { Waiters } from './waiters.ts'

/**
 * The dependencies of {@link untilNews}: for adapters that are notified only of their own handle's commits.
 */
export interface NewsOptions {
  /** Schedules the polls and the end of the wait. */
  readonly timers: Timers
  /** Woken by this handle's commits, and when it closes. */
  readonly waiting: Waiters
  /** How often, in milliseconds, to look for commits of other handles and processes. */
  readonly pollMs: number
  /** Whether the store was closed, which ends the wait. */
  readonly isClosed: () => boolean
  /** Whether the head differs from the one the caller has seen; `locked` means that there is none yet. */
  readonly hasNews: () => boolean
}

/**
 * Waits as `changes` has to: until there are changes, `waitMs` is over, the signal aborts or the store closes. A wait
 * in the `background` does not keep the process alive.
 *
 * @example
 * ```ts
 * import { systemTimers } from 'plinth'
 * import { untilNews, waiters } from 'plinth/store'
 *
 * let head = 7
 * const waiting = waiters(systemTimers)
 * const wait = untilNews(
 *   { after: 7, prefixes: [], waitMs: 5_000 },
 *   { timers: systemTimers, waiting, pollMs: 10, isClosed: () => false, hasNews: () => head !== 7 },
 * )
 * head = 8
 * waiting.wake()
 * await wait // undefined
 * ```
 */
export async function untilNews(
  { waitMs = 0, signal, background }: Since,
  { timers, waiting, pollMs, isClosed, hasNews }: NewsOptions,
): Promise<void> {
  if (waitMs <= 0) return
  let isOver = false
  const end = () => {
    isOver = true
    waiting.wake()
  }
  const stop = timers.after(waitMs, end, { hold: background !== true })
  const isAwaited = () => {
    try {
      return !hasNews()
    } catch (error) {
      // An import is announced once it is complete.
      if (isStoreError(error, 'locked')) return true
      throw error
    }
  }
  const isDone = () => isClosed() || isOver
  try {
    while (!isDone() && signal?.aborted !== true && isAwaited()) await waiting.wait(pollMs, signal, isDone)
  } finally {
    stop()
  }
}
