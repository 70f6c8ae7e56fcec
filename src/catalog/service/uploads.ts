import { randomBase62, toHex } from '../../crypto/index.ts'
import { type Answer, refuse } from '../../kernel/index.ts'
import type { Snapshot, Tx } from '../../store/index.ts'
import type { Caller } from '../accounts/access.ts'
import { host } from '../accounts/access.ts'
import type { Box } from '../boxes/model.ts'
import { attachAsset } from '../providers/attach-asset.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import type { Checksum, Provider } from '../providers/model.ts'
import { boxes, uploads, versions } from '../records.ts'
import { finalizeUpload } from '../uploads/finalize.ts'
import type { Upload } from '../uploads/model.ts'
import { requestUpload } from '../uploads/request.ts'
import { checkUploadOpen, storeUpload } from '../uploads/store.ts'
import type { Version } from '../versions/model.ts'
import { type Core, change, type Decided, dropBlob, snapshot } from './core.ts'
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

/**
 * Why sent bytes are not taken.
 *
 * @public
 */
export type ReceiveRefusal =
  | 'not_found'
  | 'upload_expired'
  | 'upload_empty'
  | 'upload_interrupted'
  | 'checksum_mismatch'
  | 'blob_too_large'
  | 'upload_not_stored'
  | 'provider_unknown'
  | 'contended'

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

/**
 * Takes the bytes of an upload, streaming, with their checksum made on the way. Leave is in the secret: nobody asks
 * who is sending.
 */
export async function receiveUpload(
  core: Core,
  secret: string,
  body: AsyncIterable<Uint8Array>,
): Promise<Answer<ProviderDetail, ReceiveRefusal>> {
  const id = digest(core, secret)
  const env = core.env()
  const now = await snapshot(core)
  const upload = uploads.get(now, id)?.value
  const meant = upload && whatFor(now, upload)
  if (!upload || !meant) return notFound
  const late = checkUploadOpen(upload, env)
  if (late) return late

  const expected = wanted(core, meant.provider)
  const blob = env.newId('blob')
  const incoming = guarded(body)
  let written: Awaited<ReturnType<Core['blobs']['put']>>
  try {
    written = await core.blobs.put(blob, incoming.body, {
      digests: expected === null ? [] : [expected.type],
      maxBytes: core.maxImageBytes,
    })
  } catch (error) {
    if (!incoming.broke()) throw error
    return refuse(
      'upload_interrupted',
      'The upload broke off before all of its bytes had come: send it again',
    )
  }
  if (!written.ok) return written
  const asset = { blob, size: written.size }
  const actual: Checksum | null =
    expected === null ? null : { type: expected.type, hex: written.digests[expected.type] ?? '' }
  const answer = await takeIn(core, id, { asset, expected, actual })
  if (!answer.ok) await dropBlob(core, blob)
  return answer
}

/** Tells a sender that went away from a blob store that failed. */
function guarded(body: AsyncIterable<Uint8Array>) {
  let broke = false
  return {
    body: (async function* () {
      const chunks = body[Symbol.asyncIterator]()
      let ended = false
      try {
        for (;;) {
          const next = await chunks.next().catch((error) => {
            broke = true
            throw error
          })
          if (next.done) break
          yield next.value
        }
        ended = true
      } finally {
        if (!ended && !broke) await chunks.return?.()
      }
    })(),
    broke: () => broke,
  }
}

/** Commits bytes that have come: staged for a direct upload, at once the provider's image for a standard one. */
const takeIn = (
  core: Core,
  id: string,
  input: Parameters<typeof storeUpload>[1],
): Promise<Answer<ProviderDetail, Exclude<ReceiveRefusal, 'blob_too_large' | 'upload_interrupted'>>> =>
  change(core, host, (tx, env) => {
    const upload = tx.get(uploads, id)?.value
    const seen = upload && whatFor(tx.now, upload)
    const version = seen && tx.get(versions, seen.box.id, seen.version.canonical)?.value
    if (!upload || !seen || !version) return notFound
    const stored = storeUpload(upload, input, env, core.uploadPolicy)
    if (!stored.ok) return stored
    tx.put(uploads, stored.state)
    const { dropped } = stored.value
    const droppedBlobs = dropped === null ? [] : [dropped]
    const meant = { box: seen.box, version, provider: seen.provider }
    if (upload.mode === 'direct') return { ok: true, value: meant, events: [], droppedBlobs }
    const settled = settle(core, tx, env, stored.state, meant)
    return settled.ok
      ? { ...settled, droppedBlobs: [...droppedBlobs, ...(settled.droppedBlobs ?? [])] }
      : settled
  })

/** Finalizes an upload and gives its provider the image, in one commit. */
function settle(
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
function whatFor(
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
const wanted = ({ verifyChecksums }: Core, { checksum }: Provider): Checksum | null =>
  verifyChecksums ? checksum : null

const digest = (core: Core, secret: string): string => toHex(core.crypto.sha256(secret))
