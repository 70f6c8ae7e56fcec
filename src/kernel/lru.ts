/**
 * An LRU cache with a maximum total size. An entry was built from `source`, and is not returned for another one.
 */
export function lru<Source extends object, Value>(budget: number, sizeOf: (value: Value) => number) {
  const kept = new Map<string, { readonly source: Source; readonly value: Value }>()
  let total = 0
  const drop = (key: string): void => {
    const entry = kept.get(key)
    if (!entry) return
    total -= sizeOf(entry.value)
    kept.delete(key)
  }
  return {
    get: (key: string, source: Source): Value | undefined => {
      const entry = kept.get(key)
      if (entry?.source !== source) return undefined
      kept.delete(key)
      kept.set(key, entry)
      return entry.value
    },
    set: (key: string, source: Source, value: Value): void => {
      drop(key)
      kept.set(key, { source, value })
      total += sizeOf(value)
      for (const oldest of kept.keys()) {
        if (total <= budget || oldest === key) break
        drop(oldest)
      }
    },
  }
}
