/** An LRU cache with a maximum total size; the newest entry stays even if it is larger. */
export function lru<Value>(budget: number, sizeOf: (value: Value) => number) {
  const kept = new Map<string, Value>()
  let total = 0
  const drop = (key: string): void => {
    const value = kept.get(key)
    if (value === undefined) return
    total -= sizeOf(value)
    kept.delete(key)
  }
  return {
    get: (key: string): Value | undefined => {
      const value = kept.get(key)
      if (value === undefined) return undefined
      kept.delete(key)
      kept.set(key, value)
      return value
    },
    set: (key: string, value: Value): void => {
      drop(key)
      kept.set(key, value)
      total += sizeOf(value)
      for (const oldest of kept.keys()) {
        if (total <= budget || oldest === key) break
        drop(oldest)
      }
    },
    delete: drop,
    clear: (): void => {
      kept.clear()
      total = 0
    },
  }
}
