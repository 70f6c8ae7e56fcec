import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import type { TransitEvent, TransitKey, TransitMaterial } from './model.ts'

/**
 * Adds a version to a key: it is the one that encrypts and signs from now on.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createTransitKey, rotateTransitKey } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const key = unwrap(createTransitKey(undefined, { name: 'orders', material }, env))
 * unwrap(rotateTransitKey(key, { material }, env)).latestVersion // 2
 * ```
 */
export function rotateTransitKey(
  key: TransitKey,
  input: { readonly material: TransitMaterial },
  env: Env,
): Outcome<TransitKey, TransitKey, TransitEvent> {
  checkInput(input, { material: {} }, {}, env)
  const version = key.latestVersion + 1
  const state = {
    ...key,
    latestVersion: version,
    versions: { ...key.versions, [version]: { createdAt: env.now, ...input.material } },
  }
  return {
    ok: true,
    state,
    value: state,
    events: [{ type: 'transit.key_rotated', key: key.name, version }],
  }
}

/** The changes of a key; omitted fields stay unchanged. */
export interface TransitConfigInput {
  /** The oldest version that decrypts and verifies; 0 counts as 1. */
  readonly minDecryptionVersion?: number | undefined
  /** The oldest version that encrypts and signs; 0 for the latest. */
  readonly minEncryptionVersion?: number | undefined
  readonly deletionAllowed?: boolean | undefined
  /** Cannot be unset. */
  readonly exportable?: boolean | undefined
  /** Cannot be unset. */
  readonly allowPlaintextBackup?: boolean | undefined
}

/**
 * Changes the settings of a key.
 *
 * @returns the key, or `transit_version_invalid` for contradictory versions
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { configureTransitKey, createTransitKey } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const key = unwrap(createTransitKey(undefined, { name: 'orders', material }, env))
 * unwrap(configureTransitKey(key, { deletionAllowed: true })).deletionAllowed // true
 * const tooNew = configureTransitKey(key, { minDecryptionVersion: 2 })
 * tooNew.ok || tooNew.refusal.message // 'cannot set min decryption version of 2, latest key version is 1'
 * ```
 */
export function configureTransitKey(
  key: TransitKey,
  input: TransitConfigInput,
  _env?: Env,
): Outcome<TransitKey, TransitKey, TransitEvent, 'transit_version_invalid'> {
  checkInput(
    input,
    {},
    {
      minDecryptionVersion: 0,
      minEncryptionVersion: 0,
      deletionAllowed: false,
      exportable: false,
      allowPlaintextBackup: false,
    },
  )
  const no = (message: string) => refuse('transit_version_invalid', message)
  const decryption = Math.max(input.minDecryptionVersion ?? key.minDecryptionVersion, 0) || 1
  const encryption = input.minEncryptionVersion ?? key.minEncryptionVersion
  if ((input.minDecryptionVersion ?? 0) < 0) return no('min decryption version cannot be negative')
  if (encryption < 0) return no('min encryption version cannot be negative')
  if (decryption > key.latestVersion)
    return no(
      `cannot set min decryption version of ${decryption}, latest key version is ${key.latestVersion}`,
    )
  if (encryption > key.latestVersion)
    return no(
      `cannot set min encryption version of ${encryption}, latest key version is ${key.latestVersion}`,
    )
  if (encryption > 0 && encryption < decryption)
    return no(
      `cannot set min encryption/decryption values; min encryption version of ${encryption} must be greater than or equal to min decryption version of ${decryption}`,
    )
  if (decryption < key.minAvailableVersion)
    return no(
      `cannot set min decryption version of ${decryption}, the oldest stored version is ${key.minAvailableVersion}`,
    )
  const state: TransitKey = {
    ...key,
    minDecryptionVersion: decryption,
    minEncryptionVersion: encryption,
    deletionAllowed: input.deletionAllowed ?? key.deletionAllowed,
    exportable: key.exportable || (input.exportable ?? false),
    allowPlaintextBackup: key.allowPlaintextBackup || (input.allowPlaintextBackup ?? false),
  }
  return { ok: true, state, value: state, events: [{ type: 'transit.key_configured', key: key.name }] }
}

/**
 * Deletes the material of old versions permanently.
 *
 * @returns the key, or `transit_version_invalid` if a version that still decrypts would be deleted
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { configureTransitKey, createTransitKey, rotateTransitKey, trimTransitKey } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const first = unwrap(createTransitKey(undefined, { name: 'orders', material }, env))
 * const second = unwrap(rotateTransitKey(first, { material }, env))
 * const newest = unwrap(configureTransitKey(second, { minDecryptionVersion: 2, minEncryptionVersion: 2 }))
 * Object.keys(unwrap(trimTransitKey(newest, { minAvailableVersion: 2 })).versions) // ['2']
 * ```
 */
export function trimTransitKey(
  key: TransitKey,
  input: { readonly minAvailableVersion: number },
  _env?: Env,
): Outcome<TransitKey, TransitKey, TransitEvent, 'transit_version_invalid'> {
  checkInput(input, { minAvailableVersion: 0 }, {})
  const { minAvailableVersion: oldest } = input
  const no = (message: string) => refuse('transit_version_invalid', message)
  if (oldest < 1) return no('minimum available version must be positive')
  if (oldest < key.minAvailableVersion) return no('minimum available version cannot be decremented')
  if (oldest > key.latestVersion)
    return no('minimum available version cannot be higher than the latest version')
  if (oldest > 1 && key.minEncryptionVersion === 0)
    return no('minimum available version cannot be set when minimum encryption version is not set')
  if (oldest > key.minDecryptionVersion)
    return no('minimum available version cannot be higher than minimum decryption version')
  if (oldest === key.minAvailableVersion) return answer(key, key)
  const kept = Object.entries(key.versions).filter(([version]) => Number(version) >= oldest)
  const state: TransitKey = { ...key, minAvailableVersion: oldest, versions: Object.fromEntries(kept) }
  return {
    ok: true,
    state,
    value: state,
    events: [{ type: 'transit.key_trimmed', key: key.name, version: oldest }],
  }
}

/**
 * Returns why a key cannot be deleted: its ciphertexts could not be decrypted any more.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { configureTransitKey, createTransitKey, transitDeletionProblem } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const key = unwrap(createTransitKey(undefined, { name: 'orders', material }, env))
 * transitDeletionProblem(key)?.refusal.code // 'transit_key_invalid'
 * transitDeletionProblem(unwrap(configureTransitKey(key, { deletionAllowed: true }))) // undefined
 * ```
 */
export const transitDeletionProblem = (key: TransitKey): Refused<'transit_key_invalid'> | undefined =>
  key.deletionAllowed
    ? undefined
    : refuse('transit_key_invalid', `error deleting policy ${key.name}: deletion is not allowed for this key`)
