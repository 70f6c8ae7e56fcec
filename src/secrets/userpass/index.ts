/**
 * Login with a user name and a password that the service keeps itself, as pure functions: users, verdicts, and the lockout
 * of names after failed logins.
 *
 * @packageDocumentation
 */
export type { Answer, Env, Instant, Outcome, Refusal, Refused, Step } from '../../kernel/index.ts'
export * from '../lockout/index.ts'
export type { Token, TokenSettings, TokenSettingsInput, TokenTypeSetting } from '../tokens/index.ts'
export { judgeUserpassLogin, type UserpassLoginRefusal, userpassRenewalProblem } from './login.ts'
export type { UserpassEvent, UserpassUser } from './model.ts'
export {
  type UserpassUserInput,
  type UserpassUserRefusal,
  userpassName,
  writeUserpassUser,
} from './write-user.ts'
