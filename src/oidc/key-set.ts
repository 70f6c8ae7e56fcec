import type { CryptoPort, PublicKey } from '../crypto/index.ts'
import { isObject } from '../kernel/objects.ts'
import { algorithmOf } from './algorithms.ts'
import { tokenRefused, type UnverifiedToken } from './read-token.ts'

/** A key that verifies tokens. */
export interface VerifyingKey extends PublicKey {
  readonly keyId: string | undefined
  /** The only algorithm of the key; `undefined` if it may be used with any of its kind. */
  readonly algorithm: string | undefined
}

/** The largest number of keys of one set that are read; providers publish two to five. */
export const mostKeys = 100

/** RSA keys outside of these lengths are too weak, or take too long. */
const [fewestBits, mostBits] = [2048, 8192]

const isUsable = ({ bits }: PublicKey): boolean =>
  bits === undefined || (bits >= fewestBits && bits <= mostBits)

type Reading = Pick<CryptoPort, 'readPublicKey'>

/**
 * Reads a JSON Web Key Set. Keys that verify no tokens are left out: symmetric ones, those for encryption, RSA keys below
 * 2,048 and above 8,192 bits, and those of unknown kinds.
 *
 * @returns the keys, or `undefined` for anything but a key set
 */
export function readKeySet(value: unknown, crypto: Reading): readonly VerifyingKey[] | undefined {
  if (!isObject(value) || !Array.isArray(value['keys'])) return undefined
  const keys: readonly unknown[] = value['keys']
  return keys.slice(0, mostKeys).flatMap((jwk) => {
    if (!isObject(jwk) || !isForSignatures(jwk)) return []
    const { kty, crv, n, e, x, y, kid, alg } = jwk
    const read = crypto.readPublicKey({ kty, crv, n, e, x, y })
    if (read === undefined || !isUsable(read)) return []
    return [{ ...read, keyId: textOr(kid), algorithm: textOr(alg) }]
  })
}

const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const isForSignatures = ({ use, key_ops: operations }: Record<string, unknown>): boolean =>
  (use === undefined || use === 'sig') && (!Array.isArray(operations) || operations.includes('verify'))

/** Reads a public key in PEM: `undefined` if it is not one, or not one that verifies tokens. */
export function readPem(pem: string, crypto: Reading): VerifyingKey | undefined {
  const read = crypto.readPublicKey(pem)
  return read && isUsable(read) ? { ...read, keyId: undefined, algorithm: undefined } : undefined
}

/**
 * Whether a key may verify a token: its kind, and its algorithm if it has one, are those that the token's algorithm needs.
 * A token cannot use a key in another way than its owner intended.
 */
const fits = (key: VerifyingKey, token: UnverifiedToken): boolean =>
  (key.algorithm === undefined || key.algorithm === token.algorithm) &&
  algorithmOf(token.algorithm)?.kinds.includes(key.kind) === true

/** Whether a set has keys for a token: if not, its keys may have been replaced. */
export const hasKeysFor = (token: UnverifiedToken, keys: readonly VerifyingKey[]): boolean =>
  candidates(token, keys).length > 0

/** A token that names a key is verified by this key, or by keys without a name. */
const candidates = (token: UnverifiedToken, keys: readonly VerifyingKey[]): readonly VerifyingKey[] =>
  keys.filter(
    (key) =>
      fits(key, token) && (token.keyId === undefined || key.keyId === undefined || key.keyId === token.keyId),
  )

/** Whether one of the keys signed the token. */
export const isSignedBy = (
  token: UnverifiedToken,
  keys: readonly VerifyingKey[],
  { verify }: Pick<CryptoPort, 'verify'>,
): boolean =>
  candidates(token, keys).some(({ publicKey }) => {
    try {
      return verify(publicKey, token.signed, token.signature, algorithmOf(token.algorithm)?.how)
    } catch {
      return false
    }
  })

/** The refusal of a token whose algorithm is not accepted. */
export function algorithmProblem({ algorithm }: UnverifiedToken, accepted: readonly string[]) {
  if (algorithmOf(algorithm) !== undefined && accepted.includes(algorithm)) return undefined
  return tokenRefused(
    `the token is signed with ${JSON.stringify(algorithm.slice(0, 20))}: accepted are ${accepted.join(', ')}`,
  )
}
