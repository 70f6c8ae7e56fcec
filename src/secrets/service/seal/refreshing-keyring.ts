import { isStoreError, type Store } from '../../../store/index.ts'

/**
 * A sealed store that looks at its key ring anew when something does not open: another service on the same store may
 * have turned the ring, and what it writes since then is sealed with a key this one has not seen.
 */
export function refreshingKeyring(store: Store, learn: () => Promise<void>): Store {
  const again = async <R>(work: () => Promise<R>): Promise<R> => {
    try {
      return await work()
    } catch (error) {
      if (!isStoreError(error, 'corrupt')) throw error
      await learn()
      return work()
    }
  }
  return {
    head: () => store.head(),
    read: (fn) => again(() => store.read(fn)),
    commit: (batch) => store.commit(batch),
    changes: (since) => again(() => store.changes(since)),
    import: (entries, head) => store.import(entries, head),
    close: () => store.close(),
  }
}
