import type { Refused } from '../../kernel/index.ts'
import { isStoreError } from '../../store/index.ts'
import { type Core, isRefused } from './core.ts'

/** The refusal for work that the seal interrupted, by the error it met; `undefined` for any other error. */
export const sealedMeanwhile = (
  { barrier }: Pick<Core, 'barrier'>,
  error: unknown,
): Refused<'sealed'> | undefined =>
  // A service that is open has not sealed anything: its owner closed the store.
  isStoreError(error, 'closed') && isRefused(barrier.enter()) ? barrier.refusal : undefined

/** Does work that needs an open service; one that is sealed meanwhile refuses, as one that is sealed already does. */
export async function unlessSealed<R>(
  core: Pick<Core, 'barrier'>,
  work: () => Promise<R>,
): Promise<R | Refused<'sealed'>> {
  try {
    return await work()
  } catch (error) {
    const refused = sealedMeanwhile(core, error)
    if (refused) return refused
    throw error
  }
}

/** A handle whose methods refuse when the service is sealed while they work. */
export function guarded<H extends object>(core: Pick<Core, 'barrier'>, handle: H): H {
  const refusedOr = (error: unknown) => {
    const refused = sealedMeanwhile(core, error)
    if (refused) return refused
    throw error
  }
  const guard = (member: unknown): unknown =>
    typeof member === 'function'
      ? (...given: readonly unknown[]) => {
          const answer: unknown = Reflect.apply(member, undefined, given)
          return answer instanceof Promise ? answer.catch(refusedOr) : answer
        }
      : member
  const members = new Map<PropertyKey, unknown>()
  return new Proxy(handle, {
    get: (target, name) => {
      if (!members.has(name)) members.set(name, guard(Reflect.get(target, name)))
      return members.get(name)
    },
  })
}
