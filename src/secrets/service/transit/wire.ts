import * as z from 'zod'
import { fromBase64 } from '../../../crypto/index.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import { transitKeyTypes } from '../../transit/key-types.ts'
import type { TransitKey } from '../../transit/model.ts'
import { body, integerField, textField } from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'
import { publicText } from './material.ts'

/** Decodes base64 with its padding, without which the original refuses it. */
export const paddedBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  text.length % 4 === 0 ? fromBase64(text) : undefined

/** Bytes of a request, in base64. Errors never repeat the text: it may be secret. */
export function bytesGiven(
  text: string | undefined,
  what: string,
): Answer<Uint8Array, 'transit_input_invalid'> {
  if (text === undefined) return refuse('transit_input_invalid', `missing ${what}`)
  const bytes = paddedBase64(text)
  return bytes === undefined
    ? refuse('transit_input_invalid', `failed to base64-decode ${what}`)
    : { ok: true, value: bytes }
}

/** Fields of a request, or of each item in its batch. */
const itemFields = {
  plaintext: textField,
  ciphertext: textField,
  input: textField,
  signature: textField,
  hmac: textField,
  key_version: integerField,
  associated_data: textField,
  context: textField,
  nonce: textField,
  reference: textField,
}
const Item = z.object(itemFields)
export interface Item extends z.output<typeof Item> {}

/** The fields of a request for an operation with a key. */
export const UseBody = body({
  ...itemFields,
  batch_input: z.array(Item, { error: 'expected a list of maps' }).nullish(),
  algorithm: textField,
  hash_algorithm: textField,
  signature_algorithm: textField,
  marshaling_algorithm: textField,
  prehashed: z.boolean().nullish(),
  type: textField,
  bits: integerField,
})
export interface UseBody extends z.output<typeof UseBody> {}

const text = z.string()
const flag = z.boolean()
const Version = z.object({ creation_time: text, name: text, public_key: text })
export const KeyReply = enveloped(
  z.object({
    allow_plaintext_backup: flag,
    auto_rotate_period: z.int(),
    deletion_allowed: flag,
    derived: flag,
    kdf: text.optional(),
    convergent_encryption: flag.optional(),
    exportable: flag,
    imported_key: flag,
    keys: z.record(text, z.int().or(Version)),
    latest_version: z.int(),
    min_available_version: z.int(),
    min_decryption_version: z.int(),
    min_encryption_version: z.int(),
    name: text,
    supports_decryption: flag,
    supports_derivation: flag,
    supports_encryption: flag,
    supports_signing: flag,
    type: text,
  }),
).meta({ id: 'TransitKey' })
export const BackupReply = enveloped(z.object({ backup: text }))
export const ExportReply = enveloped(z.object({ name: text, type: text, keys: z.record(text, text) }))
export const UseReply = enveloped(
  z.object({
    ciphertext: text.optional(),
    plaintext: text.optional(),
    hmac: text.optional(),
    signature: text.optional(),
    valid: flag.optional(),
    key_version: z.int().optional(),
    batch_results: z.array(z.record(text, z.unknown())).optional(),
  }),
).meta({ id: 'TransitAnswer' })

const curves = { ed25519: 'ed25519', 'ecdsa-p256': 'P-256' } as const

/** The readable fields of a key: the creation time of each version, and the public keys, if there are any. */
export function keyWire(key: TransitKey) {
  const { type } = key
  const { encrypts, signs, derives } = transitKeyTypes[type]
  const keys = Object.entries(key.versions).map(([version, made]) => [
    version,
    type === 'aes256-gcm96'
      ? Math.floor(made.createdAt / 1000)
      : { creation_time: timeText(made.createdAt), name: curves[type], public_key: publicText(type, made) },
  ])
  return {
    allow_plaintext_backup: key.allowPlaintextBackup ?? false,
    auto_rotate_period: 0,
    deletion_allowed: key.deletionAllowed,
    derived: key.derived ?? false,
    ...(key.derived ? { kdf: 'hkdf_sha256', convergent_encryption: false } : {}),
    exportable: key.exportable,
    imported_key: false,
    keys: Object.fromEntries(keys),
    latest_version: key.latestVersion,
    // 0 if nothing was trimmed.
    min_available_version: key.minAvailableVersion === 1 ? 0 : key.minAvailableVersion,
    min_decryption_version: key.minDecryptionVersion,
    min_encryption_version: key.minEncryptionVersion,
    name: key.name,
    supports_decryption: encrypts,
    supports_derivation: derives,
    supports_encryption: encrypts,
    supports_signing: signs,
    type,
  }
}
