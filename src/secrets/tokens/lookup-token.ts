import type { Token } from './model.ts'

/**
 * The public fields of a token: everything but its text and its parent.
 */
export interface TokenView
  extends Omit<
    Token,
    'digest' | 'incarnation' | 'parent' | 'namespaceId' | 'login' | 'lifeTtlSeconds' | 'ttlSeconds'
  > {
  readonly orphan: boolean
  /** Remaining whole seconds; 0 for one that never expires. */
  readonly ttlSeconds: number
  /** Whether it can expire at all. */
  readonly leased: boolean
}

/**
 * Returns the public fields of a token at an instant.
 *
 * @example
 * ```ts
 * import { lookupToken, rootToken } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i1' }
 * const root = rootToken({ digest: 'd0', accessor: 'a0' }, env)
 * lookupToken({ ...root, expiresAt: env.now + 90_500 }, env.now).ttlSeconds // 90
 * lookupToken(root, env.now).leased // false
 * ```
 */
export function lookupToken(token: Token, now: number): TokenView {
  // Field by field: taking a rest of an object costs more than the look-up.
  return {
    accessor: token.accessor,
    type: token.type,
    namespace: token.namespace,
    policies: token.policies,
    meta: token.meta,
    displayName: token.displayName,
    path: token.path,
    role: token.role,
    createdAt: token.createdAt,
    expiresAt: token.expiresAt,
    lastRenewedAt: token.lastRenewedAt,
    creationTtlSeconds: token.creationTtlSeconds,
    explicitMaxTtlSeconds: token.explicitMaxTtlSeconds,
    periodSeconds: token.periodSeconds,
    renewable: token.renewable,
    numUses: token.numUses,
    boundCidrs: token.boundCidrs,
    orphan: token.parent === null,
    ttlSeconds: token.expiresAt === null ? 0 : Math.max(0, Math.floor((token.expiresAt - now) / 1000)),
    // Only the first root token, and one from key shares, have no lease.
    leased: token.expiresAt !== null || token.path !== 'auth/token/root',
    ...(token.entity === undefined ? {} : { entity: token.entity }),
  }
}
