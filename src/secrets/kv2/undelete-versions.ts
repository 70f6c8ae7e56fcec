import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { movable, type VersionsRefusal, versionNumbers } from './delete-versions.ts'
import type { KvConfig, KvEvent, Secret } from './model.ts'
import { defaultConfig, expiryOf } from './rules.ts'

/**
 * Makes deleted versions readable again. Where versions expire, an undeleted one expires anew, as late from now
 * as one that is written now; a live version is re-armed alike. Destroyed and unknown ones are passed over.
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
 *
 * @public
 */
export function undeleteVersions(
  secret: Secret,
  input: { readonly versions: readonly number[] },
  env: Env,
  config: KvConfig = defaultConfig,
): Outcome<Secret, readonly number[], KvEvent, VersionsRefusal> {
  checkInput('undeleteVersions', input, versionNumbers)
  if (input.versions.length === 0) return refuse('no_versions', 'No version number provided')
  const versions = movable(secret, input.versions, 'undelete', env.now)
  if (versions.length === 0) return answer(secret, versions)
  const expiresAt = expiryOf(secret, config, env.now)
  return step(secret, (draft, emit) => {
    for (const number of versions) {
      const version = draft.versions[String(number)]
      if (version === undefined) continue
      version.deletedAt = null
      version.expiresAt = expiresAt
    }
    draft.updatedAt = env.now
    emit({ type: 'kv.undeleted', versions })
    return versions
  })
}
