import type { Refused } from '../../kernel/index.ts'
import type { Snapshot } from '../../store/index.ts'
import type { Caller } from './authenticate.ts'
import type { ReadCall, WriteCall } from './call.ts'
import type { Cluster } from './cluster.ts'

/** An authenticated call: the snapshot that answers it, and the caller's rights. */
export interface Entered extends Caller {
  readonly now: Snapshot
}

/**
 * Begins every method: reads the cluster as fresh as the call requires, and authenticates the caller.
 *
 * @remarks
 * There is only one promise between a caller and `use`, because it wakes thousands of long polls. If the caller's
 * rights change during the wait, `use` is called again with the new ones.
 */
export async function enter<Answer>(
  { view, authenticate, acl }: Cluster,
  call: ReadCall | WriteCall,
  use: (entered: Entered) => Answer | Promise<Answer>,
): Promise<Answer | Refused<'permission_denied'>> {
  const now = 'stale' in call && call.stale ? view.stale() : await view.fresh()
  const caller = authenticate(now, call.token)
  if (!caller.ok) return caller
  // Written out: a spread would give every caller's object its own hidden class.
  const { access, policies, accessor } = caller.value
  const answer = use({ now, access, policies, accessor })
  const mayWait = 'index' in call && (call.index ?? 0) > 0
  if (!acl.enabled || !mayWait) return answer
  const found = await answer
  const then = view.stale()
  const later = authenticate(then, call.token)
  if (!later.ok) return later
  if (later.value.access.id === access.id) return found
  // Their rights changed during the wait: they get an answer by the new ones, without another wait.
  return withoutWaiting(call, () => use({ now: then, ...later.value }))
}

/** Calls that have waited already, so that their second answer does not wait for the index. */
const waited = new WeakSet<object>()

/** Whether a call has waited already. */
export const hasWaited = (call: ReadCall): boolean => waited.has(call)

function withoutWaiting<Answer>(call: object, use: () => Answer): Answer {
  waited.add(call)
  try {
    return use()
  } finally {
    waited.delete(call)
  }
}
