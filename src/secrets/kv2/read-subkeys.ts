import { type ExactJson, isExactObject, readExact, writeExact } from './exact-json.ts'

/**
 * The names in a secret without their values: every leaf (lists and empty objects too) is `null`.
 *
 * @param data - the JSON text of a version's data
 * @param depth - how many levels to show; objects below become `null`; 0 shows all
 * @returns JSON text
 *
 * @example
 * ```ts
 * import { readSubkeys } from 'plinth/kv'
 *
 * readSubkeys('{"user":"ada","db":{"host":"h","ports":[1]}}') // '{"user":null,"db":{"host":null,"ports":null}}'
 * readSubkeys('{"user":"ada","db":{"host":"h"}}', 1) // '{"user":null,"db":null}'
 * ```
 */
export const readSubkeys = (data: string, depth = 0): string =>
  writeExact(namesOf(readExact(data), depth > 0 ? depth : Number.POSITIVE_INFINITY))

function namesOf(value: ExactJson, levels: number): ExactJson {
  if (!isExactObject(value)) return null
  const names = new Map<string, ExactJson>()
  for (const [name, member] of value)
    names.set(
      name,
      levels > 1 && isExactObject(member) && member.size > 0 ? namesOf(member, levels - 1) : null,
    )
  return names
}
