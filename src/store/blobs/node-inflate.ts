import { Readable } from 'node:stream'
import { createGunzip, createInflateRaw } from 'node:zlib'

/** Large enough that the way to a thread and back is no matter, small enough that nothing waits for one. */
const chunkSize = 128 * 1024

/**
 * Unpacks bytes while they come, in threads of the host, and not ahead of who reads: what a few bytes unpack to is never
 * in memory as a whole. Throws what the host says of bytes that are damaged or end early, with a code that begins with `Z_`.
 */
export async function* nodeInflate(
  format: 'gzip' | 'deflate-raw',
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const unpacking = format === 'gzip' ? createGunzip({ chunkSize }) : createInflateRaw({ chunkSize })
  const source = Readable.from(packed)
  source.on('error', (error) => unpacking.destroy(error))
  source.pipe(unpacking)
  try {
    yield* unpacking
  } finally {
    source.destroy()
    unpacking.destroy()
  }
}
