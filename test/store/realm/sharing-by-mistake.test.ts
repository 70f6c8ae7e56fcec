import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../../src/catalog/index.ts'
import { nodeHashing } from '../../../src/http/node/index.ts'
import { createRegistry } from '../../../src/registry/index.ts'
import { createScheduler } from '../../../src/scheduler/index.ts'
import { createSecrets } from '../../../src/secrets/index.ts'
import {
  type Blobs,
  memoryBlobs,
  memoryStore,
  restoreRealm,
  type Store,
  saveRealm,
} from '../../../src/store/index.ts'
import { tarGz } from '../../registry/archive/archives.ts'

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const version = { username: 'ada', name: 'tiny', version: '1.0.0' }

const idsOf = async (blobs: Blobs): Promise<readonly string[]> => {
  const ids: string[] = []
  for await (const id of blobs.list()) ids.push(id)
  return ids.sort()
}

/** A write and a read of each service. */
const services: Readonly<
  Record<string, (store: Store) => Promise<{ write: () => Promise<unknown>; read: () => Promise<unknown> }>>
> = {
  catalog: async (store) => {
    const catalog = createCatalog({ store, blobs: memoryBlobs(nodeHashing) })
    return {
      write: () => catalog.putUser({ username: 'ada' }),
      read: () => catalog.readBox({ username: 'ada', name: 'tiny' }),
    }
  },
  registry: async (store) => {
    const registry = createRegistry({ store })
    return { write: () => registry.publishModule(vpc), read: () => registry.readModule(vpc) }
  },
  scheduler: async (store) => {
    const scheduler = createScheduler({ store })
    return { write: () => scheduler.upsertPool({ Name: 'gpu' }), read: () => scheduler.readPool('gpu') }
  },
  secrets: async (store) => {
    const secrets = createSecrets({ store })
    return {
      write: () => secrets.seal.initialize({ shares: 1, threshold: 1 }),
      read: () => secrets.seal.status(),
    }
  },
}

interface Asked {
  readonly fetch: (request: Request) => Promise<Response>
}

const remote = (): Store => {
  const { snapshot: _snapshot, onCommit: _onCommit, ...store } = memoryStore()
  return store
}

describe.each([
  ['in memory', memoryStore],
  ['of another process', remote],
])('one realm %s given to two services', (_where, newStore) => {
  for (const first of Object.keys(services))
    for (const second of Object.keys(services))
      it(
        first === second ? `serves ${first} again` : `is refused by ${second} once ${first} wrote`,
        async () => {
          const store = newStore()
          const before = await services[second]?.(store)
          const owner = await services[first]?.(store)
          expect(await owner?.write()).toMatchObject({ ok: true })
          const after = await services[second]?.(store)
          const calls = [after?.read, after?.write, before?.write]
          if (first === second) expect(await after?.read()).toBeDefined()
          else
            for (const call of calls)
              await expect(call?.()).rejects.toMatchObject({
                code: 'foreign',
                message: expect.stringContaining(
                  `belongs to the ${first} service: give the ${second} service`,
                ),
              })
        },
      )
})

describe('over HTTP, a store of another service', () => {
  const asked: Readonly<
    Record<string, readonly [string, (options: { store: Store; onError: (error: unknown) => void }) => Asked]>
  > = {
    catalog: ['/api/v2/search', (options) => createCatalog({ ...options, blobs: memoryBlobs(nodeHashing) })],
    'secrets, sealed': ['/v1/secret/data/x', createSecrets],
  }
  it.each(Object.entries(asked))(
    'is refused by %s, and its owner is told to the operator only',
    async (_name, [path, create]) => {
      const store = memoryStore()
      await createRegistry({ store }).publishModule(vpc)
      const errors: unknown[] = []
      const service = create({ store, onError: (error) => errors.push(error) })
      const answer = await service.fetch(new Request(`http://localhost${path}`))
      expect(answer.status).toBe(503)
      expect(await answer.text()).toMatch(/belongs to another service or program: nothing was stored/)
      expect(errors).toMatchObject([
        { code: 'foreign', message: expect.stringContaining('the registry service') },
      ])
    },
  )
})

it('a typed method of sealed secrets says whose the realm is', async () => {
  const store = memoryStore()
  await createRegistry({ store }).publishModule(vpc)
  const secrets = createSecrets({ store })
  await expect(secrets.kv().read('x')).rejects.toMatchObject({
    code: 'foreign',
    message: expect.stringContaining('belongs to the registry service'),
  })
})

it('a refused call leaves a realm without an owner', async () => {
  const store = memoryStore()
  const registry = createRegistry({ store })
  await registry.removeModule(vpc)
  expect(await store.head()).toBe(0)
})

it('loaded records have an owner', async () => {
  const store = memoryStore()
  await createRegistry({ store }).load({ modules: [vpc] } as never)
  const scheduler = createScheduler({ store })
  await expect(scheduler.readPool('gpu')).rejects.toMatchObject({ code: 'foreign' })
})

describe('one blob store given to two services', () => {
  const archive = tarGz({ path: 'main.tf', text: 'variable "a" {}' })
  const publish = async (blobs: Blobs, store: Store = memoryStore()) => {
    const registry = createRegistry({ store, blobs })
    await registry.publishModule(vpc)
    return registry.publishArchive(vpc, { version: '1.0.0' }, new Blob([archive]).stream())
  }
  const upload = async (blobs: Blobs, store: Store = memoryStore()) => {
    const catalog = createCatalog({ store, blobs })
    await catalog.putUser({ username: 'ada' })
    await catalog.createBox({ username: 'ada', name: 'tiny' })
    await catalog.createVersion(version, { version: '1.0.0' })
    await catalog.createProvider(version, { name: 'qemu', architecture: 'amd64' })
    const asked = await catalog.requestUpload(version, { name: 'qemu' }, 'standard')
    return asked.ok ? catalog.receiveUpload(asked.value.secret, new Blob(['image']).stream()) : asked
  }

  it('keeps the archives of the registry when the catalog sweeps', async () => {
    const blobs = memoryBlobs(nodeHashing)
    expect(await publish(blobs)).toMatchObject({ ok: true })
    const kept = await idsOf(blobs)
    const catalog = createCatalog({ store: memoryStore(), blobs })
    await expect(catalog.sweepBlobs()).rejects.toThrow(
      'this blob store belongs to the registry service: give the catalog service one of its own',
    )
    await expect(upload(blobs)).rejects.toMatchObject({ code: 'foreign' })
    expect(await idsOf(blobs)).toEqual(kept)
  })

  it('is refused by the registry once the catalog wrote, and by a catalog of another realm', async () => {
    const blobs = memoryBlobs(nodeHashing)
    const store = memoryStore()
    expect(await upload(blobs, store)).toMatchObject({ ok: true })
    const kept = await idsOf(blobs)
    await expect(publish(blobs)).rejects.toThrow('belongs to the catalog service')
    await expect(upload(blobs)).rejects.toThrow('belongs to the catalog service of another realm')
    expect(await idsOf(blobs)).toEqual(kept)
    expect(await createCatalog({ store, blobs }).sweepBlobs()).toBe(0)
  })

  it('belongs to a restored realm as to the original', async () => {
    const blobs = memoryBlobs(nodeHashing)
    const store = memoryStore()
    await upload(blobs, store)
    const pieces: string[] = []
    await saveRealm(store, (text) => pieces.push(text))
    const restored = memoryStore()
    await restoreRealm(restored, pieces)
    await blobs.put('stray', new Blob(['x']).stream())
    expect(await createCatalog({ store: restored, blobs }).sweepBlobs()).toBe(1)
  })
})
