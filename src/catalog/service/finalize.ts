import { toHex } from '../../crypto/index.ts'
import type { Env } from '../../kernel/index.ts'
import type { Snapshot, Tx } from '../../store/index.ts'
import type { Checksum, Provider } from '../providers/model.ts'
import { requiredChecksum } from '../providers/usable.ts'
import { boxes, uploads, versions } from '../records.ts'
import { finalizeUpload } from '../uploads/finalize.ts'
import type { Upload } from '../uploads/model.ts'
import { bytesOf, droppedBlobs } from '../versions/blobs.ts'
import type { Version } from '../versions/model.ts'
import type { Core } from './core.ts'
import type { ProviderDetail } from './details.ts'
import { growthProblem, stagedBytes } from './quota.ts'

/** Finalizes an upload as a part of one commit. */
export function finalize(
  core: Core,
  tx: Tx,
  env: Env,
  upload: Upload,
  { box, version, provider }: ProviderDetail,
) {
  const outcome = finalizeUpload(
    { upload, version },
    { declared: wanted(core, provider) },
    env,
    core.uploadPolicy,
  )
  if (!outcome.ok) return outcome
  const { state, value, events } = outcome
  // Those of a direct upload were counted when they arrived.
  const counted = upload.mode === 'direct' ? stagedBytes(upload, provider) : 0
  const bytes = bytesOf(state.version) - bytesOf(version) - counted
  const tooMany = growthProblem(core, tx, box.username, { bytes })
  if (tooMany) return tooMany
  if (state.upload !== upload) tx.put(uploads, state.upload)
  if (state.version !== version) tx.put(versions, state.version)
  const detail: ProviderDetail = { box, version: state.version, provider: value }
  return { ok: true as const, value: detail, events, box, droppedBlobs: droppedBlobs(version, state.version) }
}

/** The target of an upload, if it still exists. */
export function whatFor(now: Snapshot, upload: Upload): ProviderDetail | undefined {
  const box = boxes.find(now, 'id', upload.boxId)?.value
  if (!box) return undefined
  for (const { value: version } of versions.list(now, box.id)) {
    const provider = providerById(version, upload.providerId)
    if (provider) return { box, version, provider }
  }
  return undefined
}

export const providerById = (version: Version, id: string): Provider | undefined =>
  version.providers.find((provider) => provider.id === id)

/** The required checksum of an image; null if it is not checked. */
export const wanted = ({ verifyChecksums }: Core, provider: Provider): Checksum | null =>
  verifyChecksums ? requiredChecksum(provider) : null

export const secretDigest = (core: Core, secret: string): string => toHex(core.crypto.sha256(secret))
