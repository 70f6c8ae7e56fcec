import { interruptible } from '../../http/interruptible.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { BlobWritten, Tx } from '../../store/index.ts'
import { isAtLeast } from '../accounts/access.ts'
import type { Box } from '../boxes/model.ts'
import { foldName } from '../boxes/names.ts'
import type { Checksum } from '../providers/model.ts'
import { accounts, looseBlobs, tokens, uploads, versions } from '../records.ts'
import type { Upload } from '../uploads/model.ts'
import { endedProblem, storeUpload, uploadExpired, uploadProblem } from '../uploads/store.ts'
import { type Core, change, discard, snapshot } from './core.ts'
import type { ProviderDetail } from './details.ts'
import { finalize, secretDigest, wanted, whatFor } from './finalize.ts'
import { notFound, roleOnBox } from './guard.ts'
import { bytesLeft, growthProblem, stagedBytes } from './quota.ts'

/**
 * Receives the bytes of an upload as a stream and computes their checksum. The secret is the permission: there is no
 * other authentication.
 */
export async function receiveUpload(core: Core, secret: string, body: AsyncIterable<Uint8Array>) {
  const id = secretDigest(core, secret)
  const env = core.env()
  const now = await snapshot(core)
  const upload = uploads.get(now, id)?.value
  const meant = upload && whatFor(now, upload)
  if (!upload || !meant) return notFound
  const late =
    uploadProblem(upload, env) ??
    (upload.status === 'finalized' ? undefined : endedProblem(upload, meant.version, meant.provider))
  if (late) return late
  if (upload.token !== undefined && !tokens.get(now, upload.token)) return notFound

  const expected = wanted(core, meant.provider)
  const left = bytesLeft(core, now, meant.box.username)
  // What it replaces is not counted.
  const replaced = (meant.provider.asset?.size ?? 0) + stagedBytes(upload, meant.provider)
  const fits = left === undefined ? undefined : left + replaced
  const blob = env.newId('blob')
  // Recorded before they arrive, so that the sweep finds bytes that a crash leaves behind.
  const awaited = await change(core, (tx) => {
    tx.put(looseBlobs, { id: blob, blobs: [blob], since: env.now })
    return { ok: true, value: undefined, events: [] }
  })
  if (!awaited.ok) return awaited
  const written = await write(core, blob, body, expected, { fits, owner: meant.box.username })
  const answer = written.ok
    ? await takeIn(actingFor(core, upload), id, {
        blob,
        ...written,
      })
    : written
  if (!answer.ok) await discard(core, blob, [blob])
  return answer
}

/**
 * Receives the bytes that a client sent to a presigned URL like an upload to the catalog: reads them to compute their
 * checksum, and stores them under a name that no presigned URL has. Does nothing if nothing was sent.
 */
export async function fetchSent(core: Core, secret: string) {
  const upload = uploads.get(await snapshot(core), secretDigest(core, secret))?.value
  const done = { ok: true as const, value: undefined }
  if (upload?.sent === undefined || upload.status === 'finalized') return done
  const sent = await core.blobs.get(upload.sent)
  if (!sent) return done
  const received = await receiveUpload(core, secret, sent.body)
  // A refusal before the first byte leaves the body unread, and with it a connection to the object store open.
  if (!sent.body.locked) await sent.body.cancel()
  if (!received.ok && received.refusal.code === 'contended') return received
  // Wrong bytes are deleted, too; if that fails, they are deleted with the upload.
  await core.blobs.delete(upload.sent).catch(core.onError)
  return received.ok ? done : received
}

/** Writes bytes as a blob, and computes the digest to check. */
async function write(
  core: Core,
  blob: string,
  body: AsyncIterable<Uint8Array>,
  expected: Checksum | null,
  { fits = Number.POSITIVE_INFINITY, owner }: { readonly fits: number | undefined; readonly owner: string },
): Promise<BlobWritten | Refused<'blob_too_large' | 'upload_interrupted' | 'quota_exceeded'>> {
  const { maxImageBytes = Number.POSITIVE_INFINITY } = core
  const incoming = interruptible(body)
  try {
    const written = await core.blobs.put(blob, incoming.body, {
      digests: expected === null || expected.type === 'sha256' ? ['sha256'] : ['sha256', expected.type],
      maxBytes: Math.min(fits, maxImageBytes),
    })
    return written.ok || fits >= maxImageBytes
      ? written
      : refuse(
          'quota_exceeded',
          `${owner} may have ${fits} more bytes, and the image is larger: delete what is no longer needed, or ask an administrator to raise the quota`,
        )
  } catch (error) {
    if (incoming.broke()) return refuse('upload_interrupted', 'The upload ended early: send it again')
    await discard(core, blob, [blob])
    throw error
  }
}

/** Whether the user who requested an upload may still publish: a role may be taken away while the bytes arrive. */
function mayStill(tx: Tx, { by, guest }: Upload, box: Box): boolean {
  if (by === undefined || guest) return true
  const user = tx.get(accounts, foldName(by))?.value
  const owner = tx.get(accounts, foldName(box.username))?.value
  if (!user || !owner) return false
  const { username, administrator } = user
  return isAtLeast(roleOnBox(tx, owner, box, { kind: 'user', username, administrator }), 'publisher')
}

/** The user who requested an upload is the actor of its changes, not the client that sends the bytes. */
const actingFor = (core: Core, { by }: Upload): Core =>
  by === undefined ? core : Object.assign({}, core, { caller: { kind: 'user', username: by } as const })

/** Commits received bytes: staged for a direct upload, the provider's image for a standard one. */
const takeIn = (core: Core, id: string, { blob, size, digests }: BlobWritten & { readonly blob: string }) =>
  change(core, (tx, env) => {
    const upload = tx.get(uploads, id)?.value
    const seen = upload && whatFor(tx.now, upload)
    const version = seen && tx.get(versions, seen.box.id, seen.version.canonical)?.value
    if (!upload || !seen || !version) return notFound
    if (upload.token !== undefined && !tx.get(tokens, upload.token)) return notFound
    if (!mayStill(tx, upload, seen.box)) return notFound
    // Bytes that took too long to arrive were swept.
    if (!tx.delete(looseBlobs, blob)) return refuse('upload_expired', uploadExpired)
    const meant: ProviderDetail = { box: seen.box, version, provider: seen.provider }
    // It may have been announced while the bytes came.
    const expected = wanted(core, meant.provider)
    const hex = expected ? digests[expected.type] : undefined
    const stored = storeUpload(
      upload,
      {
        asset: { blob, size, sha256: digests.sha256 ?? '' },
        expected,
        actual: expected && hex !== undefined ? { type: expected.type, hex } : null,
      },
      env,
      core.uploadPolicy,
    )
    if (!stored.ok) return stored
    const ended = stored.state === upload ? undefined : endedProblem(upload, version, meant.provider)
    if (ended) return ended
    const { dropped } = stored.value
    if (upload.mode === 'direct') {
      const bytes = stagedBytes(stored.state, seen.provider) - stagedBytes(upload, seen.provider)
      const tooMany = growthProblem(core, tx, seen.box.username, { bytes })
      if (tooMany) return tooMany
      tx.put(uploads, stored.state)
      return { ok: true, value: meant, events: [], droppedBlobs: dropped }
    }
    tx.put(uploads, stored.state)
    const finalized = finalize(core, tx, env, stored.state, meant)
    return finalized.ok ? { ...finalized, droppedBlobs: [...dropped, ...finalized.droppedBlobs] } : finalized
  })
