import { describe, expect, it } from 'vitest'
import { type Catalog, createCatalog } from '../../src/catalog/index.ts'
import { boxes as boxRecords } from '../../src/catalog/records.ts'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nextMacrotask } from '../../src/kernel/next-macrotask.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { type Blobs, memoryBlobs, memoryStore, partsOf, type Store } from '../../src/store/index.ts'
import { realmOwners } from '../../src/store/realm/realm-owner.ts'
import { testClock } from '../../src/testing/index.ts'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'
import { dying } from '../store/crashing.ts'
import { elsewhere } from './catalog.ts'

const tiny = { username: 'alice', name: 'tiny' }
const at = (version: string) => ({ ...tiny, version })
const qemu = { name: 'qemu', architecture: 'amd64' } as const
const start = Date.UTC(2026, 0, 1)
const days = 24 * 3_600_000

/** One process after another: each draws identifiers of its own, the same ones in every round. */
const on = (store: Store, blobs: Blobs, seed: number, now = start) => {
  const clock = testClock({ seed, now })
  const crypto = nodeCrypto({ scryptLogN: 4 })
  return createCatalog({ store, blobs, crypto, env: clock.env, timers: clock.timers })
}

const bytes = (text: string) => new Blob([text]).stream()
const upload = async (catalog: Catalog, version: string, mode: 'standard' | 'direct', text: string) => {
  const { secret } = unwrap(await catalog.requestUpload(at(version), qemu, mode))
  unwrap(await catalog.receiveUpload(secret, bytes(text)))
  return secret
}

/** A box of more versions than one commit removes, some with images, one of which has a successor that waits. */
async function full() {
  const [store, blobs] = [memoryStore(), memoryBlobs(nodeHashing)]
  const catalog = on(store, blobs, 1)
  unwrap(await catalog.putUser({ username: 'alice' }))
  unwrap(await catalog.createBox(tiny))
  for (let minor = 0; minor < 62; minor += 1)
    unwrap(await catalog.createVersion(tiny, { version: `1.${minor}` }))
  for (const version of ['1.0', '1.1', '1.61']) {
    unwrap(await catalog.createProvider(at(version), qemu))
    await upload(catalog, version, 'standard', `image of ${version}`)
  }
  const waits = await upload(catalog, '1.0', 'direct', 'the next image')
  await catalog.close()
  return { store, blobs, waits }
}

/** What is kept, by kind, except for the audit trail: a retry adds to it. */
async function kept({ store, blobs }: { readonly store: Store; readonly blobs: Blobs }) {
  const counts: Record<string, number> = {}
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  for (const { key } of await store.read((now) => now.scan({ prefix: '' }))) count(partsOf(key)[0] ?? '')
  for await (const _ of ownedBlobIds(blobs)) count('blob')
  delete counts['trail']
  return counts
}

/** Days later, when all has come to rest: what is kept, and whether every image that is offered can be had. */
async function settled(world: { readonly store: Store; readonly blobs: Blobs }) {
  const later = on(world.store, world.blobs, 4, start + 4 * days)
  await later.sweep()
  await later.sweep()
  expect(await later.sweepBlobs()).toBe(0)
  const box = await later.readBox(tiny)
  const images: string[] = []
  for (const { number, providers } of box.ok ? box.value.versions : [])
    for (const { name, asset } of providers) {
      const found = await later.findImage(at(number), { name })
      if (!found.ok || found.value.image.kind !== 'hosted') continue
      expect(asset).not.toBeNull()
      images.push(await new Response(await found.value.image.open()).text())
    }
  await later.close()
  return { kept: await kept(world), images }
}

const acts: readonly (readonly [string, (catalog: Catalog, waits: string) => Promise<unknown>])[] = [
  ['deleting a box', (catalog) => catalog.deleteBox(tiny)],
  ['deleting a version', (catalog) => catalog.deleteVersion(at('1.1'))],
  ['deleting a provider', (catalog) => catalog.deleteProvider(at('1.1'), qemu)],
  [
    'moving an image elsewhere',
    (catalog) => catalog.updateProvider(at('1.1'), qemu, { url: 'https://example.com/x' }),
  ],
  ['uploading another image', (catalog) => upload(catalog, '1.61', 'standard', 'another')],
  ['finalizing an upload', (catalog, waits) => catalog.finalizeUpload(at('1.0'), qemu, waits)],
  ['renaming a version', (catalog) => catalog.updateVersion(at('1.1'), { version: '7' })],
]

