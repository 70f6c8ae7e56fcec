import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import { isTransitKeyType, transitKeyTypes } from './key-types.ts'
import type { TransitEvent, TransitKey, TransitMaterial } from './model.ts'

/** The options of a new key. */
export interface TransitKeyInput {
  readonly name: string
  /** One of {@link transitKeyTypes}; `aes256-gcm96` by default. */
  readonly type?: string | undefined
  /** Whether its material may be exported. Cannot be unset. */
  readonly exportable?: boolean | undefined
  /** Whether each use derives a key from this one and the context of the request. Cannot be changed. */
  readonly derived?: boolean | undefined
  /** Whether its material may be backed up in the clear, if it is exportable, too. Cannot be unset. */
  readonly allowPlaintextBackup?: boolean | undefined
  /** The material of its first version. */
  readonly material: TransitMaterial
}

/**
 * Creates a key with its first version. An existing one of that name and type stays unchanged.
 *
 * @returns the key; or `transit_key_invalid` for an invalid name or type, or if the existing key has another type
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { createTransitKey } from 'plinth/transit'
 *
 * const env = { now: 0, newId: () => 'i' }
 * const material = { key: 'a2V5', hmacKey: 'aG1hYw==', publicKey: null }
 * const { state } = unwrapStep(createTransitKey(undefined, { name: 'orders', material }, env))
 * state.type // 'aes256-gcm96'
 * state.latestVersion // 1
 * ```
 */
export function createTransitKey(
  key: TransitKey | undefined,
  input: TransitKeyInput,
  env: Env,
): Outcome<TransitKey, TransitKey, TransitEvent, 'transit_key_invalid'> {
  checkInput(
    input,
    { name: '', material: {} },
    { type: '', exportable: false, derived: false, allowPlaintextBackup: false },
    env,
  )
  const { name, material } = input
  const type = input.type || 'aes256-gcm96'
  if (!isTransitKeyType(type))
    return refuse('transit_key_invalid', `unknown key type ${JSON.stringify(type)}`)
  const wrong = nameProblem('name', name)
  if (wrong !== undefined || !/^\w(?:[\w.-]*\w)?$/.test(name))
    return refuse('transit_key_invalid', wrong ?? 'a key name has letters, digits, "_", "-" and "." only')
  const { derived = false, exportable = false, allowPlaintextBackup = false } = input
  if (derived && !transitKeyTypes[type].derives)
    return refuse('transit_key_invalid', `keys of type ${type} cannot be derived`)
  if (key !== undefined)
    return key.type === type
      ? answer(key, key)
      : refuse('transit_key_invalid', `the key ${JSON.stringify(name)} already exists with type ${key.type}`)
  const made: TransitKey = {
    name,
    type,
    createdAt: env.now,
    latestVersion: 1,
    minAvailableVersion: 1,
    minDecryptionVersion: 1,
    minEncryptionVersion: 0,
    deletionAllowed: false,
    exportable,
    derived,
    allowPlaintextBackup,
    versions: { 1: { createdAt: env.now, ...material } },
  }
  return { ok: true, state: made, value: made, events: [{ type: 'transit.key_created', key: name }] }
}
