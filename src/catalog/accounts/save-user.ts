import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { foldName, usernameProblem } from '../boxes/names.ts'
import type { CatalogEvent } from '../events.ts'
import type { Account } from './model.ts'

/**
 * The fields of a user. Omitted fields stay unchanged, or take their defaults.
 */
export interface SaveUserInput {
  readonly username: string
  /** The password, hashed by the crypto port. */
  readonly passwordHash?: string | null | undefined
  readonly email?: string | null | undefined
  /** Whether the user may do everything that owners may, and create users. */
  readonly administrator?: boolean | undefined
  /** Turns two-factor log-in on with an authenticator's secret in base32; null turns it off. */
  readonly totpSecret?: string | null | undefined
  /** Turns two-factor log-in on with codes delivered here. */
  readonly phone?: string | null | undefined
}

/**
 * Creates or changes a user. This turns an organization without members, such as an owner that a load created, into a
 * user.
 *
 * @returns the account; or `invalid_username`, `invalid_email`, `account_taken` (by an organization with members).
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { saveUser } from 'plinth/catalog'
 *
 * const alice = unwrap(saveUser(undefined, { username: 'alice' }, systemEnv()))
 * alice.kind // 'user'
 * ```
 */
export function saveUser(
  existing: Account | undefined,
  input: SaveUserInput,
  env: Env,
): Outcome<Account, Account, CatalogEvent, 'invalid_username' | 'invalid_email' | 'account_taken'> {
  checkArguments('input env', input, env)
  const unsound = usernameProblem(input.username)
  if (unsound) return unsound
  if (input.email && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(input.email))
    return refuse('invalid_email', 'Email is invalid: write it as name@host')
  if (existing && existing.kind === 'organization' && Object.keys(existing.members).length > 0)
    return refuse('account_taken', 'Username has already been taken')
  const base = existing ?? newAccount(input.username, 'user', env)
  const outcome = step(base, (draft, emit: (event: CatalogEvent) => void) => {
    draft.kind = 'user'
    if (input.passwordHash !== undefined) draft.passwordHash = input.passwordHash
    if (input.administrator === true) draft.administrator = true
    else if (input.administrator === false) delete draft.administrator
    if (input.email !== undefined) draft.email = input.email === null ? null : foldName(input.email)
    const totpSecret =
      input.totpSecret === undefined ? (draft.twoFactor?.totpSecret ?? null) : input.totpSecret
    const phone = input.phone === undefined ? (draft.twoFactor?.phone ?? null) : input.phone
    if (totpSecret === null && phone === null) draft.twoFactor = null
    else if (draft.twoFactor?.totpSecret !== totpSecret || draft.twoFactor.phone !== phone)
      draft.twoFactor = { totpSecret, phone, lastCounter: 0, delivered: null }
    draft.updatedAt = env.now
    emit({ type: existing ? 'account.updated' : 'account.created', username: base.username })
  })
  return { ...outcome, value: outcome.state }
}

/** An account with only a name. */
export const newAccount = (username: string, kind: Account['kind'], env: Env): Account => ({
  username,
  kind,
  email: null,
  passwordHash: null,
  twoFactor: null,
  avatarUrl: '',
  profile: '',
  members: {},
  delinquent: false,
  createdAt: env.now,
  updatedAt: env.now,
})
