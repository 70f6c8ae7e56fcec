/** Lets so many run at once. */
export function slots(count: number) {
  let free = count
  const waiting: (() => void)[] = []
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return {
    /** Runs it when it is its turn. */
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      if (free === 0) await new Promise<void>((go) => void waiting.push(go))
      else free -= 1
      return work().finally(leave)
    },
    /** Runs it now, or answers `undefined` where too many run already. */
    tryRun: <T>(work: () => Promise<T>): Promise<T> | undefined => {
      if (free === 0) return undefined
      free -= 1
      return work().finally(leave)
    },
  }
}
