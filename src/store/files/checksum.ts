import { crc32 } from 'node:zlib'
import type { Rev } from '../port/port.ts'

/**
 * CRC-32 of an entry: of its key and revisions as well, so that neither a damaged value nor one that belongs to another
 * key, or to another time, passes.
 */
export const entryChecksum = (key: string, text: string, created: Rev, modified: Rev): number => {
  const under = `${key}\u0000${created}\u0000${modified}\u0000`
  // For a short text, a call costs more than a concatenation.
  return text.length <= shortText ? crc32(under + text) : crc32(text, crc32(under))
}

const shortText = 4096

/** CRC-32 of a commit in the log, or of a verdict, under the revision or id it belongs to. */
export const recordChecksum = (under: string | Uint8Array, text: string | Uint8Array): number =>
  crc32(text, crc32(under))
