import type { Timers } from '../../kernel/index.ts'

/** A set of sleepers that are woken together. */
export interface Waiters {
  /** Sleeps until woken, aborted or `ms` passed; not at all when `done` already holds. Only `hold` holds the process. */
  wait(ms: number, signal: AbortSignal | undefined, done: () => boolean, hold?: boolean): Promise<void>
  wake(): void
}

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
