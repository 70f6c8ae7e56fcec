/**
 * All cryptography that the services need. Engines contain none: a service generates, hashes and encrypts, and passes
 * the results to its engines as input.
 *
 * @remarks
 * Everything is synchronous except the password hash, which is slow on purpose and must not block the event loop.
 * Texts are hashed as UTF-8.
 */
export interface CryptoPort {
  /** Random bytes. */
  readonly randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  /** SHA-256 of bytes or of a string's UTF-8. */
  readonly sha256: (data: Uint8Array | string) => Uint8Array<ArrayBuffer>
  /** A digest of bytes or of a string's UTF-8, with the given algorithm. */
  readonly digest: (algorithm: DigestAlgorithm, data: Uint8Array | string) => Uint8Array<ArrayBuffer>
  /** A keyed digest (RFC 2104). */
  readonly hmac: (
    algorithm: HmacAlgorithm | DigestAlgorithm,
    key: Uint8Array,
    data: Uint8Array | string,
  ) => Uint8Array<ArrayBuffer>
  /**
   * Encrypts and authenticates with AES-256-GCM under a fresh random nonce.
   *
   * @param bound - associated data (a key's name, a version): {@link CryptoPort.open} needs the same
   * @param head - a plaintext header for the result, such as the number of the key
   * @returns `head`, nonce (12 bytes), ciphertext, tag (16 bytes)
   */
  readonly seal: (
    key: Uint8Array,
    plain: Uint8Array,
    bound?: Uint8Array,
    head?: Uint8Array,
  ) => Uint8Array<ArrayBuffer>
  /**
   * Decrypts a sealed value without its header; `undefined` when key, bytes or `bound` are not those it was sealed
   * with.
   */
  readonly open: (
    key: Uint8Array,
    sealed: Uint8Array,
    bound?: Uint8Array,
  ) => Uint8Array<ArrayBuffer> | undefined
  /** Generates a key pair for signatures. */
  readonly newSigningKey: (algorithm: SignatureAlgorithm) => SigningKey
  /** Generates an RSA key pair beside the event loop, since that takes some hundred milliseconds. */
  readonly newRsaKey: (bits: number) => Promise<SigningKey>
  /** A public key, SPKI as DER, as a JSON Web Key: its kind and its numbers. */
  readonly publicJwk: (publicKey: Uint8Array) => Readonly<Record<string, string>>
  /**
   * Signs with the private key of {@link CryptoPort.newSigningKey} or {@link CryptoPort.newRsaKey}.
   *
   * @param how - for RSA and ECDSA: the digest, SHA-256 by default; for ECDSA: whether the signature is DER or its two
   *   numbers
   */
  readonly sign: (privateKey: Uint8Array, data: Uint8Array, how?: SignatureForm) => Uint8Array<ArrayBuffer>
  /**
   * Reads a public key: PEM (SPKI, PKCS #1 or a certificate), or a JSON Web Key; `undefined` for anything else, such as
   * PEM with a private key, and for keys of other kinds.
   */
  readonly readPublicKey: (key: string | Readonly<Record<string, unknown>>) => PublicKey | undefined
  /** Whether a signature is of that data, by the private key of this public key. */
  readonly verify: (
    publicKey: Uint8Array,
    data: Uint8Array,
    signature: Uint8Array,
    how?: SignatureForm,
  ) => boolean
  /** Hashes a password, of 1,024 characters at most, with scrypt into a string that contains its salt and cost. */
  readonly hashPassword: (password: string) => Promise<string>
  /**
   * Whether a password matches a hash; false for a password that is too long, and for a string that is not such a hash.
   */
  readonly verifyPassword: (password: string, hash: string) => Promise<boolean>
}

/**
 * The digests for keyed digests; SHA-1 only because authenticator apps use it.
 */
export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512'

/**
 * The digests that a caller may choose: SHA-2 and SHA-3.
 */
export type DigestAlgorithm =
  | 'sha224'
  | 'sha256'
  | 'sha384'
  | 'sha512'
  | 'sha3-224'
  | 'sha3-256'
  | 'sha3-384'
  | 'sha3-512'

/**
 * The algorithms of signatures whose keys are generated at once: Ed25519 (RFC 8032), and ECDSA on the NIST curves.
 */
export type SignatureAlgorithm = 'ed25519' | 'ecdsa-p256' | 'ecdsa-p384' | 'ecdsa-p521'

/**
 * A key pair for signatures.
 */
export interface SigningKey {
  /** PKCS #8 as DER. */
  readonly privateKey: Uint8Array<ArrayBuffer>
  /** SPKI as DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>
}

/**
 * The kinds of public keys that verify signatures: RSA, the NIST curves, and Ed25519.
 */
export type PublicKeyKind = 'rsa' | 'rsa-pss' | 'p-256' | 'p-384' | 'p-521' | 'ed25519'

/**
 * A public key that was read from PEM or from a JSON Web Key.
 */
export interface PublicKey {
  /** SPKI as DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly kind: PublicKeyKind
  /** The length of the modulus of an RSA key; `undefined` for others. */
  readonly bits: number | undefined
}

/**
 * How an ECDSA or RSA signature is created and encoded. Ed25519 has only one way.
 */
export interface SignatureForm {
  readonly digest?: DigestAlgorithm | undefined
  /** The padding of RSA: PKCS #1 v1.5 by default, or PSS with a salt as long as the digest. */
  readonly padding?: 'pkcs1' | 'pss' | undefined
  /** DER by default; `p1363` is the two numbers one after the other, as in JSON web signatures. */
  readonly encoding?: 'der' | 'p1363' | undefined
}
