/**
 * The direct children of a folder: names of secrets, and names of folders with a trailing slash. A secret and a
 * folder of the same name both appear.
 *
 * @param paths - paths of secrets in byte order, as an ordered store returns them
 * @param folder - where to look; empty for the mount's root, otherwise with its trailing slash
 *
 * @example
 * ```ts
 * import { listKeys } from 'plinth/kv'
 *
 * listKeys(['app', 'app/db', 'app/web/tls', 'zoo'], '') // ['app', 'app/', 'zoo']
 * listKeys(['app', 'app/db', 'app/web/tls', 'zoo'], 'app/') // ['db', 'web/']
 * ```
 */
export function listKeys(paths: Iterable<string>, folder: string): readonly string[] {
  const keys: string[] = []
  for (const path of paths) {
    if (!path.startsWith(folder) || path.length === folder.length) continue
    const name = childOf(path, folder)
    if (keys.at(-1) !== name) keys.push(name)
  }
  return keys
}

/**
 * A folder for {@link listKeys}, with or without a trailing slash.
 *
 * @example
 * ```ts
 * import { asFolder } from 'plinth/kv'
 *
 * asFolder('team/app') // 'team/app/'
 * asFolder('') // ''
 * ```
 */
export const asFolder = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`)

/**
 * The name of a path within one of its folders.
 *
 * @example
 * ```ts
 * import { childOf } from 'plinth/kv'
 *
 * childOf('team/app/db', 'team/') // 'app/'
 * childOf('team/app', 'team/') // 'app'
 * ```
 */
export const childOf = (path: string, folder: string): string => {
  const slash = path.indexOf('/', folder.length)
  return slash < 0 ? path.slice(folder.length) : path.slice(folder.length, slash + 1)
}
