import { type Refused, refuse } from '../../kernel/index.ts'
import { normalisePolicies } from '../acl/policy-names.ts'
import { hasLoginPolicies } from '../tokens/login-policies.ts'
import type { Token } from '../tokens/model.ts'
import type { TokenSettings } from '../tokens/token-settings.ts'
import type { IdpGroup, IdpUser } from './model.ts'
import { groupName } from './write-user.ts'

/**
 * The policies of a user: those of each group, at the provider or local, and the user's own.
 *
 * @param find - the local mapping of a group, by its name in lower case
 *
 * @example
 * ```ts
 * import { entitlements } from 'plinth/idp'
 *
 * const ada = { username: 'ada', groups: ['ops'], policies: ['own'] }
 * const policiesOf = new Map([['dev', ['developers']], ['ops', ['operators']]])
 * entitlements(ada, ['Dev'], (name) => {
 *   const policies = policiesOf.get(name)
 *   return policies && { name, policies }
 * }).policies // ['developers', 'operators', 'own']
 * ```
 */
export function entitlements(
  user: IdpUser | undefined,
  providerGroups: readonly string[],
  find: (name: string) => IdpGroup | undefined,
): { readonly groups: readonly string[]; readonly policies: readonly string[] } {
  const groups = [...new Set([...providerGroups, ...(user?.groups ?? [])].filter((name) => name !== ''))]
  const mapped = groups.flatMap((name) => find(groupName(name))?.policies ?? [])
  return { groups, policies: normalisePolicies([...mapped, ...(user?.policies ?? [])]) }
}

/**
 * Returns why the token of a login cannot be renewed: a login would now give other policies.
 *
 * @returns `idp_policies_changed`, or `undefined`
 *
 * @example
 * ```ts
 * import { renewalProblem } from 'plinth/idp'
 * import { rootToken, unsetTokenSettings } from 'plinth/tokens'
 *
 * const made = rootToken({ digest: 'd', accessor: 'a' }, { now: 0, newId: () => 'i' })
 * const token = { ...made, policies: ['default', 'developers'] }
 * renewalProblem(token, unsetTokenSettings, ['developers']) // undefined
 * renewalProblem(token, unsetTokenSettings, [])?.refusal.code // 'idp_policies_changed'
 * ```
 */
export function renewalProblem(
  token: Token,
  settings: TokenSettings,
  policies: readonly string[],
): Refused<'idp_policies_changed'> | undefined {
  return hasLoginPolicies(token, settings, policies)
    ? undefined
    : refuse('idp_policies_changed', 'failed to renew entry: policies have changed, not renewing')
}
