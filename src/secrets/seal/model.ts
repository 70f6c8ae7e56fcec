import * as z from 'zod'

/**
 * The seal record of a service, in clear: how its key is split, and the key ring sealed under that key.
 *
 * @public
 */
export const Seal = z.strictObject({
  /** Into how many shares the unseal key is split. */
  shares: z.int().min(1),
  /** How many of them restore it. */
  threshold: z.int().min(1),
  /** The length of one share in bytes. */
  shareBytes: z.int().min(16),
  /** The root key, sealed with the unseal key that the shares restore; base64. That it opens proves the shares right. */
  root: z.string(),
  /** The key ring, sealed with the root key; base64. */
  keyring: z.string(),
  /** A stable public name of this service. */
  clusterId: z.string(),
  createdAt: z.int(),
})
export interface Seal extends z.infer<typeof Seal> {}

/**
 * The shares given so far to unseal a service. Held in memory only, never stored.
 *
 * @public
 */
export interface UnsealProgress {
  /** Names this attempt; empty before the first share. */
  readonly nonce: string
  /** The shares, in hexadecimal. */
  readonly given: readonly string[]
}
