import type { Store } from './port.ts'

/**
 * Checks the store option of a service. Callers without types may pass a store that is still being opened (a promise),
 * which would fail only at the first call.
 *
 * @throws TypeError that says what to pass
 */
export function checkStore(store: Store | undefined): void {
  if (store === undefined || typeof store?.read === 'function') return
  const found: unknown = store
  throw new TypeError(
    found instanceof Promise
      ? 'store is a promise: await it, as in await sqliteStore(file)'
      : 'store is not a store: use memoryStore() of plinth/store, or await sqliteStore(file) of plinth/store/sqlite',
  )
}
