/** Limits how many tasks run concurrently. */
export function slots(count: number) {
  let free = count
  const waiting: (() => void)[] = []
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return {
    /** Runs a task when a slot is free. */
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      if (free === 0) await new Promise<void>((go) => void waiting.push(go))
      else free -= 1
      return work().finally(leave)
    },
    /** Runs a task now, or returns `undefined` if no slot is free. */
    tryRun: <T>(work: () => Promise<T>): Promise<T> | undefined => {
      if (free === 0) return undefined
      free -= 1
      return work().finally(leave)
    },
  }
}
