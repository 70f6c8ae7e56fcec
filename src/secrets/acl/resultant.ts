import { namesOf } from './capabilities.ts'
import type { Acl } from './compile.ts'

/**
 * Everything that several policies allow and forbid, by pattern.
 */
export interface ResultantAcl {
  /** Whether everything is allowed. */
  readonly root: boolean
  /** Capabilities by path. */
  readonly exact: Readonly<Record<string, readonly string[]>>
  /** Capabilities by prefix, without its trailing `*`, and by pattern if it has a `+`. */
  readonly globs: Readonly<Record<string, readonly string[]>>
}

/**
 * Returns the caller's rights for a user interface. The deciding rule of a path is chosen as in `decide`.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { compileAcl, parsePolicy, resultantAcl } from 'plinth/acl'
 *
 * const policy = unwrap(parsePolicy('app', 'path "secret/*" { capabilities = ["read"] }'))
 * resultantAcl(compileAcl([{ policy }])).globs // { 'secret/': ['read'] }
 * ```
 */
export function resultantAcl(acl: Acl): ResultantAcl {
  // Without prototypes: a path may have any name.
  const exact: Record<string, readonly string[]> = Object.create(null)
  const globs: Record<string, readonly string[]> = Object.create(null)
  for (const { pattern, bits } of acl.rules.all) {
    if (acl.rules.exact.has(pattern)) exact[pattern] = namesOf(bits)
    else globs[pattern.replace(/\*$/, '')] = namesOf(bits)
  }
  return { root: acl.rootOf.length > 0, exact, globs }
}
