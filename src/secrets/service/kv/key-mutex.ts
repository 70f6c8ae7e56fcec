/**
 * Runs work of one key one after another, and work of different keys side by side. Two writers of one record in
 * this process then never make each other decide again.
 */
export interface KeyMutex {
  readonly run: <R>(key: string, work: () => Promise<R>) => Promise<R>
}

export function keyMutex(): KeyMutex {
  const last = new Map<string, Promise<unknown>>()
  return {
    run: (key, work) => {
      const before = last.get(key)
      const mine = before === undefined ? work() : before.then(work, work)
      last.set(key, mine)
      const leave = () => {
        if (last.get(key) === mine) last.delete(key)
      }
      mine.then(leave, leave)
      return mine
    },
  }
}
