import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { encodePart, partsOf, prefixEnd, type Range } from '../../../store/index.ts'
import { asFolder, childOf } from '../../kv1/index.ts'
import type { ListPage } from '../list-page.ts'

/** How many keys to read at a time; few after a leap, since the next key may be a folder again. */
const page = 256
const afterLeap = 8
/** After so many runs of keys other work has its turn. */
const runsAtOnce = 16

/** Which names of a folder are listed; all of its direct children by default. */
export interface Listing extends ListPage {
  /** Lists the paths of all secrets below the folder, and no folders. */
  readonly deep?: boolean | undefined
  /** Which of some names count, in their order. */
  readonly keep?: ((names: readonly string[]) => Promise<readonly string[]>) | undefined
}

/**
 * The direct children of a folder, or all that is below it, from keys in byte order. A list of children leaps over what lies
 * deeper: the cost is that of the answer, not of all that is below the folder.
 *
 * @param scan - reads a run of keys
 * @param base - the key of the mount's empty path, which every path's key begins with
 * @param folder - where to look; empty for the root, with or without its trailing slash
 */
export async function listFolder(
  scan: (range: Range) => Promise<readonly string[]>,
  base: string,
  folder: string,
  { after, limit = 0, deep = false, keep }: Listing = {},
): Promise<readonly string[]> {
  const within = asFolder(folder)
  const names: string[] = []
  const prefix = base + encodePart(within)
  let last = ''
  let range = rangeBehind(prefix, after, deep)
  for (let run = 1; range !== undefined; run += 1) {
    if (run % runsAtOnce === 0) await nextMacrotask()
    const keys = await scan(range)
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
      // Everything below this folder has the same name: go on behind it.
      range = rangeBehind(prefix, name, deep, afterLeap)
      break
    }
    names.push(...(keep === undefined ? found : await keep(found)))
    if (limit > 0 && names.length >= limit) return names.slice(0, limit)
  }
  return names
}

/** The keys behind a name; `undefined` where there can be none. */
function rangeBehind(
  prefix: string,
  name: string | undefined,
  deep: boolean,
  limit: number = page,
): Range | undefined {
  if (name === undefined || name === '') return { prefix, limit }
  if (deep || !name.endsWith('/')) return { prefix, after: prefix + encodePart(name), limit }
  const behind = prefixEnd(prefix + encodePart(name))
  return behind === undefined ? undefined : { prefix, from: behind, limit }
}
