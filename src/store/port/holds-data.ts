import { isStoreError } from './errors.ts'
import type { Store } from './port.ts'

/** Whether a store holds anything. What an import that broke off has left is nothing: another one begins anew. */
export async function holdsData(store: Store): Promise<boolean> {
  try {
    return (await store.head()) > 0
  } catch (error) {
    if (isStoreError(error, 'locked')) return false
    throw error
  }
}
