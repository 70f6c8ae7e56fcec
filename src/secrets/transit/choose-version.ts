import { type Answer, refuse } from '../../kernel/index.ts'
import type { TransitKey, TransitVersion } from './model.ts'

/** A version of a key and its number. */
export interface ChosenVersion {
  readonly number: number
  readonly version: TransitVersion
}

/**
 * Chooses the version that encrypts or signs.
 *
 * @param asked - the version that the caller wants; 0 for the latest
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createTransitKey, rotateTransitKey, versionToEncrypt } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const key = unwrap(createTransitKey(undefined, { name: 'orders', material }, env))
 * const rotated = unwrap(rotateTransitKey(key, { material }, env))
 * unwrap(versionToEncrypt(rotated)).number // 2
 * unwrap(versionToEncrypt(rotated, 1)).number // 1
 * versionToEncrypt(rotated, 3).ok // false
 * ```
 */
export function versionToEncrypt(
  key: TransitKey,
  asked: number = 0,
): Answer<ChosenVersion, 'transit_version_invalid'> {
  const no = (message: string) => refuse('transit_version_invalid', message)
  if (asked < 0) return no('requested version for encryption is negative')
  if (asked > key.latestVersion)
    return no('requested version for encryption is higher than the latest key version')
  const number = asked === 0 ? key.latestVersion : asked
  if (number < Math.max(key.minEncryptionVersion, key.minDecryptionVersion))
    return no('requested version for encryption is less than the minimum encryption key version')
  const version = key.versions[number]
  if (version === undefined) throw new Error(`the key ${key.name} lacks its version ${number}`)
  return { ok: true, value: { number, version } }
}

/**
 * Finds the version that decrypts or verifies a text with a version prefix.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createTransitKey, versionToDecrypt } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const key = unwrap(createTransitKey(undefined, { name: 'orders', material }, env))
 * unwrap(versionToDecrypt(key, 1)).version.key // 'a2V5'
 * const tooNew = versionToDecrypt(key, 2)
 * tooNew.ok || tooNew.refusal.message // 'invalid ciphertext: version is too new'
 * ```
 */
export function versionToDecrypt(
  key: TransitKey,
  number: number,
): Answer<ChosenVersion, 'transit_input_invalid'> {
  const no = (message: string) => refuse('transit_input_invalid', message)
  if (number > key.latestVersion) return no('invalid ciphertext: version is too new')
  if (number < key.minDecryptionVersion)
    return no('ciphertext or signature version is disallowed by policy (too old)')
  const version = key.versions[number]
  return version === undefined
    ? no('invalid ciphertext: no such version')
    : { ok: true, value: { number, version } }
}
