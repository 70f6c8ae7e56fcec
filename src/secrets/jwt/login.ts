import { checkInput } from '../../kernel/check-input.ts'
import { type Refused, refuse, type Step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import { addressWithin } from '../../networks/networks.ts'
import { audiencesOf, claimsProblem } from '../../oidc/check-claims.ts'
import { boundClaimsProblem, claimAt, claimValues } from '../../oidc/match-claims.ts'
import type { Claims } from '../../oidc/read-token.ts'
import { nameProblem } from '../name-length.ts'
import type { JwtRole } from './model.ts'

/** Why a login was refused. */
export type JwtLoginRefusal = 'jwt_refused' | 'jwt_role_type_refused' | 'permission_denied'

/** The result of a login. */
export interface JwtLogin {
  /** The name of the user: the alias of its entity. */
  readonly user: string
  /** The names of its groups at the provider. */
  readonly groups: readonly string[]
  /** The metadata of its token. */
  readonly metadata: Readonly<Record<string, string>>
}

/** The most groups of one user. */
const mostGroups = 1_000

const jwtRefused = (message: string): Refused<'jwt_refused'> => refuse('jwt_refused', message)

/**
 * Whether a caller may try to sign in with a role: it has the right type, and allows the caller's address. What is to be
 * checked before a token is verified, which can take a call of the provider.
 *
 * @param input - how the caller signs in, and its address if it is known
 * @returns a refusal, or `undefined`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { jwtRoleProblem, writeJwtRole } from 'plinth/jwt'
 *
 * const input = { name: 'ci', roleType: 'jwt', userClaim: 'sub', tokens: { boundCidrs: ['10.0.0.0/8'] } }
 * const role = unwrapStep(writeJwtRole(undefined, input, { now: 0, newId: () => 'a' })).state
 * jwtRoleProblem(role, { roleType: 'jwt', address: '10.1.2.3' }) // undefined
 * jwtRoleProblem(role, { roleType: 'jwt', address: '192.0.2.1' })?.refusal.code // 'permission_denied'
 * jwtRoleProblem(role, { roleType: 'oidc' })?.refusal.message // 'role with jwt role_type is not allowed'
 * ```
 */
export function jwtRoleProblem(
  role: JwtRole,
  input: { readonly roleType: JwtRole['roleType']; readonly address?: string | undefined },
): Refused<'jwt_role_type_refused' | 'permission_denied'> | undefined {
  checkInput(input, { roleType: '' }, { address: '' })
  if (role.roleType !== input.roleType)
    return refuse('jwt_role_type_refused', `role with ${role.roleType} role_type is not allowed`)
  return addressWithin(role.tokens.boundCidrs, input.address)
    ? undefined
    : refuse('permission_denied', 'permission denied')
}

/**
 * Decides a login with the claims of a token whose signature was verified.
 *
 * @param input - `claims`, and `boundIssuer`, the issuer that the configuration requires, if it does
 * @returns the role, unchanged, and who signed in; or `jwt_refused` with the claim that does not match
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { loginWithJwt, writeJwtRole } from 'plinth/jwt'
 *
 * const env = { now: 1_000_000, newId: () => 'a' }
 * const input = {
 *   name: 'deploy',
 *   roleType: 'jwt',
 *   userClaim: 'actor',
 *   boundClaimsType: 'glob',
 *   boundClaims: { sub: 'repo:acme/*:ref:refs/heads/main' },
 * }
 * const role = unwrapStep(writeJwtRole(undefined, input, env)).state
 * const claims = { actor: 'ada', sub: 'repo:acme/web:ref:refs/heads/main', exp: 1060 }
 * unwrapStep(loginWithJwt(role, { claims }, env)).value.user // 'ada'
 * const fork = loginWithJwt(role, { claims: { ...claims, sub: 'repo:eve/web:ref:refs/heads/main' } }, env)
 * fork.ok // false
 * ```
 */
export function loginWithJwt(
  role: JwtRole,
  input: { readonly claims: Claims; readonly boundIssuer?: string | undefined },
  env: { readonly now: number },
): Step<JwtRole, JwtLogin> | Refused<'jwt_refused'> {
  checkInput(input, { claims: {} }, { boundIssuer: '' }, env)
  const { claims, boundIssuer } = input
  const wrong = claimsProblem(
    claims,
    {
      issuer: boundIssuer || undefined,
      subject: role.boundSubject || undefined,
      audiences: role.boundAudiences,
      expirationLeewaySeconds: leeway(role.expirationLeewaySeconds),
      notBeforeLeewaySeconds: leeway(role.notBeforeLeewaySeconds),
      clockSkewSeconds: leeway(role.clockSkewLeewaySeconds),
    },
    env.now,
  )
  if (wrong !== undefined) return jwtRefused(`error validating token: ${wrong.refusal.message}`)
  // The audience of a sign-in is the client, which was checked with it.
  if (role.roleType === 'jwt' && role.boundAudiences.length === 0 && audiencesOf(claims).length > 0)
    return jwtRefused('audience claim found in JWT but no audiences bound to the role')
  const user = userOf(role, claims)
  if (typeof user !== 'string') return user
  const metadata = metadataOf(role, claims)
  if ('ok' in metadata) return metadata
  const groups = groupsOf(role, claims)
  if ('ok' in groups) return groups
  const unbound = boundClaimsProblem(listed(role), claims, role.boundClaimsType)
  if (unbound !== undefined) return jwtRefused(`error validating claims: ${unbound}`)
  return { ok: true, state: role, value: { user, groups, metadata: metadata.values }, events: [] }
}

/** A leeway as configured: 0 is the usual one, a negative one is none. */
const leeway = (seconds: number): number | undefined => (seconds === 0 ? undefined : Math.max(0, seconds))

const listed = ({ boundClaims }: JwtRole) =>
  Object.fromEntries(Object.entries(boundClaims).map(([name, value]) => [name, [value].flat()]))

function userOf(
  { userClaim, userClaimJsonPointer }: JwtRole,
  claims: Claims,
): string | Refused<'jwt_refused'> {
  const own = ownValue(claims, userClaim)
  const user = userClaimJsonPointer ? claimAt(claims, userClaim) : own
  const named = JSON.stringify(userClaim)
  if (user === undefined || user === null) return jwtRefused(`claim ${named} not found in token`)
  if (typeof user !== 'string') return jwtRefused(`claim ${named} could not be converted to string`)
  if (/[\p{Cc}\p{Surrogate}]/u.test(user)) return jwtRefused(`claim ${named} has control characters`)
  const problem = nameProblem(`claim ${named}`, user)
  return problem === undefined ? user : jwtRefused(problem)
}

function metadataOf(
  role: JwtRole,
  claims: Claims,
): { readonly values: Record<string, string> } | Refused<'jwt_refused'> {
  const entries: [string, string][] = []
  for (const [claim, target] of Object.entries(role.claimMappings)) {
    const value = claimAt(claims, claim)
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') return jwtRefused(`error converting claim '${claim}' to string`)
    entries.push([target, value])
  }
  return { values: Object.fromEntries([...entries, ['role', role.name]]) }
}

function groupsOf({ groupsClaim }: JwtRole, claims: Claims): readonly string[] | Refused<'jwt_refused'> {
  if (groupsClaim === '') return []
  const given = claimAt(claims, groupsClaim)
  const named = JSON.stringify(groupsClaim)
  if (given === undefined || given === null)
    return jwtRefused(`failed to fetch groups: ${named} claim not found in token`)
  const values = claimValues(given)
  if (values === undefined) return jwtRefused(`${named} claim could not be converted to string list`)
  if (values.length > mostGroups) return jwtRefused(`${named} claim has more than ${mostGroups} groups`)
  const groups = values.filter((group) => typeof group === 'string' && group !== '')
  return values.some((group) => typeof group !== 'string')
    ? jwtRefused(`a value in the ${named} claim is not a string`)
    : groups.map(String)
}

/**
 * Whether a provider may send browsers back to an address: the port of a loopback address is not compared (RFC 8252
 * §7.3), because a command line listens on any free one.
 *
 * @example
 * ```ts
 * import { isRedirectAllowed } from 'plinth/jwt'
 *
 * const allowed = ['http://localhost:8250/oidc/callback', 'https://app.example.com/callback']
 * isRedirectAllowed(allowed, 'http://localhost:51234/oidc/callback') // true
 * isRedirectAllowed(allowed, 'https://app.example.com:444/callback') // false
 * ```
 */
export function isRedirectAllowed(allowed: readonly string[], uri: string): boolean {
  if (allowed.includes(uri)) return true
  const given = withoutPort(uri)
  return given !== undefined && allowed.some((one) => withoutPort(one) === given)
}

/** A loopback address without its port; `undefined` for others. */
function withoutPort(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined
  const url = new URL(uri)
  if (!['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return undefined
  url.port = ''
  return url.href
}
