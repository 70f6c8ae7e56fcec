import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import { changedTokenSettings, type TokenSettingsInput } from '../tokens/token-settings.ts'
import type { UserpassEvent, UserpassUser } from './model.ts'

/** The fields of a write; omitted fields stay unchanged. */
export interface UserpassUserInput {
  readonly username: string
  /** The hash of a new password. A new user needs one. */
  readonly passwordHash?: string | undefined
  readonly tokens?: TokenSettingsInput | undefined
}

/** Why a user was not written. */
export type UserpassUserRefusal =
  | 'userpass_name_invalid'
  | 'userpass_password_missing'
  | 'token_settings_invalid'

/**
 * Creates or changes a user. Fields that are left out keep their values.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeUserpassUser } from 'plinth/userpass'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const ada = { username: 'Ada', passwordHash: '$scrypt$…', tokens: { policies: ['dev'] } }
 * unwrapStep(writeUserpassUser(undefined, ada, env)).state.username // 'ada'
 * const refused = writeUserpassUser(undefined, { username: 'ada' }, env)
 * refused.ok || refused.refusal.code // 'userpass_password_missing'
 * ```
 */
export function writeUserpassUser(
  user: UserpassUser | undefined,
  input: UserpassUserInput,
  _env?: Env,
): Outcome<UserpassUser, undefined, UserpassEvent, UserpassUserRefusal> {
  checkInput(input, { username: '' }, { passwordHash: '', tokens: {} })
  const wrong = nameProblem('username', input.username)
  if (wrong !== undefined) return refuse('userpass_name_invalid', wrong)
  const username = userpassName(input.username)
  const passwordHash = input.passwordHash ?? user?.passwordHash
  if (passwordHash === undefined) return refuse('userpass_password_missing', 'missing password')
  const tokens = changedTokenSettings(user?.tokens, input.tokens)
  if (!tokens.ok) return tokens
  const next: UserpassUser = { username, passwordHash, tokens: tokens.value }
  return { ok: true, state: next, value: undefined, events: [{ type: 'userpass.user_written', username }] }
}

/**
 * The name that a user is stored under: names count in lower case.
 *
 * @example
 * ```ts
 * import { userpassName } from 'plinth/userpass'
 *
 * userpassName('Ada') // 'ada'
 * ```
 */
export const userpassName = (name: string): string => name.toLowerCase()
