import { link, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirectory } from '../blobs/make-directory.ts'
import { syncPath } from '../blobs/sync-path.ts'
import { StoreError } from '../port/errors.ts'
import type { SqliteDatabase } from './driver.ts'
import { inTransaction } from './transaction.ts'

/** Marks a file as one of Plinth's: "plin" in ASCII. */
const applicationId = 0x706c696e

/*
 * `floor` is the oldest revision that changes can be requested after, `base` the head of a realm whose log is empty: 0,
 * or the head of its import. The newest commit always stays in the log, which therefore stores the head without an
 * extra row per commit. Keys compare by bytes, which is their order in a UTF-8 database.
 */
const version1 = `
  create table realms (
    id integer primary key,
    name text not null unique,
    base integer not null,
    floor integer not null,
    importing text
  ) strict;
  create table entries (
    realm integer not null,
    key text not null,
    value text not null,
    created integer not null,
    modified integer not null,
    crc integer not null,
    primary key (realm, key)
  ) strict, without rowid;
  create table log (
    realm integer not null,
    rev integer not null,
    id text not null,
    keys text not null,
    crc integer not null,
    primary key (realm, rev)
  ) strict, without rowid;
  create table refusals (
    realm integer not null,
    id text not null,
    rev integer not null,
    stale text not null,
    primary key (realm, id)
  ) strict, without rowid;
  create index refusals_by_rev on refusals (realm, rev);
  pragma application_id = ${applicationId};
`

/*
 * A search among keys reads every entry that it passes, and a transaction holds up the process until it is written. So a
 * large value stands in pieces, each written on its own, and its entry has a reference, as `@` and the number of the value.
 * `loose` has the values that no entry refers to: those being written, with the time at which that began, and those to be
 * deleted, with 0. A trigger for updates as well would make each of them slower by a fifth.
 */
const version2 = `
  create table pieces (
    id integer primary key,
    text text not null
  ) strict;
  create table loose (
    large integer primary key autoincrement,
    since integer not null
  ) strict;
  create trigger loosened after delete on entries when old.value >= '@' and old.value < 'A'
    begin insert or ignore into loose (large, since) values (cast(substr(old.value, 2) as integer), 0); end;
`

/** What makes a file of each version from one of the version before. A file of a later version is refused. */
const versions = [version1, version2]

/**
 * Creates the file, readable only by its owner, before the engine would create it readable for all users. It appears
 * closed: closing it later would drop the locks of a thread that has opened it meanwhile.
 */
export async function makeFile(path: string): Promise<void> {
  if (await exists(path)) return
  const folder = await makeDirectory(dirname(path)).then(() => mkdtemp(`${path}-new-`))
  const file = join(folder, 'empty')
  try {
    await writeFile(file, '', { mode: 0o600 })
    await link(file, path)
  } catch {
    // Another opener was first, or the file system has no links; then another may be first with the next line.
    if (!(await exists(path)))
      await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch(async (error: unknown) => {
        if (!(await exists(path))) throw error
      })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  await syncPath(dirname(path))
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => {
      if (found.isFile()) return true
      throw new StoreError(
        'denied',
        `${path} cannot be a store: it is not a file; name a file in a writable directory`,
      )
    },
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
      throw error
    },
  )

/** Settings of a connection: durable commits, and no waiting that blocks the event loop. */
export const connectionSettings = `
  pragma busy_timeout = 0;
  pragma synchronous = full;
  pragma cell_size_check = on;
  pragma journal_size_limit = 67108864;
`

const numberOf = (database: SqliteDatabase, pragma: string): number =>
  // Each of these returns one number, under its own name.
  Number((database.prepare(`pragma ${pragma}`).get() as Record<string, unknown>)[pragma])

/**
 * Creates the tables if there are none, and verifies that the file is one of Plinth's.
 *
 * @returns whether the tables are of an earlier version
 */
export function prepare(database: SqliteDatabase, path: string): boolean {
  // In one transaction each: another process may be creating the tables at this moment.
  const found = inTransaction(database, 'begin', () => versionOf(database, path))
  if (found === 0) migrate(database, path)
  useLog(database, path)
  return found > 0 && found < versions.length
}

/** Brings tables of an earlier version to the present one. Fails as busy while another connection has the file open. */
export function upgrade(database: SqliteDatabase, path: string): void {
  // A process of an earlier version would not notice that the tables are others; it keeps the log in use.
  database.exec('pragma journal_mode = delete')
  migrate(database, path)
  useLog(database, path)
}

const migrate = (database: SqliteDatabase, path: string): void =>
  inTransaction(database, 'begin immediate', () => {
    const found = versionOf(database, path)
    if (found === versions.length) return
    for (const statements of versions.slice(found)) database.exec(statements)
    database.exec(`pragma user_version = ${versions.length}`)
  })

/** The version of the tables; 0 if there are none. Throws if they are another program's, or of a later version. */
function versionOf(database: SqliteDatabase, path: string): number {
  const application = numberOf(database, 'application_id')
  const version = numberOf(database, 'user_version')
  if (application === applicationId && version >= 1 && version <= versions.length) return version
  if (application === applicationId)
    throw new StoreError(
      'wrong_schema',
      `${path} has schema ${version}; this version of plinth reads schema ${versions.length}`,
    )
  const isFree = application === 0 && !database.prepare('select 1 from sqlite_schema limit 1').get()
  if (isFree) return 0
  throw new StoreError('foreign', `${path} is a SQLite database of another program: choose another file`)
}

/** With it, readers do not block writers, nor the other way round. */
function useLog(database: SqliteDatabase, path: string): void {
  // Not prepared: libsql does not reset a statement that fails because another process is in the way.
  database.exec('pragma journal_mode = wal')
  const { journal_mode: mode } = database.prepare('pragma journal_mode').get() as {
    readonly journal_mode: string
  }
  if (mode !== 'wal')
    throw new StoreError(
      'unsuitable',
      `${path} cannot have a write-ahead log: its file system lacks shared memory, such as a network file system`,
    )
}
