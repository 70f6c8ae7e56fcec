import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { encodePart, partsOf, prefixEnd, type Range } from '../../../store/index.ts'
import { separator } from '../../../store/port/keys.ts'
import { asFolder, childOf } from '../../kv1/index.ts'
import { listLongPaths } from './list-long-paths.ts'
import type { Listing, MountKeys } from './listing.ts'
import { sortNames } from './sort-names.ts'

/** How many keys to read at a time; few after a skip, since the next key may be a folder again. */
const page = 256
const afterLeap = 8
/** The number of reads after which the event loop continues. */
const runsAtOnce = 16

/**
 * The direct children of a folder, or all paths below it, in byte order. A list of children skips deeper levels: its
 * cost is proportional to the answer, not to the number of paths below the folder.
 *
 * @param folder - where to look; empty for the root, with or without its trailing slash
 */
export async function listFolder(
  keys: MountKeys,
  folder: string,
  listing: Listing = {},
): Promise<readonly string[]> {
  const within = asFolder(folder)
  const short = await listShortPaths(keys, within, listing)
  const long = await listLongPaths(keys, within, listing)
  if (long.length === 0) return short
  const { limit = 0 } = listing
  const names = sortNames([...new Set([...short, ...long])])
  return limit > 0 ? names.slice(0, limit) : names
}

async function listShortPaths(
  { base, scan }: MountKeys,
  within: string,
  { after, limit = 0, deep = false, keep }: Listing,
): Promise<readonly string[]> {
  const names: string[] = []
  const prefix = base + encodePart(within)
  let last = ''
  // The keys of long paths come first.
  let range = after
    ? rangeBehind(prefix, after, deep)
    : { prefix, from: prefixEnd(base + separator), limit: page }
  for (let run = 1; range !== undefined; run += 1) {
    // What is kept takes long to find out.
    if (run % (keep === undefined ? runsAtOnce : 1) === 0) await nextMacrotask()
    const keys = scan(range)
    const end = keys.at(-1)
    range =
      end === undefined || keys.length < (range.limit ?? 0) ? undefined : { prefix, after: end, limit: page }
    const found: string[] = []
    for (const key of keys) {
      const path = partsOf(key).at(-1) ?? ''
      const name = deep ? path.slice(within.length) : childOf(path, within)
      if (name === '' || last === name) continue
      last = name
      found.push(name)
      if (deep || !name.endsWith('/')) continue
      // Everything below this folder has the same name: continue after it.
      range = rangeBehind(prefix, name, deep, afterLeap)
      break
    }
    names.push(...(keep === undefined ? found : await keep(found)))
    if (limit > 0 && names.length >= limit) return names.slice(0, limit)
  }
  return names
}

/** The keys after a name; `undefined` if there are none. */
function rangeBehind(prefix: string, name: string, deep: boolean, limit: number = page): Range | undefined {
  if (deep || !name.endsWith('/')) return { prefix, after: prefix + encodePart(name), limit }
  const behind = prefixEnd(prefix + encodePart(name))
  return behind === undefined ? undefined : { prefix, from: behind, limit }
}
