import type { Account } from './model.ts'

/**
 * An account as it may be shown: without the password's hash and what two-factor log-in keeps.
 *
 * @public
 */
export interface AccountView extends Omit<Account, 'passwordHash' | 'twoFactor'> {}

/** What of an account may leave the service. */
export function viewOfAccount({ passwordHash, twoFactor, ...shown }: Account): AccountView {
  return shown
}
