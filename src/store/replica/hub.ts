import { systemTimers, type Timers } from '../../kernel/index.ts'
import { stayAwake } from '../../kernel/system-env.ts'
import { unlessClosed } from '../port/errors.ts'
import { isLocal, type Rev, type Snapshot, type Store } from '../port/port.ts'
import { followChanges } from './follow-changes.ts'
import type { Replica } from './replica.ts'

/**
 * Where long polls sleep until a key they watch has changed.
 *
 * @remarks
 * A wake-up is a hint: read again and compare the index. Register before the first read, or a change between the two is
 * missed. A deleted key has no revision, so watch a key that can be deleted together with its list's mark. A pending
 * wait keeps this process alive: cancel waits that are no longer needed.
 */
export interface Hub {
  /** The cheap form: `done` resolves once one of the keys has a revision beyond `after`; `cancel` ends the wait. */
  wait(keys: readonly string[], after: Rev): { readonly done: Promise<void>; cancel(): void }
  /** True once one of the keys has moved beyond `after`; false when the signal aborts first. */
  changed(keys: readonly string[], after: Rev, signal: AbortSignal): Promise<boolean>
  /** Ends all current waits, for a server that drains. */
  wakeAll(): void
  /** Ends all waits and stops following the store, which stays open. */
  close(): void
}

/**
 * Opens a hub, where callers wait until a mark is touched: on a replica (preferred: no second subscription, and the
 * change is already in `stale()`) or on a store.
 *
 * @example
 * ```ts
 * import { hub, markOf, memoryStore } from 'plinth/store'
 *
 * const store = memoryStore()
 * const polls = hub(store)
 * const waiting = polls.wait([markOf('pool')], 0)
 * await store.commit([{ id: '1', touch: [markOf('pool')] }])
 * await waiting.done
 * polls.close()
 * ```
 */
export function hub(source: Replica | Store, options: { readonly timers?: Timers | undefined } = {}): Hub {
  const timers = options.timers ?? systemTimers
  const sleeping = new Map<string, Set<Waiter>>()
  const isShared = !isLocal('stale' in source ? source.store : source)
  let release: (() => void) | undefined
  /** A pending wait keeps the process alive where another process could end it. */
  const hold = () => {
    if (isShared && sleeping.size > 0) {
      release ??= stayAwake(timers)
    } else {
      release?.()
      release = undefined
    }
  }

  const wake = (waiter: Waiter, except?: string) => {
    for (const key of waiter.keys) {
      if (key === except) continue
      const set = sleeping.get(key)
      if (set?.delete(waiter) === true && set.size === 0) sleeping.delete(key)
    }
    if (except === undefined) hold()
    waiter.resolve()
  }
  const moved = (rev: Rev, keys: readonly string[]) => {
    if (sleeping.size === 0) return
    for (const key of keys) {
      const set = sleeping.get(key)
      if (set === undefined) continue
      sleeping.delete(key)
      let left: Set<Waiter> | undefined
      for (const waiter of set) {
        if (rev > waiter.after) {
          wake(waiter, key)
        } else {
          left ??= new Set()
          left.add(waiter)
        }
      }
      if (left !== undefined) sleeping.set(key, left)
    }
    hold()
  }
  const wakeAll = () => {
    const all = new Set([...sleeping.values()].flatMap((set) => [...set]))
    sleeping.clear()
    hold()
    for (const waiter of all) waiter.resolve()
  }
  /** Checks all waits again: changes before the feed began were not announced. */
  const lookAgain = () => {
    const all = new Set([...sleeping.values()].flatMap((set) => [...set]))
    for (const waiter of all) feed.look(waiter.keys, waiter.after, () => wake(waiter))
  }
  const feed: Feed = open(source, timers, { moved, wakeAll, lookAgain })
  let closed = false

  const wait: Hub['wait'] = (keys, after) => {
    let resolve: () => void = () => {}
    const done = new Promise<void>((settle) => {
      resolve = settle
    })
    const waiter: Waiter = { keys, after, resolve }
    if (closed) {
      resolve()
      return { done, cancel: resolve }
    }
    for (const key of keys) {
      const set = sleeping.get(key)
      if (set === undefined) sleeping.set(key, new Set([waiter]))
      else set.add(waiter)
    }
    hold()
    feed.look(keys, after, () => wake(waiter))
    return { done, cancel: () => wake(waiter) }
  }

  return {
    wait,
    changed: async (keys, after, signal) => {
      if (signal.aborted) return false
      const waiting = wait(keys, after)
      let aborted = false
      const abort = () => {
        aborted = true
        waiting.cancel()
      }
      signal.addEventListener('abort', abort, { once: true })
      await waiting.done
      signal.removeEventListener('abort', abort)
      return !aborted
    },
    wakeAll,
    close: () => {
      closed = true
      feed.close()
      wakeAll()
    },
  }
}

interface Waiter {
  readonly keys: readonly string[]
  readonly after: Rev
  readonly resolve: () => void
}

/** The source of a hub's changes. */
interface Feed {
  /** Calls `found` if one of the keys has moved beyond `after` already. */
  look(keys: readonly string[], after: Rev, found: () => void): void
  close(): void
}

interface Sleepers {
  moved(rev: Rev, keys: readonly string[]): void
  wakeAll(): void
  lookAgain(): void
}

function open(source: Replica | Store, timers: Timers, sleepers: Sleepers): Feed {
  const { moved } = sleepers
  if ('stale' in source) {
    let seen = unlessClosed(() => source.stale())?.rev ?? 0
    const close = source.onChange((rev, keys) => {
      // The replica had dropped its data, or the realm was set back to an earlier copy: anything may have moved.
      if (rev < seen) sleepers.wakeAll()
      else moved(rev, keys)
      seen = rev
    })
    return { look: lookIn(() => unlessClosed(() => source.stale())), close }
  }
  if (isLocal(source)) return { look: lookIn(() => source.snapshot()), close: source.onCommit(moved) }
  return followed(source, timers, sleepers)
}

const lookIn =
  (now: () => Snapshot | undefined): Feed['look'] =>
  (keys, after, found) => {
    const snapshot = now()
    // There is nothing to check: the woken waiter reads, and gets the error.
    if (snapshot === undefined) return found()
    // Nothing can have moved beyond a revision that is not reached yet.
    if (after >= snapshot.rev) return
    if (keys.some((key) => (snapshot.get(key)?.modified ?? 0) > after)) found()
  }

const unseen = Number.MAX_SAFE_INTEGER

function followed(store: Store, timers: Timers, { moved, wakeAll, lookAgain }: Sleepers): Feed {
  const stop = new AbortController()
  // Beyond every revision: the first call says so, and the hub starts at the head.
  let seen: Rev = unseen
  const { ended } = followChanges({
    store,
    prefixes: [''],
    timers,
    signal: stop.signal,
    after: () => seen,
    page: async (page) => {
      seen = page.rev
      moved(page.rev, page.put.map((entry) => entry.key).concat(page.gone))
    },
    compacted: async () => {
      const isFirst = seen === unseen
      seen = await store.head()
      if (isFirst) lookAgain()
      else wakeAll()
    },
    failed: () => {},
  })
  // A closed store has no more changes: the woken waiter reads, and gets the error.
  void ended.then(wakeAll)
  return {
    look: (keys, after, found) => {
      const read = store.read(async (view) => {
        const entries = await view.get(keys)
        return entries.some((entry) => (entry?.modified ?? 0) > after)
      })
      // A store that cannot be read now is read by the woken waiter, which gets the error.
      void read.then((yes) => (yes ? found() : undefined), found)
    },
    close: () => stop.abort(),
  }
}
