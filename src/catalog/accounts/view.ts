import type { Account } from './model.ts'

/**
 * An account without secrets: no password hash and no two-factor state.
 */
export interface AccountView extends Omit<Account, 'passwordHash' | 'twoFactor' | 'enrolment'> {}

/** The fields of an account that may leave the service. */
export function viewOfAccount({ passwordHash, twoFactor, enrolment, ...shown }: Account): AccountView {
  return shown
}
