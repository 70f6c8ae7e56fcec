/** Reads a stream of bytes in chunks of the requested size. */
export interface ByteReader {
  /** The number of bytes read so far. */
  readonly position: () => number
  /** Reads this many bytes, or fewer at the end of the stream. */
  readonly take: (count: number) => Promise<Uint8Array>
  /** Reads this many bytes in chunks as they arrive; unread ones stay in the stream. Fewer at the end of the stream. */
  readonly chunks: (count: number) => AsyncGenerator<Uint8Array, void>
  /** Skips a number of bytes; returns how many there were. */
  readonly skip: (count: number) => Promise<number>
  /** Releases the stream. */
  readonly close: () => Promise<void>
}

export function byteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let chunk: Uint8Array = new Uint8Array(0)
  let at = 0
  let position = 0

  /** Some of the next bytes, up to a maximum; none at the end of the stream. */
  const some = async (count: number): Promise<Uint8Array> => {
    while (at === chunk.length) {
      const next = await chunks.next()
      if (next.done) return chunk.subarray(at)
      chunk = next.value
      at = 0
    }
    const part = chunk.subarray(at, at + count)
    at += part.length
    position += part.length
    return part
  }

  return {
    position: () => position,
    take: async (count) => {
      const first = await some(count)
      if (first.length === count || first.length === 0) return first
      const whole = new Uint8Array(count)
      whole.set(first)
      let filled = first.length
      while (filled < count) {
        const part = await some(count - filled)
        if (part.length === 0) break
        whole.set(part, filled)
        filled += part.length
      }
      return whole.subarray(0, filled)
    },
    chunks: async function* (count) {
      for (let left = count; left > 0; ) {
        const part = await some(left)
        if (part.length === 0) return
        left -= part.length
        yield part
      }
    },
    skip: async (count) => {
      let left = count
      while (left > 0) {
        const part = await some(left)
        if (part.length === 0) break
        left -= part.length
      }
      return count - left
    },
    close: async () => {
      await chunks.return?.()
    },
  }
}
