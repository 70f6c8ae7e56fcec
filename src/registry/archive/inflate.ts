import { ArchiveProblem, invalid } from './problem.ts'
import type { Unpacking } from './source.ts'

/** Unpacks a stream of bytes; invalid bytes are a problem of the archive. */
export async function* inflate(
  unpacking: Unpacking,
  format: 'gzip' | 'deflate-raw',
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* unpacking.inflate(format, packed)
  } catch (error) {
    if (error instanceof ArchiveProblem || !isAboutBytes(error)) throw error
    throw invalid(`the archive is damaged or cut off: ${error.message}`)
  }
}

/** The host's error codes for invalid bytes; any other error comes from their source. */
const isAboutBytes = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
