/** A cache with a maximum total weight; an entry that would exceed it clears the cache first. */
export function boundedCache<Value>(budget: number, weightOf: (value: Value) => number) {
  const kept = new Map<string, Value>()
  let total = 0
  const drop = (key: string): void => {
    const before = kept.get(key)
    if (before === undefined) return
    total -= weightOf(before)
    kept.delete(key)
  }
  return {
    get: (key: string): Value | undefined => kept.get(key),
    set: (key: string, value: Value): void => {
      drop(key)
      total += weightOf(value)
      if (total > budget) {
        kept.clear()
        total = weightOf(value)
      }
      kept.set(key, value)
    },
    delete: drop,
    clear: (): void => {
      kept.clear()
      total = 0
    },
  }
}
