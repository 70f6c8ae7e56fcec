import { systemTimers } from '../../kernel/index.ts'

/** A request from outside to stop the server. */
export interface StopSignal {
  readonly came: () => boolean
  readonly coming: Promise<void>
}

/**
 * Handles SIGTERM and SIGINT from now on; a second signal exits immediately.
 *
 * @remarks
 * Call it before anything is opened. An interrupted start could leave a directory whose keys were not yet written, so
 * an early signal is kept until the server is up, which then shuts down gracefully.
 */
export function stopSignal(): StopSignal {
  let came = false
  const coming = new Promise<void>((resolve) => {
    const arrived = () => {
      if (came) process.exit(1)
      came = true
      resolve()
    }
    process.on('SIGTERM', arrived)
    process.on('SIGINT', arrived)
  })
  return { came: () => came, coming }
}

/** The steps of a shutdown, in order. */
export interface ShutdownSteps {
  /** Immediately: health answers 503. */
  readonly reportUnhealthy: () => void
  /** How long all services continue after that. */
  readonly graceMs: number
  /** Ends waiting requests, drains running ones, and closes the stores. */
  readonly stop: () => Promise<void>
}

/** Runs the steps: unhealthy, grace period, stop. Without a grace period shutdown starts immediately. */
export async function shutDown({ reportUnhealthy, graceMs, stop }: ShutdownSteps): Promise<void> {
  reportUnhealthy()
  if (graceMs > 0)
    await new Promise<void>((resolve) => void systemTimers.after(graceMs, resolve, { hold: true }))
  await stop()
}
