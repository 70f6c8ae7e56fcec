import type { Env, Outcome } from '../../kernel/index.ts'
import { changeVersions, type VersionsRefusal } from './change-versions.ts'
import type { KvEvent, Secret } from './model.ts'

/**
 * Soft-deletes versions: they can be undeleted until they are destroyed or pruned. A scheduled deletion happens now. A
 * deletion that was already due is recorded with its due time, so that a clock that is set back does not undo it.
 * Versions that are deleted, destroyed or missing are skipped.
 *
 * @param input - `versions`: their numbers; `'current'` for the newest
 * @returns the numbers of those that were deleted, or `no_versions` for an empty list
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { deleteVersions, writeSecret } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const secret = unwrapStep(writeSecret(undefined, {}, env)).state
 * unwrap(deleteVersions(secret, { versions: [1, 7] }, env)) // [1]
 * ```
 */
export function deleteVersions(
  secret: Secret,
  input: { readonly versions: readonly number[] | 'current' },
  env: Env,
): Outcome<Secret, readonly number[], KvEvent, VersionsRefusal> {
  const versions = input?.versions === 'current' ? [secret.current] : input?.versions
  return changeVersions(secret, { versions }, env, {
    verb: 'delete',
    event: 'kv.deleted',
    edit: (version) => {
      version.deletedAt = Math.min(env.now, version.expiresAt ?? env.now)
      version.expiresAt = null
    },
  })
}
