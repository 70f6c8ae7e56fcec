import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of a user name's lockout: from → event → to. Only `expire` and `unlock` lead out of `locked`.
 */
export const lockoutLifecycle = /* @__PURE__ */ lifecycle({
  /** There are no counted failed logins. */
  open: { fail: 'counting', lock: 'locked', succeed: 'open' },
  /** There are fewer counted failed logins than the threshold. */
  counting: { fail: 'counting', lock: 'locked', succeed: 'open', forget: 'open' },
  /** Every login is refused, also with the right password. */
  locked: { expire: 'open', unlock: 'open' },
})

/** The status of a user name's lockout. */
export type LockoutStatus = keyof typeof lockoutLifecycle

/** The events of a lockout. */
export type LockoutVerb = 'fail' | 'lock' | 'succeed' | 'forget' | 'expire' | 'unlock'
