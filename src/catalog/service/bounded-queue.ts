/**
 * Runs a limited number of tasks at a time and queues the others, so that they never use all of a shared resource.
 *
 * @returns a function that starts work, now or later; it returns `undefined` if the queue is full
 */
export function boundedQueue({
  concurrent,
  waiting,
}: {
  readonly concurrent: number
  readonly waiting: number
}) {
  let running = 0
  const line: (() => void)[] = []
  const done = (): void => {
    running -= 1
    line.shift()?.()
  }
  return <T>(work: () => Promise<T>): Promise<T> | undefined => {
    if (running >= concurrent && line.length >= waiting) return undefined
    return new Promise<T>((resolve) => {
      const start = (): void => {
        running += 1
        resolve(work().finally(done))
      }
      if (running < concurrent) start()
      else line.push(start)
    })
  }
}
