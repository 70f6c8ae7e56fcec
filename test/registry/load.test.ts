import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type RegistryRecords } from '../../src/registry/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'

const source = 'https://example.com/x.zip'
const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const module = (change: object = {}) => ({ ...vpc, versions: [{ version: '1.0.0', source }], ...change })

function given() {
  const clock = testClock({ now: Date.UTC(2026, 0, 2) })
  const store = memoryStore()
  return { store, registry: createRegistry({ store, env: clock.env, timers: clock.timers }) }
}

describe('loading records', () => {
  it.each<[object, string]>([
    [{ modlues: [] }, 'registry.modlues: there is no such field; did you mean modules?'],
    [
      { modules: [module(), { ...vpc, versoins: [] }] },
      'registry.modules[1].versoins: there is no such field; did you mean versions?',
    ],
    [
      { modules: [module({ versions: [{ version: '1.0.0', source, publishedAt: '' }] })] },
      'registry.modules[0].versions[0].publishedAt: there is no such field; did you mean published_at?',
    ],
    [{ modules: [module({ colour: 'red' })] }, 'registry.modules[0].colour: there is no such field'],
  ])('refuses a field it would lose: %j', async (records, message) => {
    const { registry, store } = given()
    expect(await registry.load(records as RegistryRecords)).toMatchObject({
      ok: false,
      refusal: { code: 'bad_record', message },
    })
    expect(await store.head()).toBe(0)
  })

  it('can be tried: the answer is the same, and nothing is stored', async () => {
    const { registry, store } = given()
    expect(await registry.load({ modules: [module()] }, { dryRun: true })).toEqual({
      ok: true,
      value: { counts: { modules: 1 } },
    })
    const bad = { modules: [module(), module({ provider: 'AWS', name: 'x' })] }
    const refused = await registry.load(bad, { dryRun: true })
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'bad_record' } })
    expect(await registry.load(bad)).toEqual(refused)
    expect(await store.head()).toBe(0)
    expect(await registry.load({ modules: [module()] })).toEqual({
      ok: true,
      value: { counts: { modules: 1 } },
    })
    expect(await registry.load({ modules: [] }, { dryRun: true })).toMatchObject({
      refusal: { code: 'not_empty' },
    })
  })

  it('keeps what they say and fills in what they do not', async () => {
    const { registry } = given()
    const full = {
      ...vpc,
      id: 'acme/vpc/aws/1.10.0',
      owner: 'ada',
      description: 'A network',
      source: 'https://git.example.com/vpc',
      verified: true,
      published_at: '2017-09-14T23:22:44.793647Z',
      downloads: 42,
      versions: [
        {
          version: 'v1.10',
          source: 'git::https://example.com/vpc',
          root: { readme: '# VPC', inputs: [{ name: 'cidr' }] },
        },
        {
          version: '1.9.0',
          source: './x.zip',
          published_at: '2016-01-01T01:00:00+01:00',
          submodules: [{ path: 'nat', empty: true }],
        },
      ],
    }
    expect(await registry.load({ modules: [full, module({ name: 'bare', versions: [] })] })).toEqual({
      ok: true,
      value: { counts: { modules: 2 } },
    })
    const get = async (path: string) =>
      JSON.parse(await (await registry.fetch(new Request(`http://r.test/v1/modules${path}`))).text())
    expect(await get('')).toMatchObject({
      modules: [
        {
          id: 'acme/vpc/aws/1.10.0',
          published_at: '2017-09-14T23:22:44.793647Z',
          downloads: 42,
          verified: true,
          owner: 'ada',
        },
      ],
    })
    expect(await get('/acme/vpc/aws')).toMatchObject({
      versions: ['1.9.0', '1.10.0'],
      root: { readme: '# VPC', inputs: [{ name: 'cidr', description: '', default: '' }] },
    })
    expect(await get('/acme/vpc/aws/1.9.0')).toMatchObject({
      published_at: '2016-01-01T00:00:00.000000Z',
      submodules: [{ path: 'nat', empty: true, readme: '' }],
    })
    expect(unwrap(await registry.downloads(vpc)).summary).toEqual({ week: 0, month: 0, year: 0, total: 42 })
    await registry.download(vpc, '1.9.0')
    expect(unwrap(await registry.downloads(vpc)).summary).toEqual({ week: 1, month: 1, year: 1, total: 43 })
  })

  it('counts downloads of known days in the weeks, months and years of those days', async () => {
    const { registry } = given()
    const daily_downloads = { '2026-01-02': 3, '2025-12-20': 4, '2025-06-01': 5, '2024-01-01': 6 }
    await registry.load({ modules: [module({ ...vpc, downloads: 42, daily_downloads })] })
    expect(unwrap(await registry.downloads(vpc)).summary).toEqual({ week: 3, month: 7, year: 12, total: 42 })
  })

  it('publishes what has no date now', async () => {
    const { registry } = given()
    await registry.load({ modules: [module()] })
    expect((await registry.list()).rows[0]?.publishedMicros).toBe(Date.UTC(2026, 0, 2) * 1000)
  })

  it.each<[string, unknown]>([
    ['registry.modules', { modules: 'all' }],
    ['registry.modules[1].namespace', { modules: [module(), module({ namespace: undefined })] }],
    ['registry.modules[0].namespace', { modules: [module({ namespace: '-acme' })] }],
    ['registry.modules[0].provider', { modules: [module({ provider: 'AWS' })] }],
    ['registry.modules[0].downloads', { modules: [module({ downloads: -1 })] }],
    [
      'registry.modules[0].daily_downloads',
      { modules: [module({ downloads: 1, daily_downloads: { '2026-01-01': 2 } })] },
    ],
    [
      'registry.modules[0].daily_downloads["1 January"]',
      { modules: [module({ downloads: 1, daily_downloads: { '1 January': 1 } })] },
    ],
    ['registry.modules[0].published_at', { modules: [module({ published_at: 'yesterday' })] }],
    ['registry.modules[1]', { modules: [module(), module({ namespace: 'ACME' })] }],
    [
      'registry.modules[1].versions[0].source',
      { modules: [module(), module({ name: 'db', versions: [{ version: '1.0.0', source: 'x.zip' }] })] },
    ],
    ['registry.modules[0].versions[0].source', { modules: [module({ versions: [{ version: '1.0.0' }] })] }],
    [
      'registry.modules[0].versions[0].version',
      { modules: [module({ versions: [{ version: 'latest', source }] })] },
    ],
    [
      'registry.modules[0].versions[1].version',
      {
        modules: [
          module({
            versions: [
              { version: '1.0', source },
              { version: 'v1.0.0', source },
            ],
          }),
        ],
      },
    ],
    [
      'registry.modules[0].versions[0].submodules',
      { modules: [module({ versions: [{ version: '1', source, submodules: [{ path: '../x' }] }] })] },
    ],
    [
      'registry.modules[0].versions[0].root.inputs[0].name',
      { modules: [module({ versions: [{ version: '1', source, root: { inputs: [{}] } }] })] },
    ],
  ])('names %s as bad and loads nothing', async (path, records) => {
    const { registry, store } = given()
    const loaded = await registry.load(records as RegistryRecords)
    expect(loaded).toMatchObject({ ok: false, refusal: { code: 'bad_record', detail: { path } } })
    if (!loaded.ok) expect(loaded.refusal.message.startsWith(`${path}: `)).toBe(true)
    expect(await store.head()).toBe(0)
  })

  it('refuses a registry that has data', async () => {
    const { registry } = given()
    await registry.load({ modules: [module()] })
    expect(await registry.load({ modules: [] })).toMatchObject({ ok: false, refusal: { code: 'not_empty' } })
    expect((await registry.list()).total).toBe(1)
  })

  it('continues like any other registry', async () => {
    const { registry } = given()
    expect((await registry.list()).total).toBe(0)
    await registry.load({ modules: [module()] })
    expect(await registry.publishVersion(vpc, { version: '1.1', source })).toEqual({
      ok: true,
      value: '1.1.0',
    })
    expect(await registry.publishVersion(vpc, { version: '1', source })).toMatchObject({ ok: false })
    expect((await registry.search('vpc')).rows[0]?.version).toBe('1.1.0')
  })
})
