import { host } from '../accounts/access.ts'
import { boxes, uploads, versions } from '../records.ts'
import { removeVersions } from './boxes.ts'
import { type Core, change, dropBlob, snapshot } from './core.ts'
import { blobsOf } from './versions.ts'

/** How long after it expired an upload is kept: its bytes may still be on their way. */
const keepExpiredMs = 24 * 3_600_000

const uploadsPerCommit = 60

/** Removes uploads that expired a day ago with bytes nobody finalized, and versions whose box is gone. */
export async function sweep(core: Core): Promise<void> {
  const now = await snapshot(core)
  const before = core.env().now - keepExpiredMs
  const expired = uploads.list(now).flatMap(({ value }) => (value.expiresAt <= before ? [value] : []))
  for (let at = 0; at < expired.length; at += uploadsPerCommit) {
    const batch = expired.slice(at, at + uploadsPerCommit)
    await change(core, host, (tx) => {
      const gone = batch.filter(({ id, expiresAt }) => tx.get(uploads, id)?.value.expiresAt === expiresAt)
      for (const { id } of gone) tx.delete(uploads, id)
      const droppedBlobs = gone.flatMap(({ asset }) => (asset === null ? [] : [asset.blob]))
      return { ok: true, value: undefined, events: [], droppedBlobs }
    })
  }
  const owners = new Set(versions.list(now).map(({ value }) => value.boxId))
  for (const boxId of owners) if (!boxes.find(now, 'id', boxId)) await removeVersions(core, boxId)
}

/**
 * Deletes uploaded bytes that no record names: what a crash between writing bytes and committing them leaves. Only
 * while nobody is uploading, in any process: bytes on their way are named by nothing yet.
 */
export async function sweepBlobs(core: Core): Promise<number> {
  let swept = 0
  const now = await snapshot(core)
  const named = new Set([
    ...versions.list(now).flatMap(({ value }) => blobsOf(value)),
    ...uploads.list(now).flatMap(({ value }) => (value.asset === null ? [] : [value.asset.blob])),
  ])
  for await (const id of core.blobs.list()) {
    if (named.has(id)) continue
    await dropBlob(core, id)
    swept += 1
  }
  return swept
}
