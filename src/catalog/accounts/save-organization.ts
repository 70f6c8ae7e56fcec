import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import { foldName, usernameProblem } from '../boxes/names.ts'
import type { CatalogEvent } from '../events.ts'
import type { Account } from './model.ts'
import { newAccount } from './save-user.ts'

/**
 * The fields of an organization. Omitted fields stay unchanged, or are empty.
 */
export interface SaveOrganizationInput {
  readonly username: string
  /** Its members: those who are new have the role `admin`, others keep theirs. */
  readonly members?: readonly string[] | undefined
}

/**
 * Creates an organization, or changes its members.
 *
 * @returns the account; or `invalid_username`, `account_taken` (by a user).
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { saveOrganization } from 'plinth/catalog'
 *
 * unwrap(saveOrganization(undefined, { username: 'acme', members: ['Alice'] }, systemEnv())).members // { alice: 'admin' }
 * ```
 */
export function saveOrganization(
  existing: Account | undefined,
  input: SaveOrganizationInput,
  env: Env,
): Outcome<Account, Account, CatalogEvent, 'invalid_username' | 'account_taken'> {
  checkArguments('input env', input, env)
  const unsound = usernameProblem(input.username) ?? membersProblem(input.members ?? [])
  if (unsound) return unsound
  if (existing?.kind === 'user') return refuse('account_taken', 'Username has already been taken')
  const base = existing ?? newAccount(input.username, 'organization', env)
  const outcome = step(base, (draft, emit: (event: CatalogEvent) => void) => {
    if (input.members !== undefined)
      draft.members = Object.fromEntries(
        input.members.map(foldName).map((name) => [name, ownValue(base.members, name) ?? 'admin']),
      )
    draft.updatedAt = env.now
    emit({ type: existing ? 'account.updated' : 'account.created', username: base.username })
  })
  return { ...outcome, value: outcome.state }
}

const membersProblem = (members: readonly string[]) => {
  for (const member of members) {
    const unsound = usernameProblem(member)
    if (unsound) return unsound
  }
  return undefined
}
