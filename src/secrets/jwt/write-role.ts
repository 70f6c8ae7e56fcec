import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import { changedTokenSettings, type TokenSettingsInput } from '../tokens/token-settings.ts'
import type { JwtEvent, JwtRole } from './model.ts'
import { boundClaimsTypes, roleTypes } from './role-types.ts'

/** The fields of a write; omitted ones stay unchanged, except `roleType` and `boundClaimsType`. */
export type JwtRoleInput = {
  readonly [Field in Exclude<keyof JwtRole, 'name' | 'tokens' | 'roleType' | 'boundClaimsType'>]?:
    | JwtRole[Field]
    | undefined
} & {
  readonly name: string
  /** `jwt` or `oidc`; `oidc` if omitted, also in a write that changes a role. */
  readonly roleType?: string | undefined
  /** `string` or `glob`; `string` if omitted, also in a write that changes a role. */
  readonly boundClaimsType?: string | undefined
  readonly tokens?: TokenSettingsInput | undefined
}

/** Why a role was not written. */
export type JwtRoleRefusal = 'jwt_role_invalid' | 'token_settings_invalid'

/** The metadata that a token always has. */
const reservedMetadata = 'role'

/**
 * Creates or changes a role. Omitted fields keep their values.
 *
 * @returns the role, `jwt_role_invalid` with the field that is wrong, or `token_settings_invalid`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeJwtRole } from 'plinth/jwt'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const deploy = { name: 'deploy', roleType: 'jwt', userClaim: 'actor', boundAudiences: ['https://vault.example.com'] }
 * const claims = { repository: 'acme/web', ref: 'refs/heads/main' }
 * unwrapStep(writeJwtRole(undefined, { ...deploy, boundClaims: claims }, env)).state.name // 'deploy'
 * const open = writeJwtRole(undefined, { ...deploy, boundAudiences: [] }, env)
 * open.ok || open.refusal.message // 'must have at least one bound constraint when creating/updating a role'
 * ```
 */
export function writeJwtRole(
  role: JwtRole | undefined,
  input: JwtRoleInput,
  env: Env,
): Outcome<JwtRole, undefined, JwtEvent, JwtRoleRefusal> {
  checkInput(
    input,
    { name: '' },
    {
      roleType: '',
      boundClaimsType: '',
      boundAudiences: {},
      boundSubject: '',
      boundClaims: {},
      claimMappings: {},
      userClaim: '',
      userClaimJsonPointer: false,
      oidcScopes: {},
      allowedRedirectUris: {},
      groupsClaim: '',
      expirationLeewaySeconds: 0,
      notBeforeLeewaySeconds: 0,
      clockSkewLeewaySeconds: 0,
      maxAgeSeconds: 0,
      tokens: {},
    },
    env,
  )
  const roleType = roleTypes.find((type) => type === (input.roleType || 'oidc'))
  if (roleType === undefined) return refuse('jwt_role_invalid', `invalid 'role_type': ${input.roleType}`)
  const boundClaimsType = boundClaimsTypes.find((type) => type === (input.boundClaimsType || 'string'))
  if (boundClaimsType === undefined)
    return refuse('jwt_role_invalid', `invalid 'bound_claims_type': ${input.boundClaimsType}`)
  const tokens = changedTokenSettings(role?.tokens, input.tokens)
  if (!tokens.ok) return tokens
  const next: JwtRole = {
    name: role?.name ?? jwtRoleName(input.name),
    roleType,
    boundAudiences: [...(input.boundAudiences ?? role?.boundAudiences ?? [])],
    boundSubject: input.boundSubject ?? role?.boundSubject ?? '',
    boundClaimsType,
    boundClaims: input.boundClaims ?? role?.boundClaims ?? {},
    claimMappings: input.claimMappings ?? role?.claimMappings ?? {},
    userClaim: input.userClaim ?? role?.userClaim ?? '',
    userClaimJsonPointer: input.userClaimJsonPointer ?? role?.userClaimJsonPointer ?? false,
    groupsClaim: input.groupsClaim ?? role?.groupsClaim ?? '',
    oidcScopes: [...(input.oidcScopes ?? role?.oidcScopes ?? [])],
    allowedRedirectUris: [...(input.allowedRedirectUris ?? role?.allowedRedirectUris ?? [])],
    expirationLeewaySeconds: input.expirationLeewaySeconds ?? role?.expirationLeewaySeconds ?? 0,
    notBeforeLeewaySeconds: input.notBeforeLeewaySeconds ?? role?.notBeforeLeewaySeconds ?? 0,
    clockSkewLeewaySeconds: input.clockSkewLeewaySeconds ?? role?.clockSkewLeewaySeconds ?? 0,
    maxAgeSeconds: input.maxAgeSeconds ?? role?.maxAgeSeconds ?? 0,
    tokens: tokens.value,
  }
  const problem = roleProblem(next)
  if (problem !== undefined) return refuse('jwt_role_invalid', problem)
  return { ok: true, state: next, value: undefined, events: [{ type: 'jwt.role_written', role: next.name }] }
}

/**
 * The name under which a role is stored: names are case-insensitive.
 *
 * @example
 * ```ts
 * import { jwtRoleName } from 'plinth/jwt'
 *
 * jwtRoleName('Deploy') // 'deploy'
 * ```
 */
export const jwtRoleName = (name: string): string => name.toLowerCase()

function roleProblem(role: JwtRole): string | undefined {
  const name = nameProblem('role name', role.name)
  if (name !== undefined) return name
  if (role.userClaim === '') return 'a user claim must be defined on the role'
  if (role.maxAgeSeconds < 0) return 'max_age cannot be negative'
  const claims = boundClaimProblem(role) ?? mappingProblem(role)
  if (claims !== undefined) return claims
  if (role.roleType === 'oidc')
    return role.allowedRedirectUris.length > 0
      ? undefined
      : "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified."
  const isBound =
    role.boundAudiences.length > 0 ||
    role.tokens.boundCidrs.length > 0 ||
    role.boundSubject !== '' ||
    Object.keys(role.boundClaims).length > 0
  return isBound ? undefined : 'must have at least one bound constraint when creating/updating a role'
}

function boundClaimProblem({ boundClaims, boundClaimsType }: JwtRole): string | undefined {
  for (const [name, bound] of Object.entries(boundClaims)) {
    const values = [bound].flat()
    if (values.length === 0)
      return `bound_claims: ${JSON.stringify(name)} has no values, so no token would match`
    const other = values.find((value) => typeof value !== 'string')
    if (boundClaimsType === 'glob' && other !== undefined) return `claim is not a string: ${other}`
  }
  return undefined
}

function mappingProblem({ claimMappings }: JwtRole): string | undefined {
  const targets = Object.values(claimMappings)
  if (targets.includes(reservedMetadata))
    return `metadata key "${reservedMetadata}" is reserved and may not be a mapping destination`
  const twice = targets.find((target, at) => targets.indexOf(target) !== at)
  return twice === undefined ? undefined : `multiple keys are mapped to metadata key ${JSON.stringify(twice)}`
}
