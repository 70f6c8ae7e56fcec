/** The limits of a {@link fairQueue}. */
interface FairQueueOptions {
  /** The maximum number of concurrent tasks. */
  readonly concurrent: number
  /** The maximum number of queued tasks, of all lanes together. */
  readonly waiting: number
}

/**
 * Runs a limited number of tasks at a time and queues the others, with a lane for each client: lanes take turns, so
 * that a client with many tasks only delays itself.
 *
 * @returns starts a task of a lane, now or later; `undefined` if the queue is full
 */
export function fairQueue({ concurrent, waiting }: FairQueueOptions) {
  let running = 0
  let queued = 0
  /** In the order of their turns: after its turn a lane moves to the end. */
  const lanes = new Map<string, (() => void)[]>()

  const next = (): void => {
    running -= 1
    const [first] = lanes
    if (first === undefined) return
    const [lane, line] = first
    lanes.delete(lane)
    const start = line.shift()
    if (line.length > 0) lanes.set(lane, line)
    queued -= 1
    start?.()
  }

  return <T>(lane: string, work: () => Promise<T>): Promise<T> | undefined => {
    if (running >= concurrent && queued >= waiting) return undefined
    return new Promise<T>((resolve) => {
      const start = (): void => {
        running += 1
        resolve(work().finally(next))
      }
      if (running < concurrent) return start()
      const line = lanes.get(lane)
      if (line) line.push(start)
      else lanes.set(lane, [start])
      queued += 1
    })
  }
}
