import type { Timers } from '../../kernel/index.ts'

/** How long others wait for work in progress, in milliseconds. */
const patienceMs = 25

/** Work of one kind, of which one piece is in progress at a time. */
export function inProgress(timers: Timers) {
  let work: Promise<unknown> | undefined
  return {
    during: async <T>(begun: Promise<T>): Promise<T> => {
      work = begun
      try {
        return await begun
      } finally {
        work = undefined
      }
    },
    /** Settles once the work has ended, or has taken longer than others wait. */
    ended: async (): Promise<void> => {
      if (work === undefined) return
      const begun = work
      await new Promise<void>((resolve) => {
        const end = () => {
          cancel()
          resolve()
        }
        const cancel = timers.after(patienceMs, resolve)
        begun.then(end, end)
      })
    },
  }
}