describe.each(acts)('%s in a process that dies on the way', (_, act) => {
  it('leaves nothing behind at whatever point it dies, and can be repeated', async () => {
    const whole = await full()
    const catalog = on(whole.store, whole.blobs, 2)
    await act(catalog, whole.waits)
    await catalog.close()
    const wanted = await settled(whole)
    for (let steps = 0; ; steps += 1) {
      const [world, abandoned] = [await full(), await full()]
      const process = dying(steps)
      for (const each of [world, abandoned]) {
        const dies = each === world ? process : dying(steps)
        const crashed = on(dies.store(each.store), dies.blobs(each.blobs), 2)
        await act(crashed, each.waits).catch(() => undefined)
        await crashed.close()
      }
      // No client retries: every stored blob is reachable, and no other blob is stored.
      const { kept: left, images } = await settled(abandoned)
      expect(left['blob'] ?? 0).toBe(images.length)
      expect(left).not.toHaveProperty('loose')

      const next = on(world.store, world.blobs, 3)
      await act(next, world.waits).catch(() => undefined)
      await next.close()
      expect(await settled(world)).toEqual(wanted)
      if (!process.isDead()) return expect(steps).toBeGreaterThan(0)
    }
  })
})

describe('a load into a store with accounts whose process dies halfway', () => {
  const provider = { name: 'qemu', url: 'https://example.com/x.box' }
  const boxes = Array.from({ length: 90 }, (_, at) => ({
    tag: `acme-${at % 40}/tiny-${at}`,
    private: false,
    downloads: at % 2,
    versions: Array.from({ length: at === 7 ? 70 : 1 }, (_, patch) => ({
      version: `1.0.${patch}`,
      providers: [provider],
    })),
  }))
  const organizations = [{ username: 'acme-1', members: ['alice'] }]
  const world = async () => {
    const [store, blobs] = [memoryStore(), memoryBlobs(nodeHashing)]
    const catalog = on(store, blobs, 1)
    unwrap(await catalog.putUser({ username: 'alice' }))
    await catalog.close()
    return { store, blobs }
  }
  const empty = { account: 1 }
  const full = { account: 41, box: 90, downloads: 45, version: 159 }
  const records = async (each: Awaited<ReturnType<typeof world>>) => {
    const { 'box!id': ids = 0, '~': _marks, [realmOwners.name]: _owner, ...counts } = await kept(each)
    expect(ids).toBe(counts['box'] ?? 0)
    return counts
  }

  it('is stored completely or not at all after the store is opened again, and no part of it twice', async () => {
    const seen = new Set<string>()
    for (let steps = 0; ; steps += 1) {
      const each = await world()
      const process = dying(steps)
      const crashed = on(process.store(each.store), process.blobs(each.blobs), 2)
      await crashed.load({ boxes, organizations }).catch(() => undefined)
      await crashed.close()
      const next = on(each.store, each.blobs, 3)
      await next.sweep()
      const left = await records(each)
      seen.add(JSON.stringify(left))
      const again = await next.load({ boxes, organizations })
      expect(left).toEqual(again.ok ? empty : full)
      expect(await records(each)).toEqual(full)
      const big = unwrap(await next.readBox({ username: 'acme-7', name: 'tiny-7' }))
      expect(big.versions).toHaveLength(70)
      await next.close()
      if (!process.isDead()) break
    }
    expect(seen.size).toBe(2)
  })

  it('is finished by the next catalog on the store, without being asked', async () => {
    const each = await world()
    const process = dying(2)
    const crashed = on(process.store(each.store), each.blobs, 2)
    await expect(crashed.load({ boxes })).rejects.toThrow('the process is dead')
    await crashed.close()
    const next = on(each.store, each.blobs, 3)
    await expect.poll(() => records(each)).toEqual(full)
    await next.close()
  })

  it('leaves deleted what others delete before it is finished', async () => {
    const each = await world()
    const process = dying(5)
    const crashed = on(process.store(each.store), each.blobs, 2)
    await crashed.load({ boxes }).catch(() => undefined)
    await crashed.close()
    const [stored] = await each.store.read((now) => now.scan({ prefix: boxRecords.prefix }))
    const [, username = '', name = ''] = partsOf(stored?.key ?? '')
    const later = on(each.store, each.blobs, 4)
    expect((await later.deleteBox({ username, name })).ok).toBe(true)
    await later.sweep()
    expect((await later.readBox({ username, name })).ok).toBe(false)
    expect(await records(each)).toMatchObject({ account: 41, box: 89 })
    await later.close()
  })

  it('reserves its names and numbers from its start, before they are stored', async () => {
    const ofAlice = boxes.map((box, at) => ({ ...box, tag: `alice/tiny-${at}` })).toSpliced(0, 7)
    const big = { username: 'alice', name: 'tiny-7' }
    const last = { username: 'alice', name: 'tiny-89' }
    // None of it is stored, then the first box with some of its versions, then more boxes.
    for (const [steps, stored] of [0, 1, 13, 25, 37].entries()) {
      const each = await world()
      const process = dying(2 + steps)
      const crashed = on(process.store(each.store), each.blobs, 2)
      await crashed.load({ boxes: ofAlice }).catch(() => undefined)
      await crashed.close()
      expect((await records(each))['box'] ?? 0).toBe(stored)
      const later = on(each.store, each.blobs, 4)
      const made = later.createBox({ ...last, shortDescription: 'mine' })
      const numbered = stored > 0 ? later.createVersion(big, { version: '1.0.69' }) : undefined
      const renamed = stored > 0 ? later.updateBox(big, { name: last.name }) : undefined
      expect(await made).toMatchObject({ refusal: { code: 'box_taken' } })
      if (stored > 0) expect(await numbered).toMatchObject({ refusal: { code: 'version_taken' } })
      if (stored > 0) expect(await renamed).toMatchObject({ refusal: { code: 'box_taken' } })
      await later.sweep()
      expect(unwrap(await later.readBox(last)).box.shortDescription).toBe('')
      expect(unwrap(await later.readBox(big)).versions).toHaveLength(70)
      await later.close()
    }
  })

  it('begins where there are no boxes: one that another catalog makes meanwhile comes before it or after it', async () => {
    const tag = { username: 'alice', name: 'tiny' }
    const seen = new Set<string>()
    for (let pause = 0; pause < 40; pause += 1) {
      const each = await world()
      const [one, two] = [on(elsewhere(each.store), each.blobs, 2), on(elsewhere(each.store), each.blobs, 3)]
      await Promise.all([one.search(), two.search()])
      const loading = one.load({ boxes: [{ ...tag, short_description: 'loaded' }] })
      for (let tick = 0; tick < pause; tick += 1) await (tick % 4 === 3 ? nextMacrotask() : undefined)
      const making = two.createBox({ ...tag, shortDescription: 'made' })
      const said = (await Promise.all([loading, making])).map((answer) =>
        answer.ok ? 'done' : answer.refusal.code,
      )
      seen.add([...said, unwrap(await two.readBox(tag)).box.shortDescription].join(' '))
      await Promise.all([one.close(), two.close()])
    }
    expect([...seen].sort()).toEqual(['done box_taken loaded', 'not_empty done made'])
  })
})

describe('bytes on their way', () => {
  it('are not swept as strays while they come, and too late once they were given up', async () => {
    const world = await full()
    const clock = testClock({ seed: 2, now: start })
    const catalog = createCatalog({
      store: world.store,
      blobs: world.blobs,
      env: clock.env,
      timers: clock.timers,
    })
    const { secret } = unwrap(await catalog.requestUpload(at('1.1'), qemu, 'standard'))
    const slow = new TransformStream<Uint8Array, Uint8Array>()
    const writer = slow.writable.getWriter()
    const answer = catalog.receiveUpload(secret, slow.readable)
    await writer.write(new TextEncoder().encode('slow'))
    expect(await catalog.sweepBlobs()).toBe(0)
    await clock.advance(25 * 3_600_000)
    await writer.close()
    expect(await answer).toMatchObject({ ok: false })
    await catalog.close()
    expect((await settled(world)).images).toHaveLength(3)
  })
})
