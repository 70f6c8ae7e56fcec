import * as z from 'zod'
import { type Env, type Outcome, refuse } from '../../../kernel/index.ts'
import { argument, like, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation, showing } from '../../../operation/operation.ts'
import { restoreTransitKey, transitBackupProblem } from '../../transit/backup-key.ts'
import {
  configureTransitKey,
  rotateTransitKey,
  transitDeletionProblem,
  trimTransitKey,
} from '../../transit/change-key.ts'
import { createTransitKey } from '../../transit/create-key.ts'
import type { TransitConfigInput, TransitKey } from '../../transit/index.ts'
import { isTransitKeyType } from '../../transit/key-types.ts'
import type { TransitEvent } from '../../transit/model.ts'
import { found } from '../core/answer.ts'
import { named, text } from '../core/arguments.ts'
import { changeAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { backupText, readBackup } from './backup.ts'
import { transitDataOperations } from './data-operations.ts'
import { keyNow, unknownKey } from './find-key.ts'
import { drawMaterial } from './material.ts'
import { transitKeys } from './records.ts'

/** The options of a new key. */
interface KeyInput {
  /** `aes256-gcm96` by default, `ed25519` or `ecdsa-p256`. */
  readonly type?: string | undefined
  readonly exportable?: boolean | undefined
  /** Whether each use needs a context, from which and the key its own key is derived. */
  readonly derived?: boolean | undefined
  /** Whether {@link transitOperations.backupKey} may show its material, if it is exportable, too. */
  readonly allowPlaintextBackup?: boolean | undefined
}
interface RestoreInput {
  /** The name of the restored key; its own by default. */
  readonly name?: string | undefined
  /** Whether an existing key is replaced. */
  readonly force?: boolean | undefined
}
const name = named('name')
const key = optionalArgument(
  argument<KeyInput>(
    'input',
    fields(
      z
        .object({
          type: z.string(),
          exportable: z.boolean(),
          derived: z.boolean(),
          allowPlaintextBackup: z.boolean(),
        })
        .partial().shape,
    ),
  ),
)
const config = argument<TransitConfigInput>(
  'input',
  fields(
    z
      .object({
        minDecryptionVersion: z.int(),
        minEncryptionVersion: z.int(),
        deletionAllowed: z.boolean(),
        exportable: z.boolean(),
        allowPlaintextBackup: z.boolean(),
      })
      .partial().shape,
  ),
)
const restored = optionalArgument(
  argument<RestoreInput>('input', fields(z.object({ name: z.string(), force: z.boolean() }).partial().shape)),
)
/** Decides about a key, and stores it if it changed. */
const change = <Code extends string>(
  at: Sited,
  name: string,
  decide: (before: TransitKey | undefined, env: Env) => Outcome<TransitKey, TransitKey, TransitEvent, Code>,
) =>
  changeAt<TransitKey, Code, TransitEvent>(at, (tx, env) => {
    const before = tx.get(transitKeys, at.mount.id, name)?.value.key
    const decided = decide(before, env)
    if (decided.ok && decided.state !== before)
      tx.put(transitKeys, { mount: at.mount.id, key: decided.state })
    return decided
  })

/** The operations on the keys of a transit engine. */
export const transitOperations = {
  /**
   * The names of all keys, sorted.
   *
   * @example await secrets.transit().listKeys()
   */
  listKeys: operation({
    takes: [],
    refuses: [],
    run: async ({ core, mount }: Sited) =>
      found(transitKeys.list(await core.fresh(), mount.id).map(({ value }) => value.key.name)),
  }),
  readKey: operation({
    takes: [name],
    refuses: [],
    run: async (at: Sited, name: string) => found(await keyNow(at, name)),
  }),
  createKey: operation({
    takes: [name, key],
    refuses: ['mount_gone', 'transit_key_invalid'],
    run: (at: Sited, name: string, input: KeyInput = {}) => {
      const type = input.type || 'aes256-gcm96'
      // Generated before the commit, which may be decided several times.
      const material = isTransitKeyType(type)
        ? drawMaterial(at.core.crypto, type)
        : { key: '', hmacKey: '', publicKey: null }
      return change(at, name, (before, env) =>
        createTransitKey(before, { ...input, name, type, material }, env),
      )
    },
  }),
  rotateKey: operation({
    takes: [name],
    refuses: ['mount_gone', 'transit_key_unknown'],
    run: async (at: Sited, name: string) => {
      const key = await keyNow(at, name)
      if (key === undefined) return unknownKey()
      const material = drawMaterial(at.core.crypto, key.type)
      return change(at, name, (before, env) =>
        // The key was deleted and created with another type meanwhile: the new material does not fit it.
        before?.type === key.type ? rotateTransitKey(before, { material }, env) : unknownKey(),
      )
    },
  }),
  configureKey: operation({
    takes: [name, config],
    refuses: ['mount_gone', 'transit_key_unknown', 'transit_version_invalid'],
    run: (at: Sited, name: string, input: TransitConfigInput) =>
      change(at, name, (before, env) => (before ? configureTransitKey(before, input, env) : unknownKey())),
  }),
  trimKey: operation({
    takes: [name, argument<number>('minAvailableVersion', like(z.int()))],
    refuses: ['mount_gone', 'transit_key_unknown', 'transit_version_invalid'],
    run: (at: Sited, name: string, minAvailableVersion: number) =>
      change(at, name, (before, env) =>
        before ? trimTransitKey(before, { minAvailableVersion }, env) : unknownKey(),
      ),
  }),
  /**
   * Returns a key with all its versions as text, if its settings allow that; {@link transitOperations.restoreKey} reads
   * it.
   *
   * @example await secrets.transit().backupKey('app')
   */
  backupKey: operation({
    takes: [name],
    refuses: ['transit_key_unknown', 'transit_backup_refused'],
    run: async (at: Sited, name: string) => {
      const key = await keyNow(at, name)
      if (key === undefined) return unknownKey()
      return transitBackupProblem(key) ?? found(backupText(key))
    },
  }),
  /** Restores a key from its backup. */
  restoreKey: operation({
    takes: [text('backup'), restored],
    refuses: ['mount_gone', 'transit_input_invalid', 'transit_key_invalid', 'transit_backup_refused'],
    run: async (at: Sited, backup: string, input: RestoreInput = {}) => {
      const key = readBackup(at.core.crypto, backup)
      if (key === undefined) return refuse('transit_input_invalid', 'the backup is not one of a transit key')
      return change(at, input.name ?? key.name, (before, env) =>
        restoreTransitKey(before, { key, ...input }, env),
      )
    },
  }),
  /**
   * Deletes a key that allows it.
   *
   * @example await secrets.transit().deleteKey('app')
   */
  deleteKey: operation({
    takes: [name],
    refuses: ['mount_gone', 'transit_key_unknown', 'transit_key_invalid'],
    run: (at: Sited, name: string) =>
      changeAt<boolean, 'transit_key_unknown' | 'transit_key_invalid', TransitEvent>(at, (tx) => {
        const before = tx.get(transitKeys, at.mount.id, name)?.value.key
        if (before === undefined)
          return refuse(
            'transit_key_unknown',
            `error deleting policy ${name}: could not delete key; not found`,
          )
        const problem = transitDeletionProblem(before)
        if (problem) return problem
        tx.delete(transitKeys, at.mount.id, name)
        return { ok: true, value: true, events: [{ type: 'transit.key_deleted', key: name }] }
      }),
  }),
  ...transitDataOperations,
}

/** The readable fields of a key: all but its material. */
const shown = ({ versions: _never, ...key }: TransitKey) => key

/** The operations as typed methods, which never show the material of a key. */
export const transitMethods = {
  ...transitOperations,
  // Docstrings of another file do not reach the declarations by a spread.
  /**
   * Encrypts some bytes. The ciphertext contains the version of the key.
   *
   * @example
   * ```ts
   * import { unwrap } from 'plinth'
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.mounts.enable({ path: 'transit/', type: 'transit' })
   * await service.transit().createKey('orders')
   * const card = new TextEncoder().encode('4111 1111 1111 1111')
   * const ciphertext = unwrap(await service.transit().encrypt('orders', card))
   * ciphertext.startsWith('vault:v1:') // true
   * const plain = unwrap(await service.transit().decrypt('orders', ciphertext))
   * new TextDecoder().decode(plain) // '4111 1111 1111 1111'
   * await service.close()
   * ```
   */
  encrypt: transitOperations.encrypt,
  /**
   * Decrypts the result of {@link transitMethods.encrypt}.
   *
   * @example await secrets.transit().decrypt('app', ciphertext)
   */
  decrypt: transitOperations.decrypt,
  /**
   * Re-encrypts with the latest version, without revealing the plaintext.
   *
   * @example await secrets.transit().rewrap('app', ciphertext)
   */
  rewrap: transitOperations.rewrap,
  /**
   * Signs bytes; with SHA-256 for an ECDSA key.
   *
   * @example await secrets.transit().sign('signer', new TextEncoder().encode('text'))
   */
  sign: transitOperations.sign,
  /**
   * Whether a signature is of these bytes.
   *
   * @example await secrets.transit().verify('signer', new TextEncoder().encode('text'), signature)
   */
  verify: transitOperations.verify,
  /**
   * A keyed digest of some bytes, with SHA-256.
   *
   * @example await secrets.transit().hmac('app', new TextEncoder().encode('text'))
   */
  hmac: transitOperations.hmac,
  /**
   * A key without its material; `undefined` for none.
   *
   * @example await secrets.transit().readKey('app')
   */
  readKey: showing(transitOperations.readKey, (key) => key && shown(key)),
  /**
   * Creates a key; an existing one stays unchanged.
   *
   * @example await secrets.transit().createKey('orders', { type: 'ed25519' })
   */
  createKey: showing(transitOperations.createKey, shown),
  /**
   * Adds a version, which encrypts and signs from now on.
   *
   * @example await secrets.transit().rotateKey('app')
   */
  rotateKey: showing(transitOperations.rotateKey, shown),
  /**
   * Changes which versions encrypt and decrypt, and whether the key can be deleted.
   *
   * @example await secrets.transit().configureKey('app', { deletionAllowed: true })
   */
  configureKey: showing(transitOperations.configureKey, shown),
  /**
   * Restores a key from its backup.
   *
   * @example await secrets.transit().restoreKey(backup, { name: 'restored' })
   */
  restoreKey: showing(transitOperations.restoreKey, shown),
  /**
   * Deletes the material of the versions before one permanently.
   *
   * @example await secrets.transit().trimKey('app', 1)
   */
  trimKey: showing(transitOperations.trimKey, shown),
}

/** A transit engine, for programs that embed the service. */
export interface TransitHandle extends SecretsMethods<typeof transitMethods, 'mount_gone'> {}
