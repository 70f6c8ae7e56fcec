import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { normalisePolicies } from '../acl/policy-names.ts'
import { nameProblem } from '../name-length.ts'
import type { IdpEvent, IdpGroup, IdpUser } from './model.ts'

/** Why a user or group was not written. */
export type IdpNameRefusal = 'idp_name_invalid'

const trimmed = (names: readonly string[] | undefined): string[] =>
  (names ?? []).map((name) => name.trim()).filter((name) => name !== '')

/**
 * Replaces the record of a user: an omitted list becomes empty.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeIdpUser } from 'plinth/idp'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const written = writeIdpUser(undefined, { username: 'ada', groups: ['ops'] }, env)
 * unwrapStep(written).state // { username: 'ada', groups: ['ops'], policies: [] }
 * ```
 */
export const writeIdpUser = (
  user: IdpUser | undefined,
  input: {
    readonly username: string
    readonly groups?: readonly string[] | undefined
    readonly policies?: readonly string[] | undefined
  },
  _env?: Env,
): Outcome<IdpUser, undefined, IdpEvent, IdpNameRefusal> => {
  checkInput(input, { username: '' }, { groups: {}, policies: {} })
  const wrong = nameProblem('username', input.username)
  if (wrong !== undefined) return refuse('idp_name_invalid', wrong)
  return step(user ?? { username: input.username, groups: [], policies: [] }, (draft, emit) => {
    draft.groups = trimmed(input.groups)
    draft.policies = trimmed(input.policies)
    emit({ type: 'idp.user_written', username: input.username })
    return undefined
  })
}

/**
 * Writes the policies of a group. Its name is case-insensitive.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeIdpGroup } from 'plinth/idp'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const written = writeIdpGroup(undefined, { name: 'Dev', policies: ['developers'] }, env)
 * unwrapStep(written).state // { name: 'dev', policies: ['developers'] }
 * ```
 */
export const writeIdpGroup = (
  group: IdpGroup | undefined,
  input: { readonly name: string; readonly policies?: readonly string[] | undefined },
  _env?: Env,
): Outcome<IdpGroup, undefined, IdpEvent, IdpNameRefusal> => {
  checkInput(input, { name: '' }, { policies: {} })
  const wrong = nameProblem('group name', input.name)
  if (wrong !== undefined) return refuse('idp_name_invalid', wrong)
  return step(group ?? { name: groupName(input.name), policies: [] }, (draft, emit) => {
    draft.policies = [...normalisePolicies(input.policies ?? [])]
    emit({ type: 'idp.group_written', group: draft.name })
    return undefined
  })
}

/**
 * The name under which a group is stored.
 *
 * @example
 * ```ts
 * import { groupName } from 'plinth/idp'
 *
 * groupName(' Dev ') // 'dev'
 * ```
 */
export const groupName = (name: string): string => name.trim().toLowerCase()
