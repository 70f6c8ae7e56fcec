import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type RegistryEvent, type RegistryOptions } from '../../src/registry/index.ts'
import { memoryStore, partsOf, type Store } from '../../src/store/index.ts'

import { realmOwners } from '../../src/store/realm/realm-owner.ts'
import { testClock } from '../../src/testing/index.ts'

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const db = { ...vpc, name: 'db' }
const source = 'https://example.com/x.zip'

/** Every registry draws identifiers of its own, as processes do: a commit's identifier is used once. */
let seeds = 0

function given(options: Partial<RegistryOptions> = {}) {
  seeds += 1
  const clock = testClock({ seed: seeds })
  const events: RegistryEvent[] = []
  const store = options.store ?? memoryStore()
  const registry = createRegistry({
    env: clock.env,
    timers: clock.timers,
    onEvent: (event) => events.push(event),
    ...options,
    store,
  })
  return { clock, events, store, registry }
}

/** The same realm, as if it stood in another process: nothing of it is at hand until it is asked for. */
const remote = ({ head, read, commit, changes, import: fill, close }: Store): Store => ({
  head,
  read,
  commit,
  changes,
  import: fill,
  close,
})

describe('publishing through the service', () => {
  it('stores, lists and reports', async () => {
    const { clock, registry, events } = given()
    expect(await registry.publishModule({ ...vpc, owner: 'ada' })).toEqual({
      ok: true,
      value: 'acme/vpc/aws',
    })
    expect(await registry.publishVersion(vpc, { version: 'v1', source })).toEqual({
      ok: true,
      value: '1.0.0',
    })
    expect(await registry.list()).toMatchObject({
      total: 1,
      rows: [{ ...vpc, owner: 'ada', version: '1.0.0' }],
    })
    const at = clock.now()
    expect(events).toEqual([
      { at, by: null, type: 'module.published', module: vpc },
      { at, by: null, type: 'version.published', module: vpc, version: '1.0.0' },
    ])
  })

  it('changes nothing when it refuses', async () => {
    const { registry, store, events } = given()
    await registry.publishModule(vpc)
    await registry.publishVersion(vpc, { version: '1', source })
    const head = await store.head()
    const refusals = [
      await registry.publishModule({ ...vpc, provider: 'AWS' }),
      await registry.publishVersion(vpc, { version: '1.0', source }),
      await registry.publishVersion(vpc, { version: 'x', source }),
      await registry.publishVersion(vpc, { version: '2', source: 'x.zip' }),
      await registry.publishVersion(db, { version: '2', source }),
      await registry.removeVersion(vpc, '3'),
      await registry.removeModule(db),
      await registry.renameModule(db, vpc),
    ]
    expect(refusals.map((each) => (each.ok ? 'ok' : each.refusal.code))).toEqual([
      'invalid_module_name',
      'version_exists',
      'invalid_version',
      'invalid_source',
      'module_not_found',
      'version_not_found',
      'module_not_found',
      'module_not_found',
    ])
    expect(await store.head()).toBe(head)
    expect(events).toHaveLength(2)
  })

  it('publishes each of many concurrent versions once', async () => {
    const { registry } = given()
    await registry.publishModule(vpc)
    const twice = Array.from({ length: 12 }, (_, index) => `1.${index % 6}.0`)
    const outcomes = await Promise.all(
      twice.map((version) => registry.publishVersion(vpc, { version, source })),
    )
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(6)
    expect(unwrap(await registry.readModule(vpc)).versions).toEqual(
      [0, 1, 2, 3, 4, 5].map((minor) => `1.${minor}.0`),
    )
  })
})

describe('a stretch of a list', () => {
  it('begins at 0 at the earliest and is as long as it can be', async () => {
    const { registry } = given()
    await registry.load({
      modules: ['a', 'b', 'c'].map((name) => ({ ...vpc, name, versions: [{ version: '1', source }] })),
    })
    const names = async (offset: number, limit: number) =>
      (await registry.list({ offset, limit })).rows.map(({ name }) => name).join('')
    expect(await names(-2, 2)).toBe('ab')
    expect(await names(1.5, 9)).toBe('bc')
    expect(await names(0, -1)).toBe('')
    expect(await names(Number.NaN, Number.POSITIVE_INFINITY)).toBe('abc')
    expect(
      (await registry.search('vpc acme', { offset: -1, limit: Number.POSITIVE_INFINITY })).rows,
    ).toHaveLength(0)
    expect((await registry.search('aws', { offset: -1, limit: Number.POSITIVE_INFINITY })).rows).toHaveLength(
      3,
    )
  })
})

