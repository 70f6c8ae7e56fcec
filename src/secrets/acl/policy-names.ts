/**
 * The policy of wrapping tokens. It marks them as such, so that no other token has it, and lists of policies omit it,
 * because it cannot be assigned.
 */
export const wrappingPolicyName = 'response-wrapping'

/**
 * Normalizes policy names for storage and comparison: trimmed, lower case, unique, sorted, none empty. `root` replaces
 * all others.
 *
 * @example
 * ```ts
 * import { normalisePolicies } from 'plinth/acl'
 *
 * normalisePolicies([' Web', 'db', 'web', '']) // ['db', 'web']
 * normalisePolicies(['db', 'root']) // ['root']
 * ```
 */
export function normalisePolicies(names: readonly string[]): readonly string[] {
  const kept = new Set(names.map((name) => name.trim().toLowerCase()))
  kept.delete('')
  return kept.has('root') ? ['root'] : [...kept].sort()
}

/**
 * The same, with `default` among them; `root` needs no default.
 */
export const withDefaultPolicy = (names: readonly string[]): readonly string[] =>
  normalisePolicies(
    names.some((name) => name.trim().toLowerCase() === 'root') ? names : [...names, 'default'],
  )
