import { describe, expect, it, test, vi } from 'vitest'
import * as z from 'zod'
import { createCatalog } from '../../src/catalog/index.ts'
import {
  check,
  columns,
  compile,
  describeFields,
  FilterError,
  hints,
  linearPatterns,
  toSql,
} from '../../src/filter/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { DomainError, refuse, unwrap } from '../../src/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { AuditDeviceError } from '../../src/secrets/index.ts'
import {
  collection,
  faulty,
  isStoreError,
  memoryBlobs,
  memoryStore,
  StoreError,
  storeConformance,
  transact,
} from '../../src/store/index.ts'

vi.resetModules()
const second = {
  filter: await import('../../src/filter/index.ts'),
  kernel: await import('../../src/index.ts'),
  json: await import('../../src/filter/json-logic/index.ts'),
  node: await import('../../src/http/node/index.ts'),
  secrets: await import('../../src/secrets/index.ts'),
  store: await import('../../src/store/index.ts'),
}

const thrown = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('two copies of the package in one process', () => {
  it('are two', () => {
    expect(second.store.StoreError).not.toBe(StoreError)
    expect(second.filter.FilterError).not.toBe(FilterError)
  })

  it("recognise each other's errors, and only those", () => {
    const foreign = new second.store.StoreError('unknown', 'the answer was lost')
    expect(foreign).toBeInstanceOf(StoreError)
    expect(isStoreError(foreign, 'unknown')).toBe(true)
    expect(second.store.isStoreError(new StoreError('closed', 'closed'), 'closed')).toBe(true)
    expect(thrown(() => second.filter.compile('Name ='))).toBeInstanceOf(FilterError)
    expect(thrown(() => second.kernel.unwrap(refuse('a', 'b')))).toBeInstanceOf(DomainError)
    expect(thrown(() => unwrap(second.kernel.refuse('a', 'b')))).toBeInstanceOf(second.kernel.DomainError)
    expect(new second.secrets.AuditDeviceError('file/')).toBeInstanceOf(AuditDeviceError)
    expect(foreign).not.toBeInstanceOf(AuditDeviceError)
    expect(thrown(() => second.json.fromJsonLogic({ cat: [1] }))).toBeInstanceOf(FilterError)
    for (const other of [new Error('x'), foreign, {}, null, 'StoreError'])
      expect([other instanceof FilterError, other instanceof DomainError]).toEqual([false, false])
    class Special extends StoreError {}
    expect(new Special('closed', 'closed')).toBeInstanceOf(StoreError)
    expect(new StoreError('closed', 'closed')).not.toBeInstanceOf(Special)
  })

  it("take each other's filters and parts", () => {
    const foreign = second.filter.compile('Name == "web" and Count > 2')
    const own = compile('Name == "web" and Count > 2')
    const columns = { columns: { Name: 'name', Count: 'count' }, dialect: 'sqlite' } as const
    expect(hints(foreign as never)).toEqual(hints(own))
    expect(toSql(foreign as never, columns)).toEqual(toSql(own, columns))
    const compiler = second.filter.filterCompiler(linearPatterns)
    expect(compiler('Name matches "^w"').test({ Name: 'web' })).toBe(true)
  })

  it("filter each other's columns, and read values of each other's replicas", async () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({ n }))
    expect(compile('n < 10').over(second.filter.columns(rows)).count()).toBe(10)
    expect(second.filter.compile('n < 10').over(columns(rows)).count()).toBe(10)
    const photos = collection<{ id: string; text: string }>({
      name: 'photo',
      key: ({ id }) => [id],
      values: 'read',
    })
    const { snapshot: _snapshot, onCommit: _onCommit, ...remote } = memoryStore()
    const view = await second.store.replica(remote, [photos])
    let ids = 0
    const newId = () => `commit-${ids++}`
    await transact(view, newId, (tx) => tx.put(photos, { id: 'a', text: 'long' }))
    const fresh = await second.store.replica(remote, [photos])
    const { result } = await transact(fresh, newId, (tx) => tx.get(photos, 'a')?.value.text)
    expect(result).toBe('long')
    await view.close()
    await fresh.close()
  })

  it('check by schemas that the other one described', () => {
    const fields = second.filter.describeFields(z.object({ Status: z.enum(['a', 'b']) }))
    expect(fields).toEqual(describeFields(z.object({ Status: z.enum(['a', 'b']) })))
    expect(second.filter.check('Stat == "a"', z.object({ Status: z.string() }))).toEqual(
      check('Stat == "a"', z.object({ Status: z.string() })),
    )
  })

  it('bring together a service, its store, its blobs and its webhooks', async () => {
    const store = second.store.memoryStore()
    const blobs = second.store.memoryBlobs(second.node.nodeHashing)
    const posted: string[] = []
    const post = async (_url: URL, _headers: object, body: string) => {
      posted.push(JSON.parse(body).type)
      return 204
    }
    const webhooks = { ...second.node.webhookSender(), post }
    const registry = createRegistry({ store, blobs, webhooks })
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    unwrap(await registry.createWebhook({ url: 'https://ci.example.com/' }))
    await registry.putQuota('acme', { modules: 1 })
    unwrap(await registry.publishModule(vpc))
    unwrap(await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://host.test/x.zip' }))
    await vi.waitUntil(() => posted.length === 1, { timeout: 600_000 })
    expect(posted).toEqual(['version.published'])
    const refused = await registry.publishModule({ ...vpc, name: 'dns' })
    expect(thrown(() => second.kernel.unwrap(refused))).toMatchObject({ code: 'quota_exceeded' })
    expect(thrown(() => second.kernel.unwrap(refused))).toBeInstanceOf(DomainError)
    const catalog = createCatalog({ store, blobs: memoryBlobs(nodeHashing) })
    const mixedUp = await catalog.putUser({ username: 'ada' }).catch((error: unknown) => error)
    expect(mixedUp).toBeInstanceOf(StoreError)
    expect(String(mixedUp)).toMatch(/this realm belongs to the registry service/)
    await catalog.close()
    await registry.close()
  })

  it('report no write as failed that was applied, whichever copy made the store', async () => {
    for (const { faulty: unreliable, memoryStore: memory } of [{ faulty, memoryStore }, second.store]) {
      let lost = 0
      const store = unreliable(memory(), {
        seed: 1,
        faults: { unknownApplied: 0.2 },
        onFault: (fault) => {
          if (fault === 'unknownApplied') lost += 1
        },
      })
      const registry = createRegistry({ store, blobs: memoryBlobs(nodeHashing) })
      for (let at = 0; at < 60; at += 1) {
        const module = { namespace: 'acme', name: `m${at}`, provider: 'aws' }
        expect(await registry.publishModule(module)).toMatchObject({ ok: true })
      }
      expect(lost).toBeGreaterThan(5)
      await registry.close()
    }
  })
})

describe('a store of another copy', () => {
  storeConformance(async () => second.store.memoryStore(), { test, sequences: 2, rounds: 2 })
})

describe("the other copy's kit", () => {
  second.store.storeConformance(async () => memoryStore(), { test, sequences: 2, rounds: 2 })
})
