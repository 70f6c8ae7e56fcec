import { compareText } from '../../../kernel/compare-text.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import { pathCollision, pathTooLong } from '../core/paths.ts'
import { cubbyholes, tokenRecords } from '../tokens/records.ts'

type Result<Value> = Answer<Value, CubbyholeRefusal>

/** Why a cubbyhole refused. */
export type CubbyholeRefusal = 'cubbyhole_batch' | 'path_missing' | 'path_too_long' | 'permission_denied'

/** A small store for each service token: no other token can read it, and it is deleted with the token. */
export type Cubbyhole = ReturnType<typeof cubbyhole>

export function cubbyhole(core: Core) {
  const problem = (token: Token, path?: string) => {
    if (token.type === 'batch')
      return refuse('cubbyhole_batch', "cubbyhole operations are only supported by 'service' type tokens")
    return path === '' ? refuse('path_missing', 'missing path') : pathTooLong(path ?? '')
  }
  const keyOf = (token: Token, path: string) => pathKey(core.crypto, cubbyholes, token.incarnation, path)
  return {
    read: async (token: Token, path: string): Promise<Result<string | undefined>> => {
      const refused = problem(token, path)
      if (refused) return refused
      const { key } = keyOf(token, path)
      const entry = (await core.fresh()).get(key)
      const kept = entry && cubbyholes.stored(entry).value
      return { ok: true, value: kept?.path === path ? kept.json : undefined }
    },
    write: async (token: Token, path: string, json: string): Promise<Result<undefined>> => {
      const refused = problem(token, path)
      if (refused) return refused
      const { key, kept } = keyOf(token, path)
      return core.commit<undefined, CubbyholeRefusal>((tx) => {
        // Once the token has ended, this would be unreadable and never swept.
        if (tx.get(tokenRecords, token.digest)?.value.incarnation !== token.incarnation)
          return refuse('permission_denied', 'permission denied')
        const collides = pathCollision(tx.at(cubbyholes, key)?.value, path)
        if (collides) return collides
        tx.put(cubbyholes, { owner: token.incarnation, json, ...kept })
        return done(undefined)
      })
    },
    remove: async (token: Token, path: string): Promise<Result<boolean>> => {
      const refused = problem(token, path)
      if (refused) return refused
      const { key } = keyOf(token, path)
      return core.commit((tx) => {
        const before = tx.at(cubbyholes, key)?.value
        return done(before?.path === path && tx.delete(cubbyholes, token.incarnation, ...pathParts(before)))
      })
    },
    /** All paths, in order. */
    paths: async (token: Token): Promise<Result<readonly string[]>> => {
      const refused = problem(token)
      if (refused) return refused
      const now = await core.fresh()
      const paths = cubbyholes.list(now, token.incarnation).map(({ value }) => value.path)
      // Long paths are stored before all others.
      return { ok: true, value: paths.sort(compareText) }
    },
  }
}