describe('many writers of one module', () => {
  it('all get through', async () => {
    const { registry } = given()
    await registry.publishModule(vpc)
    const versions = Array.from({ length: 200 }, (_, minor) => `1.${minor}.0`)
    const outcomes = await Promise.all(
      versions.map((version) => registry.publishVersion(vpc, { version, source })),
    )
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(unwrap(await registry.readModule(vpc)).versions).toEqual(versions)
  })

  it('go on after one of them failed', async () => {
    const store = memoryStore()
    let failures = 1
    const { registry } = given({
      store: {
        ...remote(store),
        commit: (batch) => (failures-- > 0 ? Promise.reject(new Error('disk full')) : store.commit(batch)),
      },
    })
    const [first, second] = [registry.publishModule(vpc), registry.publishModule({ ...vpc, owner: 'ada' })]
    await expect(first).rejects.toThrow('disk full')
    expect(await second).toEqual({ ok: true, value: 'acme/vpc/aws' })
    await registry.close()
  })
})

describe('removing', () => {
  it('falls back to the version before, and forgets the one that went', async () => {
    const { registry } = given()
    await registry.publishModule(vpc)
    for (const version of ['1.0.0', '1.1.0']) await registry.publishVersion(vpc, { version, source })
    expect(await registry.removeVersion(vpc, 'v1.1')).toEqual({ ok: true, value: '1.1.0' })
    expect(unwrap(await registry.readModule(vpc)).row.version).toBe('1.0.0')
    expect(await registry.download(vpc, '1.1.0')).toMatchObject({
      ok: false,
      refusal: { code: 'version_not_found' },
    })
  })

  it('a module leaves nothing for the next one of that name', async () => {
    const { registry, store } = given()
    await registry.publishModule({ ...vpc, verified: true })
    for (let minor = 0; minor < 70; minor += 1)
      await registry.publishVersion(vpc, { version: `1.${minor}`, source })
    await registry.download(vpc, '1.0')
    expect(await registry.removeModule(vpc)).toEqual({ ok: true, value: 'acme/vpc/aws' })
    await registry.close()
    const left = await store.read((view) => view.scan({ prefix: '' }))
    const names = left.map(({ key }) => partsOf(key)[0])
    expect(names.filter((name) => name !== 'trail')).toEqual([realmOwners.name])

    const again = given({ store }).registry
    await again.publishModule(vpc)
    await again.publishVersion(vpc, { version: '2', source })
    expect(unwrap(await again.readModule(vpc))).toMatchObject({
      versions: ['2.0.0'],
      row: { downloads: 0, verified: false },
    })
  })
})

describe('renaming', () => {
  it('keeps the address it left for the module, until that is removed', async () => {
    const { registry } = given()
    await registry.publishModule(vpc)
    await registry.publishVersion(vpc, { version: '1', source })
    await registry.renameModule(vpc, db)
    await registry.renameModule(db, { ...vpc, name: 'third' })
    for (const address of [vpc, db])
      expect(await registry.publishModule(address)).toMatchObject({
        ok: false,
        refusal: { code: 'module_name_taken' },
      })
    await registry.removeModule({ ...vpc, name: 'third' })
    expect(await registry.readModule(vpc)).toMatchObject({ ok: false, refusal: { code: 'module_not_found' } })
    expect((await registry.publishModule(vpc)).ok).toBe(true)
  })

  it('may go back, and there again', async () => {
    const { registry } = given()
    await registry.publishModule(vpc)
    await registry.publishVersion(vpc, { version: '1', source })
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await registry.renameModule(vpc, db)).ok).toBe(true)
      expect(await registry.readModule(vpc)).toMatchObject({
        refusal: { code: 'module_moved', detail: { to: db } },
      })
      expect((await registry.renameModule(db, vpc)).ok).toBe(true)
      expect(await registry.readModule(db)).toMatchObject({
        refusal: { code: 'module_moved', detail: { to: vpc } },
      })
      expect((await registry.readModule(vpc)).ok).toBe(true)
    }
  })

  it('refuses an address that is taken', async () => {
    const { registry } = given()
    await registry.publishModule(vpc)
    await registry.publishModule(db)
    expect(await registry.renameModule(vpc, { ...db, namespace: 'ACME' })).toMatchObject({
      refusal: { code: 'module_name_taken' },
    })
  })

  it('changes the case of letters in place', async () => {
    const { registry } = given()
    await registry.publishModule(vpc)
    await registry.publishVersion(vpc, { version: '1', source })
    expect(await registry.renameModule(vpc, { ...vpc, name: 'VPC' })).toEqual({
      ok: true,
      value: 'acme/VPC/aws',
    })
    expect(await registry.list()).toMatchObject({ total: 1, rows: [{ name: 'VPC' }] })
    expect((await registry.search('vpc')).rows[0]?.name).toBe('VPC')
    expect((await registry.readModule(vpc)).ok).toBe(true)
  })
})

