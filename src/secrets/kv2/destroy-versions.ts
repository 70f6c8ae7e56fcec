import type { Env, Outcome } from '../../kernel/index.ts'
import { changeVersions, type VersionsRefusal } from './change-versions.ts'
import type { KvEvent, Secret } from './model.ts'

/**
 * Destroys versions permanently, including deleted ones. Their metadata stays.
 *
 * @returns the numbers of those that were destroyed: erase their data in the same transaction. Or `no_versions`
 * for an empty list.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { destroyVersions, writeSecret } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const secret = unwrapStep(writeSecret(undefined, {}, env)).state
 * unwrapStep(destroyVersions(secret, { versions: [1] }, env)).state.versions['1']?.destroyed // true
 * ```
 */
export function destroyVersions(
  secret: Secret,
  input: { readonly versions: readonly number[] },
  env: Env,
): Outcome<Secret, readonly number[], KvEvent, VersionsRefusal> {
  return changeVersions(secret, input, env, {
    verb: 'destroy',
    event: 'kv.destroyed',
    edit: (version) => {
      version.destroyed = true
    },
  })
}
