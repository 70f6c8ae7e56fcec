/**
 * Login of machines with a role ID and a secret ID, as pure functions: roles, secret IDs with their uses and TTLs, and
 * the decision about a login.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../../kernel/index.ts'
export type { TokenSettings, TokenSettingsInput, TokenTypeSetting } from '../tokens/index.ts'
export { type ApproleLogin, type ApproleLoginRefusal, loginWithApprole, secretIdStatus } from './login.ts'
export {
  type ApproleSecretIdInput,
  type ApproleSecretIdPolicy,
  type ApproleSecretIdRefusal,
  makeApproleSecretId,
} from './make-secret-id.ts'
export type { ApproleEvent, ApproleRole, ApproleSecretId } from './model.ts'
export { type SecretIdStatus, secretIdLifecycle } from './secret-id-lifecycle.ts'
export {
  type ApproleRoleInput,
  type ApproleRoleRefusal,
  approleName,
  writeApproleRole,
} from './write-role.ts'
