import { type Refused, refuse } from '../../../kernel/index.ts'
import { transact } from '../../../store/index.ts'
import type { Token } from '../../tokens/index.ts'
import { type Core, isRefused } from '../core.ts'
import { tokenRecords } from '../tokens/records.ts'
import { cubbyholes } from './records.ts'

type Result<Value> = { readonly ok: true; readonly value: Value } | Refused<CubbyholeRefusal>

/** Why a cubbyhole did not answer. */
export type CubbyholeRefusal = 'sealed' | 'cubbyhole_batch' | 'path_missing' | 'permission_denied'

/** A small store for each service token: nobody else reads it, and it ends with the token. */
export interface Cubbyhole {
  readonly read: (token: Token, path: string) => Promise<Result<string | undefined>>
  readonly write: (token: Token, path: string, json: string) => Promise<Result<undefined>>
  readonly remove: (token: Token, path: string) => Promise<Result<boolean>>
  /** All paths, in order. */
  readonly paths: (token: Token) => Promise<Result<readonly string[]>>
}

export function cubbyhole(core: Core): Cubbyhole {
  const enter = (token: Token, path?: string) => {
    if (token.type === 'batch')
      return refuse('cubbyhole_batch', "cubbyhole operations are only supported by 'service' type tokens")
    return path === '' ? refuse('path_missing', 'missing path') : core.barrier.enter()
  }
  return {
    read: async (token, path) => {
      const opened = enter(token, path)
      if (isRefused(opened)) return opened
      return {
        ok: true,
        value: cubbyholes.get(await opened.view.fresh(), token.incarnation, path)?.value.json,
      }
    },
    write: async (token, path, json) => {
      const opened = enter(token, path)
      if (isRefused(opened)) return opened
      const { result } = await transact(opened.view, core.newCommitId, (tx) => {
        // Once the token has ended, nobody would read this, and nothing would sweep it away.
        if (tx.get(tokenRecords, token.digest)?.value.incarnation !== token.incarnation)
          return refuse('permission_denied', 'permission denied')
        tx.put(cubbyholes, { owner: token.incarnation, path, json })
        return { ok: true, value: undefined } as const
      })
      return result
    },
    remove: async (token, path) => {
      const opened = enter(token, path)
      if (isRefused(opened)) return opened
      const { result } = await transact(opened.view, core.newCommitId, (tx) =>
        tx.delete(cubbyholes, token.incarnation, path),
      )
      return { ok: true, value: result }
    },
    paths: async (token) => {
      const opened = enter(token)
      if (isRefused(opened)) return opened
      const now = await opened.view.fresh()
      return { ok: true, value: cubbyholes.list(now, token.incarnation).map(({ value }) => value.path) }
    },
  }
}
