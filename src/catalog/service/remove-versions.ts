import { versions } from '../records.ts'
import { blobsOf } from '../versions/blobs.ts'
import { type Core, change, snapshot } from './core.ts'

/** A commit holds 64 keys; a box may have had more versions. */
const versionsPerCommit = 60

/**
 * Removes the versions of a deleted box; returns their number. None is added meanwhile, because every write of a
 * version expects its box.
 */
export async function removeVersions(core: Core, boxId: string): Promise<number> {
  for (let total = 0; ; ) {
    const now = await snapshot(core)
    const left = versions.list(now, boxId).map(({ value }) => value)
    if (left.length === 0) return total
    const batch = left.slice(0, versionsPerCommit)
    const removed = await change(core, (tx) => {
      for (const { canonical } of batch) tx.delete(versions, boxId, canonical)
      return { ok: true, value: undefined, events: [], droppedBlobs: batch.flatMap(blobsOf) }
    })
    if (!removed.ok) return total
    total += batch.length
  }
}
