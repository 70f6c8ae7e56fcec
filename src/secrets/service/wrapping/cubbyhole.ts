import { type Answer, refuse } from '../../../kernel/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Core } from '../core.ts'
import { done } from '../decision.ts'
import { tokenRecords } from '../tokens/records.ts'
import { cubbyholes } from './records.ts'

type Result<Value> = Answer<Value, CubbyholeRefusal>

/** Why a cubbyhole did not answer. */
export type CubbyholeRefusal = 'cubbyhole_batch' | 'path_missing' | 'permission_denied'

/** A small store for each service token: no other token reads it, and it ends with the token. */
export type Cubbyhole = ReturnType<typeof cubbyhole>

export function cubbyhole(core: Core) {
  const problem = (token: Token, path?: string) => {
    if (token.type === 'batch')
      return refuse('cubbyhole_batch', "cubbyhole operations are only supported by 'service' type tokens")
    return path === '' ? refuse('path_missing', 'missing path') : undefined
  }
  return {
    read: async (token: Token, path: string): Promise<Result<string | undefined>> => {
      const refused = problem(token, path)
      if (refused) return refused
      return {
        ok: true,
        value: cubbyholes.get(await core.fresh(), token.incarnation, path)?.value.json,
      }
    },
    write: async (token: Token, path: string, json: string): Promise<Result<undefined>> => {
      const refused = problem(token, path)
      if (refused) return refused
      return core.commit<undefined, CubbyholeRefusal>((tx) => {
        // Once the token has ended, this would be unreadable and never swept.
        if (tx.get(tokenRecords, token.digest)?.value.incarnation !== token.incarnation)
          return refuse('permission_denied', 'permission denied')
        tx.put(cubbyholes, { owner: token.incarnation, path, json })
        return done(undefined)
      })
    },
    remove: async (token: Token, path: string): Promise<Result<boolean>> => {
      const refused = problem(token, path)
      if (refused) return refused
      return core.commit((tx) => done(tx.delete(cubbyholes, token.incarnation, path)))
    },
    /** All paths, in order. */
    paths: async (token: Token): Promise<Result<readonly string[]>> => {
      const refused = problem(token)
      if (refused) return refused
      const now = await core.fresh()
      return { ok: true, value: cubbyholes.list(now, token.incarnation).map(({ value }) => value.path) }
    },
  }
}
