import { fromBase32, longestPassword } from '../../crypto/index.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Tx } from '../../store/index.ts'
import type { Account } from '../accounts/model.ts'
import { type SaveOrganizationInput, saveOrganization } from '../accounts/save-organization.ts'
import { saveUser } from '../accounts/save-user.ts'
import { type UpdateProfileInput, updateProfile } from '../accounts/update-profile.ts'
import { viewOfAccount } from '../accounts/view.ts'
import { foldName } from '../boxes/names.ts'
import type { CatalogEvent } from '../events.ts'
import { accounts } from '../records.ts'
import { type Core, change } from '../service/core.ts'
import { notFound } from '../service/guard.ts'
import { organization, profile, user, username } from './arguments.ts'
import type { PutUserInput } from './inputs.ts'

/** Runs a command on the account of a name; returns its view. */
const onAccount = <Code extends string>(
  core: Core,
  username: string,
  command: (account: Account | undefined, env: Env, tx: Tx) => Outcome<Account, Account, CatalogEvent, Code>,
) =>
  change(core, (tx, env) => {
    const outcome = command(tx.get(accounts, foldName(username))?.value, env, tx)
    if (!outcome.ok) return outcome
    tx.put(accounts, outcome.value)
    return { ok: true, value: viewOfAccount(outcome.value), events: outcome.events }
  })

/** The account operations of the embedding program. */
export const accountOperations = {
  /**
   * Creates or changes a user; returns its view.
   *
   * @example await catalog.putUser({ username: 'carol' })
   */
  putUser: operation({
    takes: [user],
    refuses: [
      'invalid_username',
      'invalid_email',
      'account_taken',
      'email_taken',
      'invalid_totp_secret',
      'password_too_long',
      'contended',
    ],
    run: async (core: Core, { password, createOnly = false, ...input }: PutUserInput) => {
      if (input.totpSecret && (fromBase32(input.totpSecret)?.length ?? 0) === 0)
        return refuse('invalid_totp_secret', 'the authenticator secret must be base32 text')
      if (password !== undefined && password.length > longestPassword)
        return refuse('password_too_long', `Password is too long (maximum is ${longestPassword} characters)`)
      const passwordHash = password === undefined ? undefined : await core.crypto.hashPassword(password)
      return onAccount(core, input.username, (existing, env, tx) => {
        if (createOnly && existing?.kind === 'user')
          return refuse('account_taken', 'Username has already been taken')
        const outcome = saveUser(existing, { ...input, passwordHash }, env)
        if (!outcome.ok) return outcome
        const { email, username } = outcome.value
        const holder = email === null ? undefined : tx.find(accounts, 'email', email)?.value
        if (holder && holder.username !== username)
          return refuse('email_taken', 'Email has already been taken')
        return outcome
      })
    },
  }),
  /**
   * Creates an organization, or changes its members.
   *
   * @example await catalog.putOrganization({ username: 'team', members: ['ada'] })
   */
  putOrganization: operation({
    takes: [organization],
    refuses: ['invalid_username', 'account_taken', 'contended'],
    run: (core: Core, input: SaveOrganizationInput) =>
      onAccount(core, input.username, (existing, env) => saveOrganization(existing, input, env)),
  }),
  /**
   * Changes the public profile of an account, or its billing status.
   *
   * @example await catalog.updateProfile('ada', { profile: 'Builds small boxes' })
   */
  updateProfile: operation({
    takes: [username, profile],
    refuses: ['not_found', 'text_too_long', 'invalid_url', 'contended'],
    run: (core: Core, username: string, input: UpdateProfileInput) =>
      onAccount(core, username, (account, env) => (account ? updateProfile(account, input, env) : notFound)),
  }),
}
