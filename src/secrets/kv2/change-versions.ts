import type { Draft } from 'immer'
import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { KvEvent, Secret, SecretVersion } from './model.ts'
import { statusOf, versionLifecycle, versionOf } from './rules.ts'

/** Why a command on versions was refused. */
export type VersionsRefusal = 'no_versions'

/** The change of a version. */
interface Change {
  readonly verb: 'delete' | 'undelete' | 'destroy'
  readonly event: 'kv.deleted' | 'kv.undeleted' | 'kv.destroyed'
  readonly edit: (version: Draft<SecretVersion>) => void
}

/**
 * Changes those of the given versions that exist and for which the lifecycle allows the verb, each once.
 *
 * @returns their numbers, or `no_versions` for an empty list
 */
export function changeVersions(
  secret: Secret,
  input: { readonly versions: readonly number[] },
  env: Env,
  { verb, event, edit }: Change,
): Outcome<Secret, readonly number[], KvEvent, VersionsRefusal> {
  checkInput(input, { versions: {} }, {}, env)
  if (input.versions.length === 0)
    return refuse('no_versions', `${verb === 'destroy' ? 'no' : 'No'} version number provided`)
  // An expired version can still be deleted: until then, only the clock makes it gone.
  const judgedAt = verb === 'delete' ? Number.NEGATIVE_INFINITY : env.now
  const versions = [...new Set(input.versions)].filter((number) => {
    const version = versionOf(secret, number)
    return (
      version !== undefined && nextStatus(versionLifecycle, statusOf(version, judgedAt), verb) !== undefined
    )
  })
  if (versions.length === 0) return answer(secret, versions)
  return step(secret, (draft, emit) => {
    for (const number of versions) {
      const version = draft.versions[number]
      if (version) edit(version)
    }
    draft.updatedAt = env.now
    emit({ type: event, versions })
    return versions
  })
}
