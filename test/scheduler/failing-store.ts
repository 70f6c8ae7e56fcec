import { memoryStore, type Store } from '../../src/store/index.ts'

/** A store that takes so many commits more and is then away: every later one fails. */
export function failingStore() {
  const kept = memoryStore()
  let left = Number.POSITIVE_INFINITY
  const store: Store = {
    ...kept,
    commit: (batch) => {
      left -= 1
      return left < 0 ? Promise.reject(new Error('the store is away')) : kept.commit(batch)
    },
  }
  return {
    kept,
    store,
    takes: (commits: number) => {
      left = commits
    },
    isAway: () => left < 0,
  }
}
