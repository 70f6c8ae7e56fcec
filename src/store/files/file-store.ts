import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { systemTimers, type Timers } from '../../kernel/index.ts'
import { writeAtomically } from '../blobs/write-atomically.ts'
import { checkForm, checkHead, checkRange, checkRealmName, checkSince } from '../port/check.ts'
import { collectChanges } from '../port/collect-changes.ts'
import { isStoreError } from '../port/errors.ts'
import { canBeKey } from '../port/keys.ts'
import type { Commit, Entry, Rev, Store, Verdict, View } from '../port/port.ts'
import { untilNews } from '../port/until-news.ts'
import type { Waiters } from '../port/waiters.ts'
import type { FileSnapshot } from './file-snapshot.ts'
import { checkParts, type RealmCheck } from './realm-check.ts'

/**
 * Options of the stores in files.
 */
export interface FileStoreOptions {
  /** The realm: letters, digits, `-`, `_`; `main` by default. */
  readonly realm?: string | undefined
  /** How many commits, at least, are remembered for `changes` and resubmitted ids; 100,000 by default. */
  readonly remember?: number | undefined
  /** How often, in milliseconds, a waiting `changes` looks for commits of other handles; 10 by default. */
  readonly pollMs?: number | undefined
  /** How `changes` waits; the host's timers by default. */
  readonly timers?: Timers | undefined
}

export const fileStoreOptions: OptionNames<FileStoreOptions> = {
  realm: true,
  remember: true,
  pollMs: true,
  timers: true,
}

/**
 * A store in a file, with two operations beyond those of every store.
 */
export interface FileStore extends Store {
  /** The file that holds the realm. */
  readonly path: string
  /** Writes a consistent copy of the file while commits continue; replaces the target once the copy is on disk. */
  backup(file: string): Promise<void>
  /** Reads the whole realm and lists the damage. */
  check(): Promise<RealmCheck>
}

/** Checks the options of a store in a file, and fills in their defaults. */
export function checkFileStoreOptions<Options extends FileStoreOptions>(
  taker: string,
  options: Options,
  names: OptionNames<Options>,
) {
  checkOptions(taker, options, names)
  const { realm = 'main', remember = 100_000, pollMs = 10, timers = systemTimers } = options
  checkRealmName(realm)
  checkNumbers({ least: 1, unit: 'commits' }, { remember })
  checkNumbers({ least: 1, unit: 'milliseconds' }, { pollMs })
  return { realm, remember, pollMs, timers }
}

/** The operations of an engine on a realm in a file. */
export interface FileRealm {
  readonly path: string
  readonly timers: Timers
  readonly pollMs: number
  /** Callers that wait for changes of the realm. */
  readonly waiting: Waiters
  isClosed(): boolean
  /** Throws unless the store is open. */
  insistOpen(): void
  head(): Promise<Rev>
  /** Whether the head has changed: called often by waiting callers. */
  hasNews(after: Rev): boolean
  /** Runs `fn` on the newest state, however long it takes. */
  reading<T>(fn: (now: FileSnapshot) => T | Promise<T>): Promise<T>
  /** Submits commits whose values have at most so many bytes; refuses those that are too large. */
  submit(batch: readonly Commit[], bytes: number): Promise<readonly Verdict[]>
  import(source: AsyncIterable<Entry>, head: Rev): Promise<void>
  /** Writes a copy of the file to a path that does not exist. */
  copyTo(file: string): Promise<void>
  /** Describes a failed copy. */
  explain(error: unknown, file: string): unknown
  close(): void | Promise<void>
}

/** The number of entries per page of a larger read. */
const longScan = 1_000

/** Writing more than this takes a while, and reading it as long. */
const largeBytes = 4 * 1024 * 1024

/** A read of the file as callers see it. */
const viewOf = (now: FileSnapshot): View => ({
  rev: now.head,
  get: async (keys) => {
    const found: (Entry | undefined)[] = []
    for (const key of keys) {
      const entry = canBeKey(key) ? now.get(key) : undefined
      found.push(entry instanceof Promise ? await entry : entry)
    }
    return found
  },
  scan: async (range) => {
    checkRange(range)
    const found = await now.scan(range)
    // The engine reads synchronously: reading a realm in pages lets other work proceed.
    if (found.length >= longScan) await nextTurn()
    return found
  },
})

/** The store of a realm in a file. */
export function fileStore(realm: FileRealm): FileStore {
  const { path, timers, pollMs, waiting, isClosed, insistOpen } = realm
  let imports = 0
  return {
    path,
    head: async () => {
      insistOpen()
      return realm.head()
    },
    read: (fn) => realm.reading((now) => fn(viewOf(now))),
    commit: async (batch) => {
      insistOpen()
      let bytes = 0
      for (const commit of batch) bytes += checkForm(commit).bytes
      if (batch.length === 0) return []
      const verdicts = await realm.submit(batch, bytes)
      // Those who wait read what was written, in a turn of their own.
      if (bytes > largeBytes) await nextTurn()
      waiting.wake()
      return verdicts
    },
    changes: async (since) => {
      insistOpen()
      checkSince(since)
      const hasNews = () => realm.hasNews(since.after)
      await untilNews(since, { timers, waiting, pollMs, isClosed, hasNews })
      try {
        return await realm.reading((now) => collectChanges(now, since))
      } catch (error) {
        // A replica that is open during an import has missed nothing: until its end, the realm is as empty as it was.
        if (imports > 0 && since.after === 0 && isStoreError(error, 'locked'))
          return { rev: 0, put: [], gone: [], more: false }
        throw error
      }
    },
    import: async (source, head) => {
      insistOpen()
      checkHead(head)
      imports += 1
      try {
        await realm.import(source, head)
      } finally {
        imports -= 1
      }
      waiting.wake()
    },
    backup: async (file) => {
      insistOpen()
      await writeAtomically(file, (copy) => realm.copyTo(copy)).catch((error: unknown) => {
        throw realm.explain(error, file)
      })
    },
    check: () => realm.reading(checkParts),
    close: async () => {
      if (isClosed()) return
      const closed = realm.close()
      waiting.wake()
      await closed
    },
  }
}
