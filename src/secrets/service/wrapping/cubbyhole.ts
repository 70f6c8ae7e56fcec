import { compareText } from '../../../kernel/compare-text.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import type { Work } from '../../../operation/operation.ts'
import { asFolder, listKeys } from '../../kv1/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { SecretsContext } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import { pathCollision, pathTooLong } from '../core/paths.ts'
import { cubbyholes, tokenRecords } from '../tokens/records.ts'

type Result<Value> = Answer<Value, CubbyholeRefusal>

/** Why a cubbyhole refused. */
export type CubbyholeRefusal = 'cubbyhole_batch' | 'path_missing' | 'path_too_long' | 'permission_denied'

const problem = (token: Token, path?: string) => {
  if (token.type === 'batch')
    return refuse('cubbyhole_batch', "cubbyhole operations are only supported by 'service' type tokens")
  return path === '' ? refuse('path_missing', 'missing path') : pathTooLong(path ?? '')
}
const keyOf = (core: Core, token: Token, path: string) =>
  pathKey(core.crypto, cubbyholes, token.incarnation, path)

/** Reads the JSON text at a path of a token's cubbyhole: no other token can read it, and it is deleted with the token. */
export async function readCubbyhole(
  core: Core,
  token: Token,
  path: string,
): Promise<Result<string | undefined>> {
  const refused = problem(token, path)
  if (refused) return refused
  const { key } = keyOf(core, token, path)
  const entry = (await core.fresh()).get(key)
  const kept = entry && cubbyholes.stored(entry).value
  return { ok: true, value: kept?.path === path ? kept.json : undefined }
}

export async function writeCubbyhole(
  core: Core,
  token: Token,
  path: string,
  json: string,
): Promise<Result<undefined>> {
  const refused = problem(token, path)
  if (refused) return refused
  const { key, kept } = keyOf(core, token, path)
  return core.commit<undefined, CubbyholeRefusal>((tx) => {
    // Once the token has ended, this would be unreadable and never swept.
    if (tx.get(tokenRecords, token.digest)?.value.incarnation !== token.incarnation)
      return refuse('permission_denied', 'permission denied')
    const collides = pathCollision(tx.at(cubbyholes, key)?.value, path)
    if (collides) return collides
    tx.put(cubbyholes, { owner: token.incarnation, json, ...kept })
    return done(undefined)
  })
}

/** Works on the cubbyhole of the calling token, which every route of the mount has. */
const own = <Args extends unknown[], Value>(
  work: (core: Core, token: Token, ...args: Args) => Promise<Result<Value>>,
): Work<SecretsContext, Args, Promise<Result<Value>>, CubbyholeRefusal> => ({
  refuses: ['cubbyhole_batch', 'path_missing', 'path_too_long', 'permission_denied'],
  run: async ({ core, caller }, ...args) =>
    caller ? work(core, caller.token, ...args) : refuse('permission_denied', 'permission denied'),
})

async function removeFrom(core: Core, token: Token, path: string): Promise<Result<boolean>> {
  const refused = problem(token, path)
  if (refused) return refused
  const { key } = keyOf(core, token, path)
  return core.commit((tx) => {
    const before = tx.at(cubbyholes, key)?.value
    return done(before?.path === path && tx.delete(cubbyholes, token.incarnation, ...pathParts(before)))
  })
}

async function listIn(core: Core, token: Token, folder: string): Promise<Result<readonly string[]>> {
  const refused = problem(token)
  if (refused) return refused
  const paths = cubbyholes.list(await core.fresh(), token.incarnation).map(({ value }) => value.path)
  // Long paths are stored before all others.
  return { ok: true, value: listKeys(paths.sort(compareText), asFolder(folder)) }
}

/** The operations on the cubbyhole of the calling token. */
export const cubbyholeOperations = {
  read: own(readCubbyhole),
  write: own(writeCubbyhole),
  remove: own(removeFrom),
  list: own(listIn),
}
