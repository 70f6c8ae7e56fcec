import * as z from 'zod'
import type { TransitKeyType } from './key-types.ts'

/**
 * One version of a key, with its material.
 */
export const TransitVersion = z.strictObject({
  createdAt: z.int(),
  /** The key itself, base64: 32 bytes, or a private key as PKCS #8. */
  key: z.string(),
  /** The key of keyed digests, base64. */
  hmacKey: z.string(),
  /** The public key as SPKI, base64; null for a type without one. */
  publicKey: z.string().nullable(),
})
export interface TransitVersion extends z.infer<typeof TransitVersion> {}

/**
 * A named key that never leaves the service, unless it is exportable.
 */
export const TransitKey = z.strictObject({
  name: z.string(),
  type: z.custom<TransitKeyType>(),
  createdAt: z.int(),
  latestVersion: z.int().min(1),
  /** The oldest version that is kept. */
  minAvailableVersion: z.int().min(1),
  /** The oldest version that decrypts and verifies. */
  minDecryptionVersion: z.int().min(1),
  /** The oldest version that encrypts and signs; 0 means the latest only, if the request names none. */
  minEncryptionVersion: z.int().min(0),
  deletionAllowed: z.boolean(),
  exportable: z.boolean(),
  /** Whether each use derives a key from this one and the context of the request. */
  derived: z.boolean().optional(),
  /** Whether its material may be backed up in the clear. */
  allowPlaintextBackup: z.boolean().optional(),
  /** Version number in decimal → version. */
  versions: z.record(z.string(), TransitVersion),
})
export interface TransitKey extends z.infer<typeof TransitKey> {}

/** The material of a new version: random bytes that the caller generated, base64. */
export interface TransitMaterial {
  readonly key: string
  readonly hmacKey: string
  readonly publicKey: string | null
}

/** An event of a key. Never contains its material, nor plaintexts. */
export type TransitEvent =
  | { readonly type: 'transit.key_created'; readonly key: string }
  | { readonly type: 'transit.key_rotated'; readonly key: string; readonly version: number }
  | { readonly type: 'transit.key_configured'; readonly key: string }
  | { readonly type: 'transit.key_trimmed'; readonly key: string; readonly version: number }
  | { readonly type: 'transit.key_restored'; readonly key: string }
  | { readonly type: 'transit.key_deleted'; readonly key: string }
