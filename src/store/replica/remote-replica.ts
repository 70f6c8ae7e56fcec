import { eventEmitter } from '../../kernel/event-emitter.ts'
import { resultInSlices } from '../../kernel/in-slices.ts'
import { systemTimers, type Timers } from '../../kernel/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { stayAwake } from '../../kernel/system-env.ts'
import { buildTree } from '../memory/build-tree.ts'
import { guarded, notHeld, setEntry, snapshotOf, type Tree } from '../memory/tree.ts'
import { checkRev } from '../port/check.ts'
import { isStoreError, StoreError } from '../port/errors.ts'
import { compareKeys } from '../port/keys.ts'
import { listeners } from '../port/listeners.ts'
import type { Changes, Rev, Snapshot, Store } from '../port/port.ts'
import { type Follower, followChanges } from './follow-changes.ts'
import type { ReadValues } from './read-values.ts'
import type { Replica, ReplicaOptions } from './replica.ts'
import { sharedRounds } from './shared-rounds.ts'
import { waitForRevision } from './wait-for-revision.ts'

/** The part of a store that a replica holds. */
interface Held {
  readonly prefixes: readonly string[]
  readonly holds: (key: string) => boolean
  readonly values: ReadValues
}

/** A replica of a remote store: its own tree, kept current from the store's changes. */
export function remoteReplica(store: Store, held: Held, options: ReplicaOptions): Replica {
  const { prefixes, holds, values } = held
  const timers = options.timers ?? systemTimers
  const report = eventEmitter(options.onError)
  const changed = listeners<[rev: Rev, keys: readonly string[]]>(report)
  const moved = listeners<[]>()
  let state: (State & { shown?: Snapshot }) | undefined
  let tail: (Follower & { readonly stop: AbortController }) | undefined
  let drops = 0
  let closed = false
  let storeClosed = false

  const open = () => {
    if (closed) throw new StoreError('closed', 'the replica was closed')
  }
  const stale = (): Snapshot => {
    open()
    if (state === undefined)
      throw new StoreError('closed', 'the replica dropped its data: call fresh() to read it anew')
    state.shown ??= guarded(values.shownIn(snapshotOf(state.tree, state.rev)), holds)
    return state.shown
  }
  const publish = (tree: Tree, rev: Rev, keys: readonly string[]) => {
    state = { tree, rev }
    if (keys.length > 0) changed.tell(rev, keys)
    moved.tell()
  }

  const load = async (): Promise<void> => {
    const generation = drops
    const read = await readAnew(store, held, {
      now: () => state,
      isOver: () => generation !== drops || closed,
      isFollowed: () => changed.size > 0,
    })
    if (read === undefined) return
    // After a gap it is unknown which keys were deleted: derived state is rebuilt.
    if (drops > 0 && state === undefined) changed.tell(0, [])
    publish(read.tree, read.rev, read.keys)
    if (tail === undefined) followOn()
  }

  /** Applies changes; incomplete pages are kept apart until the last one completes the state. */
  const takeIn = async (first: Changes, after: Rev): Promise<void> => {
    const base = state
    // Changes after a revision this state has not reached would leave a gap.
    if (base === undefined || base.rev < after || (!first.more && first.rev <= base.rev)) return
    // Snapshots that were handed out keep the old nodes.
    const tree = base.shown !== undefined || first.more ? base.tree.clone() : base.tree
    const { rev, keys } = await applied(store, prefixes, values, tree, first)
    if (state !== undefined && rev > state.rev) publish(tree, rev, keys)
  }

  const pull = async (): Promise<void> => {
    if (state === undefined) return load()
    const generation = drops
    try {
      const after = state.rev
      const page = await store.changes({ after, prefixes, limit: pageSize })
      if (generation === drops) await takeIn(page, after)
      // Else the follower would read these changes again.
      if (page.rev > after) void tail?.askAnew()
      // The state was replaced meanwhile by one that is behind.
      if (state !== undefined && state.rev < page.rev) await nextMacrotask().then(pull)
    } catch (error) {
      if (!isStoreError(error, 'compacted')) throw error
      await load()
    }
  }

  const nextRound = sharedRounds(pull)
  const fresh = async (enough = Number.POSITIVE_INFINITY): Promise<Snapshot> => {
    open()
    const isEnough = () => state !== undefined && state.rev >= enough
    // What the follower is reading just now is mostly enough.
    if (Number.isFinite(enough) && !isEnough()) await tail?.askAnew()
    if (!isEnough()) await nextRound()
    return stale()
  }

  const followOn = () => {
    const stop = new AbortController()
    const follower = followChanges({
      store,
      prefixes,
      timers,
      signal: stop.signal,
      after: () => state?.rev ?? 0,
      page: takeIn,
      compacted: load,
      failed: report,
    })
    tail = { ...follower, stop }
    void follower.ended.then(() => {
      if (stop.signal.aborted) return
      storeClosed = true
      moved.tell()
    })
  }
  const unfollow = () => {
    drops += 1
    tail?.stop.abort()
    tail = undefined
    state = undefined
    values.forget()
    // Waits for a revision fail: it will not come.
    moved.tell()
  }

  return {
    store,
    holds,
    stale,
    fresh,
    reached: async (rev, signal) => {
      checkRev(rev)
      const now = await fresh(rev)
      if (now.rev >= rev) return now
      const look = () => reachable(stale(), rev, storeClosed)
      return awake(timers, () => waitForRevision(rev, look, moved.add, signal))
    },
    load: async (keys) => {
      open()
      return loaded(store, held, keys, () => state?.tree)
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

/** How many changes are asked for at once. */
const pageSize = 5_000

/** How many entries of a whole state are asked for at once: those of a page are read in one turn. */
const entriesAtOnce = 1_000

interface State {
  readonly tree: Tree
  readonly rev: Rev
}

/** A snapshot, unless a revision beyond it will not come any more. */
function reachable(now: Snapshot, rev: Rev, storeClosed: boolean): Snapshot {
  if (now.rev < rev && storeClosed) throw new StoreError('closed', 'the store was closed')
  return now
}

/** Keeps the process alive while it waits. */
async function awake<Result>(timers: Timers, wait: () => Promise<Result>): Promise<Result> {
  const release = stayAwake(timers)
  try {
    return await wait()
  } finally {
    release()
  }
}

/** Reads the values of some keys from the store, and keeps them. */
async function loaded(
  store: Store,
  { holds, values }: Held,
  keys: readonly string[],
  tree: () => Tree | undefined,
) {
  for (const key of keys) if (!holds(key)) throw notHeld(key)
  const found = await store.read((view) => view.get(keys))
  for (const entry of found) if (entry !== undefined) values.keep(tree()?.get(entry.key), entry)
  return found
}

/** Reads the whole state, and the keys that differ from the present one; `undefined` if nothing needs it any more. */
async function readAnew(
  store: Store,
  { prefixes, values }: Held,
  state: {
    readonly now: () => State | undefined
    readonly isOver: () => boolean
    readonly isFollowed: () => boolean
  },
): Promise<(State & { readonly keys: readonly string[] }) | undefined> {
  const before = state.now()
  const read = await everything(store, prefixes, values)
  for (;;) {
    const base = state.now()
    // In slices: these may be all keys of a large store. The first read has no listeners, and needs none of them.
    const keys = state.isFollowed() ? await resultInSlices(changedKeys(base, read)) : []
    if (state.isOver()) return undefined
    // Another read has advanced further meanwhile. (A restored realm wakes no reader, so its lower revision is accepted.)
    const now = state.now()
    if (now !== undefined && now !== before && now.rev >= read.rev) return undefined
    if (now === base) return { ...read, keys }
    await nextMacrotask()
  }
}

/** Applies changes to a tree, page by page. */
async function applied(
  store: Store,
  prefixes: readonly string[],
  values: ReadValues,
  tree: Tree,
  first: Changes,
): Promise<{ readonly rev: Rev; readonly keys: readonly string[] }> {
  const keys: string[] = []
  for (let page = first; ; page = await store.changes({ after: page.rev, prefixes, limit: pageSize })) {
    for (const entry of page.put) {
      const held = values.heldOf(entry)
      setEntry(tree, held)
      values.keep(held, entry)
      keys.push(entry.key)
    }
    for (const key of page.gone) {
      tree.delete(key)
      keys.push(key)
    }
    if (!page.more) return { rev: page.rev, keys }
    await nextMacrotask()
  }
}

/** All entries below some prefixes, in one snapshot, page by page. */
const everything = (store: Store, prefixes: readonly string[], values: ReadValues): Promise<State> =>
  store.read(async (view) => {
    const building = buildTree()
    for (const prefix of [...prefixes].sort(compareKeys)) {
      const range = { prefix, limit: entriesAtOnce, keysOnly: values.readsBelow(prefix) }
      let page = await view.scan(range)
      for (;;) {
        for (const entry of page) building.add(values.heldOf(entry))
        if (page.length < entriesAtOnce) break
        page = await view.scan({ ...range, after: page.at(-1)?.key })
      }
    }
    return { tree: building.finish(), rev: view.rev }
  })

/** The keys that differ between two states; all of them if a realm was set back and revisions are reused. */
function* changedKeys(before: State | undefined, now: State): Generator<undefined, string[]> {
  const keys: string[] = []
  // The replica may go on in the nodes of its present tree.
  const old = before?.tree.clone()
  const comparable = before !== undefined && before.rev <= now.rev
  for (const [key, entry] of now.tree.entries()) {
    if (!comparable || old?.get(key)?.modified !== entry.modified) keys.push(key)
    yield
  }
  for (const key of old?.keys() ?? []) {
    if (!now.tree.has(key)) keys.push(key)
    yield
  }
  return keys
}
