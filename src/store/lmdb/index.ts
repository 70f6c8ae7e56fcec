/**
 * Stores in one file per realm, for one machine and several processes: `lmdb` is an optional peer dependency.
 *
 * @packageDocumentation
 */
export type { Timers } from '../../kernel/index.ts'
export type { FileStore, FileStoreOptions } from '../files/file-store.ts'
export type { RealmCheck } from '../files/realm-check.ts'
export type { Store } from '../port/port.ts'

import { join } from 'node:path'
import {
  checkFileStoreOptions,
  type FileRealm,
  type FileStore,
  type FileStoreOptions,
  fileStore,
  fileStoreOptions,
} from '../files/file-store.ts'
import { committing } from './commit.ts'
import { explain } from './errors.ts'
import { importAll } from './import.ts'
import * as layout from './layout.ts'
import { openFile } from './open.ts'
import { sessionOf } from './session.ts'
import { snapshotIn } from './snapshot.ts'

/**
 * Options of {@link lmdbStore}.
 */
export interface LmdbOptions extends FileStoreOptions {}

/**
 * A store in an LMDB file. A copy of it is compact.
 */
export interface LmdbStore extends FileStore {}

/**
 * Opens a realm in a directory, which is created if necessary: one file per realm, any number of processes.
 *
 * @remarks
 * A commit is acknowledged once it is synced to disk (`overlappingSync: false`); commits of the same turn share a sync.
 * Reads are LMDB snapshots. A commit of another process ends a wait within `pollMs`. An import takes several
 * transactions of the engine: until it is complete, and if the process dies before, everything fails as `locked` except
 * another import, which starts over. While another process opens the realm, writes may wait some milliseconds for it;
 * if it dies meanwhile, they fail as `locked` until any process has opened the realm once more. Only this adapter may
 * write the file: other programs of the engine do not wait, and lose commits (LMDB's ITS#9496).
 *
 * The first process to open a file reads its whole structure and refuses a damaged one, because a damaged page can end
 * the process. Values have checksums that every read verifies. A page that the disk damages while the store is open can
 * still end the process; the next start then reports it.
 *
 * @throws {@link StoreError} of code `denied`, `foreign`, `wrong_schema`, `corrupt`, `locked` or `disk_full`
 *
 * @example
 * ```ts
 * import { lmdbStore } from 'plinth/store/lmdb'
 *
 * const store = await lmdbStore('/var/lib/plinth', { realm: 'secrets' })
 * await store.commit([{ id: '1', put: [{ key: 'a', value: { kept: true } }] }]) // [{ ok: true, rev: 1 }]
 * await store.backup('/var/backups/secrets.lmdb')
 * await store.close()
 * ```
 */
export async function lmdbStore(directory: string, options: LmdbOptions = {}): Promise<LmdbStore> {
  const { realm, remember, pollMs, timers } = checkFileStoreOptions('lmdbStore', options, fileStoreOptions)
  const path = join(directory, `${realm}.lmdb`)
  const tables = await openFile(path)
  const { root } = tables
  const session = sessionOf(path, tables, timers)
  const reading: FileRealm['reading'] = (fn) => session.reading((within) => fn(snapshotIn(session, within)))
  return fileStore({
    path,
    timers,
    pollMs,
    waiting: session.waiting,
    isClosed: session.isClosed,
    insistOpen: session.isOpen,
    head: () => reading(({ head }) => head),
    hasNews: (after) => {
      root.resetReadTxn()
      return session.number(layout.headKey) !== after
    },
    reading,
    submit: committing(session, remember),
    import: (source, head) => importAll(session, source, head),
    copyTo: (file) => root.backup(file, true),
    explain: (error, file) => explain(error, file, 'denied'),
    close: () => {
      session.close()
      return root.close()
    },
  })
}
