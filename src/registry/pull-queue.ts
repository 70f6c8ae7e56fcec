import { fairQueue } from '../kernel/fair-queue.ts'
import type { Timers } from '../kernel/index.ts'

/** The limits of a {@link pullQueue}. */
const limits = {
  /** The maximum number of copies that have just begun. */
  concurrent: 4,
  /** A copy that takes longer makes room for the next one, and goes on beside it. */
  promptMs: 5000,
  /** The maximum number of those. */
  slow: 16,
  longestMs: 5 * 60_000,
  waiting: 1000,
}

/** Why a copy ended before its source had sent everything. */
export class PullEnded extends Error {}

/**
 * Runs copies of archives. A source that sends slowly delays no other one: each namespace has a lane of its own, and
 * a slow copy keeps its place only for some seconds.
 */
export function pullQueue(timers: Timers) {
  const queue = fairQueue({ concurrent: limits.concurrent, waiting: limits.waiting })
  /** Those that have not ended; waiting ones included. */
  const all = new Set<AbortController>()
  /** The oldest first. */
  const slow = new Set<AbortController>()

  /** Starts a copy, now or later; `undefined` if too many wait. Its signal says that it was ended, and why. */
  const start = <T>(namespace: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> | undefined => {
    const ending = new AbortController()
    const begin = async (): Promise<{ readonly copying: Promise<T> }> => {
      ending.signal.throwIfAborted()
      const cancel = timers.after(limits.longestMs, () =>
        ending.abort(new PullEnded(`the copy takes longer than ${limits.longestMs / 60_000} minutes`)),
      )
      const copying = work(ending.signal).finally(() => {
        cancel()
        slow.delete(ending)
      })
      await new Promise<void>((makeRoom) => {
        const late = timers.after(limits.promptMs, () => {
          slow.add(ending)
          const [oldest] = slow
          if (oldest && slow.size > limits.slow) {
            slow.delete(oldest)
            oldest.abort(new PullEnded('too many sources are slow at the same time'))
          }
          makeRoom()
        })
        const over = () => {
          late()
          makeRoom()
        }
        copying.then(over, over)
      })
      return { copying }
    }
    const begun = queue(namespace, begin)
    if (begun === undefined) return undefined
    all.add(ending)
    return begun.then(({ copying }) => copying).finally(() => all.delete(ending))
  }
  /** Ends all copies. */
  const close = (): void => {
    for (const ending of all) ending.abort(new PullEnded('the registry was closed'))
  }
  return { start, close }
}

/** What a promise resolves to, unless the signal comes first. */
export function unlessEnded<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

/** Bytes that end with an error when the signal comes. */
export async function* bytesUnlessEnded(
  signal: AbortSignal,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const chunks = bytes[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      const next = await unlessEnded(signal, chunks.next())
      if (next.done) {
        isOver = true
        return
      }
      yield next.value
    }
  } finally {
    // Not awaited: a source that sends nothing does not hear of it.
    if (!isOver) chunks.return?.().catch(() => undefined)
  }
}
