/** The bytes of a stored archive, readable in any order. */
export interface ArchiveSource {
  readonly size: number
  /** The bytes from `start` up to `end`, which is exclusive. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>
  readonly unpack: Unpack
}

/**
 * Decompresses bytes with the host: off the event loop, and no faster than the reader. For invalid bytes it throws an
 * error whose code begins with `Z_`.
 */
export type Unpack = (
  format: 'gzip' | 'deflate-raw',
  packed: AsyncIterable<Uint8Array>,
) => AsyncIterable<Uint8Array>

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
