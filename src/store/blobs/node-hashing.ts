import type * as Crypto from 'node:crypto'
import { hostModule } from '../../kernel/host-module.ts'
import type { Hashing } from './blobs.ts'

/**
 * Digests over `node:crypto`.
 */
export const nodeHashing: Hashing = (name) => {
  const { createHash } = hostModule<typeof Crypto>('node:crypto', 'pass the option blobs')
  const hash = createHash(name)
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') }
}
