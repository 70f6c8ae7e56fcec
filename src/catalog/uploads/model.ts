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
  /** The stored bytes that are not yet, or no longer, an image; null if there are none. */
  asset: Asset.nullable(),
  /** The checksum those bytes were seen to have, of the kind that was asked for; null when none was. */
  checksum: Checksum.nullable(),
  /** The sha256 of the bytes that came last, finalized ones included; left out while none have come. */
  sha256: z.string().optional(),
  /** The status of the version when leave was given: its release or its revocation ends the leave. */
  during: z.enum(['unreleased', 'active', 'revoked']).optional(),
  /** The digest of the token that leave was given to: its end ends the leave. */
  token: z.string().optional(),
  /** The blob that a client sends to a place of its own, from where it is taken when the upload is finalized. */
  sent: z.string().optional(),
  requestedAt: z.int(),
  /** No bytes are accepted, and nothing is finalized, from this instant on. */
  expiresAt: z.int(),
})
/**
 * Leave to send one box image, for a while. Instants are milliseconds since the Unix epoch.
 *
 * @public
 */
export interface Upload extends z.infer<typeof Upload> {}
