/** The bytes of a stored archive, readable in any order. */
export interface ArchiveSource {
  readonly size: number
  /** The bytes from `start` up to `end`, which is exclusive. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>
  readonly unpacking: Unpacking
}

/** What the host does with the bytes of archives. */
export interface Unpacking {
  /**
   * Decompresses bytes off the event loop, and no faster than the reader. For invalid bytes it throws an error whose
   * code begins with `Z_`.
   */
  readonly inflate: (
    format: 'gzip' | 'deflate-raw',
    packed: AsyncIterable<Uint8Array>,
  ) => AsyncIterable<Uint8Array>
  /** The CRC-32 of zip archives; `before` is that of the preceding bytes. */
  readonly crc32: (bytes: Uint8Array, before: number) => number
}

/** Concatenates some bytes. */
export async function bytesOf(source: ArchiveSource, start: number, end: number): Promise<Uint8Array> {
  const whole = new Uint8Array(end - start)
  let filled = 0
  for await (const chunk of source.read(start, end)) {
    whole.set(chunk, filled)
    filled += chunk.length
  }
  return whole.subarray(0, filled)
}
