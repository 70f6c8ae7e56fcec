import type { Env, Outcome } from '../../kernel/index.ts'
import { changeVersions, type VersionsRefusal } from './change-versions.ts'
import type { KvConfig, KvEvent, Secret } from './model.ts'
import { defaultConfig, expiryOf } from './rules.ts'

/**
 * Makes deleted versions readable again. If versions expire, an undeleted one gets the expiry time of a version written
 * now; the same applies to a live version. Destroyed and unknown ones are skipped.
 *
 * @returns the numbers of those that are live now, or `no_versions` for an empty list
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { deleteVersions, undeleteVersions, writeSecret } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const secret = unwrapStep(writeSecret(undefined, {}, env)).state
 * const deleted = unwrapStep(deleteVersions(secret, { versions: 'current' }, env)).state
 * const back = unwrapStep(undeleteVersions(deleted, { versions: [1] }, env)).state
 * back.versions['1']?.deletedAt // null
 * ```
 */
export function undeleteVersions(
  secret: Secret,
  input: { readonly versions: readonly number[] },
  env: Env,
  config: KvConfig = defaultConfig,
): Outcome<Secret, readonly number[], KvEvent, VersionsRefusal> {
  return changeVersions(secret, input, env, {
    verb: 'undelete',
    event: 'kv.undeleted',
    edit: (version) => {
      version.deletedAt = null
      version.expiresAt = expiryOf(secret, config, env.now)
    },
  })
}
