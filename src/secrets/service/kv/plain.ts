import type { Tx } from '../../../store/index.ts'
import { type Entry, writeEntry } from '../../kv1/index.ts'
import type { Sited } from '../core/context.ts'
import { isRefused, mountIsGone, type Place } from '../core/core.ts'
import { done, tells } from '../core/decision.ts'
import { existsInTable, mountExists, mountStillExists } from '../core/mount-exists.ts'
import { pathKey, pathParts } from '../core/path-key.ts'
import { pathCollision, pathProblem, type Result } from '../core/paths.ts'
import { mountTables } from '../core/records.ts'
import { listFolder } from './list-folder.ts'
import type { Listing } from './listing.ts'
import { entries, entryNames, entryPieces } from './records.ts'
import { splitString } from './string-chunks.ts'

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
const pieceAt = ({ core, mount }: Sited, path: string, piece: number) =>
  pathKey(core.crypto, entryPieces, mount.id, path, piece)
const dropPiece = (tx: Tx, at: Sited, path: string, piece: number) =>
  tx.delete(entryPieces, at.mount.id, ...pathParts(pieceAt(at, path, piece).kept), piece)
export async function writePlain(
  place: Sited,
  path: string,
  json: string,
): Promise<Result<undefined, 'missing_fields' | 'secret_too_large'>> {
  const refused = pathProblem(path)
  if (refused) return refused
  const written = writeEntry(undefined, { json })
  if (!written.ok) return written
  const pieces = splitString(json)
  if (isRefused(pieces)) return pieces
  const mount = place.mount.id
  const { kept, nameKey } = keysOf(place, path)
  return place.core.commit<undefined, 'mount_gone' | 'path_too_long'>((tx) => {
    if (!mountExists(tx, place)) return mountIsGone(place.mount)
    const { head, more } = pieces
    const before = tx.at(entryNames, nameKey)?.value
    const collides = pathCollision(before, path)
    if (collides) return collides
    const had = before?.more ?? 0
    if (before === undefined || had !== more.length)
      tx.put(entryNames, more.length === 0 ? { mount, ...kept } : { mount, more: more.length, ...kept })
    tx.put(entries, { mount, json: head, ...kept })
    for (const [index, text] of more.entries()) {
      const piece = index + 1
      tx.put(entryPieces, { mount, piece, text, ...pieceAt(place, path, piece).kept })
    }
    for (let piece = more.length + 1; piece <= had; piece += 1) dropPiece(tx, place, path, piece)
    return tells(undefined, { ...happenedAt(place, path), type: 'kv.written', version: 0 })
  })
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
    const { more = 0 } = entryNames.stored(name).value
    if (more === 0) return kept.json
    const keys = Array.from({ length: more }, (_, index) => pieceAt(place, path, index + 1).key)
    const pieces = await at.get(keys)
    return kept.json + pieces.map((piece) => (piece ? entryPieces.stored(piece).value.text : '')).join('')
  })
  if (typeof json === 'object') return json
  return { ok: true, value: json === undefined ? undefined : { json } }
}

/** Removes a secret; false if it did not exist. */
export async function removePlain(place: Sited, path: string): Promise<Result<boolean, never>> {
  const refused = pathProblem(path, 'named')
  if (refused) return refused
  const { parts, nameKey } = keysOf(place, path)
  return place.core.commit<boolean, 'mount_gone'>((tx) => {
    if (!mountExists(tx, place)) return mountIsGone(place.mount)
    const name = tx.at(entryNames, nameKey)?.value
    if (name?.path !== path) return done(false)
    tx.delete(entryNames, ...parts)
    tx.delete(entries, ...parts)
    for (let piece = 1; piece <= (name.more ?? 0); piece += 1) dropPiece(tx, place, path, piece)
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
