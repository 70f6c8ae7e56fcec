import { isLocal, type Store } from '../port/port.ts'

/** A store before another one: what `calls` does not have goes through, and an in-process store stays one. */
export const decorated = (store: Store, calls: Partial<Store>): Store => ({
  head: () => store.head(),
  read: (fn) => store.read(fn),
  commit: (batch) => store.commit(batch),
  changes: (since) => store.changes(since),
  import: (entries, head) => store.import(entries, head),
  close: () => store.close(),
  ...(isLocal(store) && {
    snapshot: () => store.snapshot(),
    onCommit: (fn: Parameters<typeof store.onCommit>[0]) => store.onCommit(fn),
  }),
  ...calls,
})
