/**
 * The data of versions read or written lately, in the clear. A version's data never changes, and whether it may be read
 * is the metadata's to say, so nothing here is ever stale; sealing forgets it.
 */
export interface VersionCache {
  readonly get: (incarnation: string, version: number) => string | undefined
  readonly set: (incarnation: string, version: number, json: string) => void
  readonly clear: () => void
}

/** Characters of data that are kept at most, and of one version's. */
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
      // The last one used is the last one dropped.
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
