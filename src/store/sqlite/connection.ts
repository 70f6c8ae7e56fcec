import { setTimeout as sleep } from 'node:timers/promises'
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

/** How long, in milliseconds, to wait for another process that writes. */
const patience = 10_000

/** Retries an operation that another connection blocked; the event loop continues between attempts. */
export async function whenFree<T>(path: string, attempt: () => T): Promise<T> {
  const start = performance.now()
  for (let tries = 0; ; tries += 1) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - start > patience)
        throw new StoreError('locked', `${path} is locked by another process: stop it, or try again`, error)
    }
    await sleep(Math.min(1 + tries, 10))
  }
}
