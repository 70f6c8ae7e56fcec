/** What the end of the process goes through, in order. */
export interface ShutdownSteps {
  /** At once: health answers 503. */
  readonly reportUnhealthy: () => void
  /** How long all services serve on after that. */
  readonly graceMs: number
  /** Answers what is waiting, drains what is under way, closes the stores. */
  readonly stop: () => Promise<void>
}

/**
 * Goes through the steps once SIGTERM or SIGINT comes: unhealthy, grace, stop. A second signal exits at once.
 * Call it before anybody is told that the server is up, so that no signal finds nobody listening.
 *
 * @remarks
 * Spec document 001, "Gateway health and worker connection moves": without a grace period shutdown starts
 * right away.
 */
export async function untilStopped(steps: ShutdownSteps): Promise<void> {
  await nextSignal()
  const impatient = (): void => process.exit(1)
  process.once('SIGTERM', impatient)
  process.once('SIGINT', impatient)
  steps.reportUnhealthy()
  if (steps.graceMs > 0) await new Promise((resolve) => setTimeout(resolve, steps.graceMs))
  await steps.stop()
}

const nextSignal = (): Promise<void> =>
  new Promise((resolve) => {
    const arrived = () => {
      process.off('SIGTERM', arrived)
      process.off('SIGINT', arrived)
      resolve()
    }
    process.on('SIGTERM', arrived)
    process.on('SIGINT', arrived)
  })
