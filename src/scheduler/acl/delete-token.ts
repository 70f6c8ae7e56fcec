import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { AclTokenRecord } from './model.ts'

/**
 * A token was revoked.
 */
export interface TokenDeleted {
  readonly type: 'acl.token-deleted'
  readonly accessor: string
}

/**
 * Revokes a token: from now on its bearer is anonymous.
 *
 * @returns the token's accessor, or `token_not_found`
 *
 * @example
 * ```ts
 * import { AclTokenRecord, deleteToken } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const token = AclTokenRecord.parse({ AccessorID: 'a1', SecretID: 's1', Type: 'management' })
 * deleteToken(token, {}, env) // { ok: true, state: undefined, value: 'a1', events: [{ type: 'acl.token-deleted', accessor: 'a1' }] }
 * deleteToken(undefined, {}, env).ok // false
 * ```
 */
export function deleteToken(
  token: AclTokenRecord | undefined,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<AclTokenRecord | undefined, string, TokenDeleted, 'token_not_found'> {
  if (token === undefined) return refuse('token_not_found', 'ACL token not found')
  const accessor = token.AccessorID
  return { ok: true, state: undefined, value: accessor, events: [{ type: 'acl.token-deleted', accessor }] }
}
