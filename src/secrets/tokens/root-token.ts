import type { Env } from '../../kernel/index.ts'
import type { Token } from './model.ts'

/**
 * The token that a fresh service begins with: it may do everything, and never expires.
 *
 * @public
 */
export const rootToken = (
  { digest, accessor }: { readonly digest: string; readonly accessor: string },
  env: Env,
): Token => ({
  digest,
  incarnation: env.newId('token'),
  accessor,
  type: 'service',
  parent: null,
  namespace: '',
  namespaceId: 'root',
  policies: ['root'],
  meta: null,
  displayName: 'root',
  path: 'auth/token/root',
  role: null,
  createdAt: env.now,
  expiresAt: null,
  lastRenewedAt: null,
  creationTtlSeconds: 0,
  ttlSeconds: 0,
  explicitMaxTtlSeconds: 0,
  lifeTtlSeconds: 0,
  periodSeconds: 0,
  renewable: false,
  numUses: 0,
  boundCidrs: [],
  login: null,
})
