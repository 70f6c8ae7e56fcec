import { type Entry, writeEntry } from '../../kv1/index.ts'
import { type Core, isRefused, mountIsGone, type Place } from '../core.ts'
import { done, tells } from '../decision.ts'
import { entries, entryNames, entryPieces, mountTables } from '../records.ts'
import { type Listing, listFolder } from './list-folder.ts'
import { existsInTable, mountExists, mountStillExists } from './mount-exists.ts'
import { pathProblem, type Result } from './paths.ts'
import { splitString } from './string-chunks.ts'

/** Unversioned secrets in the store. */
export type Plain = ReturnType<typeof plain>

export function plain(core: Core) {
  const happenedAt = ({ namespace, mount }: Place, path: string) => ({
    namespace: namespace.path,
    mount: mount.path,
    path,
  })
  return {
    write: async (
      place: Place,
      path: string,
      json: string,
    ): Promise<Result<undefined, 'missing_fields' | 'secret_too_large'>> => {
      const refused = pathProblem(entries.keyOf(place.mount.id, path), path)
      if (refused) return refused
      const written = writeEntry(undefined, { json })
      if (!written.ok) return written
      const pieces = splitString(json)
      if (isRefused(pieces)) return pieces
      const mount = place.mount.id
      return core.commit<undefined, 'mount_gone'>((tx) => {
        if (!mountExists(tx, place)) return mountIsGone(place.mount)
        const { head, more } = pieces
        const before = tx.get(entryNames, mount, path)?.value
        const had = before?.more ?? 0
        if (before === undefined || had !== more.length)
          tx.put(entryNames, more.length === 0 ? { mount, path } : { mount, path, more: more.length })
        tx.put(entries, { mount, path, json: head })
        for (const [index, text] of more.entries())
          tx.put(entryPieces, { mount, path, piece: index + 1, text })
        for (let piece = more.length + 1; piece <= had; piece += 1) tx.delete(entryPieces, mount, path, piece)
        return tells(undefined, { ...happenedAt(place, path), type: 'kv.written', version: 0 })
      })
    },
    read: async (place: Place, path: string): Promise<Result<Entry | undefined, never>> => {
      const refused = pathProblem(entries.keyOf(place.mount.id, path), path, 'named')
      if (refused) return refused
      const opened = core.barrier.enter()
      const mount = place.mount.id
      const json = await opened.view.store.read(async (at) => {
        const [name, entry, table] = await at.get([
          entryNames.keyOf(mount, path),
          entries.keyOf(mount, path),
          mountTables.keyOf(place.namespace.id),
        ])
        // What is not there may have been rewritten for another version a moment ago.
        if (name === undefined || entry === undefined)
          return existsInTable(table && mountTables.stored(table).value.table, place)
            ? undefined
            : mountIsGone(place.mount)
        const head = entries.stored(entry).value.json
        const { more = 0 } = entryNames.stored(name).value
        if (more === 0) return head
        const keys = Array.from({ length: more }, (_, index) => entryPieces.keyOf(mount, path, index + 1))
        const pieces = await at.get(keys)
        return head + pieces.map((piece) => (piece ? entryPieces.stored(piece).value.text : '')).join('')
      })
      if (typeof json === 'object') return json
      return { ok: true, value: json === undefined ? undefined : { json } }
    },
    /** Removes a secret; false when there was none. */
    remove: async (place: Place, path: string): Promise<Result<boolean, never>> => {
      const refused = pathProblem(entries.keyOf(place.mount.id, path), path, 'named')
      if (refused) return refused
      return core.commit<boolean, 'mount_gone'>((tx) => {
        if (!mountExists(tx, place)) return mountIsGone(place.mount)
        const mount = place.mount.id
        const name = tx.get(entryNames, mount, path)?.value
        if (name === undefined) return done(false)
        tx.delete(entryNames, mount, path)
        tx.delete(entries, mount, path)
        for (let piece = 1; piece <= (name.more ?? 0); piece += 1) tx.delete(entryPieces, mount, path, piece)
        return tells(true, { ...happenedAt(place, path), type: 'kv.removed' })
      })
    },
    list: async (
      place: Place,
      folder: string,
      listing: Listing = {},
    ): Promise<Result<readonly string[], never>> => {
      const refused = pathProblem(entries.keyOf(place.mount.id, folder), folder, 'folder')
      if (refused) return refused
      const now = await core.fresh()
      if (!mountStillExists(now, place)) return mountIsGone(place.mount)
      const value = await listFolder(
        async (range) => now.scan(range).map(({ key }) => key),
        entryNames.keyOf(place.mount.id, ''),
        folder,
        listing,
      )
      return { ok: true, value }
    },
    /** Whether a path has a secret, without reading afresh: finding the mount has done so. */
    exists: ({ mount }: Place, path: string): boolean =>
      path !== '' && entryNames.get(core.barrier.enter().view.stale(), mount.id, path) !== undefined,
  }
}
