import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { movable, type VersionsRefusal, versionNumbers } from './delete-versions.ts'
import type { KvEvent, Secret } from './model.ts'

/**
 * Destroys versions for good, deleted ones too: there is no way back. Their metadata stays.
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
 *
 * @public
 */
export function destroyVersions(
  secret: Secret,
  input: { readonly versions: readonly number[] },
  env: Env,
): Outcome<Secret, readonly number[], KvEvent, VersionsRefusal> {
  checkInput('destroyVersions', input, versionNumbers)
  if (input.versions.length === 0) return refuse('no_versions', 'no version number provided')
  const versions = movable(secret, input.versions, 'destroy', env.now)
  if (versions.length === 0) return answer(secret, versions)
  return step(secret, (draft, emit) => {
    for (const number of versions) {
      const version = draft.versions[String(number)]
      if (version) version.destroyed = true
    }
    draft.updatedAt = env.now
    emit({ type: 'kv.destroyed', versions })
    return versions
  })
}
