/**
 * The data of recently read or written versions, decrypted. A version's data never changes, and the metadata decides
 * whether it may be read, so the cache is never stale; sealing clears it.
 */
export interface VersionCache {
  readonly get: (incarnation: string, version: number) => string | undefined
  readonly set: (incarnation: string, version: number, json: string) => void
  readonly clear: () => void
}

/** The maximum number of cached characters, and per version. */
const keptUnits = 8 * 1024 * 1024
const longestUnits = 64 * 1024

export function versionCache(): VersionCache {
  const texts = new Map<string, string>()
  let units = 0
  const drop = (key: string, json: string) => {
    texts.delete(key)
    units -= json.length
  }
  return {
    get: (incarnation, version) => {
      const key = `${incarnation}/${version}`
      const json = texts.get(key)
      if (json === undefined) return undefined
      // The most recently used is dropped last.
      texts.delete(key)
      texts.set(key, json)
      return json
    },
    set: (incarnation, version, json) => {
      if (json.length > longestUnits) return
      const key = `${incarnation}/${version}`
      const before = texts.get(key)
      if (before !== undefined) drop(key, before)
      texts.set(key, json)
      units += json.length
      for (const [oldest, text] of texts) {
        if (units <= keptUnits) break
        drop(oldest, text)
      }
    },
    clear: () => {
      texts.clear()
      units = 0
    },
  }
}
