import type { Timers } from '../../kernel/index.ts'
import { descriptorAdvice } from '../files/descriptors.ts'
import { StoreError } from '../port/errors.ts'
import type { Rev } from '../port/port.ts'
import { type Waiters, waiters } from '../port/waiters.ts'
import { type Connection, whenFree } from './connection.ts'
import type { SqliteDatabase, SqliteDriver } from './driver.ts'
import { explain } from './errors.ts'
import { type SharedFile, shareFile } from './shared-file.ts'
import type { RealmRow, Statements } from './statements.ts'

/** What writes of a realm do. */
export interface Write<T, R> {
  /** Runs in the transaction; again if that failed. */
  run(sql: Statements, realm: RealmRow, database: SqliteDatabase): T
  /** Runs directly after the commit. */
  written(result: T): R
  /** The transaction was rolled back. */
  undone?(): void
}

/** The shared state of the parts of an open store. */
export interface Session {
  readonly path: string
  readonly file: Omit<SharedFile, 'release'>
  readonly waiting: Waiters
  isClosed(): boolean
  /** Throws unless the store is open. */
  insistOpen(): void
  /** The realm's row, which the first write creates. */
  realm(sql: Statements): RealmRow
  /** The newest revision. Throws during an import, when there is none. */
  head(realm: RealmRow): Rev
  /** The newest revision, read in this turn of the event loop. Throws if another process blocks it. */
  newest(): Rev
  /** The same, once no other process blocks it, of a file that is still the one at its path. */
  headNow(): Promise<Rev>
  /** Writes, all or nothing, in a transaction that others of the same turn share. */
  writing<T, R>(write: Write<T, R>): Promise<R>
  /** Runs `fn` on a connection that stays on one snapshot, however long it takes. */
  reading<T>(fn: (on: Connection) => T | Promise<T>): Promise<T>
  close(): Promise<void>
}

export async function openSession(
  path: string,
  name: string,
  driver: SqliteDriver,
  timers: Timers,
): Promise<Session> {
  const explaining = (error: unknown): never => {
    throw explain(error, path, 'corrupt')
  }
  const file = await shareFile(path, driver).catch((error: unknown) => {
    throw asFileError(explain(error, path, 'corrupt'), path)
  })
  let closed = false
  const insistOpen = () => {
    if (closed) throw new StoreError('closed', 'the store was closed')
  }
  const realm = (sql: Statements): RealmRow => sql.realm(name) ?? noRealm
  const realmToWrite = ({ database, sql }: Connection): RealmRow => {
    const row = sql.realm(name)
    if (row !== undefined) return row
    database.prepare('insert into realms (name, base, floor) values (?, 0, 0)').run(name)
    return realm(sql)
  }
  const head = ({ newest, base, importing }: RealmRow) => {
    if (importing === null) return newest ?? base
    throw new StoreError(
      'locked',
      `${path} is incomplete: an import is in progress, or was interrupted. Wait for it, or import again`,
    )
  }
  const look = () => file.look(({ sql }) => head(realm(sql)))
  return {
    path,
    file,
    waiting: waiters(timers),
    isClosed: () => closed,
    insistOpen,
    realm,
    head,
    newest: () => {
      try {
        return look()
      } catch (error) {
        return explaining(error)
      }
    },
    headNow: async () => {
      try {
        file.identity.check()
        return await whenFree(path, look)
      } catch (error) {
        return explaining(error)
      }
    },
    writing: <T, R>({ run, written, undone }: Write<T, R>) =>
      new Promise<R>((resolve, reject) => {
        file.submit({
          run: (on) => {
            insistOpen()
            const result = run(on.sql, realmToWrite(on), on.database)
            return () => resolve(written(result))
          },
          undone: undone ?? (() => {}),
          // A commit that the disk failed may be in the log nevertheless.
          reject: (error) => reject(explain(error, path, 'unknown')),
        })
      }),
    reading: async (fn) => {
      insistOpen()
      try {
        return await file.reading(fn)
      } catch (error) {
        return explaining(error)
      }
    },
    close: async () => {
      closed = true
      await file.release()
    },
  }
}

/** A realm without any write. */
const noRealm: RealmRow = { id: 0, base: 0, floor: 0, newest: null, refuses: 0, importing: null, sheds: 0 }

/** The system's message for a path that cannot be a file. */
function asFileError(error: unknown, path: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error && 'code' in error)) return error
  const { code } = error
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StoreError('disk_full', `no space is left for ${path}: free some and try again`, error)
  if (code === 'EMFILE' || code === 'ENFILE')
    return new StoreError('locked', `${path} cannot be opened: ${descriptorAdvice}`, error)
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code))
    return new StoreError(
      'denied',
      `${path} cannot be a store: ${error.message.replace(/, \w+ '.*$/, '')}; name a file in a writable directory`,
      error,
    )
  return error
}
