import { createHash } from 'node:crypto'
import type { Hashing } from './blobs.ts'

/**
 * Digests over `node:crypto`.
 */
export const nodeHashing: Hashing = (name) => {
  const hash = createHash(name)
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') }
}
