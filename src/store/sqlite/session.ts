import type { Timers } from '../../kernel/index.ts'
import { descriptorAdvice } from '../files/descriptors.ts'
import { StoreError } from '../port/errors.ts'
import type { Rev } from '../port/port.ts'
import { type Waiters, waiters } from '../port/waiters.ts'
import { type Connection, connect, connection, whenFree } from './connection.ts'
import type { SqliteDriver } from './driver.ts'
import { explain } from './errors.ts'
import { makeFile, migrate } from './schema.ts'
import type { RealmRow, Statements } from './statements.ts'

/** How many idle connections for reads are kept open. */
const idleConnections = 4

/** The shared state of the parts of an open store. */
export interface Session {
  readonly path: string
  readonly driver: SqliteDriver
  /** The connection for writes, and for reads that need no snapshot. */
  readonly writer: Connection
  readonly waiting: Waiters
  isClosed(): boolean
  /** Throws unless the store is open. */
  insistOpen(): void
  /** The realm's row, which the first write creates. */
  realm(sql: Statements): RealmRow
  /** The newest revision. Throws during an import, when there is none. */
  head(realm: RealmRow): Rev
  /** Runs `work` in a write transaction, all or nothing, and directly after the commit what follows it. */
  writing<T, R = T>(work: (sql: Statements, realm: RealmRow) => T, written?: (result: T) => R): Promise<R>
  /** Runs `fn` on a connection that stays on one snapshot, however long it takes. */
  reading<T>(fn: (on: Connection) => T | Promise<T>): Promise<T>
  close(): void
}

export async function openSession(
  path: string,
  name: string,
  driver: SqliteDriver,
  timers: Timers,
): Promise<Session> {
  const explaining = (error: unknown, otherwise: 'corrupt' | 'unknown' = 'corrupt'): never => {
    throw explain(error, path, otherwise)
  }
  const open = async (prepareFile: boolean): Promise<Connection> => {
    const database = await whenFree(path, () => connect(driver, path))
    try {
      if (prepareFile) await whenFree(path, () => migrate(database, path))
      return await whenFree(path, () => connection(database))
    } catch (error) {
      database.close()
      throw error
    }
  }
  const writer = await makeFile(path)
    .then(() => open(true))
    .catch((error: unknown) => {
      throw asFileError(explain(error, path, 'corrupt'), path)
    })
  const idle: Connection[] = []
  let closed = false
  const insistOpen = () => {
    if (closed) throw new StoreError('closed', 'the store was closed')
  }
  const findRealm = (sql: Statements): RealmRow | undefined => {
    try {
      return sql.realm(name)
    } catch (error) {
      return explaining(error)
    }
  }
  const realm = (sql: Statements): RealmRow => findRealm(sql) ?? noRealm
  const realmToWrite = (): RealmRow => {
    const { database, sql } = writer
    const row = findRealm(sql)
    if (row !== undefined) return row
    database.prepare('insert into realms (name, base, floor) values (?, 0, 0)').run(name)
    return realm(sql)
  }
  const release = (used: Connection) => {
    if (closed || idle.length >= idleConnections) used.database.close()
    else idle.push(used)
  }
  return {
    path,
    driver,
    writer,
    waiting: waiters(timers),
    isClosed: () => closed,
    insistOpen,
    realm,
    head: ({ newest, base, importing }) => {
      if (importing === null) return newest ?? base
      throw new StoreError(
        'locked',
        `${path} is incomplete: an import is in progress, or was interrupted. Wait for it, or import again`,
      )
    },
    writing: async <T, R>(work: (sql: Statements, row: RealmRow) => T, written?: (result: T) => R) => {
      const { sql } = writer
      try {
        return await whenFree(path, () => {
          insistOpen()
          sql.beginWrite()
          try {
            const result = work(sql, realmToWrite())
            sql.commit()
            // Without the second function both are of one type.
            return written ? written(result) : (result as unknown as R)
          } catch (error) {
            try {
              sql.rollback()
            } catch {
              // The engine has already rolled back some failed transactions.
            }
            throw error
          }
        })
      } catch (error) {
        // A commit that the disk failed may be in the log nevertheless.
        return explaining(error, 'unknown')
      }
    },
    reading: async (fn) => {
      insistOpen()
      let used: Connection | undefined
      try {
        const on = idle.pop() ?? (await open(false))
        used = on
        await whenFree(path, () => {
          on.sql.begin()
          try {
            // A transaction takes its snapshot with its first read.
            on.sql.realm(name)
          } catch (error) {
            on.sql.rollback()
            throw error
          }
        })
      } catch (error) {
        used?.database.close()
        return explaining(error)
      }
      try {
        return await fn(used)
      } catch (error) {
        return explaining(error)
      } finally {
        used.sql.commit()
        release(used)
      }
    },
    close: () => {
      closed = true
      for (const each of idle.splice(0)) each.database.close()
      writer.database.close()
    },
  }
}

/** A realm without any write. */
const noRealm: RealmRow = { id: 0, base: 0, floor: 0, newest: null, refuses: 0, importing: null }

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
      `${path} cannot be a store: ${error.message.replace(/, open .*$/, '')}; name a file in a writable directory`,
      error,
    )
  return error
}
