import { eventEmitter } from '../../kernel/event-emitter.ts'
import { guarded } from '../memory/tree.ts'
import { checkRev } from '../port/check.ts'
import { listeners } from '../port/listeners.ts'
import type { LocalStore, Rev, Snapshot } from '../port/port.ts'
import type { Replica, ReplicaOptions } from './replica.ts'
import { waitForRevision } from './wait-for-revision.ts'

/** A replica of an in-process store: the store itself, limited to the replica's keys. */
export function localReplica(
  store: LocalStore,
  holds: (key: string) => boolean,
  { onError }: ReplicaOptions,
): Replica {
  let last: Snapshot | undefined
  let shownAs: Snapshot | undefined
  const changed = listeners<[rev: Rev, keys: readonly string[]]>(eventEmitter(onError))
  let untold: string[] = []
  const off = store.onCommit((rev, keys) => {
    if (changed.size === 0) return
    // The keys of the replica are determined once, not by each of its listeners.
    for (const key of keys) if (holds(key)) untold.push(key)
    // The store shows the end of a batch before it announces the beginning: listeners can see all announced changes.
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
    reached: async (rev, signal) => {
      checkRev(rev)
      return waitForRevision(rev, stale, (fn) => store.onCommit(fn), signal)
    },
    load: async (keys) => keys.map(stale().get),
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
