import { systemTimers } from '../../kernel/index.ts'

/** A request from outside that the server stops. */
export interface StopSignal {
  readonly came: () => boolean
  readonly coming: Promise<void>
}

/**
 * Listens for SIGTERM and SIGINT from now on; a second one exits at once.
 *
 * @remarks
 * Call it before anything is opened. A start that is cut off half-way could leave a directory whose keys were not yet
 * written down, so a signal that comes early is kept until the server is up, and then it goes down in order.
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
  /** At once: health answers 503. */
  readonly reportUnhealthy: () => void
  /** How long all services serve on after that. */
  readonly graceMs: number
  /** Ends waiting requests, drains running ones, and closes the stores. */
  readonly stop: () => Promise<void>
}

/** Goes through the steps: unhealthy, grace, stop. Without a grace period shutdown starts right away. */
export async function shutDown({ reportUnhealthy, graceMs, stop }: ShutdownSteps): Promise<void> {
  reportUnhealthy()
  if (graceMs > 0)
    await new Promise<void>((resolve) => void systemTimers.after(graceMs, resolve, { hold: true }))
  await stop()
}
