import { compareText } from '../../../kernel/compare-text.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { encodePart, partsOf, prefixEnd, type Range } from '../../../store/index.ts'
import { separator } from '../../../store/port/keys.ts'
import { childOf } from '../../kv1/index.ts'
import { headOf } from '../core/path-key.ts'
import type { Listing, MountKeys } from './listing.ts'
import { sortNames } from './sort-names.ts'

/** How many keys, and how many records, to read at a time; few keys after a skip. */
const page = 256
const afterLeap = 8
/** The number of reads after which the event loop continues. */
const turnsAtOnce = 16

/**
 * The names in a folder that come from paths too long for a key, in byte order. Heads are in the order of their paths;
 * the paths of one head are read and sorted. So a page costs as much as all paths of its heads.
 *
 * @param within - the folder; empty for the root, otherwise with its trailing slash
 */
export async function listLongPaths(
  { base, scan, pathsAt }: MountKeys,
  within: string,
  { after = '', limit = 0, deep = false, keep }: Listing,
): Promise<readonly string[]> {
  const keyFrom = (head: string) => base + separator + encodePart(head)
  const prefix = keyFrom(headOf(within))
  const names: string[] = []
  let range: Range | undefined = { prefix, from: keyFrom(headOf(within + after)), limit: page }
  for (let turn = 1; range !== undefined; turn += 1) {
    if (turn % turnsAtOnce === 0) await nextMacrotask()
    const run = scan(range)
    const end = run.at(-1)
    if (end === undefined) break
    const folderAt = deep ? -1 : run.findIndex((key) => headIn(key).includes('/', within.length))
    let keys = folderAt < 0 ? run : run.slice(0, folderAt)
    const found = new Set<string>()
    const folder = run[folderAt]
    if (folder !== undefined) {
      // Everything below this folder has the same name: continue after it.
      const name = childOf(headIn(folder), within)
      range = rangeFrom(prefix, prefixEnd(keyFrom(within + name)), afterLeap)
      found.add(name)
    } else if (run.length < (range.limit ?? 0)) range = undefined
    else {
      // The paths of one head are sorted together.
      const ofHead = keyFrom(headIn(end)) + separator
      keys = run.concat(scan({ prefix: ofHead, after: end }))
      range = rangeFrom(prefix, prefixEnd(ofHead))
    }
    for (let at = 0; at < keys.length; at += page) {
      if (at > 0) await nextMacrotask()
      for (const path of await pathsAt(keys.slice(at, at + page)))
        if (path?.startsWith(within)) found.add(deep ? path.slice(within.length) : childOf(path, within))
    }
    const sorted = sortNames([...found].filter((name) => compareText(name, after) > 0))
    names.push(...(keep === undefined ? sorted : await keep(sorted)))
    if (limit > 0 && names.length >= limit) return names.slice(0, limit)
  }
  return names
}

/** The head of the path in a key. */
const headIn = (key: string): string => partsOf(key)[3] ?? ''

const rangeFrom = (prefix: string, from: string | undefined, limit = page): Range | undefined =>
  from === undefined ? undefined : { prefix, from, limit }
