/**
 * Tokens as a pure engine: creation, renewal, uses, revocation of whole trees, roles, and the function that decides
 * every TTL.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../../kernel/index.ts'
export type { PoliciesRefusal } from './choose-policies.ts'
export {
  type CreateTokenInput,
  type CreateTokenRefusal,
  createToken,
  type IssuedToken,
  type TokenPolicy,
} from './create-token.ts'
export { type GrantedTtl, grantTtl, type TtlRequest } from './grant-ttl.ts'
export { digestOfLease, leaseIdOf } from './lease.ts'
export { type LoginTokenInput, type LoginTokenPolicy, loginToken } from './login-token.ts'
export { lookupToken, type TokenView } from './lookup-token.ts'
export type { Token, TokenEvent, TokenRef, TokenRole } from './model.ts'
export { type RenewPolicy, type RenewRefusal, renewToken } from './renew-token.ts'
export { orphanToken, revocationProblem, treeOf } from './revoke-token.ts'
export { rootToken } from './root-token.ts'
export { isAlive, isExpired, isRootToken, isSpent } from './rules.ts'
export {
  type TokenSettings,
  type TokenSettingsInput,
  type TokenTypeSetting,
  tokenSettingsProblem,
  tokenTypes,
  unsetTokenSettings,
} from './token-settings.ts'
export { useToken } from './use-token.ts'
export { type TokenRoleInput, type TokenRoleRefusal, writeTokenRole } from './write-role.ts'
