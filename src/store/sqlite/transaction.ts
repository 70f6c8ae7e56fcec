import type { SqliteDatabase } from './driver.ts'

/**
 * Runs `work` in a transaction. It begins with `exec`: libsql does not reset a prepared statement that fails because
 * another process writes, and what that has begun to read then stays open.
 */
export function inTransaction<T>(database: SqliteDatabase, begin: string, work: () => T): T {
  try {
    database.exec(begin)
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {
    // Nothing had begun, or the engine has already rolled it back.
  }
}

/** Begins a transaction that stays on the newest state. It takes its snapshot with its first read. */
export function beginReading(database: SqliteDatabase): void {
  try {
    database.exec(beginRead)
  } catch (error) {
    rollBack(database)
    throw error
  }
}

export const beginRead = 'begin; select 1 from realms limit 1'
