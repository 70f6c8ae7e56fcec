import { lifecycle } from '../../kernel/index.ts'
import type { TransitKey } from './model.ts'

/**
 * The lifecycle of a key version. Read: from → event → to. The final states have no exits.
 */
export const transitVersionLifecycle = /* @__PURE__ */ lifecycle({
  /** Encrypts and decrypts, signs and verifies. */
  usable: { retire: 'decrypting', forbid: 'forbidden' },
  /** Decrypts and verifies only. */
  decrypting: { restore: 'usable', forbid: 'forbidden' },
  /** Kept, and does nothing. */
  forbidden: { allow: 'decrypting', restore: 'usable', trim: 'trimmed' },
  /** Its material is gone. */
  trimmed: {},
})

/** The state of a key version, by its permitted operations. */
export type TransitVersionStatus = keyof typeof transitVersionLifecycle

/**
 * The current state of a key version; `undefined` for a version that never existed.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { configureTransitKey, createTransitKey, rotateTransitKey, transitVersionStatus } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const first = unwrapStep(createTransitKey(undefined, { name: 'orders', material }, env)).state
 * const second = unwrapStep(rotateTransitKey(first, { material }, env)).state
 * const key = unwrapStep(configureTransitKey(second, { minDecryptionVersion: 2 }, env)).state
 * transitVersionStatus(second, 1) // 'usable'
 * transitVersionStatus(key, 1) // 'forbidden'
 * transitVersionStatus(key, 3) // undefined
 * ```
 */
export function transitVersionStatus(key: TransitKey, version: number): TransitVersionStatus | undefined {
  if (!Number.isInteger(version) || version < 1 || version > key.latestVersion) return undefined
  if (version < key.minAvailableVersion) return 'trimmed'
  if (version < key.minDecryptionVersion) return 'forbidden'
  return version < key.minEncryptionVersion ? 'decrypting' : 'usable'
}
