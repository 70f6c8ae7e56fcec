import { ownValue } from '../../kernel/objects.ts'
import { foldName } from '../boxes/names.ts'
import type { Account } from './model.ts'
import type { Role } from './role.ts'

/**
 * What a token may do of what its user may.
 */
export interface TokenLimits {
  /** The highest role that the token has anywhere. */
  readonly role: Role
  /** The folded names of the accounts whose boxes it is for; all by default. */
  readonly owners?: readonly string[] | undefined
  /** The role on the boxes of all other accounts; none by default. */
  readonly elsewhere?: 'reader' | undefined
}

/**
 * The caller: the program that embeds the catalog (which may do everything), a user, or an anonymous client.
 */
export type Caller =
  | { readonly kind: 'host' }
  | {
      readonly kind: 'user'
      readonly username: string
      /** May do everything that owners may, and create users. */
      readonly administrator?: boolean | undefined
      /** The limits of its token; none by default. */
      readonly limits?: TokenLimits | undefined
      /** Whether it has no account here: an identity provider vouches for it. Not by default. */
      readonly guest?: boolean | undefined
    }
  | { readonly kind: 'anonymous' }

/**
 * The anonymous caller.
 */
export const anonymous: Caller = { kind: 'anonymous' }

/**
 * The program that embeds the catalog.
 */
export const host: Caller = { kind: 'host' }

const ranks: Readonly<Record<Role, number>> = { reader: 1, publisher: 2, admin: 3 }

/** Whether a role includes another one. */
export const isAtLeast = (role: Role | undefined, needed: Role): boolean =>
  role !== undefined && ranks[role] >= ranks[needed]

const higher = (a: Role | undefined, b: Role | undefined): Role | undefined =>
  a !== undefined && (b === undefined || ranks[a] > ranks[b]) ? a : b

/**
 * Returns the role of a caller on the boxes of an account, or on one box: `admin` for the user itself, administrators
 * and the host; for a member, the higher one of its roles on the account and on the box; at most that of its token.
 *
 * @param granted - the caller's role on the box
 * @returns undefined for a caller who may see public boxes only
 *
 * @example
 * ```ts
 * import { roleOf } from 'plinth/catalog'
 *
 * const acme = { username: 'acme', members: { alice: 'publisher' } } as const
 * roleOf(acme, { kind: 'user', username: 'Alice' }) // 'publisher'
 * roleOf(acme, { kind: 'user', username: 'alice', limits: { role: 'reader' } }) // 'reader'
 * roleOf(acme, { kind: 'anonymous' }) // undefined
 * ```
 */
export function roleOf(
  account: Pick<Account, 'username' | 'members'>,
  caller: Caller,
  granted?: Role | undefined,
): Role | undefined {
  if (caller.kind !== 'user') return caller.kind === 'host' ? 'admin' : undefined
  const owner = foldName(account.username)
  const name = foldName(caller.username)
  const { limits } = caller
  if (limits?.owners && !limits.owners.includes(owner)) return limits.elsewhere
  const role: Role | undefined =
    caller.administrator || name === owner ? 'admin' : higher(ownValue(account.members, name), granted)
  return role === undefined || limits === undefined || isAtLeast(limits.role, role) ? role : limits.role
}
