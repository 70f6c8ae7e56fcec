import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { createTransitKey } from './create-key.ts'
import type { TransitEvent, TransitKey } from './model.ts'

/**
 * Returns why a key cannot be backed up: a backup shows its material, which its settings must allow.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { configureTransitKey, createTransitKey, transitBackupProblem } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const key = unwrap(createTransitKey(undefined, { name: 'orders', material, exportable: true }, env))
 * transitBackupProblem(key)?.refusal.message // 'plaintext backup is disallowed on the policy'
 * transitBackupProblem(unwrap(configureTransitKey(key, { allowPlaintextBackup: true }))) // undefined
 * ```
 */
export function transitBackupProblem(key: TransitKey): Refused<'transit_backup_refused'> | undefined {
  if (!key.exportable) return refuse('transit_backup_refused', 'exporting is disallowed on the policy')
  return key.allowPlaintextBackup
    ? undefined
    : refuse('transit_backup_refused', 'plaintext backup is disallowed on the policy')
}

/**
 * Restores a key from its backup.
 *
 * @param existing - the key of that name, which only `force` replaces
 * @param input - `key`: what was backed up; `name`: another name for it
 * @returns the key, `transit_backup_refused` for an existing one, or `transit_key_invalid` for an invalid one
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createTransitKey, restoreTransitKey } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const key = unwrap(createTransitKey(undefined, { name: 'orders', material }, env))
 * unwrap(restoreTransitKey(undefined, { key, name: 'invoices' }, env)).name // 'invoices'
 * restoreTransitKey(key, { key }, env).ok // false
 * ```
 */
export function restoreTransitKey(
  existing: TransitKey | undefined,
  input: {
    readonly key: TransitKey
    readonly name?: string | undefined
    readonly force?: boolean | undefined
  },
  env: Env,
): Outcome<TransitKey, TransitKey, TransitEvent, 'transit_backup_refused' | 'transit_key_invalid'> {
  checkInput(input, { key: {} }, { name: '', force: false }, env)
  const { key, name = key.name } = input
  if (existing !== undefined && !input.force)
    return refuse('transit_backup_refused', `key ${JSON.stringify(name)} already exists`)
  const { type, derived, latestVersion, minAvailableVersion, versions } = key
  const [material] = Object.values(versions)
  const stored = Object.keys(versions).map(Number)
  if (
    material === undefined ||
    stored.length !== latestVersion - minAvailableVersion + 1 ||
    Math.min(...stored) !== minAvailableVersion ||
    Math.max(...stored) !== latestVersion ||
    key.minDecryptionVersion < minAvailableVersion ||
    key.minDecryptionVersion > latestVersion ||
    key.minEncryptionVersion > latestVersion
  )
    return refuse('transit_key_invalid', 'the backup has versions that do not fit together')
  // Its name and type are judged as those of a new key.
  const fresh = createTransitKey(undefined, { name, type, derived, material }, env)
  if (!fresh.ok) return fresh
  const state: TransitKey = { ...key, name }
  return { ok: true, state, value: state, events: [{ type: 'transit.key_restored', key: name }] }
}
