import { nextMacrotask } from '../../kernel/next-macrotask.ts'

/**
 * Sequential rounds of one kind. Callers that arrive during a round share the next one: the running one may have read
 * before they asked.
 */
export function sharedRounds(round: () => Promise<void>): () => Promise<void> {
  let queue: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = []
  let running = false
  const serve = async () => {
    running = true
    for (let served = queue; served.length > 0; served = queue) {
      queue = []
      try {
        await round()
        for (const caller of served) caller.resolve()
      } catch (error) {
        for (const caller of served) caller.reject(error)
      }
      if (queue.length > 0) await nextMacrotask()
    }
    running = false
  }
  return () =>
    new Promise((resolve, reject) => {
      queue.push({ resolve, reject })
      if (!running) void serve()
    })
}
