import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { badCredentials } from './log-in.ts'
import type { Account } from './model.ts'

/** How long a delivered code works. */
const codeLifeMs = 10 * 60_000
/** How often a delivered code may be tried: more than five guesses would weaken six digits. */
const codeTries = 5

/**
 * Records a code that is about to be delivered; an earlier one stops working.
 *
 * @remarks
 * Only `sms` is supported.
 *
 * @returns or `bad_credentials`, `two_factor_disabled`, `unsupported_delivery`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { requestCode, saveUser } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const alice = unwrap(saveUser(undefined, { username: 'alice' }, env))
 * const input = { passwordMatches: true, deliveryMethod: 'sms', canDeliver: true, codeDigest: 'digest' }
 * const refused = requestCode(alice, input, env)
 * !refused.ok && refused.refusal.code // 'two_factor_disabled'
 * ```
 */
export function requestCode(
  account: Account,
  input: {
    readonly passwordMatches: boolean
    readonly deliveryMethod: string
    /** Whether codes can be delivered at all. */
    readonly canDeliver: boolean
    readonly codeDigest: string
  },
  env: Env,
): Outcome<
  Account,
  { readonly phone: string | null },
  never,
  'bad_credentials' | 'two_factor_disabled' | 'unsupported_delivery'
> {
  checkArguments('account input env', account, input, env)
  if (!input.passwordMatches || account.kind !== 'user') return refuse('bad_credentials', badCredentials)
  const { twoFactor } = account
  if (twoFactor === null)
    return refuse('two_factor_disabled', 'Two-factor authentication is not enabled for this account')
  if (input.deliveryMethod !== 'sms')
    return refuse('unsupported_delivery', 'Delivery method is not supported: only "sms" is')
  if (!input.canDeliver)
    return refuse('unsupported_delivery', 'Codes cannot be delivered here: use the authenticator app')
  return step(account, (draft) => {
    if (draft.twoFactor)
      draft.twoFactor.delivered = {
        digest: input.codeDigest,
        expiresAt: env.now + codeLifeMs,
        triesLeft: codeTries,
      }
    return { phone: twoFactor.phone }
  })
}

/**
 * Masks a telephone number except for its end.
 *
 * @example
 * ```ts
 * import { maskPhone } from 'plinth/catalog'
 *
 * maskPhone('+1 555 010 1234') // 'SMS number ending in 1234'
 * ```
 */
export const maskPhone = (phone: string): string => {
  const digits = phone.replace(/\D/g, '')
  return digits.length < 7 ? 'the SMS number of the account' : `SMS number ending in ${digits.slice(-4)}`
}
