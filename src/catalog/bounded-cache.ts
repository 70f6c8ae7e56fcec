/** A cache with a maximum total weight; an entry that would exceed it clears the cache first. */
export function boundedCache<Value>(budget: number, weightOf: (value: Value) => number) {
  const kept = new Map<string, Value>()
  let total = 0
  return {
    get: (key: string): Value | undefined => kept.get(key),
    set: (key: string, value: Value): void => {
      const before = kept.get(key)
      total += weightOf(value) - (before === undefined ? 0 : weightOf(before))
      if (total > budget) {
        kept.clear()
        total = weightOf(value)
      }
      kept.set(key, value)
    },
  }
}
