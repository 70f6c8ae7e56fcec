import { fromBase32, longestPassword } from '../../crypto/index.ts'
import { type Answer, refuse } from '../../kernel/index.ts'
import { host } from '../accounts/access.ts'
import { type SaveOrganizationInput, saveOrganization } from '../accounts/save-organization.ts'
import { type SaveUserInput, saveUser } from '../accounts/save-user.ts'
import { type UpdateProfileInput, updateProfile } from '../accounts/update-profile.ts'
import { type AccountView, viewOfAccount } from '../accounts/view.ts'
import { foldName } from '../boxes/names.ts'
import { accounts } from '../records.ts'
import { type Core, change } from './core.ts'
import { notFound } from './guard.ts'

/**
 * A user to make or to change, with the password in clear; what is left out stays as it is.
 *
 * @public
 */
export interface PutUserInput extends Omit<SaveUserInput, 'passwordHash'> {
  readonly password?: string | undefined
}

/**
 * What the embedding program can do with accounts.
 *
 * @public
 */
export interface AccountMethods {
  /** Makes a user, or changes one; answers what may be shown of it. */
  readonly putUser: (
    input: PutUserInput,
  ) => Promise<
    Answer<
      AccountView,
      | 'invalid_username'
      | 'invalid_email'
      | 'account_taken'
      | 'email_taken'
      | 'invalid_totp_secret'
      | 'password_too_long'
      | 'contended'
    >
  >
  /** Makes an organization, or changes who its members are. */
  readonly putOrganization: (
    input: SaveOrganizationInput,
  ) => Promise<Answer<AccountView, 'invalid_username' | 'account_taken' | 'contended'>>
  /** Changes what people see of an account, or whether its bills are paid. */
  readonly updateProfile: (
    username: string,
    input: UpdateProfileInput,
  ) => Promise<Answer<AccountView, 'not_found' | 'text_too_long' | 'invalid_url' | 'contended'>>
}

export const accountMethods = (core: Core): AccountMethods => ({
  putUser: async ({ password, ...input }) => {
    if (input.totpSecret && (fromBase32(input.totpSecret)?.length ?? 0) === 0)
      return refuse('invalid_totp_secret', 'the authenticator secret must be base32 text')
    if (password !== undefined && password.length > longestPassword)
      return refuse('password_too_long', `Password is too long (maximum is ${longestPassword} characters)`)
    const passwordHash = password === undefined ? undefined : await core.crypto.hashPassword(password)
    return change(core, host, (tx, env) => {
      const existing = tx.get(accounts, foldName(input.username))?.value
      const outcome = saveUser(existing, { ...input, passwordHash }, env)
      if (!outcome.ok) return outcome
      const { email, username } = outcome.value
      const holder = email === null ? undefined : tx.find(accounts, 'email', email)?.value
      if (holder && holder.username !== username) return refuse('email_taken', 'Email has already been taken')
      tx.put(accounts, outcome.value)
      return { ...outcome, value: viewOfAccount(outcome.value) }
    })
  },

  putOrganization: (input) =>
    change(core, host, (tx, env) => {
      const outcome = saveOrganization(tx.get(accounts, foldName(input.username))?.value, input, env)
      if (!outcome.ok) return outcome
      tx.put(accounts, outcome.value)
      return { ...outcome, value: viewOfAccount(outcome.value) }
    }),

  updateProfile: (username, input) =>
    change(core, host, (tx, env) => {
      const account = tx.get(accounts, foldName(username))?.value
      if (!account) return notFound
      const outcome = updateProfile(account, input, env)
      if (!outcome.ok) return outcome
      tx.put(accounts, outcome.value)
      return { ...outcome, value: viewOfAccount(outcome.value) }
    }),
})
