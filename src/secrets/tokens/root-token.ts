import { checkInput } from '../../kernel/check-input.ts'
import type { Env } from '../../kernel/index.ts'
import type { Token } from './model.ts'

/**
 * The initial token of a service: it may do everything, and never expires.
 *
 * @example
 * ```ts
 * import { isExpired, isRootToken, rootToken } from 'plinth/tokens'
 * import { testClock } from 'plinth/testing'
 *
 * const clock = testClock()
 * const root = rootToken({ digest: 'the digest of its text', accessor: 'a' }, clock.env())
 * isRootToken(root) // true
 * await clock.advance(3_000_000_000)
 * isExpired(root, clock.now()) // false
 * ```
 */
export function rootToken(
  input: { readonly digest?: string | undefined; readonly accessor?: string | undefined },
  env: Env,
): Token {
  checkInput(input, {}, { digest: '', accessor: '' }, env)
  return {
    digest: input.digest ?? env.newId('digest'),
    incarnation: env.newId('token'),
    accessor: input.accessor ?? env.newId('accessor'),
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
  }
}
