import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Instant, type Outcome, refuse, type Step, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Account, TwoFactor } from './model.ts'

/**
 * The facts of a log-in; the service checks passwords and codes through the crypto port.
 */
export interface LogInInput {
  /** Whether the password is the account's. */
  readonly passwordMatches: boolean
  /** Whether a code was sent along. */
  readonly hasCode: boolean
  /** The period of the authenticator whose code it is, if it is one. */
  readonly totpCounter?: number | undefined
  /** The digest of the code, to compare with that of the delivered one. */
  readonly codeDigest?: string | undefined
  /** Whether codes can be delivered at all. */
  readonly canDeliver?: boolean | undefined
}

/**
 * Why a log-in is refused.
 */
export type LogInRefusal = 'bad_credentials' | 'two_factor_required' | 'bad_code' | 'too_many_codes'

/** Up to this number, wrong codes count as typing errors. */
const freeCodes = 10
const firstWaitMs = 30_000
const longestWaitMs = 3_600_000

/** The delay after many wrong codes in a row; it doubles with each one, up to an hour. */
const waitAfter = (wrong: TwoFactor['wrong'], now: Instant): number =>
  wrong === undefined || wrong.count < freeCodes
    ? 0
    : wrong.at + Math.min(longestWaitMs, firstWaitMs * 2 ** (wrong.count - freeCodes)) - now

/**
 * Decides a log-in. A code of the authenticator works once, and so does a recovery code; a delivered one works once,
 * for ten minutes and five tries. After ten wrong codes in a row attempts are rate-limited; the wait doubles each time.
 *
 * @remarks
 * The code is required if two-factor log-in is enabled. A wrong code may still change the account (it uses up a try):
 * commit the state of {@link spendTry} with the refusal.
 *
 * @returns or `bad_credentials` (without saying whether the name or the password was wrong), `two_factor_required` with
 * the delivery methods in its detail, `bad_code`, `too_many_codes` with `retryAfterSeconds` in its detail.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { logIn, saveUser } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const alice = unwrap(saveUser(undefined, { username: 'alice', totpSecret: 'GEZDGNBVGY3TQOJQ' }, env))
 * const refused = logIn(alice, { passwordMatches: true, hasCode: false }, env)
 * !refused.ok && refused.refusal.code // 'two_factor_required'
 * ```
 */
export function logIn(
  account: Account,
  input: LogInInput,
  env: Env,
): Outcome<Account, { readonly username: string }, CatalogEvent, LogInRefusal> {
  checkArguments('account input env', account, input, env)
  if (!input.passwordMatches || account.kind !== 'user') return refuse('bad_credentials', badCredentials)
  const { twoFactor } = account
  const value = { username: account.username }
  if (twoFactor === null) return answer(account, value)
  if (!input.hasCode)
    return refuse('two_factor_required', 'Two-factor authentication is required: send two_factor.code', {
      deliveryMethods: [
        ...(twoFactor.totpSecret === null ? [] : ['app']),
        ...(input.canDeliver ? ['sms'] : []),
      ],
    })
  const waitMs = waitAfter(twoFactor.wrong, env.now)
  if (waitMs > 0) {
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    return refuse(
      'too_many_codes',
      `Too many wrong two-factor codes: wait ${retryAfterSeconds} seconds before the next one`,
      { retryAfterSeconds },
    )
  }
  if (input.totpCounter !== undefined && input.totpCounter > twoFactor.lastCounter) {
    const counter = input.totpCounter
    const outcome = step(account, (draft) => {
      if (!draft.twoFactor) return
      draft.twoFactor.lastCounter = counter
      delete draft.twoFactor.wrong
    })
    return { ...outcome, value }
  }
  const { codeDigest } = input
  if (codeDigest !== undefined && twoFactor.recovery?.includes(codeDigest)) {
    const outcome = step(account, (draft) => {
      if (!draft.twoFactor) return
      draft.twoFactor.recovery = twoFactor.recovery?.filter((digest) => digest !== codeDigest)
      delete draft.twoFactor.wrong
    })
    return { ...outcome, value }
  }
  const { delivered } = twoFactor
  const alive = delivered !== null && delivered.expiresAt > env.now && delivered.triesLeft > 0
  if (!alive || delivered.digest !== input.codeDigest)
    return refuse('bad_code', 'The two-factor code is wrong, was used before, or has expired')
  const outcome = step(account, (draft) => {
    if (!draft.twoFactor) return
    draft.twoFactor.delivered = null
    delete draft.twoFactor.wrong
  })
  return { ...outcome, value }
}

/** The same refusal for a wrong password and an unknown user. */
export const badCredentials = 'Invalid login or password'

/**
 * Records a wrong code, and uses up one try of the delivered one: the cost of a log-in that was refused with
 * `bad_code`.
 */
export function spendTry(
  account: Account,
  _input: Readonly<Record<never, never>>,
  env: Env,
): Step<Account, undefined> {
  checkArguments('account env', account, env)
  if (!account.twoFactor) return answer(account, undefined)
  return step(account, ({ twoFactor }): undefined => {
    if (!twoFactor) return
    twoFactor.wrong = { count: (twoFactor.wrong?.count ?? 0) + 1, at: env.now }
    if (twoFactor.delivered) twoFactor.delivered.triesLeft -= 1
  })
}
