import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { rfc3339 } from '../values/instants.ts'
import type { AclTokenRecord } from './model.ts'

/**
 * The first token of access control was created.
 */
export interface AclBootstrapped {
  readonly type: 'acl.bootstrapped'
  readonly accessor: string
}

/**
 * Creates the first management token of a cluster; works only once.
 *
 * @param done - whether it has been done before
 * @param input - the identifiers generated for the token
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { bootstrapAcl } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const first = bootstrapAcl(false, { accessor: 'a', secret: 's' }, env)
 * unwrap(first).Type // 'management'
 * const again = bootstrapAcl(true, { accessor: 'b', secret: 't' }, env)
 * again.ok ? '' : again.refusal.code // 'bootstrap_done'
 * ```
 */
export function bootstrapAcl(
  done: boolean,
  input: { readonly accessor: string; readonly secret: string },
  env: Env,
): Outcome<boolean, AclTokenRecord, AclBootstrapped, 'bootstrap_done'> {
  checkArguments('done input env', done, input, env)
  const { accessor, secret } = input
  if (done) return refuse('bootstrap_done', 'ACL bootstrap already done')
  const value: AclTokenRecord = {
    AccessorID: accessor,
    SecretID: secret,
    Name: 'Bootstrap Token',
    Type: 'management',
    Policies: [],
    Roles: [],
    Global: true,
    CreateTime: rfc3339(env.now),
    ExpirationTime: null,
  }
  return { ok: true, state: true, value, events: [{ type: 'acl.bootstrapped', accessor }] }
}
