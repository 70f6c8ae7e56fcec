import { passedInSlices } from '../../kernel/in-slices.ts'
import type { Refused } from '../../kernel/index.ts'
import { type Amounts, type PrunedVersion, type Quota, quotaProblem } from '../../quota/quota.ts'
import type { Snapshot, Tx } from '../../store/index.ts'
import { tagOf } from '../boxes/create.ts'
import type { Box } from '../boxes/model.ts'
import { foldName } from '../boxes/names.ts'
import type { Provider } from '../providers/model.ts'
import { boxes, quotas, uploads, versions } from '../records.ts'
import type { Upload } from '../uploads/model.ts'
import { blobsOf, bytesOf } from '../versions/blobs.ts'
import { surplusVersions } from '../versions/surplus.ts'
import { type Core, change, snapshot } from './core.ts'

/** What an owner may have, with the defaults of the catalog. */
export function quotaOf({ sizeLimits, keepVersions }: Core, now: Snapshot, owner: string): Quota<'boxes'> {
  const own = quotas.get(now, foldName(owner))?.value.quota
  return {
    bytes: own?.bytes ?? sizeLimits.bytesPerOwner,
    boxes: own?.boxes ?? sizeLimits.boxesPerOwner,
    versions: own?.versions ?? sizeLimits.versionsPerOwner,
    keepVersions: own?.keepVersions ?? keepVersions,
  }
}

/** What an owner has, with the bytes of direct uploads that are not finalized yet. */
export function usedBy(now: Snapshot, owner: string): Amounts<'boxes'> {
  const own = boxes.list(now, foldName(owner))
  const images = new Map<string, Provider>()
  let [bytes, count] = [0, 0]
  for (const { value: box } of own)
    for (const { value: version } of versions.list(now, box.id)) {
      count += 1
      bytes += bytesOf(version)
      for (const provider of version.providers) images.set(provider.id, provider)
    }
  for (const { value: upload } of uploads.list(now)) {
    const image = images.get(upload.providerId)
    if (image) bytes += stagedBytes(upload, image)
  }
  return { bytes, boxes: own.length, versions: count }
}

/** The bytes that an upload holds beyond those of the image that it will replace. */
export const stagedBytes = ({ asset }: Upload, image: Provider): number =>
  Math.max(0, (asset?.size ?? 0) - (image.asset?.size ?? 0))

/** No other object of an owner may grow concurrently, because this decision depends on the total. */
export function growAlone(tx: Tx, owner: string): void {
  tx.guard('growth', foldName(owner))
  tx.touch('growth', foldName(owner))
}

/** Returns why an owner cannot have more. */
export function growthProblem(
  core: Core,
  tx: Tx,
  owner: string,
  added: { readonly [What in keyof Amounts<'boxes'>]?: number },
): Refused<'quota_exceeded'> | undefined {
  const quota = quotaOf(core, tx.now, owner)
  if (quota.bytes === undefined && quota.versions === undefined && added.boxes === undefined) return undefined
  growAlone(tx, owner)
  tx.get(quotas, foldName(owner))
  const used =
    added.boxes === undefined
      ? usedBy(tx.now, owner)
      : { boxes: boxes.list(tx.now, foldName(owner)).length, bytes: 0, versions: 0 }
  return quotaProblem(owner, { used, quota }, added)
}

/** How many more bytes an owner may have; `undefined` if they are not limited. */
export function bytesLeft(core: Core, now: Snapshot, owner: string): number | undefined {
  const { bytes } = quotaOf(core, now, owner)
  return bytes === undefined ? undefined : Math.max(0, bytes - usedBy(now, owner).bytes)
}

/** A commit holds 64 keys, and each deletion is in the audit trail. */
const versionsPerCommit = 25

/** Deletes the versions of a box that the rule of its owner does not keep; returns them. */
export async function pruneBox(
  core: Core,
  { id, username, name }: Box,
  keep: number,
  dryRun: boolean,
): Promise<readonly PrunedVersion[]> {
  const shown = ({ number, ...version }: Parameters<typeof bytesOf>[0]) => ({
    of: tagOf({ username, name }),
    version: number,
    bytes: bytesOf({ number, ...version }),
  })
  const surplusIn = (now: Snapshot) =>
    surplusVersions(
      versions.list(now, id).map(({ value }) => value),
      keep,
    )
  if (dryRun) return surplusIn(await snapshot(core)).surplus.map(shown)
  const all: PrunedVersion[] = []
  for (;;) {
    const deleted = await change(core, (tx, env) => {
      const { surplus, latest } = surplusIn(tx.now)
      const box = tx.get(boxes, foldName(username), foldName(name))?.value
      const batch = box?.id === id ? surplus.slice(0, versionsPerCommit) : []
      if (!box || batch.length === 0) return { ok: true, value: batch, events: [] }
      // It stays the latest one in this commit: what is revoked meanwhile is no reason to delete others.
      if (latest) tx.get(versions, id, latest.canonical)
      const changed = Object.assign({}, box, { updatedAt: env.now })
      tx.put(boxes, changed)
      for (const { canonical } of batch) tx.delete(versions, id, canonical)
      return {
        ok: true,
        value: batch,
        events: batch.map(({ number }) => ({ type: 'version.deleted' as const, version: number })),
        box: changed,
        droppedBlobs: batch.flatMap(blobsOf),
      }
    })
    if (!deleted.ok || deleted.value.length === 0) return all
    all.push(...deleted.value.map(shown))
  }
}

/** Deletes the versions that the rules of all owners do not keep; returns their number. */
export async function pruneAll(core: Core): Promise<number> {
  const now = await snapshot(core)
  let count = 0
  for await (const { value: box } of passedInSlices(boxes.list(now))) {
    const { keepVersions } = quotaOf(core, now, box.username)
    if (keepVersions !== undefined) count += (await pruneBox(core, box, keepVersions, false)).length
  }
  return count
}
