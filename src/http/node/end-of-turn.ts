/** The maximum number of answers that are delayed together. */
const most = 16

/** What waits for the end of this turn of the event loop. */
let waiting: (() => void)[] = []

/**
 * Resolves at the end of this turn of the event loop, for all callers in this turn.
 *
 * @remarks
 * One turn delivers the requests of many connections. A write to a socket wakes its reader, and if that is on the same
 * machine (a proxy, a sidecar), waking it for each answer can cost as much as computing the answer. If answers are
 * written directly after one another, the reader is awake already.
 */
export const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(release)
    if (waiting.length === most) release()
  })

function release(): void {
  const all = waiting
  waiting = []
  for (const resolve of all) resolve()
}
