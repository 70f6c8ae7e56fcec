import type * as Stream from 'node:stream'
import type * as Zlib from 'node:zlib'
import { hostModule } from '../../kernel/host-module.ts'

const instead = 'publish modules by their URL'
const zlib = (): typeof Zlib => hostModule('node:zlib', instead)

/** Large enough to make the thread hop cheap, small enough to keep latency low. */
const chunkSize = 128 * 1024

/**
 * Unpacks a stream of bytes in host threads, no faster than the reader: the unpacked data is never in memory as a
 * whole. For damaged or incomplete bytes it throws the host's error, with a code that begins with `Z_`.
 */
async function* inflate(
  format: 'gzip' | 'deflate-raw',
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const { Readable } = hostModule<typeof Stream>('node:stream', instead)
  const { createGunzip, createInflateRaw } = zlib()
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

/** What archives need of the host, over `node:zlib`. */
export const nodeUnpacking = {
  inflate,
  crc32: (...given: Parameters<typeof Zlib.crc32>) => zlib().crc32(...given),
}
