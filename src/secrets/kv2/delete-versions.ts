import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { KvEvent, Secret } from './model.ts'
import { statusOf, versionLifecycle, versionOf } from './rules.ts'

/** Why a command on versions was refused. @public */
export type VersionsRefusal = 'no_versions'

/**
 * Soft-deletes versions: they can be undeleted until they are destroyed or pruned. A deletion that was scheduled
 * happens now; one that was due already is on record from then on, whatever a clock that is set back says. Versions that
 * somebody deleted or destroyed before, or that never were, are passed over.
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
 *
 * @public
 */
export function deleteVersions(
  secret: Secret,
  input: { readonly versions: readonly number[] | 'current' },
  env: Env,
): Outcome<Secret, readonly number[], KvEvent, VersionsRefusal> {
  if (input?.versions !== 'current') checkInput('deleteVersions', input, versionNumbers)
  const asked = input.versions === 'current' ? [secret.current] : input.versions
  if (asked.length === 0) return refuse('no_versions', 'No version number provided')
  const versions = movable(secret, asked, 'delete', beforeAnyExpiry)
  if (versions.length === 0) return answer(secret, versions)
  return step(secret, (draft, emit) => {
    for (const number of versions) {
      const version = draft.versions[String(number)]
      if (version === undefined) continue
      version.deletedAt = Math.min(env.now, version.expiresAt ?? env.now)
      version.expiresAt = null
    }
    draft.updatedAt = env.now
    emit({ type: 'kv.deleted', versions })
    return versions
  })
}

/** What the input of a command on versions has to have. */
export const versionNumbers = { versions: 'list of numbers' } as const

/** What expired can still be deleted: only its clock says that it is gone. */
const beforeAnyExpiry = Number.NEGATIVE_INFINITY

/** Those of the asked versions that exist and that the lifecycle lets go through `verb`, each once. */
export const movable = (
  secret: Secret,
  asked: readonly number[],
  verb: 'delete' | 'undelete' | 'destroy',
  now: number,
): readonly number[] =>
  [...new Set(asked)].filter((number) => {
    const version = versionOf(secret, number)
    return version !== undefined && nextStatus(versionLifecycle, statusOf(version, now), verb) !== undefined
  })
