/**
 * Stores in one SQLite file, for one machine and several processes: over `node:sqlite` where the host has it, else over
 * `better-sqlite3` or `libsql`, which are optional peer dependencies.
 *
 * @packageDocumentation
 */
export type { Timers } from '../../kernel/index.ts'
export type { RealmCheck } from '../files/realm-check.ts'
export type { Store } from '../port/port.ts'
export type { SqliteDatabase, SqliteStatement } from './driver.ts'

import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { systemTimers, type Timers } from '../../kernel/index.ts'
import { writeAtomically } from '../blobs/write-atomically.ts'
import type { RealmCheck } from '../files/realm-check.ts'
import { checkCommit, checkHead, checkRange, checkSince } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import { canBeKey } from '../port/keys.ts'
import type { Range, Store, View } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import { untilNews } from '../port/until-news.ts'
import { collect } from './changes.ts'
import { checkRealm } from './check.ts'
import { committing } from './commit.ts'
import { driverOf, findDriver, type SqliteDatabase } from './driver.ts'
import { explain } from './errors.ts'
import { importAll } from './import.ts'
import { openSession } from './session.ts'
import { entryOf, type Statements } from './statements.ts'

/**
 * Options of {@link sqliteStore}.
 *
 * @public
 */
export interface SqliteOptions {
  /** Which realm of the file: letters, digits, `-`, `_`; `main` by default. */
  readonly realm?: string | undefined
  /** How many commits, at least, are remembered for `changes` and resubmitted ids; 100,000 by default. */
  readonly remember?: number | undefined
  /** How often, in milliseconds, a waiting `changes` looks for commits of other handles; 10 by default. */
  readonly pollMs?: number | undefined
  /** How `changes` waits; the host's timers by default. */
  readonly timers?: Timers | undefined
  /**
   * Opens the file with a synchronous driver of your choice, as `(file) => new Database(file)` does. By default
   * `node:sqlite`, else `better-sqlite3`, else `libsql`, whichever is there first.
   */
  readonly open?: ((file: string) => SqliteDatabase) | undefined
}

const sqliteOptions: OptionNames<SqliteOptions> = {
  realm: true,
  remember: true,
  pollMs: true,
  timers: true,
  open: true,
}

/**
 * A store in a SQLite file, with a copy of the file as one more operation.
 *
 * @public
 */
export interface SqliteStore extends Store {
  /** The file that holds the realm, and perhaps others. */
  readonly path: string
  /** Writes a consistent copy of the file, with every realm in it; replaces the target once the copy is on disk. */
  backup(file: string): Promise<void>
  /** Reads the whole realm, and has the engine look at the whole file, and says what is damaged. */
  check(): Promise<RealmCheck>
}

/** How many entries make a page of something larger. */
const longScan = 1_000

/**
 * Opens a realm in a SQLite file, which is made if need be: any number of realms a file, any number of processes.
 *
 * @remarks
 * The file has a write-ahead log and `synchronous=FULL`: a commit is acknowledged once it is synced to disk, and commits
 * of the same turn of the event loop share a sync. The drivers are synchronous, so that a commit blocks the event loop
 * until the disk has it: some 0.2 ms on a fast disk; on a slow one, use `plinth/store/lmdb`, which syncs in a thread. All
 * realms of a file share its one writer. Reads are snapshots on connections of their own and wait for no writer. A
 * commit of another handle ends a wait within `pollMs`. The file must not be on a network file system.
 *
 * @throws {@link StoreError} of code `unsuitable` (no driver), `denied`, `foreign`, `wrong_schema`, `corrupt`, `locked` or
 * `disk_full`
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
 *
 * @public
 */
export async function sqliteStore(file: string, options: SqliteOptions = {}): Promise<SqliteStore> {
  checkOptions('sqliteStore', options, sqliteOptions)
  const { realm = 'main', remember = 100_000, pollMs = 10, timers = systemTimers, open } = options
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(realm))
    throw new StoreError(
      'invalid',
      `a realm's name has 1 to 64 letters, digits, "-", "_": ${JSON.stringify(realm)}`,
    )
  if (typeof file !== 'string' || file === '' || /^:memory:|^file:|\0/.test(file))
    throw new StoreError('invalid', 'sqliteStore takes the path of a file; in memory, use memoryStore()')
  checkNumbers({ least: 1, unit: 'commits' }, { remember })
  checkNumbers({ least: 1, unit: 'milliseconds' }, { pollMs })
  const driver = open === undefined ? findDriver() : driverOf(open)
  const session = await openSession(file, realm, driver, timers)
  const { writer, waiting, insistOpen, head, reading } = session
  const submit = committing(session, remember)

  const scan = (sql: Statements, range: Range) => {
    checkRange(range)
    const { limit = -1, reverse = false } = range
    return sql.scan(session.realm(sql).id, boundsOf(range), limit, reverse).map(entryOf)
  }
  const viewOn = (sql: Statements): View => {
    const { id } = session.realm(sql)
    return {
      rev: head(sql),
      get: async (keys) =>
        keys.map((key) => {
          const row = canBeKey(key) ? sql.entry(id, key) : undefined
          return row && entryOf(row)
        }),
      scan: async (range) => {
        const found = scan(sql, range)
        // The driver answers at once: reading a realm page by page would hold up everything else.
        if (found.length >= longScan) await nextTurn()
        return found
      },
    }
  }

  return {
    path: file,
    head: async () => {
      insistOpen()
      return head(writer.sql)
    },
    read: (fn) => reading(({ sql }) => fn(viewOn(sql))),
    commit: async (batch) => {
      insistOpen()
      for (const commit of batch) checkCommit(commit)
      if (batch.length === 0) return []
      const verdicts = await submit(batch)
      waiting.wake()
      return verdicts
    },
    changes: async (since) => {
      insistOpen()
      checkSince(since)
      await untilNews(since, {
        timers,
        waiting,
        pollMs,
        isClosed: session.isClosed,
        hasNews: () => head(writer.sql) !== since.after,
      })
      return reading(({ sql }) => collect(session, sql, since))
    },
    import: async (source, at) => {
      insistOpen()
      checkHead(at)
      await importAll(session, source, at)
      waiting.wake()
    },
    backup: async (copy) => {
      insistOpen()
      try {
        await writeAtomically(copy, async (unfinished) => {
          if (driver.copy) await reading(({ database }) => driver.copy?.(database, unfinished))
          else writer.database.prepare('vacuum into ?').run(unfinished)
        })
      } catch (error) {
        throw explain(error, copy, 'denied')
      }
    },
    check: () => checkRealm(session),
    close: async () => {
      if (session.isClosed()) return
      session.close()
      waiting.wake()
    },
  }
}
