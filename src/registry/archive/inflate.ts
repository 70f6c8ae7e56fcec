import { ArchiveProblem, invalid } from './problem.ts'
import type { Unpack } from './source.ts'

/** Unpacks bytes while they come; what cannot be unpacked is a problem of the archive. */
export async function* inflate(
  unpack: Unpack,
  format: 'gzip' | 'deflate-raw',
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* unpack(format, packed)
  } catch (error) {
    if (error instanceof ArchiveProblem || !isAboutBytes(error)) throw error
    throw invalid(`the archive is damaged or cut off: ${error.message}`)
  }
}

/** What the host says of bytes that it cannot unpack; anything else is a failure of where they come from. */
const isAboutBytes = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
