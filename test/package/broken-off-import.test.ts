import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, type Store } from '../../src/store/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { openDatabase } from '../store/sqlite-driver.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-broken-off-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** A realm as a process leaves it that is killed while it imports. */
async function brokenOff(realm: string): Promise<Store> {
  const store = await sqliteStore(join(directory, `${realm}.sqlite`))
  const raw = openDatabase(store.path)
  raw.exec(`insert into realms (name, base, floor, importing) values ('main', 0, 0, 'another process')`)
  raw.close()
  await expect(store.head()).rejects.toMatchObject({ code: 'locked' })
  return store
}

const services = {
  scheduler: (store: Store) => {
    const scheduler = createScheduler({ store })
    return {
      ...scheduler,
      fill: () => scheduler.load({ jobs: [{ ID: 'web' }] }),
      path: '/v1/job/web',
    }
  },
  registry: (store: Store) => {
    const registry = createRegistry({ store })
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    const versions = [{ version: '1.0.0', source: 'https://example.com/vpc.zip' }]
    return {
      ...registry,
      fill: () => registry.load({ modules: [{ ...vpc, versions }] }),
      path: '/v1/modules/acme/vpc/aws',
    }
  },
  catalog: (store: Store) => {
    const catalog = createCatalog({ store, blobs: memoryBlobs(nodeHashing) })
    return {
      ...catalog,
      fill: () => catalog.load({ boxes: [{ tag: 'acme/tiny', private: false }] }),
      path: '/api/v2/box/acme/tiny',
    }
  },
}

describe('a load that broke off', () => {
  it.each(['scheduler', 'registry', 'catalog'] as const)(
    'leaves a %s that answers no reads until it is loaded again',
    async (name) => {
      const store = await brokenOff(name)
      const service = services[name](store)
      const ask = async () => (await service.fetch(new Request(`http://s.test${service.path}`))).status
      expect(await ask()).toBe(500)
      unwrap<unknown>(await service.fill())
      expect(await ask()).toBe(200)
      expect(await service.fill()).toMatchObject({ ok: false, refusal: { code: 'not_empty' } })
      await service.close()
      await store.close()
    },
  )
})
