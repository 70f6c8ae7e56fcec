import { checkArguments } from '../../kernel/check-arguments.ts'
import { checkInput } from '../../kernel/check-input.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { addressWithin } from '../../networks/networks.ts'
import { type Lockout, type LockoutSettings, lockoutNow, lockoutSettings } from '../lockout/index.ts'
import { hasLoginPolicies } from '../tokens/login-policies.ts'
import type { Token } from '../tokens/model.ts'
import type { UserpassUser } from './model.ts'

/** Why a login gave no token. */
export type UserpassLoginRefusal = 'userpass_refused' | 'permission_denied'

/**
 * Judges a login. A wrong name, a wrong password and a locked name get one refusal with one text, so that none of them can
 * be told from the others.
 *
 * @param user - the user of that name, if there is one
 * @param input - whether the password matches, and the client's address if it is known
 * @param policy - the failed logins of the name, and the lockout settings
 *
 * @example
 * ```ts
 * import { judgeUserpassLogin } from 'plinth/userpass'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const unknown = judgeUserpassLogin(undefined, { matches: false }, env)
 * unknown.ok || unknown.refusal.message // 'invalid username or password'
 * ```
 */
export function judgeUserpassLogin(
  user: UserpassUser | undefined,
  input: { readonly matches: boolean; readonly address?: string | undefined },
  env: { readonly now: number },
  policy: { readonly lockout?: Lockout | undefined; readonly settings?: LockoutSettings | undefined } = {},
): Answer<UserpassUser, UserpassLoginRefusal> {
  checkInput(input, { matches: false }, { address: '' }, env)
  const { status } = lockoutNow(policy.lockout, policy.settings ?? lockoutSettings, env.now)
  if (user === undefined || !input.matches || status === 'locked') return userpassRefused()
  return addressWithin(user.tokens.boundCidrs, input.address)
    ? { ok: true, value: user }
    : refuse('permission_denied', 'permission denied')
}

/** The one refusal for every problem with a user name or a password. */
export const userpassRefused = (): Refused<'userpass_refused'> =>
  refuse('userpass_refused', 'invalid username or password')

/**
 * Returns why the token of a login is not renewed: the user was deleted, or a login would give other policies now.
 *
 * @returns `login_user_gone`, `login_policies_changed`, or `undefined`
 *
 * @example
 * ```ts
 * import { rootToken, unsetTokenSettings } from 'plinth/tokens'
 * import { userpassRenewalProblem } from 'plinth/userpass'
 *
 * const made = rootToken({ digest: 'd', accessor: 'a' }, { now: 0, newId: () => 'i' })
 * const token = { ...made, policies: ['default', 'dev'] }
 * const user = { username: 'ada', passwordHash: '', tokens: { ...unsetTokenSettings, policies: ['dev'] } }
 * userpassRenewalProblem(user, token) // undefined
 * userpassRenewalProblem(undefined, token)?.refusal.code // 'login_user_gone'
 * ```
 */
export function userpassRenewalProblem(
  user: UserpassUser | undefined,
  token: Token,
): Refused<'login_user_gone' | 'login_policies_changed'> | undefined {
  checkArguments('token', token)
  if (user === undefined)
    return refuse('login_user_gone', 'the user of this token no longer exists, not renewing')
  return hasLoginPolicies(token, user.tokens)
    ? undefined
    : refuse('login_policies_changed', 'policies have changed, not renewing')
}
