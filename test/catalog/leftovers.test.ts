import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Catalog, createCatalog, type Version, type VersionAddress } from '../../src/catalog/index.ts'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { faulty, isStoreError, memoryBlobs, memoryStore, partsOf, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'

const start = Date.UTC(2026, 0, 1)
const days = 24 * 3_600_000
const bytes = () => new Blob(['an image']).stream()

const address = fc.record({
  username: fc.constant('alice'),
  name: fc.constantFrom('a', 'b'),
  version: fc.constantFrom('1.0', '2.0'),
})
const provider = fc.record({
  name: fc.constantFrom('qemu', 'libvirt'),
  architecture: fc.constant('amd64' as const),
})
/** What an act is about. */
interface What {
  readonly at: VersionAddress
  readonly provider: { readonly name: string; readonly architecture: 'amd64' }
}

const verbs = {
  createBox: (catalog, { at }) => catalog.createBox(at),
  renameBox: (catalog, { at }) => catalog.updateBox(at, { name: at.name === 'a' ? 'b' : 'a' }),
  deleteBox: (catalog, { at }) => catalog.deleteBox(at),
  createVersion: (catalog, { at }) => catalog.createVersion(at, at),
  deleteVersion: (catalog, { at }) => catalog.deleteVersion(at),
  createProvider: (catalog, { at, provider }) => catalog.createProvider(at, provider),
  deleteProvider: (catalog, { at, provider }) => catalog.deleteProvider(at, provider),
  moveImage: (catalog, { at, provider }) => catalog.updateProvider(at, provider, { url: 'https://a.test/x' }),
  upload: async (catalog, { at, provider }) => {
    const asked = await catalog.requestUpload(at, provider, 'standard')
    if (asked.ok) await catalog.receiveUpload(asked.value.secret, bytes())
  },
  uploadTwice: async (catalog, { at, provider }) => {
    const asked = await catalog.requestUpload(at, provider, 'direct')
    if (!asked.ok) return
    const { secret } = asked.value
    await Promise.all([catalog.receiveUpload(secret, bytes()), catalog.receiveUpload(secret, bytes())])
    const finish = () => catalog.finalizeUpload(at, provider, secret)
    await Promise.all([finish(), finish()])
  },
  sweep: async (catalog) => [await catalog.sweep(), await catalog.sweepBlobs()],
} as const satisfies Readonly<Record<string, (catalog: Catalog, what: What) => Promise<unknown>>>

const verb = fc.constantFrom(...(Object.keys(verbs) as (keyof typeof verbs)[]))
const act = fc.record({ verb, at: address, provider, by: fc.constantFrom(0, 1) })

describe('two concurrent processes on a faulty store', () => {
  it('every referenced image can be read, and nothing else is kept in the end', async () => {
    const beginning = (['createBox', 'createVersion', 'createProvider', 'upload'] as const).map((verb) => ({
      verb,
      at: { username: 'alice', name: 'a', version: '1.0' },
      provider: { name: 'qemu', architecture: 'amd64' as const },
      by: 0,
    }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { maxLength: 12 }),
        fc.integer(),
        async (rounds, seed) => {
          const [store, blobs] = [memoryStore(), memoryBlobs(nodeHashing)]
          const crypto = nodeCrypto({ scryptLogN: 4 })
          const on = (over: Store, drawing: number, now = start) => {
            const { env, timers } = testClock({ seed: drawing, now })
            return createCatalog({ store: over, blobs, crypto, env, timers })
          }
          const faults = { delay: 0.3, conflict: 0.05, unknownApplied: 0.05, unknownLost: 0.05 }
          const processes = [1, 2].map((each) => on(faulty(store, { seed: seed + each, faults }), each))
          const first = on(store, 3)
          unwrap(await first.putUser({ username: 'alice' }))
          await first.close()
          for (const round of [...beginning.map((each) => [each]), ...rounds])
            await Promise.all(
              round.map(async ({ verb, by, ...what }) => {
                const catalog = processes[by]
                if (catalog) await verbs[verb](catalog, what).catch(unlessLost)
              }),
            )
          await Promise.all(processes.map((each) => each.close()))

          const later = on(store, 4, start + 5 * days)
          await later.sweep()
          expect(await later.sweepBlobs()).toBe(0)
          expect(await later.sweep()).toBe(0)
          await later.close()
          const records = await store.read((now) => now.scan({ prefix: '' }))
          const of = (kind: string) => records.filter(({ key }) => partsOf(key)[0] === kind)
          expect([of('upload'), of('loose')]).toEqual([[], []])
          expect(of('box!id')).toHaveLength(of('box').length)
          const named = of('version').flatMap(({ value }) =>
            (value as unknown as Version).providers.flatMap(({ asset }) => asset?.blob ?? []),
          )
          const kept: string[] = []
          for await (const id of ownedBlobIds(blobs)) kept.push(id)
          expect(kept.sort()).toEqual(named.sort())
        },
      ),
      { numRuns: 40 },
    )
  })
})

/** The store may lose the outcome of a commit for good: the caller is told. */
const unlessLost = (error: unknown): void => {
  if (!isStoreError(error, 'unknown', 'contended')) throw error
}
