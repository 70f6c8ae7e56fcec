import type { CryptoPort } from '../../../crypto/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Seal } from '../../seal/index.ts'
import { openRootKey, sealRootKey } from './root-key.ts'

/**
 * The key of an unattended unseal, and during a rotation its predecessor. A reader of both the key and the data
 * can read all secrets: keep them in different places.
 */
export interface StaticSeal {
  /** A name for the current key, which is stored with the data. */
  readonly currentKeyId: string
  /** 32 random bytes. */
  readonly currentKey: Uint8Array
  /** The name of the key that the data may still be sealed with. */
  readonly previousKeyId?: string | undefined
  readonly previousKey?: Uint8Array | undefined
}

/** Throws if the keys cannot be used. */
export function checkStaticSeal(seal: StaticSeal | undefined): StaticSeal | undefined {
  if (seal === undefined) return undefined
  const { currentKeyId, currentKey, previousKeyId, previousKey } = seal
  if (currentKeyId === '') throw new TypeError('staticSeal: currentKeyId is empty')
  if ((previousKeyId === undefined) !== (previousKey === undefined))
    throw new TypeError('staticSeal: previousKeyId and previousKey are set together or not at all')
  if (previousKeyId === currentKeyId)
    throw new TypeError('staticSeal: the previous key has the same id as the current one')
  for (const [name, key] of Object.entries({ currentKey, previousKey }))
    if (key !== undefined && key.length !== 32)
      throw new TypeError(`staticSeal: ${name} has ${key.length} bytes; it must have 32`)
  return seal
}

/** The root key as the current key of an unattended unseal stores it. */
export const staticRoot = (
  crypto: CryptoPort,
  { currentKeyId, currentKey }: StaticSeal,
  rootKey: Uint8Array,
): NonNullable<Seal['static']> => ({ keyId: currentKeyId, root: sealRootKey(crypto, rootKey, currentKey) })

/** The root key by a key of an unattended unseal; `undefined` if the data was never sealed with one. */
export function rootKeyByStatic(
  crypto: CryptoPort,
  keys: StaticSeal,
  { static: stored }: Seal,
): Uint8Array | Refused<'static_key_wrong'> | undefined {
  if (stored === undefined) return undefined
  const { currentKeyId, previousKeyId } = keys
  const key =
    stored.keyId === currentKeyId
      ? keys.currentKey
      : stored.keyId === previousKeyId
        ? keys.previousKey
        : undefined
  if (key === undefined)
    return refuse(
      'static_key_wrong',
      `this data is sealed with the static key ${JSON.stringify(stored.keyId)}, and the keys of the configuration are ${[
        currentKeyId,
        previousKeyId,
      ]
        .filter((id) => id !== undefined)
        .map((id) => JSON.stringify(id))
        .join(' and ')}`,
    )
  return (
    openRootKey(crypto, stored.root, key) ??
    refuse(
      'static_key_wrong',
      `the static key ${JSON.stringify(stored.keyId)} does not open this data: its bytes differ`,
    )
  )
}
