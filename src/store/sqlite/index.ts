/**
 * Stores in one SQLite file, for one machine and several processes: over `node:sqlite` if the host has it, else over
 * `better-sqlite3` or `libsql`, which are optional peer dependencies.
 *
 * @packageDocumentation
 */
export type { Timers } from '../../kernel/index.ts'
export type { FileStore, FileStoreOptions } from '../files/file-store.ts'
export type { RealmCheck } from '../files/realm-check.ts'
export type { Store } from '../port/port.ts'
export type { SqliteDatabase, SqliteStatement } from './driver.ts'

import type { OptionNames } from '../../kernel/check-options.ts'
import {
  checkFileStoreOptions,
  type FileStore,
  type FileStoreOptions,
  fileStore,
  fileStoreOptions,
} from '../files/file-store.ts'
import { StoreError } from '../port/errors.ts'
import { committing } from './commit.ts'
import { driverOf, findDriver, type SqliteDatabase } from './driver.ts'
import { explain } from './errors.ts'
import { importAll } from './import.ts'
import { makeFile } from './schema.ts'
import { openSession } from './session.ts'
import { snapshotOn } from './snapshot.ts'

/**
 * Options of {@link sqliteStore}.
 */
export interface SqliteOptions extends FileStoreOptions {
  /**
   * Opens the file with a synchronous driver of your choice, as `(file) => new Database(file)` does. By default the
   * first that is available of `node:sqlite`, `better-sqlite3` and `libsql`.
   */
  readonly open?: ((file: string) => SqliteDatabase) | undefined
}

const sqliteOptions: OptionNames<SqliteOptions> = { ...fileStoreOptions, open: true }

/**
 * A store in a SQLite file, which may hold other realms as well: a copy contains all of them.
 */
export interface SqliteStore extends FileStore {}

/**
 * Opens a realm in a SQLite file, which is created if necessary: any number of realms per file, any number of
 * processes.
 *
 * @remarks
 * A process has one set of connections to a file, whose driver is that of the first call; nothing else in the process
 * may open the file. From a second after the file was moved, removed or replaced at the latest, every call throws
 * `replaced` until a restart.
 *
 * The file has a write-ahead log and `synchronous=FULL`: a commit is acknowledged once it is synced to disk, and
 * commits of the same turn of the event loop share a sync. The drivers are synchronous, so that a commit blocks the
 * event loop until the disk has it: some 0.2 ms on a fast disk. A value of more than a mebibyte of JSON is written and
 * read in pieces, between which the event loop continues. All realms of a file share its one writer. Reads are
 * snapshots on connections of their own and wait for no writer. A commit of another handle ends a wait within `pollMs`.
 * The file must not be on a network file system.
 *
 * @throws {@link StoreError} of code `unsuitable` (no driver), `denied`, `foreign`, `wrong_schema`, `corrupt`, `locked`
 * or `disk_full`
 *
 * @example
 * ```ts
 * import { sqliteStore } from 'plinth/store/sqlite'
 *
 * const store = await sqliteStore('/var/lib/plinth/data.sqlite', { realm: 'secrets' })
 * await store.commit([{ id: '1', put: [{ key: 'a', value: { kept: true } }] }]) // [{ ok: true, rev: 1 }]
 * await store.backup('/var/backups/data.sqlite')
 * await store.close()
 * ```
 */
export async function sqliteStore(file: string, options: SqliteOptions = {}): Promise<SqliteStore> {
  const { realm, remember, pollMs, timers } = checkFileStoreOptions('sqliteStore', options, sqliteOptions)
  if (typeof file !== 'string' || file === '' || /^:memory:|^file:|\0/.test(file))
    throw new StoreError('invalid', 'sqliteStore takes the path of a file; in memory, use memoryStore()')
  const driver = options.open === undefined ? findDriver() : driverOf(options.open)
  const session = await openSession(file, realm, driver, timers)
  return fileStore({
    path: file,
    timers,
    pollMs,
    waiting: session.waiting,
    isClosed: session.isClosed,
    insistOpen: session.insistOpen,
    head: session.headNow,
    hasNews: (after) => session.newest() !== after,
    reading: (fn) => session.reading((on) => fn(snapshotOn(session, on))),
    submit: committing(session, remember),
    import: (source, at) => importAll(session, source, at),
    copyTo: async (copy) => {
      await makeFile(copy)
      const { copy: online } = session.file.driver
      if (online) await session.reading(({ database }) => online(database, copy))
      else
        session.file.withWriter(({ database }) =>
          database.exec(`vacuum into '${copy.replaceAll("'", "''")}'`),
        )
    },
    explain: (error, copy) => explain(error, copy, 'denied'),
    close: session.close,
  })
}
