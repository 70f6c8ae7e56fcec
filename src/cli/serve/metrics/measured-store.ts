import { isLocal, type LocalStore, type Rev, type Store } from '../../../store/index.ts'

/** What is known of the store of one service. */
export interface StoreMeasures {
  /** Hears of every batch, how many of its commits took effect. */
  readonly committed: (count: number) => void
  /** Hears how far a replica of the store has come. */
  readonly followed: (rev: Rev) => void
}

/** The same store, which tells what becomes of commits and how far it was read. */
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
