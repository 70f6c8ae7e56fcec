/**
 * Login with the tokens of an identity provider, as pure functions: the configuration, roles with bound claims, and the
 * decision about a login.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../../kernel/index.ts'
export type { TokenSettings, TokenSettingsInput, TokenTypeSetting } from '../tokens/index.ts'
export {
  isRedirectAllowed,
  type JwtLogin,
  type JwtLoginRefusal,
  jwtRoleProblem,
  loginWithJwt,
} from './login.ts'
export type { JwtConfig, JwtEvent, JwtRole } from './model.ts'
export { type JwtConfigInput, writeJwtConfig } from './write-config.ts'
export { type JwtRoleInput, type JwtRoleRefusal, jwtRoleName, writeJwtRole } from './write-role.ts'
