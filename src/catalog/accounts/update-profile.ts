import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, type Refused, refuse, step } from '../../kernel/index.ts'
import { maxDescription } from '../boxes/text-limits.ts'
import type { CatalogEvent } from '../events.ts'
import { isWebUrl } from '../web-url.ts'
import type { Account } from './model.ts'

/**
 * The public profile of an account, and its billing status.
 */
export interface UpdateProfileInput {
  /** Markdown. */
  readonly profile?: string | undefined
  readonly avatarUrl?: string | undefined
  /** Whether its bills are unpaid. */
  readonly delinquent?: boolean | undefined
}

/**
 * Changes the profile of a user or an organization.
 *
 * @returns the account; or `text_too_long`, `invalid_url`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { saveUser, updateProfile } from 'plinth/catalog'
 *
 * const alice = unwrap(saveUser(undefined, { username: 'alice' }, systemEnv()))
 * unwrap(updateProfile(alice, { profile: 'I *make* boxes' }, systemEnv())).profile // 'I *make* boxes'
 * ```
 */
export function updateProfile(
  account: Account,
  input: UpdateProfileInput,
  env: Env,
): Outcome<Account, Account, CatalogEvent, 'text_too_long' | 'invalid_url'> {
  checkArguments('account input env', account, input, env)
  if ((input.profile?.length ?? 0) > maxDescription)
    return refuse('text_too_long', `Profile is too long (maximum is ${maxDescription} characters)`)
  const unsound = avatarProblem(input.avatarUrl)
  if (unsound) return unsound
  const outcome = step(account, (draft, emit: (event: CatalogEvent) => void) => {
    draft.profile = input.profile ?? draft.profile
    draft.avatarUrl = input.avatarUrl ?? draft.avatarUrl
    draft.delinquent = input.delinquent ?? draft.delinquent
    draft.updatedAt = env.now
    emit({ type: 'account.updated', username: account.username })
  })
  return { ...outcome, value: outcome.state }
}

const avatarProblem = (url: string | undefined): Refused<'invalid_url'> | undefined =>
  url === undefined || url === '' || isWebUrl(url)
    ? undefined
    : refuse('invalid_url', 'Avatar url is invalid: use an absolute http or https URL')
