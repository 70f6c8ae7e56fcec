import { isStoreError } from './errors.ts'
import type { Store } from './port.ts'

/** Whether a store contains data. Leftovers of an interrupted import do not count: the next import deletes them. */
export async function holdsData(store: Store): Promise<boolean> {
  try {
    return (await store.head()) > 0
  } catch (error) {
    if (isStoreError(error, 'locked')) return false
    throw error
  }
}
