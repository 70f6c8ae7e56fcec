import type { Refused } from '../../kernel/index.ts'
import type { Snapshot } from '../../store/index.ts'
import type { Caller } from './authenticate.ts'
import type { ReadCall, WriteCall } from './call.ts'
import type { Cluster } from './cluster.ts'

/** A call that got in: as of when it is answered, and what its caller may do. */
export interface Entered extends Caller {
  readonly now: Snapshot
}

/**
 * Begins every method: looks at the cluster as fresh as the call asks for, and finds out who is calling.
 *
 * @remarks
 * One promise and no more stands between a caller and `use`: thousands of long polls are woken through it. Where
 * the caller's rights changed meanwhile, `use` is called a second time, with those they have by then.
 */
export async function enter<Answer>(
  { view, authenticate, acl }: Cluster,
  call: ReadCall | WriteCall,
  use: (entered: Entered) => Answer | Promise<Answer>,
): Promise<Answer | Refused<'permission_denied'>> {
  const now = 'stale' in call && call.stale ? view.stale() : await view.fresh()
  const caller = authenticate(now, call.token)
  if (!caller.ok) return caller
  // Written out: after a spread, every caller's object would have a hidden class of its own.
  const { access, policies, accessor } = caller.value
  const answer = use({ now, access, policies, accessor })
  const mayWait = 'index' in call && (call.index ?? 0) > 0
  if (!acl.enabled || !mayWait) return answer
  const found = await answer
  const then = view.stale()
  const later = authenticate(then, call.token)
  if (!later.ok) return later
  if (later.value.access.id === access.id) return found
  // Their rights changed while they waited: they are answered by those they have now, and wait no more.
  return withoutWaiting(call, () => use({ now: then, ...later.value }))
}

/** Calls that are answered at once, without waiting for the index they name, while their answer begins. */
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
