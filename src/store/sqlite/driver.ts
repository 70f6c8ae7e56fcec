import { createRequire } from 'node:module'
import { descriptorAdvice, lacksDescriptors } from '../files/descriptors.ts'
import { StoreError } from '../port/errors.ts'

/** The types that statements bind here, and that rows contain. */
export type SqlValue = string | number | null

/** A row in the form of every driver: an object by column names. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * A prepared statement of a driver.
 */
export interface SqliteStatement {
  /** Runs it for its effect. */
  run(...values: (string | number | null)[]): unknown
  /** Runs it and returns its first row; `undefined` or `null` if there is none. */
  get(...values: (string | number | null)[]): unknown
  /** Runs it and returns all its rows. */
  all(...values: (string | number | null)[]): unknown[]
}

/**
 * An open database of a synchronous SQLite driver: the common part of `better-sqlite3`, `libsql`, `node:sqlite`
 * and `bun:sqlite`.
 */
export interface SqliteDatabase {
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement
  /** Runs statements without values. */
  exec(sql: string): unknown
  /** Closes the database. */
  close(): unknown
}

/** A driver: opens files, and copies an open database if the engine's online backup is available. */
export interface SqliteDriver {
  readonly open: (file: string) => SqliteDatabase
  readonly copy?: ((database: SqliteDatabase, file: string) => Promise<unknown>) | undefined
}

type DatabaseClass = new (file: string) => SqliteDatabase

interface HostModule {
  readonly DatabaseSync: DatabaseClass
  readonly backup?: (database: SqliteDatabase, file: string) => Promise<unknown>
}

/** Packages with the interface of `better-sqlite3`, the preferred one first. They are CommonJS. */
const packages = ['better-sqlite3', 'libsql']

/**
 * Returns the available driver: the host's `node:sqlite` (Node 22.5 or later), or else a package.
 *
 * @throws {@link StoreError} of code `unsuitable` if there is none
 */
export function findDriver(): SqliteDriver {
  // Hosts without getBuiltinModule lack it, too.
  const host = process.getBuiltinModule?.('node:sqlite') as HostModule | undefined
  if (host !== undefined) {
    const { DatabaseSync, backup } = host
    return { open: (file) => new DatabaseSync(file), copy: backup }
  }
  const load = createRequire(import.meta.url)
  for (const name of packages) {
    try {
      // Its own types are not a dependency.
      const Database = load(name) as DatabaseClass
      return driverOf((file) => new Database(file), name)
    } catch (error) {
      if (lacksDescriptors())
        throw new StoreError('locked', `${name} cannot be loaded: ${descriptorAdvice}`, error)
      if (isMissing(error, name)) continue
      throw new StoreError('unsuitable', `the package ${name} cannot be loaded: ${String(error)}`, error)
    }
  }
  throw new StoreError(
    'unsuitable',
    'there is no SQLite driver: use Node 22.13 or later, which has node:sqlite, or npm install better-sqlite3@12',
  )
}

/** Returns a driver for a function that opens files, such as `(file) => new Database(file)` of `better-sqlite3`. */
export const driverOf = (open: (file: string) => SqliteDatabase, name?: string): SqliteDriver => ({
  open,
  copy: name === 'better-sqlite3' ? copyOnline : undefined,
})

const copyOnline = (database: SqliteDatabase, file: string): Promise<unknown> =>
  (database as SqliteDatabase & { backup(to: string): Promise<unknown> }).backup(file)

const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'MODULE_NOT_FOUND' &&
  // An installed package with a missing dependency fails with the same code.
  error.message.includes(`'${name}'`)
