import { encodePart, partsOf, prefixEnd, type Range } from '../../../store/index.ts'
import { asFolder, childOf } from '../../kv1/index.ts'

/** How many keys to read at a time; few after a leap, since the next key may be a folder again. */
const page = 256
const afterLeap = 8

/**
 * The direct children of a folder, from keys in byte order. It leaps over what lies deeper: the cost is that of the
 * answer, not of all that is below the folder.
 *
 * @param scan - reads a run of keys
 * @param base - the key of the mount's empty path, which every path's key begins with
 * @param folder - where to look; empty for the root, with or without its trailing slash
 */
export async function listFolder(
  scan: (range: Range) => Promise<readonly string[]>,
  base: string,
  folder: string,
): Promise<readonly string[]> {
  const within = asFolder(folder)
  const names: string[] = []
  const prefix = base + encodePart(within)
  let range: Range | undefined = { prefix, limit: page }
  while (range !== undefined) {
    const keys = await scan(range)
    const last = keys.at(-1)
    range =
      last === undefined || keys.length < (range.limit ?? 0)
        ? undefined
        : { prefix, after: last, limit: page }
    for (const key of keys) {
      const name = childOf(partsOf(key).at(-1) ?? '', within)
      if (name === '' || names.at(-1) === name) continue
      names.push(name)
      if (!name.endsWith('/')) continue
      // Everything below this folder has the same name: go on behind it.
      const behind = prefixEnd(prefix + encodePart(name))
      range = behind === undefined ? undefined : { prefix, from: behind, limit: afterLeap }
      break
    }
  }
  return names
}
