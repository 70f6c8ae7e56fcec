import { type CryptoPort, fromBase64, toBase64 } from '../../../crypto/index.ts'
import { isTransitKeyType, transitKeyTypes } from '../../transit/key-types.ts'
import { TransitKey } from '../../transit/model.ts'
import { bytesOf } from './material.ts'

/** A key with its material as text. */
export const backupText = (key: TransitKey): string =>
  toBase64(new TextEncoder().encode(JSON.stringify({ key })))

/** Reads the text of {@link backupText}; `undefined` for any other, or material that cannot be used. */
export function readBackup(crypto: CryptoPort, text: string): TransitKey | undefined {
  const bytes = fromBase64(text)
  if (bytes === undefined) return undefined
  try {
    const key = TransitKey.parse(JSON.parse(new TextDecoder().decode(bytes)).key)
    return isTransitKeyType(key.type) && worksAll(crypto, key) ? key : undefined
  } catch {
    // Not JSON, not of a key, or material that no key of that type has.
    return undefined
  }
}

/** Whether each version decrypts what it encrypted, or verifies what it signed. */
function worksAll(crypto: CryptoPort, { type, versions }: TransitKey): boolean {
  const probe = Uint8Array.of(1)
  return Object.values(versions).every((version) => {
    const { key, publicKey } = bytesOf(version)
    return transitKeyTypes[type].encrypts
      ? crypto.open(key, crypto.seal(key, probe)) !== undefined
      : crypto.verify(publicKey, probe, crypto.sign(key, probe))
  })
}
