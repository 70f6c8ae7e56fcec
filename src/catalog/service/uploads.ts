import { randomBase62, toHex } from '../../crypto/index.ts'
import type { Answer, refuse } from '../../kernel/index.ts'
import type { Snapshot, Tx } from '../../store/index.ts'
import type { Caller } from '../accounts/access.ts'
import type { Box } from '../boxes/model.ts'
import { attachAsset } from '../providers/attach-asset.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import type { Checksum, Provider } from '../providers/model.ts'
import { boxes, uploads, versions } from '../records.ts'
import { finalizeUpload } from '../uploads/finalize.ts'
import type { Upload } from '../uploads/model.ts'
import { requestUpload } from '../uploads/request.ts'
import type { Version } from '../versions/model.ts'
import { type Core, change, type Decided } from './core.ts'
import type { ProviderDetail } from './details.ts'
import { type AccessRefusal, locateVersion, notFound, type VersionAddress } from './guard.ts'
import { blobsOf } from './versions.ts'

/**
 * Leave to send an image.
 *
 * @public
 */
export interface UploadLeave extends ProviderDetail {
  /** Whoever knows this may send the bytes; it is in the upload's address and kept nowhere. */
  readonly secret: string
  /** Until when bytes may begin to come, and what they are for. */
  readonly upload: Upload
}

/**
 * What a caller can do with uploads.
 *
 * @public
 */
export interface UploadMethods {
  /**
   * Gives leave to send the image of a provider. `standard` makes the bytes the image as soon as they have come;
   * `direct` waits for {@link UploadMethods.finalizeUpload}.
   */
  readonly requestUpload: (
    address: VersionAddress,
    at: ProviderAddress,
    mode: Upload['mode'],
  ) => Promise<Answer<UploadLeave, 'provider_unknown' | AccessRefusal | 'contended'>>
  /** Makes the bytes of a direct upload the provider's image; doing it again changes nothing. */
  readonly finalizeUpload: (
    address: VersionAddress,
    at: ProviderAddress,
    secret: string,
  ) => Promise<
    Answer<
      ProviderDetail,
      | 'upload_not_stored'
      | 'upload_expired'
      | 'checksum_mismatch'
      | 'provider_unknown'
      | AccessRefusal
      | 'contended'
    >
  >
}

export const uploadMethods = (core: Core, caller: Caller): UploadMethods => ({
  requestUpload: (address, at, mode) => {
    const secret = randomBase62(40, core.crypto.randomBytes)
    return change(core, caller, (tx, env) => {
      const located = locateVersion(tx, address, caller, 'change')
      if (!located.ok) return located
      const { box, version } = located
      const outcome = requestUpload(version, { id: digest(core, secret), at, mode }, env, core.uploadPolicy)
      if (!outcome.ok) return outcome
      const upload = outcome.value
      tx.put(uploads, upload)
      const provider = providerById(version, upload.providerId)
      if (!provider) return notFound
      return { ok: true, value: { box, version, provider, upload, secret }, events: [] }
    })
  },

  finalizeUpload: (address, at, secret) =>
    change(core, caller, (tx, env) => {
      const located = locateVersion(tx, address, caller, 'change')
      if (!located.ok) return located
      const { box, version } = located
      const upload = tx.get(uploads, digest(core, secret))?.value
      const provider = findProvider(version.providers, at)
      if (!upload || upload.providerId !== provider?.id) return notFound
      return settle(core, tx, env, upload, { box, version, provider })
    }),
})

/** Finalizes an upload and gives its provider the image, in one commit. */
export function settle(
  core: Core,
  tx: Tx,
  env: ReturnType<Core['env']>,
  upload: Upload,
  { box, version, provider }: ProviderDetail,
): Decided<ProviderDetail> | ReturnType<typeof refuse<FinalizeRefusal>> {
  const finalized = finalizeUpload(upload, { declared: wanted(core, provider) }, env)
  if (!finalized.ok) return finalized
  const asset = finalized.value
  if (asset === null) return { ok: true, value: { box, version, provider }, events: [] }
  const attached = attachAsset(version, { providerId: provider.id, asset }, env)
  if (!attached.ok) return attached
  tx.put(uploads, finalized.state)
  tx.put(versions, attached.state)
  const kept = new Set(blobsOf(attached.state))
  return {
    ok: true,
    value: { box, version: attached.state, provider: attached.value },
    events: attached.events,
    box,
    droppedBlobs: blobsOf(version).filter((blob) => !kept.has(blob)),
  }
}

type FinalizeRefusal = 'upload_not_stored' | 'upload_expired' | 'checksum_mismatch' | 'provider_unknown'

/** What an upload is for, if that is still there. */
export function whatFor(
  now: Snapshot,
  upload: Upload,
): { readonly box: Box; readonly version: Version; readonly provider: Provider } | undefined {
  const box = boxes.find(now, 'id', upload.boxId)?.value
  if (!box) return undefined
  for (const { value: version } of versions.list(now, box.id)) {
    const provider = providerById(version, upload.providerId)
    if (provider) return { box, version, provider }
  }
  return undefined
}

const providerById = (version: Version, id: string): Provider | undefined =>
  version.providers.find((provider) => provider.id === id)

/** What an image's bytes must add up to; null where that is not looked at. */
export const wanted = ({ verifyChecksums }: Core, { checksum }: Provider): Checksum | null =>
  verifyChecksums ? checksum : null

export const digest = (core: Core, secret: string): string => toHex(core.crypto.sha256(secret))
