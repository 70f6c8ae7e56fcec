/**
 * Distinguishes a client that disconnected from a store that failed: passes bytes on, and records whether the stream
 * was interrupted.
 */
export function interruptible(body: AsyncIterable<Uint8Array>) {
  let broke = false
  return {
    body: (async function* () {
      const chunks = body[Symbol.asyncIterator]()
      let ended = false
      try {
        for (;;) {
          const next = await chunks.next().catch((error: unknown) => {
            broke = true
            throw error
          })
          if (next.done) break
          yield next.value
        }
        ended = true
      } finally {
        if (!ended && !broke) await chunks.return?.()
      }
    })(),
    broke: () => broke,
  }
}
