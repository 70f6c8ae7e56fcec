import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { normalisePolicies } from '../acl/policy-names.ts'
import { nameProblem } from '../name-length.ts'
import type { TokenRole } from './model.ts'
import { givenFields, tokenSettingsProblem, unsetTokenSettings } from './token-settings.ts'

/** A role that says nothing. */
const newRole: Omit<TokenRole, 'name'> = {
  allowedPolicies: [],
  disallowedPolicies: [],
  allowedPoliciesGlob: [],
  disallowedPoliciesGlob: [],
  allowedEntityAliases: [],
  orphan: false,
  renewable: true,
  pathSuffix: '',
  periodSeconds: 0,
  explicitMaxTtlSeconds: 0,
  boundCidrs: [],
  noDefaultPolicy: false,
  numUses: 0,
  tokenType: 'default-service',
}

const policyLists = [
  'allowedPolicies',
  'disallowedPolicies',
  'allowedPoliciesGlob',
  'disallowedPoliciesGlob',
] as const

/** The fields of a write to a role; omitted fields stay unchanged. */
export type TokenRoleInput = {
  readonly [Field in keyof Omit<TokenRole, 'name'>]?: TokenRole[Field] | undefined
}

/** Why a role was not written. */
export type TokenRoleRefusal = 'token_role_invalid'

/**
 * Creates or changes a token role.
 *
 * @returns the role, or `token_role_invalid` with the field that is wrong
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeTokenRole } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const written = writeTokenRole(undefined, { name: 'ci', allowedPolicies: ['deploy'], orphan: true }, env)
 * unwrapStep(written).state.allowedPolicies // ['deploy']
 * ```
 */
export function writeTokenRole(
  role: TokenRole | undefined,
  input: TokenRoleInput & { readonly name: string },
  _env?: Env,
): Outcome<TokenRole, undefined, never, TokenRoleRefusal> {
  checkInput(input, { name: '' }, newRole)
  const written = { ...newRole, ...role, ...givenFields(input), name: role?.name ?? input.name }
  for (const list of policyLists) written[list] = [...normalisePolicies(written[list])]
  const wrong = problemOf(written)
  return wrong === undefined
    ? { ok: true, state: written, value: undefined, events: [] }
    : refuse('token_role_invalid', wrong)
}

function problemOf(role: TokenRole): string | undefined {
  const name = nameProblem('role name', role.name)
  if (name !== undefined) return name
  if (role.periodSeconds < 0) return 'period must be positive'
  if (role.explicitMaxTtlSeconds < 0) return 'explicit_max_ttl must be positive'
  if (!/^(?:\w[\w.-]*\w|\w?)$/.test(role.pathSuffix))
    return 'given role path suffix contains invalid characters'
  return (role.tokenType === 'batch' ? batchProblem(role) : undefined) ?? settingsProblem(role)
}

/** The settings that a role with only batch tokens cannot have. */
function batchProblem(role: TokenRole): string | undefined {
  const cannot = (what: string) => `'token_type' cannot be 'batch' when role is set to generate ${what}`
  if (!role.orphan) return cannot('non-orphan tokens')
  if (role.renewable) return cannot('renewable tokens')
  if (role.periodSeconds > 0) return cannot('periodic tokens')
  return role.explicitMaxTtlSeconds > 0 ? cannot('tokens with an explicit max TTL') : undefined
}

/** The invalid settings common to roles and auth methods. */
const settingsProblem = ({ numUses, periodSeconds, tokenType }: TokenRole): string | undefined =>
  tokenSettingsProblem({ ...unsetTokenSettings, numUses, periodSeconds, type: tokenType })?.refusal.message
