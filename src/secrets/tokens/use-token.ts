import { answer, type Env, type Outcome } from '../../kernel/index.ts'
import type { Token, TokenEvent } from './model.ts'

/**
 * Counts a request of a token with a limited number of uses, before the request runs: failed requests count too.
 *
 * @returns whether this is the last use: the token is dead for all other requests, and must be revoked once the request
 * is answered
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { rootToken, useToken } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i1' }
 * const twice = { ...rootToken({ digest: 'd0', accessor: 'a0' }, env), numUses: 2 }
 * const first = unwrapStep(useToken(twice, {}, env))
 * first.value // { last: false }
 * unwrap(useToken(first.state, {}, env)) // { last: true }
 * ```
 */
export function useToken(
  token: Token,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<Token, { readonly last: boolean }, TokenEvent> {
  const { numUses, accessor } = token
  if (numUses <= 0) return answer(token, { last: false })
  const last = numUses === 1
  return {
    ok: true,
    state: { ...token, numUses: last ? -1 : numUses - 1 },
    value: { last },
    events: last ? [{ type: 'token.spent', accessor }] : [],
  }
}
