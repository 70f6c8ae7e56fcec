/** Spells a string for the audit log. */
export type Hash = (text: string) => string

/** Data that is nested deeper than this is no data of a request that is served. */
const deepest = 200

/**
 * Writes a value that JSON can hold as JSON, with every string in it hashed; names of fields, numbers and truth values
 * stay, and so do the strings of fields that are `plain`.
 */
export function hashedJson(
  value: unknown,
  hash: Hash,
  plain: readonly string[] = [],
  depth = 0,
  isPlain = false,
): string {
  if (typeof value === 'string') return isPlain ? JSON.stringify(value) : `"${hash(value)}"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (depth > deepest) return '"…"'
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value)
      text += `${text === '' ? '' : ','}${hashedJson(item, hash, plain, depth + 1, isPlain)}`
    return `[${text}]`
  }
  for (const [name, item] of Object.entries(value))
    if (item !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${hashedJson(item, hash, plain, depth + 1, plain.includes(name))}`
  return `{${text}}`
}
