import type { Refusal } from '../kernel/index.ts'
import { isStoreError } from '../store/port/errors.ts'

/** The caller's view of an exception: whether to retry, and a reference; the details go to `onError`. */
export function failureOf(error: unknown, id: string): Refusal {
  if (isStoreError(error, 'unreachable', 'contended'))
    return {
      code: 'unavailable',
      message: `the store cannot answer right now, try again (reference ${id})`,
      detail: { headers: { 'retry-after': '1' } },
    }
  if (isStoreError(error, 'closed'))
    return { code: 'unavailable', message: `closed: no more requests are answered (reference ${id})` }
  if (isStoreError(error, 'replaced'))
    return {
      code: 'unavailable',
      message: `the files of the store were moved, removed or replaced: nothing was stored, and nothing is until the server is restarted (reference ${id})`,
    }
  // No Retry-After: some clients retry automatically, and would repeat a change that already took effect.
  if (isStoreError(error, 'unknown'))
    return {
      code: 'outcome_unknown',
      message: `the store did not confirm this change: it may have taken effect, check before you retry (reference ${id})`,
    }
  if (isStoreError(error, 'disk_full'))
    return { code: 'storage_full', message: `no space is left: nothing was stored (reference ${id})` }
  // Whose store it is, and what to do, is for the operator: the sentence goes to `onError`.
  if (isStoreError(error, 'foreign'))
    return {
      code: 'unavailable',
      message: `the store belongs to another service or program: nothing was stored, and nothing is until this service has one of its own (reference ${id})`,
    }
  return { code: 'internal', message: `internal error (reference ${id})` }
}
