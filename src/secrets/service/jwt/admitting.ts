import { type Answer, type Refused, refuse } from '../../../kernel/index.ts'
import type { Claims } from '../../../oidc/index.ts'
import { loginWithJwt } from '../../jwt/login.ts'
import type { JwtRole } from '../../jwt/model.ts'
import { jwtRoleName } from '../../jwt/write-role.ts'
import { emitAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import { giveToken } from '../logins/give-token.ts'
import { membersOf } from '../logins/members.ts'
import { jwtConfigs, jwtRoles } from './records.ts'

export const configNow = async ({ core, mount }: Sited) =>
  jwtConfigs.get(await core.fresh(), mount.id)?.value.config
export const roles = membersOf(jwtRoles, jwtRoleName, ({ role }) => role)

/** The configuration and the role of a login, or of the default one. */
export async function chosen(at: Sited, given: string | undefined) {
  const config = await configNow(at)
  if (config === undefined) return refuse('jwt_not_configured', 'could not load configuration')
  const name = given || config.defaultRole
  if (name === '') return refuse('jwt_login_incomplete', 'missing role')
  const role = await roles.memberNow(at, name)
  return role === undefined
    ? refuse('jwt_role_unknown', `role ${JSON.stringify(name)} could not be found`)
    : { config, role }
}

/** What a provider's refusal means for a login. */
export const asLoginRefusal = ({
  refusal,
}: Refused<'token_refused' | 'code_refused' | 'provider_unavailable'>):
  | Refused<'jwt_refused'>
  | Refused<'jwt_provider_unavailable'> =>
  refusal.code === 'provider_unavailable'
    ? refuse('jwt_provider_unavailable', `the identity provider cannot be asked: ${refusal.message}`)
    : refuse('jwt_refused', `error validating token: ${refusal.message}`)

/** Gives a token to the holder of these claims, whose signature was verified. */
export async function admit(at: Sited, role: JwtRole, claims: Claims, boundIssuer: string, path: string) {
  const verdict = loginWithJwt(role, { claims, boundIssuer }, at.core.env())
  if (!verdict.ok) return verdict
  const { user, groups, metadata } = verdict.value
  const given = await giveToken(at, {
    path: `${at.mount.path}${path}`,
    user: role.name,
    alias: user,
    displayName: `${at.mount.path.slice('auth/'.length)}${user}`,
    meta: metadata,
    policies: [],
    groups,
    settings: role.tokens,
  })
  if (given.ok) emitAt(at, { type: 'jwt.logged_in', role: role.name, user })
  return given
}

/** Reports the refusal of a login. */
export async function reported<Value, Code extends string>(
  at: Sited,
  login: Promise<Answer<Value, Code>>,
): Promise<Answer<Value, Code>> {
  const result = await login
  if (!result.ok) emitAt(at, { type: 'jwt.login_refused', reason: result.refusal.code })
  return result
}

/** The refusals of {@link admit}, and of what precedes it in every login. */
export const admissionRefusals = [
  'mount_gone',
  'permission_denied',
  'jwt_not_configured',
  'jwt_role_unknown',
  'jwt_role_type_refused',
  'jwt_refused',
  'jwt_provider_unavailable',
  'login_root',
  'policy_internal',
  'past_max_ttl',
] as const
