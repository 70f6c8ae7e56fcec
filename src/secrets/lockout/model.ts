import * as z from 'zod'

/**
 * When a user name is locked, and for how long (`user_lockout_config`). Durations are whole seconds.
 */
export const LockoutSettings = z.strictObject({
  /** How many failed logins in a row lock a name. */
  threshold: z.int().min(1),
  /** How long a name stays locked. */
  durationSeconds: z.int().min(1),
  /** The time after the last failed login when the count restarts. */
  counterResetSeconds: z.int().min(1),
  /** Whether lockout is disabled. */
  disabled: z.boolean(),
})
export interface LockoutSettings extends z.infer<typeof LockoutSettings> {}

/**
 * The failed logins of one user name, whether a user of that name exists or not.
 */
export interface Lockout {
  readonly status: 'open' | 'counting' | 'locked'
  /** Counted failed logins. */
  readonly failures: number
  /** When the last of them was, in milliseconds. */
  readonly failedAt: number
}

/** An event of a user name's lockout. */
export type LockoutEvent =
  | { readonly type: 'lockout.locked'; readonly username: string }
  | { readonly type: 'lockout.unlocked'; readonly username: string }
