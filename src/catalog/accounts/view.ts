import type { Account } from './model.ts'

/**
 * An account without secrets: no password hash and no two-factor state.
 */
export interface AccountView extends Omit<Account, 'passwordHash' | 'twoFactor'> {}

/** The fields of an account that may leave the service. */
export function viewOfAccount({ passwordHash, twoFactor, ...shown }: Account): AccountView {
  return shown
}
