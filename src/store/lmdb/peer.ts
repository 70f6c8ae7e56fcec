import { createRequire } from 'node:module'
import { descriptorAdvice, lacksDescriptors } from '../files/descriptors.ts'
import { missingPeer } from '../files/missing-peer.ts'
import { StoreError } from '../port/errors.ts'

const require = createRequire(import.meta.url)

/**
 * The package `lmdb`, an optional peer. It is required rather than imported, so that its absence is one clear error.
 *
 * @throws Error that names the package to install
 */
export const lmdb: typeof import('lmdb') = loaded()

function loaded() {
  try {
    require.resolve('lmdb')
  } catch (cause) {
    if (lacksDescriptors())
      throw new StoreError('locked', `lmdb cannot be loaded: ${descriptorAdvice}`, cause)
    const error = new Error(missingPeer('plinth/store/lmdb', 'lmdb@3'), { cause })
    throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' })
  }
  return require('lmdb')
}
