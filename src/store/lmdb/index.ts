/**
 * Stores in one file per realm, for one machine and several processes: `lmdb` is an optional peer dependency.
 *
 * @packageDocumentation
 */
export type { Timers } from '../../kernel/index.ts'
export type { RealmCheck } from '../files/realm-check.ts'
export type { Store } from '../port/port.ts'

import { join } from 'node:path'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { systemTimers, type Timers } from '../../kernel/index.ts'
import { writeAtomically } from '../blobs/write-atomically.ts'
import type { RealmCheck } from '../files/realm-check.ts'
import { checkCommit, checkHead, checkSince } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import { canBeKey } from '../port/keys.ts'
import type { Store, View } from '../port/port.ts'
import { untilNews } from '../port/until-news.ts'
import { collect } from './changes.ts'
import { checkRealm } from './check.ts'
import { committing } from './commit.ts'
import { explain } from './errors.ts'
import { importAll } from './import.ts'
import * as layout from './layout.ts'
import { openFile } from './open.ts'
import { sessionOf } from './session.ts'

/**
 * Options of {@link lmdbStore}.
 *
 * @public
 */
export interface LmdbOptions {
  /** Which realm of the directory: letters, digits, `-`, `_`; `main` by default. */
  readonly realm?: string | undefined
  /** How many commits are remembered for `changes` and resubmitted ids; 100,000 by default. */
  readonly remember?: number | undefined
  /** How often, in milliseconds, a waiting `changes` looks for commits of other processes; 10 by default. */
  readonly pollMs?: number | undefined
  /** How `changes` waits; the host's timers by default. */
  readonly timers?: Timers | undefined
}

const lmdbOptions: OptionNames<LmdbOptions> = {
  realm: true,
  remember: true,
  pollMs: true,
  timers: true,
}

/**
 * A store in a file, with a copy of it as one more operation.
 *
 * @public
 */
export interface LmdbStore extends Store {
  /** The file that holds the realm. */
  readonly path: string
  /** Writes a consistent, compact copy to a file, while everything else goes on; replaces the file once it is on disk. */
  backup(file: string): Promise<void>
  /** Reads the whole realm and says what is damaged; a page that is broken enough ends the process. */
  check(): Promise<RealmCheck>
}

/** So many entries are a page of something larger. */
const longScan = 1_000

/**
 * Opens a realm in a directory, which is made if need be: one file per realm, any number of processes.
 *
 * @remarks
 * A commit is acknowledged once it is synced to disk (`overlappingSync: false`); commits of the same turn share a
 * sync. Reads are LMDB snapshots. A commit of another process ends a wait within `pollMs`. An import takes several of the
 * engine's transactions: until it is whole, and if the process dies before, everything but another import, which begins
 * anew, fails as `locked`. While another process opens the realm, writes may wait some milliseconds for it; should it
 * die in them, they fail as `locked` until any process has opened the realm once more. Nothing but this adapter may write
 * the file: others of the engine's programs do not wait, and lose commits (LMDB's ITS#9496).
 *
 * @throws {@link StoreError} of code `denied`, `foreign`, `wrong_schema`, `corrupt`, `locked` or `disk_full`
 *
 * @example
 * ```ts
 * import { lmdbStore } from 'plinth/store/lmdb'
 *
 * const store = await lmdbStore('/var/lib/plinth', { realm: 'secrets' })
 * await store.commit([{ id: '1', put: [{ key: 'a', value: { kept: true } }] }]) // [{ ok: true, rev: 1 }]
 * await store.backup('/var/backups/secrets.lmdb')
 * await store.close()
 * ```
 *
 * @public
 */
export async function lmdbStore(directory: string, options: LmdbOptions = {}): Promise<LmdbStore> {
  checkOptions('lmdbStore', options, lmdbOptions)
  const { realm = 'main', remember = 100_000, pollMs = 10, timers = systemTimers } = options
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(realm))
    throw new StoreError(
      'invalid',
      `a realm's name has 1 to 64 letters, digits, "-", "_": ${JSON.stringify(realm)}`,
    )
  checkNumbers({ least: 1, unit: 'commits' }, { remember })
  checkNumbers({ least: 1, unit: 'milliseconds' }, { pollMs })
  const path = join(directory, `${realm}.lmdb`)
  const tables = await openFile(path)
  const { root, entries, unchecked } = tables
  const session = sessionOf(path, tables, timers)
  const { isOpen, number, reading, waiting } = session
  const submit = committing(session, remember)

  return {
    path,
    head: () => reading((within) => number(layout.headKey, within)),
    read: (fn) =>
      reading((within) => {
        const view: View = {
          rev: number(layout.headKey, within),
          get: async (keys) =>
            keys.map((key) => {
              const bytes = canBeKey(key) ? entries.get(layout.keyBytes(key), within) : undefined
              return bytes === undefined ? undefined : layout.entryOf(key, bytes, unchecked)
            }),
          scan: async (range) => {
            const found = layout.scanTable(tables, range, within)
            // The engine answers at once: whoever reads a realm page by page would keep everybody else waiting.
            if (found.length >= longScan) await new Promise((resolve) => setImmediate(resolve))
            return found
          },
        }
        return fn(view)
      }),
    commit: async (batch) => {
      isOpen()
      for (const commit of batch) checkCommit(commit)
      if (batch.length === 0) return []
      const verdicts = await submit(batch)
      waiting.wake()
      return verdicts
    },
    changes: async (since) => {
      isOpen()
      checkSince(since)
      await untilNews(since, {
        timers,
        waiting,
        pollMs,
        isClosed: session.isClosed,
        hasNews: () => {
          root.resetReadTxn()
          return number(layout.headKey) !== since.after
        },
      })
      return reading((within) => collect(session, since, within))
    },
    import: async (source, head) => {
      isOpen()
      checkHead(head)
      await importAll(session, source, head)
      waiting.wake()
    },
    backup: async (file) => {
      isOpen()
      await writeAtomically(file, (copy) => root.backup(copy, true)).catch((error: unknown) => {
        throw explain(error, file, 'denied')
      })
    },
    check: () => checkRealm(session),
    close: async () => {
      if (session.isClosed()) return
      session.close()
      waiting.wake()
      await root.close()
    },
  }
}
