import type { Env } from '../../../kernel/index.ts'
import type { Tx } from '../../../store/index.ts'
import { type Entry, writeEntry } from '../../kv1/index.ts'
import type { Sited } from '../core/context.ts'
import { type Core, mountIsGone, type Place } from '../core/core.ts'
import { done, tells } from '../core/decision.ts'
import { existsInTable, mountExists, mountStillExists } from '../core/mount-exists.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import { pathCollision, pathProblem, type Result } from '../core/paths.ts'
import { debris, mountTables } from '../core/records.ts'
import { finishText, keepText, prefixesOf, readText } from './kept-text.ts'
import { listFolder } from './list-folder.ts'
import type { Listing } from './listing.ts'
import { entries, entryNames, type Pieces } from './records.ts'

// Unversioned secrets in the store.

const happenedAt = ({ namespace, mount }: Place, path: string) => ({
  namespace: namespace.path,
  mount: mount.path,
  path,
})
/** The location of a secret; its index record has a path of the same form, though its key is shorter. */
const keysOf = ({ core, mount }: Sited, path: string) => {
  const { key, kept } = pathKey(core.crypto, entries, mount.id, path)
  const parts = [mount.id, ...pathParts(kept)]
  return { key, kept, parts, nameKey: entryNames.keyOf(...parts) }
}

/** Leaves the pieces of a replaced or removed secret to the sweeper. */
function dropPieces(core: Core, tx: Tx, env: Env, pieces: Pieces | undefined): void {
  if (pieces === undefined) return
  tx.put(debris, { id: env.newId('debris'), prefixes: prefixesOf({ pieces }) })
  core.sweeper.at(env.now)
}

export async function writePlain(
  place: Sited,
  path: string,
  json: string,
): Promise<Result<undefined, 'missing_fields' | 'secret_too_large'>> {
  const refused = pathProblem(path)
  if (refused) return refused
  const written = writeEntry(undefined, { json })
  if (!written.ok) return written
  const { core } = place
  const mount = place.mount.id
  const { kept, nameKey } = keysOf(place, path)
  return keepText(core, json, (text) =>
    core.commit<undefined, 'mount_gone' | 'path_too_long'>((tx, env) => {
      if (!mountExists(tx, place)) return mountIsGone(place.mount)
      const before = tx.at(entryNames, nameKey)?.value
      const collides = pathCollision(before, path)
      if (collides) return collides
      const { pieces } = text
      if (before === undefined || before.pieces || pieces)
        tx.put(entryNames, pieces ? { mount, pieces, ...kept } : { mount, ...kept })
      tx.put(entries, { mount, json: text.json, ...kept })
      if (pieces) finishText(tx, pieces)
      dropPieces(core, tx, env, before?.pieces)
      return tells(undefined, { ...happenedAt(place, path), type: 'kv.written', version: 0 })
    }),
  )
}

export async function readPlain(place: Sited, path: string): Promise<Result<Entry | undefined, never>> {
  const refused = pathProblem(path, 'named')
  if (refused) return refused
  const opened = place.core.barrier.enter()
  const { key, nameKey } = keysOf(place, path)
  const json = await opened.view.store.read(async (at) => {
    const [name, entry, table] = await at.get([nameKey, key, mountTables.keyOf(place.namespace.id)])
    // A missing secret may have been migrated to version 2 a moment ago.
    const kept = entry && entries.stored(entry).value
    if (name === undefined || kept?.path !== path)
      return existsInTable(table && mountTables.stored(table).value.table, place)
        ? undefined
        : mountIsGone(place.mount)
    return readText(at, { ...entryNames.stored(name).value, json: kept.json })
  })
  if (typeof json === 'object') return json
  return { ok: true, value: json === undefined ? undefined : { json } }
}

/** Removes a secret; false if it did not exist. */
export async function removePlain(place: Sited, path: string): Promise<Result<boolean, never>> {
  const refused = pathProblem(path, 'named')
  if (refused) return refused
  const { parts, nameKey } = keysOf(place, path)
  return place.core.commit<boolean, 'mount_gone'>((tx, env) => {
    if (!mountExists(tx, place)) return mountIsGone(place.mount)
    const name = tx.at(entryNames, nameKey)?.value
    if (name?.path !== path) return done(false)
    tx.delete(entryNames, ...parts)
    tx.delete(entries, ...parts)
    dropPieces(place.core, tx, env, name.pieces)
    return tells(true, { ...happenedAt(place, path), type: 'kv.removed' })
  })
}

export async function listPlain(
  place: Sited,
  folder: string,
  listing: Listing = {},
): Promise<Result<readonly string[], never>> {
  const refused = pathProblem(folder, 'folder')
  if (refused) return refused
  const now = await place.core.fresh()
  if (!mountStillExists(now, place)) return mountIsGone(place.mount)
  const value = await listFolder(
    {
      base: entryNames.keyOf(place.mount.id, ''),
      scan: (range) => now.scan(range).map(({ key }) => key),
      pathsAt: async (keys) => keys.map(now.get).map((entry) => entry && entryNames.stored(entry).value.path),
    },
    folder,
    listing,
  )
  return { ok: true, value }
}

/** Whether a secret exists, without refreshing the replica: the mount look-up already has. */
export const plainExists = (place: Sited, path: string): boolean =>
  pathProblem(path) === undefined &&
  place.core.barrier.enter().view.stale().get(keysOf(place, path).nameKey) !== undefined
