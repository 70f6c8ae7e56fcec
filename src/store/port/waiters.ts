import type { Timers } from '../../kernel/index.ts'

/**
 * A set of sleepers that are woken together.
 */
export interface Waiters {
  /**
   * Sleeps until woken, aborted or `ms` passed; not at all when `done` already holds. Only with `hold` it keeps the
   * process alive.
   */
  wait(ms: number, signal: AbortSignal | undefined, done: () => boolean, hold?: boolean): Promise<void>
  /** Wakes all that sleep. */
  wake(): void
}

/**
 * Creates a set of sleepers that wake together, for an adapter's waits.
 *
 * @example
 * ```ts
 * import { systemTimers } from 'plinth'
 * import { waiters } from 'plinth/store'
 *
 * const waiting = waiters(systemTimers)
 * const asleep = waiting.wait(60_000, undefined, () => false)
 * waiting.wake()
 * await asleep // undefined
 * ```
 */
export function waiters(timers: Timers): Waiters {
  let sleeping = new Set<() => void>()
  return {
    wait: (ms, signal, done, hold = false) =>
      new Promise((resolve) => {
        if (done() || signal?.aborted === true || ms <= 0) return resolve()
        const up = () => {
          cancel()
          signal?.removeEventListener('abort', up)
          sleeping.delete(up)
          resolve()
        }
        const cancel = timers.after(ms, up, { hold })
        signal?.addEventListener('abort', up)
        sleeping.add(up)
      }),
    wake: () => {
      if (sleeping.size === 0) return
      const woken = sleeping
      sleeping = new Set()
      for (const up of woken) up()
    },
  }
}
