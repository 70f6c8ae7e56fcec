import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Account } from './model.ts'

/** How long a new authenticator may take to show its first code. */
const enrolmentMs = 15 * 60_000

/**
 * Remembers the secret of a new authenticator, until its first code confirms it.
 *
 * @returns the secret
 */
export function beginTwoFactor(
  account: Account,
  input: {
    /** In base32. */
    readonly totpSecret: string
  },
  env: Env,
): Outcome<Account, string, CatalogEvent, never> {
  checkArguments('account input env', account, input, env)
  const { totpSecret } = input
  return step(account, (draft) => {
    draft.enrolment = { totpSecret, expiresAt: env.now + enrolmentMs }
    return totpSecret
  })
}

/**
 * Turns two-factor log-in on with the authenticator whose first code has arrived; earlier recovery codes stop working.
 *
 * @returns or `two_factor_not_begun` (or begun too long ago), `bad_code`.
 */
export function confirmTwoFactor(
  account: Account,
  input: {
    /** The period of the code by the secret that is remembered; absent if it is no code of it. */
    readonly totpCounter: number | undefined
    /** The digests of the new recovery codes. */
    readonly recovery: readonly string[]
  },
  env: Env,
): Outcome<Account, undefined, CatalogEvent, 'two_factor_not_begun' | 'bad_code'> {
  checkArguments('account input env', account, input, env)
  const { enrolment } = account
  if (!enrolment || enrolment.expiresAt <= env.now)
    return refuse('two_factor_not_begun', 'No authenticator waits for its first code: request a secret first')
  const { totpCounter, recovery } = input
  if (totpCounter === undefined)
    return refuse(
      'bad_code',
      'This is not a current code of the new authenticator: check the clock of its device',
    )
  return step(account, (draft, emit: (event: CatalogEvent) => void): undefined => {
    draft.twoFactor = {
      totpSecret: enrolment.totpSecret,
      phone: account.twoFactor?.phone ?? null,
      lastCounter: totpCounter,
      delivered: null,
      recovery: [...recovery],
    }
    delete draft.enrolment
    draft.updatedAt = env.now
    emit({ type: 'account.updated', username: account.username })
  })
}

/** Turns two-factor log-in off. */
export function endTwoFactor(
  account: Account,
  _input: Readonly<Record<never, never>>,
  env: Env,
): Outcome<Account, undefined, CatalogEvent, never> {
  checkArguments('account env', account, env)
  return step(account, (draft, emit: (event: CatalogEvent) => void): undefined => {
    draft.twoFactor = null
    delete draft.enrolment
    draft.updatedAt = env.now
    emit({ type: 'account.updated', username: account.username })
  })
}
