import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { eventEmitter, type Reporter } from '../../kernel/event-emitter.ts'
import { systemTimers, type Timers } from '../../kernel/index.ts'
import { checkCommit, checkHead, checkImported, checkSince } from '../port/check.ts'
import { collectChanges } from '../port/collect-changes.ts'
import { StoreError } from '../port/errors.ts'
import { type Listeners, listeners } from '../port/listeners.ts'
import type { Commit, Entry, LocalStore, Rev, Snapshot, Verdict, View } from '../port/port.ts'
import { waiters } from '../port/waiters.ts'
import { emptyTree, setEntry, snapshotOf, type Tree } from './tree.ts'

/**
 * Options of {@link memoryStore}.
 */
export interface MemoryStoreOptions {
  /** How many commits are remembered for `changes` and resubmitted ids; 10,000 by default. */
  readonly remember?: number | undefined
  /** How `changes` waits; the host's timers by default. */
  readonly timers?: Timers | undefined
  /** Called for errors of `onCommit` listeners, which no commit waits for. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const memoryStoreOptions: OptionNames<MemoryStoreOptions> = {
  remember: true,
  timers: true,
  onError: true,
}

/**
 * The result of {@link memoryStore}.
 */
export interface MemoryStore extends LocalStore {
  /**
   * Creates another realm with the same entries and revisions, in constant time: the two share what neither has written
   * since. It remembers no commits.
   */
  readonly fork: () => MemoryStore
}

/**
 * A realm in this process: the default store of every service, and the fastest for tests.
 *
 * @remarks
 * An ordered tree that is copied on write: a snapshot is a pointer to its root, and a commit copies only the path
 * it writes, and only if a snapshot was handed out since the last one.
 *
 * @example
 * ```ts
 * import { keyOf, memoryStore } from 'plinth/store'
 *
 * const store = memoryStore()
 * const [verdict] = await store.commit([{ id: '1', put: [{ key: keyOf('pool', 'gpu'), value: { name: 'gpu' } }] }])
 * verdict // { ok: true, rev: 1 }
 * store.snapshot().get(keyOf('pool', 'gpu'))?.value // { name: 'gpu' }
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkOptions('memoryStore', options, memoryStoreOptions)
  const remember = options.remember ?? 10_000
  checkNumbers({ least: 1, unit: 'commits' }, { remember })
  const report = eventEmitter(options.onError)
  return realm({ remember, timers: options.timers ?? systemTimers, report }, emptyTree(), 0)
}

interface Settings {
  readonly remember: number
  readonly timers: Timers
  readonly report: Reporter
}

function realm(settings: Settings, filled: Tree, filledTo: Rev): MemoryStore {
  const { remember } = settings
  const waiting = waiters(settings.timers)
  const committed = listeners<[rev: Rev, keys: readonly string[]]>(settings.report)
  const { tell, publish } = announcing(committed, waiting.wake, () => closed)
  let tree = filled
  let head = filledTo
  let handedOut: Snapshot | undefined
  let closed = false

  // The log holds the commits floor + 1 … head, without gaps.
  let log: Logged[] = []
  let floor = filledTo
  const accepted = new Map<string, Rev>()
  const refused = new Map<string, Verdict>()

  const open = () => {
    if (closed) throw new StoreError('closed', 'the store was closed')
  }
  const snapshot = (): Snapshot => {
    open()
    handedOut ??= snapshotOf(tree, head)
    return handedOut
  }
  const forget = () => {
    const dropped = log.slice(0, log.length - remember)
    for (const { id } of dropped) accepted.delete(id)
    log = log.slice(dropped.length)
    floor += dropped.length
    for (const id of refused.keys()) {
      if (refused.size <= remember) break
      refused.delete(id)
    }
  }

  const judge = (commit: Commit): Verdict => {
    const past = accepted.get(commit.id)
    if (past !== undefined) return { ok: true, rev: past }
    const no = refused.get(commit.id)
    if (no !== undefined) return no
    const stale = staleKeys(tree, commit)
    if (stale.length > 0) {
      const verdict = { ok: false, rev: head, stale } as const
      if (commit.again === true) refused.set(commit.id, verdict)
      return verdict
    }
    apply(commit)
    return { ok: true, rev: head }
  }

  const apply = (commit: Commit): void => {
    if (handedOut !== undefined) {
      tree = tree.clone()
      handedOut = undefined
    }
    head += 1
    const keys: string[] = []
    for (const { key, value } of commit.put ?? []) write(key, value, keys)
    for (const key of commit.touch ?? []) write(key, null, keys)
    for (const key of commit.del ?? []) {
      tree.delete(key)
      keys.push(key)
    }
    log.push({ id: commit.id, keys })
    accepted.set(commit.id, head)
    if (log.length >= remember * 2) forget()
    tell(head, keys)
  }
  const write = (key: string, value: Entry['value'], keys: string[]) => {
    setEntry(tree, { key, value, created: tree.get(key)?.created ?? head, modified: head })
    keys.push(key)
  }

  return {
    snapshot,
    onCommit: committed.add,
    fork: () => {
      open()
      return realm(settings, tree.clone(), head)
    },
    head: async () => {
      open()
      return head
    },
    read: async (fn) => fn(asyncView(snapshot())),
    commit: async (batch) => {
      open()
      for (const commit of batch) checkCommit(commit)
      const verdicts = batch.map(judge)
      publish()
      return verdicts
    },
    changes: async (asked) => {
      open()
      checkSince(asked)
      if (asked.after === head && asked.waitMs !== undefined)
        await waiting.wait(
          asked.waitMs,
          asked.signal,
          () => head > asked.after || closed,
          asked.background !== true,
        )
      open()
      const commitsAfter = (after: Rev) => logged(log, floor, head, after)
      return collectChanges({ head, floor, get: (key) => tree.get(key), commitsAfter }, asked)
    },
    import: async (entries, newHead) => {
      open()
      checkHead(newHead)
      const { filling, keys } = await imported(entries, newHead)
      if (head > 0)
        throw new StoreError('not_empty', `an import needs an empty realm; this one is at ${head}`)
      tree = filling
      handedOut = undefined
      head = newHead
      floor = newHead
      if (head > 0) tell(head, keys)
      publish()
    },
    close: async () => {
      closed = true
      waiting.wake()
    },
  }
}

/** A commit in the log. */
interface Logged {
  readonly id: string
  readonly keys: readonly string[]
}

/** The commits after a revision, from those of `floor + 1` to `head`. */
function* logged(log: readonly Logged[], floor: Rev, head: Rev, after: Rev) {
  for (let rev = after + 1; rev <= head; rev += 1) yield { rev, keys: log[rev - 1 - floor]?.keys ?? [] }
}

/** Calls listeners for a commit once its whole batch is in place. */
function announcing(
  committed: Listeners<[rev: Rev, keys: readonly string[]]>,
  wake: () => void,
  isClosed: () => boolean,
) {
  let pending: { readonly rev: Rev; readonly keys: readonly string[] }[] = []
  let telling = false
  return {
    tell: (rev: Rev, keys: readonly string[]) => {
      if (committed.size > 0) pending.push({ rev, keys })
    },
    publish: () => {
      // A listener may commit: its commit is announced after the current one, so that all listeners see commits in order.
      if (telling) return
      telling = true
      // The list may grow on the way.
      for (const { rev, keys } of pending) {
        if (isClosed()) break
        committed.tell(rev, keys)
      }
      pending = []
      telling = false
      wake()
    },
  }
}

/** The keys that a commit expects at another revision. */
function staleKeys(tree: Tree, { expect = [] }: Commit): readonly string[] {
  const stale: string[] = []
  for (const { key, rev } of expect) if ((tree.get(key)?.modified ?? 0) !== rev) stale.push(key)
  return stale
}

/** A tree of imported entries, and its keys, which take long to list once it is large. */
async function imported(entries: AsyncIterable<Entry> | Iterable<Entry>, head: Rev) {
  const filling = emptyTree()
  const keys: string[] = []
  for await (const entry of entries) {
    checkImported(entry, head)
    if (!setEntry(filling, { ...entry }))
      throw new StoreError('invalid', `imported twice: ${JSON.stringify(entry.key)}`)
    keys.push(entry.key)
  }
  return { filling, keys }
}

/** A snapshot in the port's asynchronous form. */
const asyncView = (now: Snapshot): View => ({
  rev: now.rev,
  get: async (keys) => keys.map((key) => now.get(key)),
  scan: async (range) => now.scan(range),
})
