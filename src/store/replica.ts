import { systemTimers, type Timers } from '../kernel/index.ts'
import { stayAwake } from '../kernel/system-env.ts'
import { belowAny } from './check.ts'
import type { Collection } from './collection.ts'
import { isStoreError, StoreError } from './errors.ts'
import { follow } from './follow.ts'
import { marks } from './keys.ts'
import { listeners } from './listeners.ts'
import { type Changes, isLocal, type LocalStore, type Rev, type Snapshot, type Store } from './port.ts'
import { emptyTree, guarded, setEntry, snapshotOf, type Tree } from './tree.ts'

/**
 * The part of a realm that a service reads all the time, in this process and in order: lists, filters, searches
 * and access checks read it, and `transact` decides on it.
 *
 * @public
 */
export interface Replica {
  /** The store behind it. */
  readonly store: Store
  /** Whether it keeps what lies at a key; asking its snapshots for another key throws `not_held`. */
  holds(key: string): boolean
  /** What it knows now: never waits, may lag; its `rev` says how far it has come. */
  stale(): Snapshot
  /** At least the head at the time of the call: one round trip, shared by all who ask together; none on a local store. */
  fresh(): Promise<Snapshot>
  /** At least `rev`: to read what one has written, or what a client was told of. */
  reached(rev: Rev, signal?: AbortSignal): Promise<Snapshot>
  /** Calls `fn` with the keys that changed whenever `stale()` has moved on; revision 0 after a `drop`: any may have. */
  onChange(fn: (rev: Rev, keys: readonly string[]) => void): () => void
  /** Forgets everything, for a store that is being sealed; the next `fresh` reads it anew. */
  drop(): void
  /** Stops following the store, which stays open. */
  close(): Promise<void>
}

/**
 * Options of {@link replica}.
 *
 * @public
 */
