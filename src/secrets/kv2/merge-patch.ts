import { type ExactJson, isExactObject, readExact, writeExact } from './exact-json.ts'

/**
 * Applies a merge patch (RFC 7396) to a JSON text: `null` removes a member, objects are merged, everything else is
 * replaced. Numbers keep all their digits.
 *
 * @throws SyntaxError when either text is not JSON
 *
 * @example
 * ```ts
 * import { mergePatch } from 'plinth/kv'
 *
 * mergePatch('{"a":1,"b":{"c":2}}', '{"a":null,"b":{"d":3}}') // '{"b":{"c":2,"d":3}}'
 * ```
 */
export const mergePatch = (target: string, patch: string): string =>
  writeExact(merge(readExact(target), readExact(patch)))

/** Merges a patch that was read into what it changes. */
export function merge(target: ExactJson | undefined, patch: ExactJson): ExactJson {
  if (!isExactObject(patch)) return patch
  const merged = new Map(isExactObject(target) ? target : [])
  for (const [name, value] of patch) {
    if (value === null) merged.delete(name)
    else merged.set(name, merge(merged.get(name), value))
  }
  return merged
}
