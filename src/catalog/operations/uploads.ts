import { randomBase62 } from '../../crypto/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import { uploads } from '../records.ts'
import type { Core } from '../service/core.ts'
import type { ProviderDetail } from '../service/details.ts'
import { finalize, providerById, secretDigest } from '../service/finalize.ts'
import { changing, notFound, type VersionAddress } from '../service/guard.ts'
import { fetchSent, receiveUpload } from '../service/receive-upload.ts'
import type { Upload } from '../uploads/model.ts'
import { requestUpload } from '../uploads/request.ts'
import { withoutBytes } from '../uploads/store.ts'
import { at, body, leaveTo, mode, secret, version } from './arguments.ts'
import type { LeaveTo } from './inputs.ts'
import { onVersion } from './on-box.ts'
import { hashOf } from './tokens.ts'

/**
 * Permission to upload an image.
 */
export interface UploadLeave extends ProviderDetail {
  /** The right to send the bytes; it is in the upload's URL and never stored. */
  readonly secret: string
  /** When the upload expires, and its purpose. */
  readonly upload: Upload
  /** The presigned URL for the `PUT` of a direct upload; absent if the bytes are sent to the catalog. */
  readonly sendTo?: string | undefined
}

type FinalizeRefusal =
  | 'not_found'
  | 'provider_unknown'
  | 'upload_not_stored'
  | 'upload_expired'
  | 'upload_ended'
  | 'version_revoked'
  | 'checksum_mismatch'
  | 'quota_exceeded'

/** The upload operations of a caller. */
export const uploadOperations = {
  /**
   * Creates an upload for the image of a provider. With `standard` the bytes become the image as soon as they have
   * arrived; `direct` waits for `finalizeUpload`. It expires with the caller's `token`, and some minutes after its bytes
   * became the image; once the version is released or revoked, it replaces no image. If `blobs` has presigned URLs, a
   * direct upload goes to one, `sendTo`, and is read from there when it is finalized.
   *
   * @example await catalog.requestUpload(draft, { name: 'virtualbox' }, 'standard')
   */
  requestUpload: operation({
    takes: [version, at, mode, leaveTo],
    refuses: [...changing, 'provider_unknown', 'version_revoked'],
    run: async (
      core: Core,
      address: VersionAddress,
      at: ProviderAddress,
      mode: Upload['mode'],
      { token }: LeaveTo = {},
    ) => {
      const user = core.caller.kind === 'user' ? core.caller : undefined
      // The catalog does not store the tokens of guests.
      const held = token === undefined || user?.guest ? {} : { token: hashOf(core, token) }
      const secret = randomBase62(40, core.crypto.randomBytes)
      const { addresses } = core.blobs
      const sent = mode === 'direct' && addresses ? core.env().newId('blob') : undefined
      const sendTo =
        sent && (await addresses?.upload(sent, { seconds: core.uploadPolicy.beginWithinSeconds }))
      return onVersion(core, address, ({ box, version }, tx, env) => {
        const input = {
          id: secretDigest(core, secret),
          at,
          mode,
          sent,
          by: user?.username,
          guest: user?.guest,
          ...held,
        }
        const outcome = requestUpload(version, input, env, core.uploadPolicy)
        if (!outcome.ok) return outcome
        const upload = outcome.value
        tx.put(uploads, upload)
        const provider = providerById(version, upload.providerId)
        if (!provider) return notFound
        const value: UploadLeave = { box, version, provider, upload, secret, sendTo }
        return { ok: true, value, events: [] }
      })
    },
  }),
  /**
   * Makes the bytes of a direct upload the provider's image; idempotent.
   *
   * @example await catalog.finalizeUpload(draft, { name: 'virtualbox' }, secret)
   */
  finalizeUpload: operation({
    takes: [version, at, secret],
    refuses: [
      ...changing,
      'provider_unknown',
      'upload_not_stored',
      'upload_expired',
      'upload_ended',
      'version_revoked',
      'checksum_mismatch',
      'upload_empty',
      'upload_finalized',
      'upload_interrupted',
      'blob_too_large',
      'quota_exceeded',
    ],
    run: async (core: Core, address: VersionAddress, at: ProviderAddress, secret: string) => {
      const fetched = await fetchSent(core, secret)
      if (!fetched.ok) return fetched
      const answer = await onVersion<ProviderDetail | Refused<FinalizeRefusal>, FinalizeRefusal>(
        core,
        address,
        ({ box, version }, tx, env) => {
          const upload = tx.get(uploads, secretDigest(core, secret))?.value
          const provider = findProvider(version.providers, at)
          if (!upload || upload.providerId !== provider?.id) return notFound
          const outcome = finalize(core, tx, env, upload, { box, version, provider })
          if (outcome.ok) return { ...outcome, value: outcome.value }
          const refused = refuse(outcome.refusal.code, outcome.refusal.message)
          const { asset } = upload
          if (asset === null) return refused
          // The bytes are of no use and deleted, so this refusal has to be committed.
          tx.put(uploads, withoutBytes(upload))
          return { ok: true, value: refused, events: [], droppedBlobs: [asset.blob] }
        },
      )
      if (!answer.ok) return answer
      const { value } = answer
      return 'refusal' in value ? value : { ok: true as const, value }
    },
  }),
}

/** The operations of a client that holds the secret of an upload. */
export const receiveOperations = {
  /**
   * Receives the bytes of an upload by the secret in its URL, as a stream.
   *
   * @example await catalog.receiveUpload(secret, new Blob(['image']).stream())
   */
  receiveUpload: operation({
    takes: [secret, body],
    refuses: [
      'not_found',
      'upload_expired',
      'upload_ended',
      'version_revoked',
      'upload_empty',
      'upload_finalized',
      'upload_interrupted',
      'checksum_mismatch',
      'blob_too_large',
      'quota_exceeded',
      'upload_not_stored',
      'provider_unknown',
      'contended',
    ],
    run: receiveUpload,
  }),
}
