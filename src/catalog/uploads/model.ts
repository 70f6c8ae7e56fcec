import * as z from 'zod'
import { Asset, Checksum } from '../providers/model.ts'

export const Upload = z.strictObject({
  /** The digest of the secret in the upload's URL: a client that knows the secret may send the bytes. */
  id: z.string(),
  boxId: z.string(),
  /** The stable id of its provider. */
  providerId: z.string(),
  /** `direct` waits for a callback after the bytes are stored. */
  mode: z.enum(['standard', 'direct']),
  status: z.enum(['requested', 'stored', 'finalized']),
  /** The stored bytes that are not yet an image; null if there are none, or if they were wrong and deleted. */
  asset: Asset.nullable(),
  /** The computed checksum of the latest bytes, of the declared type; null if none was declared. */
  checksum: Checksum.nullable(),
  /** The SHA-256 of the latest bytes, finalized ones included; omitted before the first. */
  sha256: z.string().optional(),
  /** The status of the version when the upload was created: after it changed, the upload replaces no image. */
  during: z.enum(['unreleased', 'active', 'revoked']).optional(),
  /** The digest of the token that created the upload: the upload ends with the token. */
  token: z.string().optional(),
  /** The user who requested it; omitted for the embedding program. */
  by: z.string().optional(),
  /** Whether that user has no account here; omitted if it has. */
  guest: z.literal(true).optional(),
  /** The blob at the presigned URL of a direct upload, from which it is copied when the upload is finalized. */
  sent: z.string().optional(),
  requestedAt: z.int(),
  /** After this instant, no bytes are accepted and nothing is finalized. */
  expiresAt: z.int(),
})
/**
 * Permission to upload one box image within a time limit. Instants are milliseconds since the Unix epoch.
 */
export interface Upload extends z.infer<typeof Upload> {}
