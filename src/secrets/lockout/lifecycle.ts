import { lifecycle } from '../../kernel/index.ts'

/**
 * The lockout of one user name. Read: from → what happened → to. Only `expire` and `unlock` lead out of `locked`.
 *
 * @public
 */
export const lockoutLifecycle = lifecycle({
  /** No failed login counts. */
  open: { fail: 'counting', lock: 'locked', succeed: 'open' },
  /** Some failed logins count, fewer than the threshold. */
  counting: { fail: 'counting', lock: 'locked', succeed: 'open', forget: 'open' },
  /** Every login is refused, also with the right password. */
  locked: { expire: 'open', unlock: 'open' },
})

/** Where the lockout of a user name stands. @public */
export type LockoutStatus = keyof typeof lockoutLifecycle

/** What moves a lockout on. @public */
export type LockoutVerb = 'fail' | 'lock' | 'succeed' | 'forget' | 'expire' | 'unlock'
