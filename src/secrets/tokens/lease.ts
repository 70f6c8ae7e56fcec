import type { Token } from './model.ts'

/**
 * The lease ID of a token: the request path that created it, and a name that finds the token but cannot be used as one.
 * `undefined` for tokens that never expire, and for batch tokens, which are not stored.
 *
 * @example
 * ```ts
 * import { leaseIdOf } from 'plinth/tokens'
 *
 * leaseIdOf({ digest: 'abc', path: 'auth/idp/login/ada', type: 'service', expiresAt: 0 }) // 'auth/idp/login/ada/habc'
 * ```
 */
export const leaseIdOf = ({
  digest,
  path,
  type,
  expiresAt,
}: Pick<Token, 'digest' | 'path' | 'type' | 'expiresAt'>): string | undefined =>
  type === 'service' && expiresAt !== null ? `${path}/h${digest}` : undefined

/**
 * The digest of the token that a lease is of; `undefined` for a text that names no token's lease.
 *
 * @example
 * ```ts
 * import { digestOfLease } from 'plinth/tokens'
 *
 * digestOfLease('auth/idp/login/ada/habc') // 'abc'
 * digestOfLease('auth/idp/login/ada') // undefined
 * ```
 */
export const digestOfLease = (leaseId: string): string | undefined => /\/h([0-9a-f]+)$/.exec(leaseId)?.[1]
