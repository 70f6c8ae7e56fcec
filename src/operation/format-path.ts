/**
 * Formats the path of a value inside a document: `modules[1].versions[0].source`.
 *
 * @example
 * ```ts
 * import { formatPath } from 'plinth/http'
 *
 * formatPath(['modules', 1, 'versions', 0, 'source']) // 'modules[1].versions[0].source'
 * ```
 */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else if (/^[A-Za-z_][\w-]*$/.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`
    else text += `[${JSON.stringify(String(key))}]`
  }
  return text
}
