import { type CryptoPort, fromBase64, toBase64 } from '../../../crypto/index.ts'
import { type TransitKeyType, transitKeyTypes } from '../../transit/key-types.ts'
import type { TransitMaterial, TransitVersion } from '../../transit/model.ts'

/** Generates the material of a new version of a key. */
export function drawMaterial(crypto: CryptoPort, type: TransitKeyType): TransitMaterial {
  const hmacKey = toBase64(crypto.randomBytes(32))
  switch (type) {
    case 'aes256-gcm96':
      return { key: toBase64(crypto.randomBytes(32)), hmacKey, publicKey: null }
    case 'ed25519':
    case 'ecdsa-p256': {
      const { privateKey, publicKey } = crypto.newSigningKey(type)
      return { key: toBase64(privateKey), hmacKey, publicKey: toBase64(publicKey) }
    }
    default:
      return type satisfies never
  }
}

interface MaterialBytes {
  readonly key: Uint8Array
  readonly hmacKey: Uint8Array
  /** As SPKI; empty for keys without one. */
  readonly publicKey: Uint8Array
}

/** The bytes of a version, decoded once per record. */
const decoded = new WeakMap<TransitVersion, MaterialBytes>()

/** The material of a version as bytes. */
export function bytesOf(version: TransitVersion): MaterialBytes {
  const known = decoded.get(version)
  if (known) return known
  const made = {
    key: stored(version.key),
    hmacKey: stored(version.hmacKey),
    publicKey: stored(version.publicKey ?? ''),
  }
  decoded.set(version, made)
  return made
}

/** The public key for readers: PEM, but the bare 32 bytes in base64 for Ed25519. */
export function publicText(type: TransitKeyType, version: TransitVersion): string {
  return type === 'ed25519'
    ? toBase64(bytesOf(version).publicKey.slice(-rawLength))
    : pem('PUBLIC KEY', version.publicKey ?? '')
}

/** The exported private key: PEM, but seed and public key in base64 for Ed25519. */
export function privateText(type: TransitKeyType, version: TransitVersion): string {
  if (!transitKeyTypes[type].signs) return version.key
  if (type !== 'ed25519') return pem('PRIVATE KEY', version.key)
  const { key, publicKey } = bytesOf(version)
  const parts = [key, publicKey].map((bytes) => bytes.slice(-rawLength))
  return toBase64(Uint8Array.from(parts.flatMap((part) => [...part])))
}

/** An Ed25519 key is the last 32 bytes of its DER. */
const rawLength = 32

const pem = (label: string, base64: string): string =>
  `-----BEGIN ${label}-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`

function stored(base64: string): Uint8Array {
  const bytes = fromBase64(base64)
  if (bytes === undefined) throw new Error('the material of a transit key is not base64')
  return bytes
}
