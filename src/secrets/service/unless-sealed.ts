import type { Refused } from '../../kernel/index.ts'
import type { Core } from './core.ts'

/** Does work that needs an open service; one that is sealed meanwhile refuses, as one that is sealed already does. */
export async function unlessSealed<R>(
  core: Pick<Core, 'barrier'>,
  work: () => Promise<R>,
): Promise<R | Refused<'sealed'>> {
  try {
    return await work()
  } catch (error) {
    const refused = core.barrier.interrupted(error)
    if (refused) return refused
    throw error
  }
}

/** A handle whose methods refuse when the service is sealed while they work. */
export function guarded<H extends object>(core: Pick<Core, 'barrier'>, handle: H): H {
  const refusedOr = (error: unknown) => {
    const refused = core.barrier.interrupted(error)
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
