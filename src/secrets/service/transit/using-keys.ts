import { type CryptoPort, type DigestAlgorithm, equalBytes, toBase64 } from '../../../crypto/index.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import { versionToDecrypt, versionToEncrypt } from '../../transit/choose-version.ts'
import { transitKeyTypes } from '../../transit/key-types.ts'
import type { TransitKey, TransitVersion } from '../../transit/model.ts'
import { readTransitText, transitText } from '../../transit/versioned-text.ts'
import { bytesOf } from './material.ts'
import { paddedBase64 } from './wire.ts'

/** The refusals of operations with a key. */
export type TransitUseRefusal = 'transit_unsupported' | 'transit_version_invalid' | 'transit_input_invalid'

/** The result of an operation, and the version of the key. */
export interface TransitMade {
  readonly text: string
  readonly version: number
}

export interface Asked {
  /** The version that encrypts or signs; 0 for the latest. */
  readonly keyVersion?: number | undefined
}
export interface Bound {
  /** What a derived key derives the key of this use from; other keys ignore it. */
  readonly context?: Uint8Array | undefined
  /** The associated data: decryption requires the same. */
  readonly associatedData?: Uint8Array | undefined
}
export interface Signed {
  readonly digest?: DigestAlgorithm | undefined
  /** `asn1` by default; `jws` is the two numbers of an ECDSA signature in base64url. */
  readonly marshaling?: 'asn1' | 'jws' | undefined
}

// The uses of keys are synchronous, so that a batch is a loop.

export const encrypt = (
  crypto: CryptoPort,
  key: TransitKey,
  plain: Uint8Array,
  { keyVersion, associatedData, context }: Asked & Bound = {},
): Answer<TransitMade, TransitUseRefusal> => {
  if (!transitKeyTypes[key.type].encrypts) return unsupported(key, 'encryption')
  const chosen = versionToEncrypt(key, keyVersion)
  if (!chosen.ok) return chosen
  const { number, version } = chosen.value
  const used = keyFor(crypto, key, version, context)
  if (!used.ok) return used
  const sealed = crypto.seal(used.value, plain, associatedData)
  return { ok: true, value: { text: transitText(number, toBase64(sealed)), version: number } }
}

export const decrypt = (
  crypto: CryptoPort,
  key: TransitKey,
  ciphertext: string,
  { associatedData, context }: Bound = {},
): Answer<Uint8Array, TransitUseRefusal> => {
  if (!transitKeyTypes[key.type].encrypts) return unsupported(key, 'decryption')
  const read = readTransitText(ciphertext, 'ciphertext')
  if (!read.ok) return read
  const chosen = versionToDecrypt(key, read.value.version)
  if (!chosen.ok) return chosen
  const sealed = paddedBase64(read.value.base64)
  if (sealed === undefined)
    return refuse('transit_input_invalid', 'invalid ciphertext: could not decode base64')
  const used = keyFor(crypto, key, chosen.value.version, context)
  if (!used.ok) return used
  const plain = crypto.open(used.value, sealed, associatedData)
  return plain === undefined
    ? refuse('transit_input_invalid', 'invalid ciphertext: unable to decrypt')
    : { ok: true, value: plain }
}

/** The key of one use: that of the version, or one derived from it and the context by HKDF with SHA-256. */
function keyFor(
  crypto: CryptoPort,
  { derived }: TransitKey,
  version: TransitVersion,
  context: Uint8Array | undefined,
): Answer<Uint8Array, 'transit_input_invalid'> {
  const { key } = bytesOf(version)
  if (!derived) return { ok: true, value: key }
  if (context === undefined || context.length === 0)
    return refuse('transit_input_invalid', "missing 'context' for key derivation: this is a derived key")
  const extracted = crypto.hmac('sha256', new Uint8Array(32), key)
  // The first block of the expansion is the whole key.
  return { ok: true, value: crypto.hmac('sha256', extracted, Uint8Array.from([...context, 1])) }
}

/** Encrypts a ciphertext again with the current version, without revealing the plaintext. */
export const rewrap = (
  crypto: CryptoPort,
  key: TransitKey,
  ciphertext: string,
  asked: Asked & Bound = {},
) => {
  const plain = decrypt(crypto, key, ciphertext, asked)
  return plain.ok ? encrypt(crypto, key, plain.value, asked) : plain
}

export const hmac = (
  crypto: CryptoPort,
  key: TransitKey,
  data: Uint8Array,
  { keyVersion, digest = 'sha256' }: Asked & Signed = {},
): Answer<TransitMade, TransitUseRefusal> => {
  const chosen = versionToEncrypt(key, keyVersion)
  if (!chosen.ok) return chosen
  const { number, version } = chosen.value
  const made = crypto.hmac(digest, bytesOf(version).hmacKey, data)
  return { ok: true, value: { text: transitText(number, toBase64(made)), version: number } }
}

export const sign = (
  crypto: CryptoPort,
  key: TransitKey,
  data: Uint8Array,
  { keyVersion, digest, marshaling }: Asked & Signed = {},
): Answer<TransitMade, TransitUseRefusal> => {
  if (!transitKeyTypes[key.type].signs) return unsupported(key, 'signing')
  const chosen = versionToEncrypt(key, keyVersion)
  if (!chosen.ok) return chosen
  const { number, version } = chosen.value
  const encoding = marshaling === 'jws' ? 'p1363' : 'der'
  const base64 = toBase64(crypto.sign(bytesOf(version).key, data, { digest, encoding }))
  const spelled = marshaling === 'jws' ? toUrl(base64) : base64
  return { ok: true, value: { text: transitText(number, spelled), version: number } }
}

/** Whether a signature, or a keyed digest, is of that data. */
export const verify = (
  crypto: CryptoPort,
  key: TransitKey,
  data: Uint8Array,
  given: { readonly signature: string } | { readonly hmac: string },
  { digest, marshaling }: Signed = {},
): Answer<boolean, TransitUseRefusal> => {
  const isHmac = 'hmac' in given
  if (!isHmac && !transitKeyTypes[key.type].signs) return unsupported(key, 'verification')
  const what = isHmac ? 'hmac' : 'signature'
  const read = readTransitText(isHmac ? given.hmac : given.signature, what)
  if (!read.ok) return read
  const chosen = versionToDecrypt(key, read.value.version)
  if (!chosen.ok) return chosen
  const { version } = chosen.value
  const bytes = paddedBase64(marshaling === 'jws' && !isHmac ? fromUrl(read.value.base64) : read.value.base64)
  if (bytes === undefined) return refuse('transit_input_invalid', `invalid ${what}: could not decode base64`)
  const encoding = marshaling === 'jws' ? 'p1363' : 'der'
  const valid = isHmac
    ? equalBytes(crypto.hmac(digest ?? 'sha256', bytesOf(version).hmacKey, data), bytes)
    : crypto.verify(bytesOf(version).publicKey, data, bytes, { digest, encoding })
  return { ok: true, value: valid }
}

const unsupported = ({ type }: TransitKey, what: string) =>
  refuse('transit_unsupported', `key type ${type} does not support ${what}`)

const toUrl = (base64: string): string =>
  base64.replace(/[+/]/g, (sign) => (sign === '+' ? '-' : '_')).replace(/=+$/, '')

const fromUrl = (text: string): string => {
  const base64 = text.replace(/[-_]/g, (sign) => (sign === '-' ? '+' : '/'))
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=')
}
