/**
 * Splits `package//sub/folder?query` into the package, with its query, and the folder inside it.
 *
 * @remarks
 * The `//` of a scheme (`https://`, `git::ssh://`) does not count, and a query belongs to the package even if it
 * follows the folder.
 *
 * @returns `undefined` if the folder leads outside the package.
 */
export function splitSubdirectory(
  source: string,
): { readonly package: string; readonly subdirectory: string } | undefined {
  const scheme = source.indexOf('://')
  const at = source.indexOf('//', scheme < 0 ? 0 : scheme + 3)
  if (at < 0) return { package: source, subdirectory: '' }
  const rest = source.slice(at + 2)
  const query = rest.indexOf('?')
  const folder = query < 0 ? rest : rest.slice(0, query)
  const subdirectory = cleanFolder(folder)
  if (subdirectory === undefined) return undefined
  return { package: source.slice(0, at) + (query < 0 ? '' : rest.slice(query)), subdirectory }
}

/** Removes `.`, `..` and empty segments; `undefined` when `..` would leave the package. */
function cleanFolder(folder: string): string | undefined {
  const kept: string[] = []
  for (const segment of folder.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') kept.push(segment)
    else if (kept.pop() === undefined) return undefined
  }
  return kept.join('/')
}
