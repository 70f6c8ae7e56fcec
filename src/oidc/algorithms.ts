import type { PublicKeyKind, SignatureForm } from '../crypto/index.ts'

/** How an algorithm of JSON Web Signatures verifies: the kinds of its keys, and the form of its signatures. */
interface Algorithm {
  readonly kinds: readonly PublicKeyKind[]
  readonly how: SignatureForm
}

const rsa = (digest: 'sha256' | 'sha384' | 'sha512'): Algorithm => ({ kinds: ['rsa'], how: { digest } })
const pss = (digest: 'sha256' | 'sha384' | 'sha512'): Algorithm => ({
  kinds: ['rsa', 'rsa-pss'],
  how: { digest, padding: 'pss' },
})
const ecdsa = (kind: PublicKeyKind, digest: 'sha256' | 'sha384' | 'sha512'): Algorithm => ({
  kinds: [kind],
  how: { digest, encoding: 'p1363' },
})

/**
 * The signature algorithms of tokens, all of them asymmetric. `none` and those with a shared secret (`HS256` and others)
 * are missing on purpose: with these, anyone who knows a public key could sign.
 */
const algorithms = {
  RS256: rsa('sha256'),
  RS384: rsa('sha384'),
  RS512: rsa('sha512'),
  ES256: ecdsa('p-256', 'sha256'),
  ES384: ecdsa('p-384', 'sha384'),
  ES512: ecdsa('p-521', 'sha512'),
  PS256: pss('sha256'),
  PS384: pss('sha384'),
  PS512: pss('sha512'),
  EdDSA: { kinds: ['ed25519'], how: {} },
} as const satisfies Readonly<Record<string, Algorithm>>

/** The name of a signature algorithm. */
export type AlgorithmName = keyof typeof algorithms

/** All algorithm names. */
export const algorithmNames = Object.keys(algorithms) as readonly AlgorithmName[]

/** The algorithm of a name; `undefined` for unknown ones, `none`, and those with a shared secret. */
export const algorithmOf = (name: string): Algorithm | undefined =>
  algorithmNames.some((known) => known === name) ? algorithms[name as AlgorithmName] : undefined
