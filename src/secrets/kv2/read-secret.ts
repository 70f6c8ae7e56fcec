import type { Secret, VersionView } from './model.ts'
import { statusOf, versionOf, viewOf } from './rules.ts'

/**
 * The result of reading a version: its metadata, and whether its data may be read.
 */
export type VersionFound =
  | { readonly kind: 'live'; readonly version: VersionView }
  /** Deleted or destroyed: the answer is 404, with the metadata. */
  | { readonly kind: 'gone'; readonly version: VersionView }
  /** Never written, or pruned: the answer is 404, with nothing. */
  | { readonly kind: 'absent' }

/**
 * Looks up a version of a secret.
 *
 * @param version - its number; 0 (or less) for the current one
 * @param now - a version whose deletion is due at this instant is gone
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { defaultConfig, readSecret, writeSecret } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const config = { ...defaultConfig, deleteVersionAfterSeconds: 60 }
 * const secret = unwrapStep(writeSecret(undefined, {}, env, config)).state
 * readSecret(secret, 0, env.now + 59_999).kind // 'live'
 * readSecret(secret, 0, env.now + 60_000).kind // 'gone'
 * readSecret(secret, 2, env.now).kind // 'absent'
 * ```
 */
export function readSecret(secret: Secret | undefined, version: number, now: number): VersionFound {
  if (secret === undefined) return { kind: 'absent' }
  const number = version > 0 ? version : secret.current
  const found = versionOf(secret, number)
  if (found === undefined) return { kind: 'absent' }
  return { kind: statusOf(found, now) === 'live' ? 'live' : 'gone', version: viewOf(secret, number, found) }
}
