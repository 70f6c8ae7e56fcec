import type { Timers } from './env.ts'

const hourMs = 3_600_000

/**
 * Does something an hour from now, and an hour after it ended again. What goes wrong is told, and no reason to stop.
 *
 * @returns ends it; what then fails because of that is not told
 */
export function hourly(
  timers: Timers,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => void {
  let ended = false
  let cancel = () => {}
  const arm = () => {
    cancel = timers.after(hourMs, () => {
      void work()
        .catch((error: unknown) => (ended ? undefined : onError(error)))
        .finally(() => (ended ? undefined : arm()))
    })
  }
  arm()
  return () => {
    ended = true
    cancel()
  }
}
