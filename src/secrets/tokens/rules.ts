import type { Token } from './model.ts'

/**
 * Whether a token itself has expired; its ancestors are not considered. See {@link isAlive}.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createToken, isExpired, rootToken } from 'plinth/tokens'
 * import { testClock } from 'plinth/testing'
 *
 * const clock = testClock()
 * const root = rootToken({ digest: 'r', accessor: 'a' }, clock.env())
 * const input = { digest: 'd', accessor: 'b', policies: ['dev'], ttlSeconds: 60 }
 * const { token } = unwrap(createToken(root, input, clock.env()))
 * isExpired(token, clock.now()) // false
 * await clock.advance(60_000)
 * isExpired(token, clock.now()) // true
 * ```
 */
export const isExpired = (token: Token, now: number): boolean =>
  token.expiresAt !== null && token.expiresAt <= now

/**
 * Whether its last request has begun: it finishes, and no other may begin.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { createToken, isSpent, rootToken, useToken } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i' }
 * const root = rootToken({ digest: 'p', accessor: 'a' }, env)
 * const once = { digest: 'd', accessor: 'b', policies: ['dev'], numUses: 1 }
 * const { token } = unwrap(createToken(root, once, env))
 * isSpent(unwrapStep(useToken(token, {}, env)).state) // true
 * ```
 */
export const isSpent = (token: Token): boolean => token.numUses < 0

/**
 * Whether a token is alive: neither expired nor spent, and, unless it is an orphan, neither is any ancestor.
 *
 * @remarks
 * A tree is revoked by deleting its top: everything below is invalid immediately, and swept later.
 *
 * @param find - a stored token by its digest
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createToken, isAlive, rootToken, type Token } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i1' }
 * const root = rootToken({ digest: 'd0', accessor: 'a0' }, env)
 * const { token } = unwrap(createToken(root, { digest: 'd1', accessor: 'a1', policies: ['web'] }, env))
 * const stored = new Map<string, Token>([['d0', root]])
 * const lives = () => isAlive(token, env.now, (digest) => stored.get(digest))
 * lives() // true
 * stored.delete('d0') // revoked, and with it what it made
 * lives() // false
 * ```
 */
export function isAlive(token: Token, now: number, find: (digest: string) => Token | undefined): boolean {
  if (isSpent(token)) return false
  for (let at = token; ; ) {
    if (isExpired(at, now)) return false
    if (at.parent === null) return true
    const parent = find(at.parent.digest)
    // A used-up parent is revoked once its last request is answered; until then its children are valid.
    if (parent === undefined || parent.incarnation !== at.parent.incarnation) return false
    at = parent
  }
}

/**
 * Whether a token may do everything.
 *
 * @example
 * ```ts
 * import { isRootToken, rootToken } from 'plinth/tokens'
 *
 * const token = rootToken({ digest: 'd', accessor: 'a' }, { now: 0, newId: () => 'i' })
 * isRootToken(token) // true
 * isRootToken({ ...token, policies: ['default'] }) // false
 * ```
 */
export const isRootToken = (token: Token): boolean => token.policies.includes('root')

/** A display name as stored: letters, digits and dashes. */
export const displayNameOf = (given: string): string => given.replace(/[^A-Za-z0-9-]/g, '-').replace(/-$/, '')
