import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { allRecords, boxes, downloads, looseBlobs, uploads, versions } from '../../src/catalog/records.ts'
import { blobsOf } from '../../src/catalog/versions/blobs.ts'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, memoryStore, type Snapshot } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { trail } from '../../src/trail/trail.ts'
import { chances } from '../chances.ts'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'
import { dying } from '../store/crashing.ts'
import { realmFaults } from '../store/realm-faults.ts'

// A long life of a catalog, in processes that die in the middle of what they do, one after another.

const crypto = nodeCrypto({ scryptLogN: 4 })
const day = 24 * 3_600_000

/** Lists the inconsistencies in everything a catalog stores, days after the last request. */
const orphansIn = (now: Snapshot, blobs: readonly string[]): readonly string[] => {
  const ids = new Set(boxes.list(now).map(({ value }) => value.id))
  const named = versions.list(now).flatMap(({ value }) => blobsOf(value))
  const faults: string[] = []
  for (const kept of [versions, downloads])
    for (const { value } of kept.list(now)) if (!ids.has(value.boxId)) faults.push(`${kept.name} of no box`)
  for (const kept of [uploads, looseBlobs])
    if (now.scan({ prefix: kept.prefix }).length > 0) faults.push(`${kept.name} is left`)
  if (named.toSorted().join() !== blobs.toSorted().join()) faults.push(`named ${named}, kept ${blobs}`)
  return faults
}

async function live(seed: number, processes: number): Promise<readonly string[]> {
  const { random, upTo, pick } = chances(seed)
  const clock = testClock({ seed })
  const store = memoryStore()
  const blobs = memoryBlobs(nodeHashing)
  const options = { crypto, env: clock.env, timers: clock.timers }
  const first = createCatalog({ ...options, store, blobs })
  await first.putUser({ username: 'alice' })
  await first.close()
  const qemu = { name: 'qemu', architecture: 'amd64' } as const
  const box = () => ({ username: 'alice', name: pick(['a', 'b', 'c']) })
  const version = () => ({ ...box(), version: `1.${upTo(4)}` })
  for (let count = 0; count < processes; count += 1) {
    const process = dying(1 + upTo(40))
    const catalog = createCatalog({ ...options, store: process.store(store), blobs: process.blobs(blobs) })
    const upload = async (mode: 'standard' | 'direct') => {
      const at = version()
      const asked = await catalog.requestUpload(at, qemu, mode)
      if (!asked.ok || random() < 0.2) return
      const { secret } = asked.value
      await catalog.receiveUpload(secret, new Blob([`image ${random()}`]).stream())
      if (mode === 'direct' && random() < 0.6) await catalog.finalizeUpload(at, qemu, secret)
    }
    const acts: readonly (() => Promise<unknown>)[] = [
      () => catalog.createBox(box()),
      () => catalog.createVersion(box(), { version: version().version }),
      () => catalog.createVersion(box(), { version: version().version }),
      () => catalog.createProvider(version(), qemu),
      () => catalog.createProvider(version(), qemu),
      () => upload('standard'),
      () => upload('standard'),
      () => upload('direct'),
      () => catalog.updateProvider(version(), qemu, { url: 'https://example.com/x.box' }),
      () => catalog.updateBox(box(), { name: box().name }),
      () => catalog.findImage(version(), qemu),
      () => catalog.sweep(),
      () => (random() < 0.3 ? catalog.deleteProvider(version(), qemu) : catalog.deleteVersion(version())),
      () => (random() < 0.3 ? catalog.deleteBox(box()) : Promise.resolve()),
    ]
    for (let done = 0; done < 30 && !process.isDead(); done += 1) {
      await pick(acts)().catch(() => undefined)
      await clock.advance(pick([0, 1000, 600_000, day]))
    }
    await catalog.close().catch(() => undefined)
  }
  await clock.advance(4 * day)
  const last = createCatalog({ ...options, store, blobs })
  await last.sweep()
  await last.sweep()
  await last.close()
  const kept: string[] = []
  for await (const id of ownedBlobIds(blobs)) kept.push(id)
  return [
    ...(await realmFaults(store, [...allRecords, trail] as unknown as Parameters<typeof realmFaults>[1])),
    ...orphansIn(store.snapshot(), kept),
  ]
}

it.each([1, 2, 3])(
  'after any crash, every stored blob is reachable and no other blob is stored (seed %i)',
  async (seed) => {
    expect(await live(seed, 40)).toEqual([])
  },
)
