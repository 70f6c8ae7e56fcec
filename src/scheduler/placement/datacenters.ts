/**
 * Returns whether a job's list of datacenters, in which `*` matches any text, includes a node's.
 *
 * @example
 * ```ts
 * import { matchesDatacenter } from 'plinth/scheduler'
 *
 * matchesDatacenter('eu-west-1', ['us-*', 'eu-*']) // true
 * matchesDatacenter('dc1', ['dc2']) // false
 * ```
 */
export function matchesDatacenter(datacenter: string, patterns: readonly string[]): boolean {
  for (const pattern of patterns) if (pattern === '*' || matchesGlob(datacenter, pattern)) return true
  return false
}

/** Linear in both texts: each `*` matches as little as possible before the next literal part. */
function matchesGlob(text: string, pattern: string): boolean {
  const pieces = pattern.split('*')
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  let at = first.length
  const end = text.length - last.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return at <= end
}
