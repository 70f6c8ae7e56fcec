/**
 * Everything the services need from cryptography. Engines hold none of it: a service draws, hashes and seals,
 * and hands the results to its engines as input.
 *
 * @remarks
 * All of it is synchronous but the password hash, which is slow on purpose and must not hold the event loop.
 * Texts are hashed as UTF-8.
 *
 * @public
 */
export interface CryptoPort {
  /** Bytes nobody can predict. */
  readonly randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  /** SHA-256 of bytes or of a text's UTF-8. */
  readonly sha256: (data: Uint8Array | string) => Uint8Array<ArrayBuffer>
  /** A digest of bytes or of a text's UTF-8, by an algorithm that the caller chose. */
  readonly digest: (algorithm: DigestAlgorithm, data: Uint8Array | string) => Uint8Array<ArrayBuffer>
  /** A keyed digest (RFC 2104). */
  readonly hmac: (
    algorithm: HmacAlgorithm,
    key: Uint8Array,
    data: Uint8Array | string,
  ) => Uint8Array<ArrayBuffer>
  /**
   * Encrypts and authenticates with AES-256-GCM under a fresh random nonce.
   *
   * @param bound - what the result belongs to (a key's name, a version): {@link CryptoPort.open} must be given the same
   * @param head - what to put before the result, in clear: which key it was, for one
   * @returns `head`, nonce (12 bytes), ciphertext, tag (16 bytes)
   */
  readonly seal: (
    key: Uint8Array,
    plain: Uint8Array,
    bound?: Uint8Array,
    head?: Uint8Array,
  ) => Uint8Array<ArrayBuffer>
  /** What was sealed, given without its head, or `undefined` when key, bytes or `bound` are not the ones it was sealed with. */
  readonly open: (
    key: Uint8Array,
    sealed: Uint8Array,
    bound?: Uint8Array,
  ) => Uint8Array<ArrayBuffer> | undefined
  /** Hashes a password, of 1,024 characters at most, with scrypt into a text that carries its own salt and cost. */
  readonly hashPassword: (password: string) => Promise<string>
  /** Whether a password is the one that was hashed; false for a longer one, and for a text that is no such hash. */
  readonly verifyPassword: (password: string, hash: string) => Promise<boolean>
}

/**
 * The digests a keyed digest may use; SHA-1 only because authenticator apps use it.
 *
 * @public
 */
export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512'

/**
 * The digests a caller may choose: SHA-2 and SHA-3.
 *
 * @public
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
