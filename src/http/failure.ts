import type { Refusal } from '../kernel/index.ts'
import { isStoreError } from '../store/port/errors.ts'

/** What a caller is told of an exception: whether to come again, and a reference; the rest is for `onError`. */
export function failureOf(error: unknown, id: string): Refusal {
  if (isStoreError(error, 'unreachable', 'contended'))
    return {
      code: 'unavailable',
      message: `the store cannot answer right now, try again (reference ${id})`,
      detail: { headers: { 'retry-after': '1' } },
    }
  if (isStoreError(error, 'closed'))
    return { code: 'unavailable', message: `closed: nothing is answered any more (reference ${id})` }
  // No Retry-After: some clients obey it unasked, and would do twice what was done already.
  if (isStoreError(error, 'unknown'))
    return {
      code: 'outcome_unknown',
      message: `the store did not say whether it kept this: it may have taken effect, look before trying again (reference ${id})`,
    }
  if (isStoreError(error, 'disk_full'))
    return { code: 'storage_full', message: `no space is left: nothing was kept (reference ${id})` }
  return { code: 'internal', message: `internal error (reference ${id})` }
}
