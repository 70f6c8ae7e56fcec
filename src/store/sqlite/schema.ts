import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '../blobs/make-directory.ts'
import { syncPath } from '../blobs/sync-path.ts'
import { StoreError } from '../port/errors.ts'
import type { SqliteDatabase } from './driver.ts'

/** Marks a file as one of Plinth's: "plin" in ASCII. */
const applicationId = 0x706c696e

/** The version of the tables; a file of another version is refused. */
const schemaVersion = 1

/*
 * `floor` is the oldest revision that changes can be requested after, `base` the head of a realm whose log is empty: 0,
 * or the head of its import. The newest commit always stays in the log, which therefore stores the head without an
 * extra row per commit. Keys compare by bytes, which is their order in a UTF-8 database.
 */
const tables = `
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
  pragma user_version = ${schemaVersion};
`

/** Creates the file, readable only by its owner, before the engine would create it readable for all users. */
export async function makeFile(path: string): Promise<void> {
  await makeDirectory(dirname(path))
  const file = await open(path, 'a', 0o600)
  await file.close()
  await syncPath(dirname(path))
}

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

/** Creates the tables if there are none, and verifies that the file is one of Plinth's. */
export function migrate(database: SqliteDatabase, path: string): void {
  const known = {
    application: numberOf(database, 'application_id'),
    version: numberOf(database, 'user_version'),
  }
  if (known.application === applicationId && known.version === schemaVersion) {
    useLog(database, path)
    return
  }
  if (known.application === applicationId)
    throw new StoreError(
      'wrong_schema',
      `${path} has schema ${known.version}; this version of plinth reads schema ${schemaVersion}`,
    )
  const isEmpty = () => database.prepare('select 1 from sqlite_schema limit 1').get() === undefined
  if (known.application !== 0 || !isEmpty())
    throw new StoreError('foreign', `${path} is a SQLite database of another program: choose another file`)
  useLog(database, path)
  database.exec('begin immediate')
  try {
    // Another process may have been first.
    if (isEmpty()) database.exec(tables)
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

/** With it, readers do not block writers, nor the other way round. */
function useLog(database: SqliteDatabase, path: string): void {
  const { journal_mode: mode } = database.prepare('pragma journal_mode = wal').get() as {
    readonly journal_mode: string
  }
  if (mode !== 'wal')
    throw new StoreError(
      'unsuitable',
      `${path} cannot have a write-ahead log: its file system lacks shared memory, such as a network file system`,
    )
}
