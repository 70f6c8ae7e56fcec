import * as z from 'zod'

/**
 * The unencrypted seal record of a service: how its key is split, and the key ring, encrypted with that key.
 */
export const Seal = z.strictObject({
  /** The number of shares of the unseal key. */
  shares: z.int().min(1),
  /** The number of shares that restore it. */
  threshold: z.int().min(1),
  /** The length of one share in bytes. */
  shareBytes: z.int().min(16),
  /** The root key, encrypted with the unseal key that the shares restore; base64. Decrypting it proves the shares. */
  root: z.string(),
  /** The key ring, encrypted with the root key; base64. */
  keyring: z.string(),
  /** The root key once more, encrypted with the key of an unattended unseal; base64. */
  static: z.strictObject({ keyId: z.string(), root: z.string() }).optional(),
  /** A stable public name of this service. */
  clusterId: z.string(),
  createdAt: z.int(),
})
export interface Seal extends z.infer<typeof Seal> {}

/**
 * The shares given so far to unseal a service. Held in memory only, never stored.
 */
export interface UnsealProgress {
  /** Identifies this attempt; empty before the first share. */
  readonly nonce: string
  /** The shares, in hexadecimal. */
  readonly given: readonly string[]
}
