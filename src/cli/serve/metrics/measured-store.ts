import { decorated } from '../../../store/decorators/decorated.ts'
import type { Rev, Store } from '../../../store/index.ts'

/** The metrics of the store of one service. */
export interface StoreMeasures {
  /** Called for every batch with the number of successful commits. */
  readonly committed: (count: number) => void
  /** Called with the revision that a replica of the store has reached. */
  readonly followed: (rev: Rev) => void
}

/** Wraps a store to report its commits, and the revisions that were read. */
export function measuredStore(store: Store, { committed, followed }: StoreMeasures): Store {
  return decorated(store, {
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
  })
}
