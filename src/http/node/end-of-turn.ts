/** So many wait for one another at most: the first must not wait for a long row. */
const most = 16

/** What waits for the end of this turn of the event loop. */
let waiting: (() => void)[] = []

/**
 * Settles at the end of this turn of the event loop, for all who asked in it.
 *
 * @remarks
 * One turn brings the requests of many connections. A write to a socket wakes its reader, and where that is on the same
 * machine (a proxy, a sidecar), waking it for each answer can cost as much as making the answer. Answers that are written
 * right behind one another find it awake.
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
