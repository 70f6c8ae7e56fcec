import * as z from 'zod'

/**
 * The metadata of one version of a secret. Its data is stored elsewhere, under its number.
 */
export const SecretVersion = z.strictObject({
  /** When it was written. */
  createdAt: z.int(),
  /** When it was soft-deleted; final even if the clock is set back later. */
  deletedAt: z.int().nullable(),
  /** When it expires: from then on it counts as soft-deleted. Null for never. */
  expiresAt: z.int().nullable(),
  /** Whether its data was erased permanently. */
  destroyed: z.boolean(),
})
export interface SecretVersion extends z.infer<typeof SecretVersion> {}

/**
 * A versioned secret without its data: one record for data of any size.
 */
export const Secret = z.strictObject({
  /**
   * Identifies this incarnation of the path: a secret that is deleted with its metadata and written again gets another.
   */
  incarnation: z.string(),
  /** The newest version's number; 0 before the first write. */
  current: z.int().min(0),
  /** The oldest version that is kept; 0 until as many versions as the limit have been written. */
  oldest: z.int().min(0),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** How many versions to keep; 0 for the mount's setting. The larger of the two counts. */
  maxVersions: z.int().min(0),
  /** Whether every write must name the version that it follows. */
  casRequired: z.boolean(),
  /** How often its settings and custom metadata were written; omitted for never. */
  metadataVersion: z.int().min(1).optional(),
  /** Whether every write of settings and custom metadata must name the version that it follows; omitted for no. */
  metadataCasRequired: z.boolean().optional(),
  /** How long a version lives after it was written; 0 for the mount's setting. */
  deleteVersionAfterSeconds: z.int().min(0),
  /** The user's custom metadata; null if it was never written. */
  customMetadata: z.record(z.string(), z.string()).nullable(),
  /** Version number in decimal → version. */
  versions: z.record(z.string(), SecretVersion),
})
export interface Secret extends z.infer<typeof Secret> {}

/**
 * The settings of a mount, which limit those of its secrets.
 */
export const KvConfig = z.strictObject({
  /** How many versions secrets keep; 0 when unset (10 then). */
  maxVersions: z.int().min(0),
  casRequired: z.boolean(),
  /** Whether every write of a secret's settings must name the version that it follows; omitted for no. */
  metadataCasRequired: z.boolean().optional(),
  /** How long versions live; 0 when unset, −1 when versions never expire, even if their secret sets a time. */
  deleteVersionAfterSeconds: z.int().min(-1),
})
export interface KvConfig extends z.infer<typeof KvConfig> {}

/**
 * A version as readers see it.
 */
export interface VersionView extends SecretVersion {
  readonly version: number
  readonly customMetadata: Readonly<Record<string, string>> | null
}

/**
 * An event of a secret, for audit and metrics. Never contains data.
 */
export type KvEvent =
  | { readonly type: 'kv.written'; readonly version: number }
  | { readonly type: 'kv.deleted'; readonly versions: readonly number[] }
  | { readonly type: 'kv.undeleted'; readonly versions: readonly number[] }
  | { readonly type: 'kv.destroyed'; readonly versions: readonly number[] }
  | { readonly type: 'kv.described' }
