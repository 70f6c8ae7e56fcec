import { isLocal, type LocalStore, type Rev, type Store } from '../../../store/index.ts'

/** The metrics of the store of one service. */
export interface StoreMeasures {
  /** Called for every batch with the number of successful commits. */
  readonly committed: (count: number) => void
  /** Called with the revision that a replica of the store has reached. */
  readonly followed: (rev: Rev) => void
}

/** Wraps a store to report its commits, and the revisions that were read. */
export function measuredStore(store: Store, { committed, followed }: StoreMeasures): Store {
  const above: Store = {
    head: () => store.head(),
    read: (fn) => store.read(fn),
    commit: async (batch) => {
      const verdicts = await store.commit(batch)
      committed(verdicts.filter(({ ok }) => ok).length)
      return verdicts
    },
    changes: async (since) => {
      const changes = await store.changes(since)
      followed(changes.rev)
      return changes
    },
    import: (entries, head) => store.import(entries, head),
    close: () => store.close(),
  }
  if (!isLocal(store)) return above
  const local: LocalStore = {
    ...above,
    snapshot: () => store.snapshot(),
    onCommit: (fn) => store.onCommit(fn),
  }
  return local
}
