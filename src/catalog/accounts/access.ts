import { foldName } from '../boxes/names.ts'
import type { Account } from './model.ts'

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

/**
 * Whether a caller owns an account's boxes: it is the user, a member of the organization, an administrator, or the
 * host.
 *
 * @example
 * ```ts
 * import { ownsBoxesOf } from 'plinth/catalog'
 *
 * const acme = { username: 'acme', members: ['alice'] }
 * ownsBoxesOf(acme, { kind: 'user', username: 'Alice' }) // true
 * ownsBoxesOf(acme, { kind: 'anonymous' }) // false
 * ```
 */
export function ownsBoxesOf(account: Pick<Account, 'username' | 'members'>, caller: Caller): boolean {
  if (caller.kind !== 'user') return caller.kind === 'host'
  if (caller.administrator) return true
  const name = foldName(caller.username)
  return name === foldName(account.username) || account.members.includes(name)
}
