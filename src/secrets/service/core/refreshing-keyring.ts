import { isStoreError, type Store } from '../../../store/index.ts'

/**
 * A sealed store that reads its key ring again when a value cannot be decrypted: another service on the same store may
 * have rotated the key, and encrypts with a key that this one does not have yet.
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
