import { type Blobs, type Store, StoreError } from '../../src/store/index.ts'

/**
 * A process that dies: what it writes is kept up to some point, and nothing of it happens afterwards. Commits and
 * deletions of blobs are counted, and blobs that are put.
 */
export function dying(after: number) {
  let left = after
  let dead = false
  const step = () => {
    if (left === 0) dead = true
    if (dead) throw new StoreError('closed', 'the process is dead')
    left -= 1
  }
  const alive = () => {
    if (dead) throw new StoreError('closed', 'the process is dead')
  }
  return {
    isDead: () => dead,
    /** Only the port: the process that comes next stands on the store itself. */
    store: (store: Store): Store => ({
      head: async () => {
        alive()
        return store.head()
      },
      read: async (fn) => {
        alive()
        return store.read(fn)
      },
      changes: async (since) => {
        alive()
        return store.changes(since)
      },
      commit: async (batch) => {
        step()
        return store.commit(batch)
      },
      import: async (entries, head) => {
        step()
        return store.import(entries, head)
      },
      close: async () => {},
    }),
    blobs: (blobs: Blobs): Blobs => ({
      put: async (id, body, options) => {
        step()
        return blobs.put(id, body, options)
      },
      delete: async (id) => {
        step()
        return blobs.delete(id)
      },
      get: blobs.get,
      list: blobs.list,
    }),
  }
}
