import type { Refused } from '../../../kernel/index.ts'
import type { Core } from '../core.ts'

/** Does work that needs an open service; one that is sealed meanwhile refuses, as one that is sealed already does. */
export async function unlessSealed<R>(
  core: Pick<Core, 'barrier'>,
  work: () => Promise<R>,
): Promise<R | Refused<'sealed'>> {
  try {
    return await work()
  } catch (error) {
    const refused = await core.barrier.interrupted(error)
    if (refused) return refused
    throw error
  }
}
