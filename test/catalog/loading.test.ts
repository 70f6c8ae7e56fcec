import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { type LocalStore, memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { served } from './catalog.ts'

const provider = { name: 'qemu', url: 'https://example.com/x.box' }
const box = (fields: object = {}) => ({ username: 'acme', name: 'tiny', ...fields })
const version = (fields: object = {}) => ({ version: '1.0', providers: [provider], ...fields })

describe('loading boxes', () => {
  it.each<[object, string]>([
    [{ boxs: [] }, 'catalog.boxs: there is no such field; did you mean boxes?'],
    [
      { boxes: [box(), box({ versoins: [] })] },
      'catalog.boxes[1].versoins: there is no such field; did you mean versions?',
    ],
    [
      { boxes: [box({ versions: [version({ number_: 1 })] })] },
      'catalog.boxes[0].versions[0].number_: there is no such field; did you mean number?',
    ],
    [
      { boxes: [box({ versions: [version({ providers: [{ ...provider, checksumtype: 'md5' }] })] })] },
      'catalog.boxes[0].versions[0].providers[0].checksumtype: there is no such field; did you mean checksum_type?',
    ],
    [
      { organizations: [{ username: 'acme', member: [] }] },
      'catalog.organizations[0].member: there is no such field; did you mean members?',
    ],
  ])('refuses a field it would lose: %j', async (records, message) => {
    const { catalog } = await served()
    expect(await catalog.load(records)).toMatchObject({ ok: false, refusal: { code: 'bad_record', message } })
  })

  it('lets others have their turn meanwhile', async () => {
    const { catalog } = await served()
    const boxes = Array.from({ length: 20_000 }, (_, at) => box({ name: `box-${at}`, versions: [version()] }))
    let turns = 0
    const others = setInterval(() => {
      turns += 1
    })
    unwrap(await catalog.load({ boxes }, { dryRun: true }))
    clearInterval(others)
    expect(turns).toBeGreaterThan(3)
  })

  it('lets others have their turn between owners, too', async () => {
    const catalog = createCatalog()
    const organizations = Array.from({ length: 20_000 }, (_, at) => ({ username: `org-${at}` }))
    let turns = 0
    const others = setInterval(() => {
      turns += 1
    })
    unwrap(await catalog.load({ organizations }))
    clearInterval(others)
    expect(turns).toBeGreaterThan(5)
    await catalog.close()
  })

  it('lets others have their turn between the commits of a catalog that has users', async () => {
    const base = memoryStore()
    let [commits, most, isOver] = [0, 0, false]
    const store: LocalStore = {
      ...base,
      commit: (batch) => {
        commits += batch.length
        most = Math.max(most, commits)
        return base.commit(batch)
      },
    }
    const catalog = createCatalog({ store, blobs: memoryBlobs(nodeHashing) })
    unwrap(await catalog.putUser({ username: 'alice' }))
    const nextTurn = () => {
      commits = 0
      if (!isOver) setImmediate(nextTurn)
    }
    nextTurn()
    const boxes = Array.from({ length: 6_000 }, (_, at) => box({ name: `box-${at}` }))
    unwrap(await catalog.load({ boxes }))
    isOver = true
    // As many as there are parts.
    expect(most).toBeLessThan(64)
    await catalog.close()
  })

  it('gives them back as they were read', async () => {
    const first = await served()
    unwrap(await first.catalog.putOrganization({ username: 'acme', members: ['alice'] }))
    await first.alice('POST /api/v2/boxes', {
      username: 'acme',
      name: 'tiny',
      is_private: false,
      description: '*x*',
      short_description: 's',
    })
    await first.clock.advance(1234)
    await first.alice('POST /api/v2/box/acme/tiny/versions', { version: '1.0.0', description: 'first' })
    for (const architecture of ['amd64', 'arm64'])
      await first.alice('POST /api/v2/box/acme/tiny/version/1.0/providers', {
        ...provider,
        architecture,
        checksum: 'ab'.repeat(16),
        checksum_type: 'md5',
        default_architecture: true,
      })
    await first.clock.advance(1234)
    await first.alice('PUT /api/v2/box/acme/tiny/version/1.0/release')
    await first.ask('GET /acme/boxes/tiny/versions/1.0.0/providers/qemu.box')
    const read = (await first.alice('GET /api/v2/box/acme/tiny')).body
    expect(read.downloads).toBe(1)

    const second = await served()
    expect(unwrap(await second.catalog.load({ boxes: [read] }))).toEqual({
      counts: { boxes: 1, organizations: 0 },
    })
    expect((await second.ask('GET /api/v2/box/acme/tiny')).body).toEqual(read)
    expect((await second.ask('GET /api/v2/user/acme')).body.boxes).toHaveLength(1)
  })

  it('is found by the search immediately, also by one that was used before', async () => {
    const { catalog, ask } = await served()
    const found = async () => (await ask('GET /api/v2/search?q=tiny')).body.boxes.length
    expect(await found()).toBe(0)
    unwrap(await catalog.load({ boxes: [box({ private: false, versions: [version()] })] }))
    expect(await found()).toBe(1)
  })

  it('can be tried: the answer is the same, and nothing is stored', async () => {
    const { catalog, ask } = await served()
    const records = { boxes: [box({ private: false, versions: [version()] })] }
    expect(unwrap(await catalog.load(records, { dryRun: true }))).toEqual({
      counts: { boxes: 1, organizations: 0 },
    })
    expect((await ask('GET /api/v2/box/acme/tiny')).status).toBe(404)
    const bad = await catalog.load({ boxes: [box({ tag: 'x' })] }, { dryRun: true })
    expect(bad).toMatchObject({ ok: false, refusal: { code: 'bad_record' } })
    unwrap(await catalog.load(records))
    expect(await catalog.load(records, { dryRun: true })).toMatchObject({
      ok: false,
      refusal: { code: 'not_empty' },
    })
  })

  it('fills a store that holds nothing in one commit', async () => {
    const store = memoryStore()
    const catalog = createCatalog({ store, blobs: memoryBlobs(nodeHashing) })
    const boxes = Array.from({ length: 100 }, (_, at) => box({ name: `box-${at}`, versions: [version()] }))
    unwrap(await catalog.load({ boxes }))
    expect(await store.head()).toBe(1)
    expect(unwrap(await catalog.readBox({ username: 'acme', name: 'box-99' })).versions).toHaveLength(1)
    await catalog.close()
  })

  it('fills missing fields with their defaults', async () => {
    const { catalog, ask } = await served()
    unwrap(await catalog.load({ boxes: [box({ private: false, versions: [version(), { number: '2.0' }] })] }))
    expect((await ask('GET /api/v2/box/acme/tiny')).body).toMatchObject({
      tag: 'acme/tiny',
      short_description: '',
      downloads: 0,
      created_at: '2026-01-01T00:00:00.000Z',
      current_version: {
        version: '1.0',
        status: 'active',
        providers: [{ architecture: 'unknown', default_architecture: true, hosted: false, checksum: null }],
      },
    })
    expect((await ask('GET /api/v2/box/acme/tiny/version/2.0')).body.status).toBe('unreleased')
  })

  it('leaves users that are there already what they are, and makes organizations of the list', async () => {
    const { catalog, alice } = await served()
    const records = {
      organizations: [{ username: 'acme', members: ['alice'], profile_markdown: '*We*' }],
      boxes: [box(), { tag: 'Alice/own' }],
    }
    unwrap(await catalog.load(records))
    expect((await alice('GET /api/v2/box/acme/tiny')).status).toBe(200)
    expect((await alice('GET /api/v2/user/acme')).body.profile_html).toBe('<p><em>We</em></p>\n')
    expect((await alice('PUT /api/v2/box/alice/own', { is_private: false })).status).toBe(200)
  })

  it.each<[string, object]>([
    ['catalog.boxes[0].name', { boxes: [{ username: 'acme' }] }],
    ['catalog.boxes[1].name', { boxes: [box(), { username: 'acme', name: '../x' }] }],
    ['catalog.boxes[0].username', { boxes: [{ username: 'api', name: 'x' }] }],
    ['catalog.boxes[0].tag', { boxes: [{ tag: 'a/b/c' }] }],
    ['catalog.boxes[1]', { boxes: [box(), box({ name: 'TINY' })] }],
    ['catalog.boxes[0].downloads', { boxes: [box({ downloads: -1 })] }],
    ['catalog.boxes[0].created_at', { boxes: [box({ created_at: 'yesterday' })] }],
    ['catalog.boxes[0].private', { boxes: [box({ private: 'yes' })] }],
    ['catalog.boxes[0].versions[0].version', { boxes: [box({ versions: [version({ version: 'v1' })] })] }],
    [
      'catalog.boxes[0].versions[1].version',
      { boxes: [box({ versions: [version(), version({ version: '1' })] })] },
    ],
    ['catalog.boxes[0].versions[0].status', { boxes: [box({ versions: [version({ status: 'gone' })] })] }],
    [
      'catalog.boxes[0].versions[0].providers[0].url',
      { boxes: [box({ versions: [version({ providers: [{ name: 'qemu' }] })] })] },
    ],
    [
      'catalog.boxes[0].versions[0].providers[0].url',
      { boxes: [box({ versions: [version({ providers: [{ ...provider, url: 'x' }] })] })] },
    ],
    [
      'catalog.boxes[0].versions[0].providers[0].architecture',
      { boxes: [box({ versions: [version({ providers: [{ ...provider, architecture: 'z80' }] })] })] },
    ],
    [
      'catalog.boxes[0].versions[0].providers[1]',
      { boxes: [box({ versions: [version({ providers: [provider, provider] })] })] },
    ],
    ['catalog.boxes', { boxes: 7 }],
    ['catalog.organizations[0].username', { organizations: [{ username: 'api' }] }],
  ])('names what is wrong, %s, and loads nothing', async (path, records) => {
    const { catalog } = await served()
    const answer = await catalog.load(records as never)
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'bad_record', detail: { path } } })
    expect(answer.ok ? '' : answer.refusal.message).toMatch(
      new RegExp(`^${path.replace(/[[\].]/g, '\\$&')}: `),
    )
    expect((await catalog.readAccount('acme')).ok).toBe(false)
  })

  it('is refused where boxes are', async () => {
    const { catalog } = await served()
    unwrap(await catalog.createBox({ username: 'alice', name: 'first' }))
    expect(await catalog.load({ boxes: [box()] })).toMatchObject({
      ok: false,
      refusal: { code: 'not_empty' },
    })
  })

  it('is refused to the slower of two catalogs that fill one empty store together', async () => {
    const options = { store: memoryStore(), blobs: memoryBlobs(nodeHashing) }
    await using one = createCatalog(options)
    await using two = createCatalog(options)
    const answers = await Promise.all([one, two].map((catalog) => catalog.load({ boxes: [box()] })))
    expect(answers.map((answer) => (answer.ok ? 'loaded' : answer.refusal.code)).sort()).toEqual([
      'loaded',
      'not_empty',
    ])
  })

  it('takes boxes with more versions than one commit holds, and deletes them whole', async () => {
    const { catalog } = await served()
    const versions = Array.from({ length: 150 }, (_, at) => version({ version: `1.${at}` }))
    unwrap(await catalog.load({ boxes: [box({ versions, private: false })] }))
    const address = { username: 'acme', name: 'tiny' }
    const detail = unwrap(await catalog.readBox(address))
    expect([detail.versions.length, detail.current?.number]).toEqual([150, '1.149'])
    unwrap(await catalog.deleteBox(address))
    unwrap(await catalog.createBox({ ...address }))
    expect(unwrap(await catalog.readBox(address)).versions).toEqual([])
  })
})
