import type { Token } from './model.ts'

/**
 * What can be told about a token: everything but its text and its parent.
 *
 * @public
 */
export interface TokenView
  extends Omit<
    Token,
    'digest' | 'incarnation' | 'parent' | 'namespaceId' | 'login' | 'lifeTtlSeconds' | 'ttlSeconds'
  > {
  readonly orphan: boolean
  /** Whole seconds left; 0 for one that never expires. */
  readonly ttlSeconds: number
  /** Whether it can expire at all. */
  readonly leased: boolean
}

/**
 * Looks at a token as it is at an instant.
 *
 * @public
 */
export function lookupToken(token: Token, now: number): TokenView {
  const {
    digest: _digest,
    incarnation: _life,
    namespaceId: _namespaceLife,
    parent,
    login: _login,
    lifeTtlSeconds: _bound,
    ...shown
  } = token
  return {
    ...shown,
    orphan: parent === null,
    ttlSeconds: token.expiresAt === null ? 0 : Math.max(0, Math.floor((token.expiresAt - now) / 1000)),
    leased: token.expiresAt !== null,
  }
}
