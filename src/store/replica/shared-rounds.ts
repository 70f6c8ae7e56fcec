import { nextMacrotask } from '../../kernel/next-macrotask.ts'

/**
 * Sequential rounds of one kind. Callers of the same turn share a round, as do those that arrive during one: the running
 * one may have read before they asked.
 */
export function sharedRounds(round: () => Promise<void>): () => Promise<void> {
  let queue: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = []
  let running = false
  const serve = async () => {
    running = true
    do {
      // Callers that were just answered may ask again immediately: a round without them would be followed by another.
      await nextMacrotask()
      const served = queue
      queue = []
      try {
        await round()
        for (const caller of served) caller.resolve()
      } catch (error) {
        for (const caller of served) caller.reject(error)
      }
    } while (queue.length > 0)
    running = false
  }
  return () =>
    new Promise((resolve, reject) => {
      queue.push({ resolve, reject })
      if (!running) void serve()
    })
}
