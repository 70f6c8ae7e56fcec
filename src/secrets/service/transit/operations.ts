import * as z from 'zod'
import { argument, expected, like, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { TransitConfigInput, TransitKey } from '../../transit/index.ts'
import { found } from '../core/answer.ts'
import { named, text } from '../core/arguments.ts'
import type { Sited } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { unknownKey } from './service.ts'

/** The options of a new key. */
interface KeyInput {
  /** `aes256-gcm96` by default, `ed25519` or `ecdsa-p256`. */
  readonly type?: string | undefined
  readonly exportable?: boolean | undefined
}
interface UseInput {
  /** The version that encrypts; 0 for the latest. */
  readonly keyVersion?: number | undefined
  /** Associated data: decryption needs the same. */
  readonly associatedData?: Uint8Array | undefined
}

const name = named('name')
/** Checked by hand, because they come with every call. */
const bytes = (called: string) =>
  argument<Uint8Array>(called, (given) =>
    given instanceof Uint8Array ? undefined : expected('Uint8Array', given),
  )
const key = optionalArgument(
  argument<KeyInput>(
    'input',
    fields(z.object({ type: z.string(), exportable: z.boolean() }).partial().shape),
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
      })
      .partial().shape,
  ),
)
const use = optionalArgument(
  argument<UseInput>(
    'input',
    fields(z.object({ keyVersion: z.int(), associatedData: z.instanceof(Uint8Array) }).partial().shape),
  ),
)

const using = [
  'transit_key_unknown',
  'transit_unsupported',
  'transit_version_invalid',
  'transit_input_invalid',
] as const

/** The readable fields of a key: all but its material. */
const shown = ({ versions: _never, ...key }: TransitKey) => key

/** The operations on the keys of a transit engine. */
export const transitOperations = {
  /** The names of all keys, sorted. */
  listKeys: operation({
    takes: [],
    refuses: [],
    run: async (at: Sited) => found(await at.services.transit.list(at)),
  }),
  /** A key without its material; `undefined` for none. */
  readKey: operation({
    takes: [name],
    refuses: [],
    run: async (at: Sited, name: string) => {
      const key = await at.services.transit.read(at, name)
      return found(key && shown(key))
    },
  }),
  /** Creates a key; an existing one stays unchanged. */
  createKey: operation({
    takes: [name, key],
    refuses: ['mount_gone', 'transit_key_invalid'],
    run: async (at: Sited, name: string, input: KeyInput = {}) => {
      const made = await at.services.transit.create(at, { ...input, name })
      return made.ok ? found(shown(made.value)) : made
    },
  }),
  /** Adds a version, which encrypts and signs from now on. */
  rotateKey: operation({
    takes: [name],
    refuses: ['mount_gone', 'transit_key_unknown'],
    run: async (at: Sited, name: string) => {
      const rotated = await at.services.transit.rotate(at, name)
      return rotated.ok ? found(shown(rotated.value)) : rotated
    },
  }),
  /** Changes which versions encrypt and decrypt, and whether the key can be deleted. */
  configureKey: operation({
    takes: [name, config],
    refuses: ['mount_gone', 'transit_key_unknown', 'transit_version_invalid'],
    run: async (at: Sited, name: string, input: TransitConfigInput) => {
      const configured = await at.services.transit.configure(at, name, input)
      return configured.ok ? found(shown(configured.value)) : configured
    },
  }),
  /** Deletes the material of the versions before one permanently. */
  trimKey: operation({
    takes: [name, argument<number>('minAvailableVersion', like(z.int()))],
    refuses: ['mount_gone', 'transit_key_unknown', 'transit_version_invalid'],
    run: async (at: Sited, name: string, minAvailableVersion: number) => {
      const trimmed = await at.services.transit.trim(at, name, minAvailableVersion)
      return trimmed.ok ? found(shown(trimmed.value)) : trimmed
    },
  }),
  /** Deletes a key that allows it. */
  deleteKey: operation({
    takes: [name],
    refuses: ['mount_gone', 'transit_key_unknown', 'transit_key_invalid'],
    run: (at: Sited, name: string) => at.services.transit.delete(at, name),
  }),
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
  encrypt: operation({
    takes: [name, bytes('plaintext'), use],
    refuses: using,
    run: async (at: Sited, name: string, plaintext: Uint8Array, input: UseInput = {}) => {
      const key = await at.services.transit.read(at, name)
      if (key === undefined) return unknownKey()
      const made = at.services.transit.encrypt(key, plaintext, input)
      return made.ok ? found(made.value.text) : made
    },
  }),
  /** Decrypts the result of {@link transitOperations.encrypt}. */
  decrypt: operation({
    takes: [name, text('ciphertext'), use],
    refuses: using,
    run: async (at: Sited, name: string, ciphertext: string, input: UseInput = {}) => {
      const key = await at.services.transit.read(at, name)
      return key === undefined ? unknownKey() : at.services.transit.decrypt(key, ciphertext, input)
    },
  }),
  /** Re-encrypts with the latest version, without revealing the plaintext. */
  rewrap: operation({
    takes: [name, text('ciphertext'), use],
    refuses: using,
    run: async (at: Sited, name: string, ciphertext: string, input: UseInput = {}) => {
      const key = await at.services.transit.read(at, name)
      if (key === undefined) return unknownKey()
      const made = at.services.transit.rewrap(key, ciphertext, input)
      return made.ok ? found(made.value.text) : made
    },
  }),
  /** Signs bytes; with SHA-256 for an ECDSA key. */
  sign: operation({
    takes: [name, bytes('data')],
    refuses: using,
    run: async (at: Sited, name: string, data: Uint8Array) => {
      const key = await at.services.transit.read(at, name)
      if (key === undefined) return unknownKey()
      const made = at.services.transit.sign(key, data)
      return made.ok ? found(made.value.text) : made
    },
  }),
  /** Whether a signature is of these bytes. */
  verify: operation({
    takes: [name, bytes('data'), text('signature')],
    refuses: using,
    run: async (at: Sited, name: string, data: Uint8Array, signature: string) => {
      const key = await at.services.transit.read(at, name)
      return key === undefined ? unknownKey() : at.services.transit.verify(key, data, { signature })
    },
  }),
  /** A keyed digest of some bytes, with SHA-256. */
  hmac: operation({
    takes: [name, bytes('data')],
    refuses: using,
    run: async (at: Sited, name: string, data: Uint8Array) => {
      const key = await at.services.transit.read(at, name)
      if (key === undefined) return unknownKey()
      const made = at.services.transit.hmac(key, data)
      return made.ok ? found(made.value.text) : made
    },
  }),
}

/** A transit engine, for programs that embed the service. */
export interface TransitHandle extends SecretsMethods<typeof transitOperations, 'mount_gone'> {}