export interface ReplicaOptions {
  /** How it waits between failed calls. */
  readonly timers?: Timers | undefined
  /** Hears of calls that failed and are repeated. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Opens a replica of some collections or prefixes; marks are always held. On a local store it is the store itself.
 *
 * @example
 * ```ts
 * import { collection, memoryStore, replica } from 'plinth/store'
 *
 * const pools = collection<{ name: string }>({ name: 'pool', key: (pool) => [pool.name] })
 * const view = await replica(memoryStore(), [pools, 'core/'])
 * pools.list((await view.fresh())) // []
 * ```
 *
 * @public
 */
export async function replica(
  store: Store,
  held: readonly (string | Pick<Collection<unknown>, 'prefixes'>)[],
  options: ReplicaOptions = {},
): Promise<Replica> {
  const prefixes = [marks, ...held.flatMap((part) => (typeof part === 'string' ? [part] : part.prefixes))]
  const holds = belowAny(prefixes)
  if (isLocal(store)) return localReplica(store, holds)
  const followed = followingReplica(store, { prefixes, holds }, options)
  await followed.fresh()
  return followed
}

function localReplica(store: LocalStore, holds: (key: string) => boolean): Replica {
  let last: Snapshot | undefined
  let shownAs: Snapshot | undefined
  const changed = listeners<[rev: Rev, keys: readonly string[]]>()
  let untold: string[] = []
  const off = store.onCommit((rev, keys) => {
    if (changed.size === 0) return
    // What belongs to the replica is found out once, not by each of its listeners.
    for (const key of keys) if (holds(key)) untold.push(key)
    // Of a batch the store shows the end before it tells of the beginning: whoever is told can know of all they see.
    if (untold.length === 0 || rev < store.snapshot().rev) return
    const mine = untold
    untold = []
    changed.tell(rev, mine)
  })
  const stale = (): Snapshot => {
    const now = store.snapshot()
    if (now !== last || shownAs === undefined) {
      last = now
      shownAs = guarded(now, holds)
    }
    return shownAs
  }
  return {
    store,
    holds,
    stale,
    fresh: async () => stale(),
    reached: (rev, signal) => waitFor(rev, stale, (fn) => store.onCommit(fn), signal),
    onChange: changed.add,
    drop: () => {
      last = undefined
      shownAs = undefined
    },
    close: async () => {
      off()
      changed.clear()
    },
  }
}

function followingReplica(
  store: Store,
  { prefixes, holds }: { readonly prefixes: readonly string[]; readonly holds: (key: string) => boolean },
  options: ReplicaOptions,
): Replica {
  const timers = options.timers ?? systemTimers
  const changed = listeners<[rev: Rev, keys: readonly string[]]>()
  const moved = listeners<[]>()
  let state: { readonly tree: Tree; readonly rev: Rev; shown?: Snapshot } | undefined
  let tail: AbortController | undefined
  let drops = 0
  let closed = false
  let storeClosed = false

  const stale = (): Snapshot => {
    if (closed) throw new StoreError('closed', 'the replica was closed')
    if (state === undefined)
      throw new StoreError('closed', 'the replica dropped its data: call fresh() to read it anew')
    state.shown ??= guarded(snapshotOf(state.tree, state.rev), holds)
    return state.shown
  }
  const publish = (tree: Tree, rev: Rev, keys: readonly string[]) => {
    state = { tree, rev }
    if (keys.length > 0) changed.tell(rev, keys)
    moved.tell()
  }

  /** Reads everything in one snapshot, page by page. */
  const load = async (): Promise<void> => {
    const generation = drops
    const before = state
    const tree = emptyTree()
    const rev = await store.read(async (view) => {
      for (const prefix of prefixes) {
        let page = await view.scan({ prefix, limit: pageSize })
        for (;;) {
          for (const entry of page) setEntry(tree, entry)
          if (page.length < pageSize) break
          page = await view.scan({ prefix, after: page.at(-1)?.key, limit: pageSize })
        }
      }
      return view.rev
    })
    if (generation !== drops || closed) return
    // Someone else has come further meanwhile. (A realm that was set back moves nobody, so its lower revision is taken.)
    if (state !== undefined && state !== before && state.rev >= rev) return
    // After a gap nobody knows what is gone: whoever derives state from changes begins anew.
    if (drops > 0 && state === undefined) changed.tell(0, [])
    publish(tree, rev, changedKeys(state, { tree, rev }))
    if (tail === undefined) followOn()
  }

  /** Takes changes in; pages with more to come are kept apart until the last one makes a whole state. */
  const takeIn = async (first: Changes, after: Rev): Promise<void> => {
    const base = state
    if (base === undefined || (!first.more && first.rev <= base.rev)) return
    // Changes after a revision this state has not reached would leave a gap.
    if (base.rev < after) return
    // Whoever holds a snapshot that was handed out keeps the old nodes.
    const tree = base.shown !== undefined || first.more ? base.tree.clone() : base.tree
    const keys: string[] = []
    for (let page = first; ; page = await store.changes({ after: page.rev, prefixes, limit: pageSize })) {
      for (const entry of page.put) {
        setEntry(tree, entry)
        keys.push(entry.key)
      }
      for (const key of page.gone) {
        tree.delete(key)
        keys.push(key)
      }
      if (page.more) continue
      if (state !== undefined && page.rev > state.rev) publish(tree, page.rev, keys)
      return
    }
  }

  const pull = async (): Promise<void> => {
    if (state === undefined) return load()
    const generation = drops
    try {
      const after = state.rev
      const page = await store.changes({ after, prefixes, limit: pageSize })
      if (generation === drops) await takeIn(page, after)
      // The state was replaced meanwhile by one that is behind.
      if (state !== undefined && state.rev < page.rev) await pull()
    } catch (error) {
      if (!isStoreError(error, 'compacted')) throw error
      await load()
    }
  }

  // Callers that arrive while a round is under way share the next one: the running one may have read before they asked.
  let queue: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = []
  let pulling = false
  const serve = async () => {
    pulling = true
    for (let served = queue; served.length > 0; served = queue) {
      queue = []
      try {
        await pull()
        for (const caller of served) caller.resolve()
      } catch (error) {
        for (const caller of served) caller.reject(error)
      }
    }
    pulling = false
  }
  const fresh = async (): Promise<Snapshot> => {
    if (closed) throw new StoreError('closed', 'the replica was closed')
    await new Promise<void>((resolve, reject) => {
      queue.push({ resolve, reject })
      if (!pulling) void serve()
    })
    return stale()
  }

  const followOn = () => {
    const controller = new AbortController()
    tail = controller
    const following = follow({
      store,
      prefixes,
      timers,
      signal: controller.signal,
      after: () => state?.rev ?? 0,
      page: takeIn,
      compacted: load,
      failed: (error) => options.onError?.(error),
    })
    void following.then(() => {
      if (controller.signal.aborted) return
      storeClosed = true
      moved.tell()
    })
  }
  const unfollow = () => {
    drops += 1
    tail?.abort()
    tail = undefined
    state = undefined
    // Whoever waits for a revision hears that it will not come.
    moved.tell()
  }

  return {
    store,
    holds,
    stale,
    fresh,
    reached: async (rev, signal) => {
      const now = state !== undefined && state.rev >= rev ? stale() : await fresh()
      const look = () => {
        const later = stale()
        if (later.rev < rev && storeClosed) throw new StoreError('closed', 'the store was closed')
        return later
      }
      if (now.rev >= rev) return now
      const letGo = stayAwake(timers)
      try {
        return await waitFor(rev, look, moved.add, signal)
      } finally {
        letGo()
      }
    },
    onChange: changed.add,
    drop: unfollow,
    close: async () => {
      closed = true
      unfollow()
      changed.clear()
    },
  }
}

/** How many entries are asked for at once. */
const pageSize = 5_000

/** The keys that differ between two states; all of them where a realm was set back and revisions are used again. */
function changedKeys(
  before: { readonly tree: Tree; readonly rev: Rev } | undefined,
  now: { readonly tree: Tree; readonly rev: Rev },
): string[] {
  const keys: string[] = []
  const comparable = before !== undefined && before.rev <= now.rev
  for (const [key, entry] of now.tree.entries())
    if (!comparable || before.tree.get(key)?.modified !== entry.modified) keys.push(key)
  for (const key of before?.tree.keys() ?? []) if (!now.tree.has(key)) keys.push(key)
  return keys
}

/** The first snapshot at or beyond a revision. */
function waitFor(
  rev: Rev,
  look: () => Snapshot,
  subscribeTo: (fn: () => void) => () => void,
  signal: AbortSignal | undefined,
): Promise<Snapshot> {
  return new Promise((resolve, reject) => {
    const now = look()
    if (now.rev >= rev) return resolve(now)
    const end = () => {
      off()
      signal?.removeEventListener('abort', aborted)
    }
    const aborted = () => {
      end()
      reject(signal?.reason)
    }
    const off = subscribeTo(() => {
      try {
        const later = look()
        if (later.rev < rev) return
        resolve(later)
      } catch (error) {
        reject(error)
      }
      end()
    })
    if (signal?.aborted === true) return aborted()
    signal?.addEventListener('abort', aborted)
  })
}
