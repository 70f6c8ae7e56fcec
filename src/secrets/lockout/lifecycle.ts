import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of a user name's lockout. Read: from → event → to. Only `expire` and `unlock` lead out of `locked`.
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

/** The status of a user name's lockout. @public */
export type LockoutStatus = keyof typeof lockoutLifecycle

/** The events of a lockout. @public */
export type LockoutVerb = 'fail' | 'lock' | 'succeed' | 'forget' | 'expire' | 'unlock'