describe('two registries on one store', () => {
  it.each([
    ['in one process', (store: Store) => store],
    ['in two processes', remote],
  ])('see what the other did (%s)', async (_, wrap) => {
    const store = memoryStore()
    const one = given({ store: wrap(store) }).registry
    const two = given({ store: wrap(store) }).registry
    expect((await two.list()).total).toBe(0)
    await one.publishModule(vpc)
    await one.publishVersion(vpc, { version: '1', source })
    expect((await two.list()).total).toBe(1)
    expect((await two.search('vpc')).total).toBe(1)
    await two.download(vpc, '1')
    await two.downloads(vpc)
    expect(unwrap(await one.downloads(vpc)).summary.total).toBe(1)
    await one.renameModule(vpc, db)
    expect(await two.readModule(vpc)).toMatchObject({ refusal: { code: 'module_moved' } })
    expect((await two.search('vpc')).total).toBe(0)
    await two.removeModule(db)
    expect((await one.list()).total).toBe(0)
    await Promise.all([one.close(), two.close()])
    await store.close()
  })

  it('count every download of both', async () => {
    const store = memoryStore()
    const registries = [given({ store }).registry, given({ store: remote(store) }).registry]
    await registries[0]?.publishModule(vpc)
    await registries[0]?.publishVersion(vpc, { version: '1', source })
    await Promise.all(Array.from({ length: 100 }, (_, index) => registries[index % 2]?.download(vpc, '1')))
    await Promise.all(registries.map((registry) => registry.close()))
    const later = given({ store }).registry
    expect(unwrap(await later.downloads(vpc)).summary.total).toBe(100)
    expect((await later.list()).rows[0]?.downloads).toBe(100)
  })
})

describe('a download count that cannot be stored', () => {
  it('fails no download, is reported, and is stored with the next', async () => {
    const store = memoryStore()
    let broken = false
    const flaky: Store = {
      ...remote(store),
      commit: (batch) => (broken ? Promise.reject(new Error('disk full')) : store.commit(batch)),
    }
    const errors: unknown[] = []
    const { registry } = given({ store: flaky, onError: (error) => errors.push(error) })
    await registry.publishModule(vpc)
    await registry.publishVersion(vpc, { version: '1', source })
    broken = true
    expect((await registry.download(vpc, '1')).ok).toBe(true)
    expect(unwrap(await registry.downloads(vpc)).summary.total).toBe(0)
    expect(errors.length).toBeGreaterThan(0)
    broken = false
    await registry.download(vpc, '1')
    expect(unwrap(await registry.downloads(vpc)).summary.total).toBe(2)
    await registry.close()
  })
})

describe('a store that was out of reach', () => {
  it('does not keep the registry from closing', async () => {
    const store = { ...remote(memoryStore()), read: () => Promise.reject(new Error('unreachable')) }
    const { registry } = given({ store })
    const asked = registry.list().catch(({ message }) => message)
    await registry.close()
    expect(await asked).toBe('unreachable')
  })

  it('is tried again by the next caller', async () => {
    const store = memoryStore()
    let reachable = false
    const { registry } = given({
      store: {
        ...remote(store),
        read: (fn) => (reachable ? store.read(fn) : Promise.reject(new Error('unreachable'))),
      },
    })
    await expect(registry.list()).rejects.toThrow('unreachable')
    reachable = true
    expect((await registry.list()).total).toBe(0)
    await registry.close()
  })
})
