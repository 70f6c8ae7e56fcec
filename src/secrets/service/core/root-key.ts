import { type CryptoPort, combineKey, fromBase64, fromHex, toBase64 } from '../../../crypto/index.ts'
import type { Seal } from '../../seal/index.ts'

const bound = new TextEncoder().encode('core/root')

/** The root key in storage: encrypted with the unseal key. New shares encrypt it again without changing it. */
export const sealRootKey = (crypto: CryptoPort, rootKey: Uint8Array, unsealKey: Uint8Array): string =>
  toBase64(crypto.seal(unsealKey, rootKey, bound))

/** The root key; `undefined` if this is not the unseal key. */
export function openRootKey(
  crypto: CryptoPort,
  sealed: string,
  unsealKey: Uint8Array,
): Uint8Array | undefined {
  const bytes = fromBase64(sealed)
  // AES-256 takes keys of 32 bytes; shares that do not belong together may give other lengths.
  return bytes && unsealKey.length === 32 ? crypto.open(unsealKey, bytes, bound) : undefined
}

/** The root key from some shares in hexadecimal; `undefined` if they do not belong to this seal. */
export async function rootKeyFrom(
  crypto: CryptoPort,
  seal: Pick<Seal, 'root'>,
  shares: readonly string[],
): Promise<Uint8Array | undefined> {
  const unsealKey = await combineKey(shares.map((share) => fromHex(share) ?? new Uint8Array()))
  return unsealKey && openRootKey(crypto, seal.root, unsealKey)
}
