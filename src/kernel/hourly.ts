import type { Timers } from './env.ts'
import type { Reporter } from './event-emitter.ts'

const hourMs = 3_600_000

/**
 * Runs a task one hour from now, and again one hour after each run. Errors are reported and do not stop it.
 *
 * @returns a function that stops it; errors caused by stopping are not reported
 */
export function hourly(timers: Timers, work: () => Promise<unknown>, onError: Reporter): () => void {
  let ended = false
  let cancel = () => {}
  const arm = () => {
    cancel = timers.after(hourMs, () => {
      void work()
        .catch((error: unknown) => (ended ? undefined : onError(error)))
        .finally(() => (ended ? undefined : arm()))
    })
  }
  try {
    arm()
  } catch {
    // Workers allow no timers at module scope, and end before an hour: their program calls the task itself.
  }
  return () => {
    ended = true
    cancel()
  }
}
