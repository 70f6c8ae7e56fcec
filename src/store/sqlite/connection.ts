import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { StoreError } from '../port/errors.ts'
import type { SqliteDatabase, SqliteDriver } from './driver.ts'
import { isBusy } from './errors.ts'
import { connectionSettings } from './schema.ts'
import { type Statements, statementsOf } from './statements.ts'

/** An open connection to the file, with its statements. */
export interface Connection {
  readonly database: SqliteDatabase
  readonly sql: Statements
}

/** Opens a connection without statements: they need the tables. */
export function connect(driver: SqliteDriver, path: string): SqliteDatabase {
  const database = driver.open(path)
  try {
    database.exec(connectionSettings)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

export const connection = (database: SqliteDatabase): Connection => ({
  database,
  sql: statementsOf(database),
})

/** Closes connections, and waits until the engine has closed them. The array is emptied. */
export async function closeAll(connections: Connection[]): Promise<void> {
  if (closeEach(connections)) await collectGarbage()
}

function closeEach(connections: Connection[]): boolean {
  let isKept = false
  for (const { database } of connections.splice(0)) isKept = closeOne(database) || isKept
  return isKept
}

/** Returns whether the driver keeps a closed connection open while its statements exist, as libsql does. */
function closeOne(database: SqliteDatabase): boolean {
  const statement = database.prepare('select 1')
  database.close()
  try {
    statement.get()
    return true
  } catch {
    return false
  }
}

/** The only way to release a statement of libsql. Hosts other than Node may have no such flag. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  setFlagsFromString('--no-expose-gc')
  // The callers' frames, which may hold a connection, end first; the statements are released a turn later.
  await nextTurn()
  if (typeof collect === 'function') collect()
  await nextTurn()
  await nextTurn()
}

/** How long, in milliseconds, to wait for another process that writes. */
const patience = 10_000

/** Retries an operation that another connection blocked; the event loop continues between attempts. */
export async function whenFree<T>(path: string, attempt: () => T, blocked?: () => void): Promise<T> {
  const start = performance.now()
  for (let tries = 0; ; tries += 1) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - start > patience)
        throw new StoreError('locked', `${path} is locked by another process: stop it, or try again`, error)
    }
    blocked?.()
    // Seldom attempts would lose to a process that writes all the time.
    await sleep(Math.min(1 + tries / 50, 10))
  }
}
