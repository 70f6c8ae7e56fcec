import type { Tx } from '../../store/index.ts'
import { isExpired } from '../../token/lifetime.ts'
import { sweepTrail } from '../../trail/trail.ts'
import { deleteToken } from '../operations/tokens.ts'
import { boxes, grants, looseBlobs, tokens, uploads, versions } from '../records.ts'
import type { Upload } from '../uploads/model.ts'
import { blobsOf } from '../versions/blobs.ts'
import { type Core, change, snapshot } from './core.ts'
import { finishLoads } from './load-parts.ts'
import { pruneAll } from './quota.ts'
import { removeVersions } from './remove-versions.ts'

/** How long an expired upload is kept, and how long an upload may take. */
const patienceMs = 24 * 3_600_000

const recordsPerCommit = 60

/**
 * Finishes interrupted loads. Removes changes that are old enough, expired tokens, uploads that expired a day ago with
 * bytes that were not finalized, unused blobs, versions whose box was deleted, and those that no retention rule keeps;
 * returns the number of removed records.
 */
export async function sweep(
  core: Core,
  { abandoned = false }: { readonly abandoned?: boolean | undefined } = {},
): Promise<number> {
  await finishLoads(core)
  core.outbox.wake()
  const now = await snapshot(core)
  const before = core.env().now - patienceMs
  const expired = uploads.list(now).flatMap(({ value }) => (value.expiresAt <= before ? [value.id] : []))
  const loose = looseBlobs
    .list(now)
    .flatMap(({ value }) => (abandoned || value.since <= before ? [value.id] : []))
  const orphaned = new Set(
    versions.list(now).flatMap(({ value: { boxId } }) => (boxes.find(now, 'id', boxId) ? [] : [boxId])),
  )
  let count = await removeEach(core, expired, (tx, id) => {
    const upload = tx.get(uploads, id)?.value
    // It may have been extended meanwhile.
    if (!upload || upload.expiresAt > before) return undefined
    tx.delete(uploads, id)
    return blobsOfUpload(upload)
  })
  // A client that is still sending such bytes learns at the end that the upload has expired.
  count += await removeEach(core, loose, (tx, id) => {
    const blobs = tx.get(looseBlobs, id)?.value.blobs
    tx.delete(looseBlobs, id)
    return blobs
  })
  const { now: at } = core.env()
  for (const { value } of tokens.list(now))
    if (isExpired(value, at)) {
      const { hash, username } = value
      const removed = await change(core, (tx) => {
        const events = deleteToken(tx, hash) ? [{ type: 'token.deleted' as const, username }] : []
        return { ok: true, value: events.length, events }
      })
      if (removed.ok) count += removed.value
    }
  const ungranted = grants.list(now).filter(({ value }) => !boxes.find(now, 'id', value.boxId))
  for (const { value } of ungranted)
    await change(core, (tx) => {
      tx.delete(grants, value.boxId, value.member)
      return { ok: true, value: undefined, events: [] }
    })
  for (const boxId of orphaned) count += await removeVersions(core, boxId)
  count += await pruneAll(core)
  const { commit, store, keepAuditMs } = core
  return count + (await sweepTrail({ commit, store, now: core.env().now }, keepAuditMs))
}

const blobsOfUpload = ({ asset, sent }: Upload): readonly string[] => [
  ...(asset === null ? [] : [asset.blob]),
  ...(sent === undefined ? [] : [sent]),
]

/**
 * Removes records, several per commit, and returns their number.
 *
 * @param remove - returns the blobs that a removed record referenced; `undefined` if the record stays or is already
 *   gone
 */
async function removeEach(
  core: Core,
  ids: readonly string[],
  remove: (tx: Tx, id: string) => readonly string[] | undefined,
): Promise<number> {
  let count = 0
  for (let at = 0; at < ids.length; at += recordsPerCommit) {
    const removed = await change(core, (tx) => {
      const blobs = ids.slice(at, at + recordsPerCommit).flatMap((id) => {
        const named = remove(tx, id)
        return named ? [named] : []
      })
      return { ok: true, value: blobs.length, events: [], droppedBlobs: blobs.flat() }
    })
    if (removed.ok) count += removed.value
  }
  return count
}

/**
 * Deletes blobs that no record references, which only happens from outside: records were restored from an older copy,
 * or lost. Returns their number.
 */
export async function sweepBlobs(core: Core): Promise<number> {
  const kept: string[] = []
  for await (const id of core.blobs.list()) kept.push(id)
  // Read after the list: bytes are referenced before they are written.
  const now = await snapshot(core)
  const named = new Set([
    ...versions.list(now).flatMap(({ value }) => blobsOf(value)),
    ...uploads.list(now).flatMap(({ value }) => blobsOfUpload(value)),
    ...looseBlobs.list(now).flatMap(({ value }) => value.blobs),
  ])
  const strays = kept.filter((id) => !named.has(id))
  for (const id of strays) await core.blobs.delete(id)
  return strays.length
}
