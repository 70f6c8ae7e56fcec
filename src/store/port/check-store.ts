import type { Store } from './port.ts'

/**
 * Checks what a service is given to keep its state in. Programs without types give a store that is still being opened, and
 * would hear of it at the first call only.
 *
 * @throws TypeError that says what to give
 */
export function checkStore(store: Store | undefined): void {
  if (store === undefined || typeof store?.read === 'function') return
  const found: unknown = store
  throw new TypeError(
    found instanceof Promise
      ? 'store is a promise: await it, as in await lmdbStore(path)'
      : 'store is not a store: use memoryStore() of plinth/store, or await lmdbStore(path) of plinth/store/lmdb',
  )
}
