import type { Env, Step } from '../../../kernel/index.ts'
import { wrappingPolicyName } from '../../acl/policy-names.ts'
import type { Token, TokenEvent } from '../../tokens/model.ts'

/**
 * Creates a wrapping token: it can be used once, to unwrap its answer, and for nothing else.
 *
 * @param input - `path`: the request whose answer it wraps; `ttlSeconds`: how long it can be opened
 */
export function wrappingToken(
  input: {
    readonly digest: string
    readonly accessor: string
    readonly namespace: string
    readonly namespaceId: string
    readonly path: string
    readonly ttlSeconds: number
  },
  env: Env,
): Step<Token, { readonly token: Token; readonly warnings: readonly string[] }, TokenEvent> {
  const token: Token = {
    digest: input.digest,
    incarnation: env.newId('token'),
    accessor: input.accessor,
    type: 'service',
    parent: null,
    namespace: input.namespace,
    namespaceId: input.namespaceId,
    policies: [wrappingPolicyName],
    meta: null,
    displayName: 'wrapping',
    path: input.path,
    role: null,
    createdAt: env.now,
    expiresAt: env.now + input.ttlSeconds * 1000,
    lastRenewedAt: null,
    creationTtlSeconds: input.ttlSeconds,
    ttlSeconds: input.ttlSeconds,
    explicitMaxTtlSeconds: input.ttlSeconds,
    lifeTtlSeconds: input.ttlSeconds,
    periodSeconds: 0,
    renewable: false,
    numUses: 1,
    boundCidrs: [],
    login: null,
  }
  const event = {
    type: 'token.created',
    accessor: token.accessor,
    path: token.path,
    policies: token.policies,
  } as const
  return { ok: true, state: token, value: { token, warnings: [] }, events: [event] }
}

/** Whether a token is a wrapping token. */
export const isWrapping = (token: Token): boolean =>
  token.policies.length === 1 && token.policies[0] === wrappingPolicyName
