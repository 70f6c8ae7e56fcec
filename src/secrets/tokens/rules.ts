import type { Token } from './model.ts'

/** What is known of a token's own life at an instant, its ancestors aside. @public */
export const isExpired = (token: Token, now: number): boolean =>
  token.expiresAt !== null && token.expiresAt <= now

/** Whether its last request has begun: it finishes, and no other may begin. @public */
export const isSpent = (token: Token): boolean => token.numUses < 0

/**
 * Whether a token is alive: neither expired nor spent, and, unless it is an orphan, neither is any ancestor.
 *
 * @remarks
 * A tree is revoked by deleting its top: everything below is dead at once, and swept away later.
 *
 * @param find - a stored token by its digest
 *
 * @public
 */
export function isAlive(token: Token, now: number, find: (digest: string) => Token | undefined): boolean {
  if (isSpent(token)) return false
  for (let at = token; ; ) {
    if (isExpired(at, now)) return false
    if (at.parent === null) return true
    const parent = find(at.parent.digest)
    // A spent parent is revoked once its last request is answered; until then its children are its children.
    if (parent === undefined || parent.incarnation !== at.parent.incarnation) return false
    at = parent
  }
}

/** Whether a token may do everything. @public */
export const isRootToken = (token: Token): boolean => token.policies.includes('root')

/** A display name as it is kept: letters, digits and dashes. */
export const displayNameOf = (given: string): string => given.replace(/[^A-Za-z0-9-]/g, '-').replace(/-$/, '')
