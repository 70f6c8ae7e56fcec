import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { isLocal, type Store } from './port.ts'

/**
 * Lets other work go on between two calls of a store, which may answer without leaving the turn of the event loop, as
 * synchronous drivers do. Calls of a local store are short, and settle before a manual clock moves on.
 */
export const endOfTurn = (store: Store): Promise<void> | undefined =>
  isLocal(store) ? undefined : nextMacrotask()
