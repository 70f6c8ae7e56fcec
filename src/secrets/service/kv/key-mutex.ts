/**
 * A mutex per key: work on one key runs sequentially, work on different keys concurrently. Two writers of one record in
 * this process then never conflict.
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
