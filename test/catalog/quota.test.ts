import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currentVersion, newestFirst, type Version } from '../../src/catalog/index.ts'
import { surplusVersions } from '../../src/catalog/versions/surplus.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs } from '../../src/store/index.ts'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'
import { asking, box, served } from './catalog.ts'

/** acme has a box; boss is an administrator, alice an admin of acme, and paul its publisher. */
async function company(options: Parameters<typeof served>[0] = {}) {
  const blobs = memoryBlobs(nodeHashing)
  const world = await served({ blobs, ...options })
  const { catalog } = world
  for (const username of ['paul', 'mallory']) unwrap(await catalog.putUser({ username }))
  unwrap(await catalog.putUser({ username: 'boss', administrator: true }))
  unwrap(await catalog.putOrganization({ username: 'acme' }))
  unwrap(await catalog.putMember({ owner: 'acme' }, 'alice', 'admin'))
  unwrap(await catalog.putMember({ owner: 'acme' }, 'paul', 'publisher'))
  const as = async (name: string) => asking(catalog, unwrap(await catalog.createToken(name)).token)
  const [boss, paul, mallory] = [await as('boss'), await as('paul'), await as('mallory')]
  await world.alice('POST /api/v2/boxes', { username: 'acme', name: 'base', is_private: false })
  /** Uploads an image of a new version with the way that clients use by default, and releases it. */
  const publish = async (number: string, bytes: string, way: 'upload' | 'upload/direct' = 'upload') => {
    const version = `/api/v2/box/acme/base/version/${number}`
    await paul('POST /api/v2/box/acme/base/versions', { version: number })
    await paul(`POST ${version}/providers`, { name: 'qemu', architecture: 'amd64' })
    const leave = await paul(`GET ${version}/provider/qemu/amd64/${way}`)
    const sent = await catalog.fetch(new Request(leave.body.upload_path, { method: 'PUT', body: bytes }))
    if (sent.status !== 200) return { status: sent.status, body: await sent.json() }
    if (leave.body.callback) await paul(`PUT ${new URL(leave.body.callback).pathname}`)
    return paul(`PUT ${version}/release`)
  }
  const numbers = async () =>
    (await world.ask('GET /api/v2/box/acme/base')).body.versions.map(
      ({ version }: { version: string }) => version,
    )
  const ids = async () => {
    const all: string[] = []
    for await (const id of ownedBlobIds(blobs)) all.push(id)
    return all
  }
  return { ...world, boss, paul, mallory, publish, numbers, ids }
}

const quota = '/plinth/v1/owners/acme/quota'
const prune = '/plinth/v1/owners/acme/prune'

describe('the quota of an owner', () => {
  it('is told with what is used, and set by administrators', async () => {
    const { boss, paul, publish } = await company()
    await publish('1.0', '12345')
    expect((await boss(`PUT ${quota}`, { bytes: 10, versions: 5, boxes: 2 })).body).toEqual({
      owner: 'acme',
      used: { bytes: 5, boxes: 1, versions: 1 },
      quota: { bytes: 10, boxes: 2, versions: 5, keep_versions: null },
    })
    expect((await boss(`PUT ${quota}`, { boxes: null })).body.quota).toMatchObject({ bytes: 10, boxes: 2000 })
    expect((await paul(`GET ${quota}`)).body.quota.bytes).toBe(10)
  })

  it.each([
    ['mallory', 'GET', 403],
    ['mallory', 'PUT', 403],
    ['paul', 'GET', 200],
    ['paul', 'PUT', 403],
    ['alice', 'GET', 200],
    ['alice', 'PUT', 403],
    ['boss', 'PUT', 200],
  ] as const)('of bytes: %s may %s it: %i', async (who, method, status) => {
    const world = await company()
    const answer = await world[who](`${method} ${quota}`, method === 'PUT' ? { bytes: 1 } : undefined)
    expect(answer.status).toBe(status)
    expect((await world.ask(`GET ${quota}`)).status).toBe(401)
  })

  it.each(['upload', 'upload/direct'] as const)(
    'of bytes refuses an image by %s, and keeps none of it',
    async (way) => {
      const { boss, publish, numbers, ids } = await company()
      await boss(`PUT ${quota}`, { bytes: 10 })
      expect((await publish('1.0', '12345', way)).status).toBe(200)
      const before = await ids()
      const refused = await publish('2.0', '1234567', way)
      expect(refused.status).toBe(422)
      expect(refused.body.errors[0]).toMatch(/acme (?:may have 5 more bytes|has 5 bytes, and may have 10)/)
      expect(await numbers()).toEqual(['1.0'])
      expect(await ids()).toEqual(before)
      expect((await publish('3.0', '12345', way)).status).toBe(200)
      expect((await publish('4.0', '1', way)).status).toBe(422)
    },
  )

  it('of bytes counts direct uploads from their arrival, once, and what they replace not at all', async () => {
    const { boss, paul, catalog } = await company()
    await boss(`PUT ${quota}`, { bytes: 10 })
    const stage = async (number: string, bytes: string) => {
      const version = `/api/v2/box/acme/base/version/${number}`
      await paul('POST /api/v2/box/acme/base/versions', { version: number })
      await paul(`POST ${version}/providers`, { name: 'qemu', architecture: 'amd64' })
      const { body } = await paul(`GET ${version}/provider/qemu/amd64/upload/direct`)
      const { status } = await catalog.fetch(new Request(body.upload_path, { method: 'PUT', body: bytes }))
      const finalize = () => paul(`PUT ${new URL(body.callback).pathname}`)
      return {
        status,
        finalize,
        again: (other: string) =>
          catalog.fetch(new Request(body.upload_path, { method: 'PUT', body: other })),
      }
    }
    const used = async () => (await boss(`GET ${quota}`)).body.used.bytes
    const first = await stage('1.0', '123456')
    expect([first.status, await used()]).toEqual([200, 6])
    expect([(await stage('2.0', '12345')).status, await used()]).toEqual([422, 6])
    expect([(await first.again('12345678')).status, await used()]).toEqual([200, 8])
    expect([(await first.finalize()).status, await used()]).toEqual([200, 8])
    const second = await stage('1.0', '123456789')
    expect([second.status, await used()]).toEqual([200, 9])
    expect([(await second.finalize()).status, await used()]).toEqual([200, 9])
    unwrap(await catalog.deleteVersion({ username: 'acme', name: 'base', version: '1.0' }))
    expect(await used()).toBe(0)
  })

  it('of bytes holds for uploads at the same moment', async () => {
    const { boss, publish, numbers } = await company()
    await boss(`PUT ${quota}`, { bytes: 10 })
    const all = await Promise.all(['1.0', '2.0', '3.0', '4.0'].map((number) => publish(number, '1234')))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await numbers()).toHaveLength(2)
  })

  it('of versions and of boxes refuses another one, and nothing that is there', async () => {
    const { boss, alice, paul, publish } = await company()
    await publish('1.0', '1')
    await boss(`PUT ${quota}`, { versions: 1, boxes: 1 })
    const version = await paul('POST /api/v2/box/acme/base/versions', { version: '2.0' })
    expect([version.status, version.body.errors[0]]).toEqual([
      422,
      'acme has 1 versions, and may have 1: delete what is no longer needed, or ask an administrator to raise the quota',
    ])
    expect((await alice('POST /api/v2/boxes', { username: 'acme', name: 'more' })).status).toBe(422)
    expect((await alice('POST /api/v2/boxes', { username: 'alice', name: 'more' })).status).toBe(200)
    expect((await paul('PUT /api/v2/box/acme/base/version/1.0', { description: 'x' })).status).toBe(200)
  })

  it('ends with its account', async () => {
    const { boss, catalog } = await company()
    await boss(`PUT ${quota}`, { boxes: 1 })
    unwrap(await catalog.deleteBox({ username: 'acme', name: 'base' }))
    unwrap(await catalog.deleteAccount('acme', 'organization'))
    unwrap(await catalog.putOrganization({ username: 'acme' }))
    expect(unwrap(await catalog.readQuota('acme')).quota.boxes).toBe(2000)
  })

  it.each([{ bytes: -1 }, { bytes: 1.5 }, { versions: '7' }, { keep_versions: 0 }, { bites: 7 }])(
    'is not %j, which changes nothing',
    async (body) => {
      const { boss } = await company()
      expect((await boss(`PUT ${quota}`, body)).status).toBe(422)
      expect((await boss(`GET ${quota}`)).body.quota).toMatchObject({ bytes: null, keep_versions: null })
    },
  )
})

describe('old versions', () => {
  it('are listed by a dry run and deleted with their images, never the latest', async () => {
    const { alice, paul, publish, numbers, ids, catalog } = await company()
    for (const number of ['1.0', '1.1', '2.0', '3.0']) await publish(number, number)
    await paul('PUT /api/v2/box/acme/base/version/3.0/revoke')
    await paul('POST /api/v2/box/acme/base/versions', { version: '0.9' })
    const pruned = [
      { of: 'acme/base', version: '1.1', bytes: 3 },
      { of: 'acme/base', version: '1.0', bytes: 3 },
    ]
    const dry = await alice(`POST ${prune}`, { keep_versions: 1, dry_run: true })
    expect(dry.body).toEqual({ versions: pruned, dry_run: true })
    expect(await numbers()).toEqual(['2.0', '1.1', '1.0'])
    expect((await alice(`POST ${prune}`, { keep_versions: 1 })).body.versions).toEqual(pruned)
    expect(await numbers()).toEqual(['2.0'])
    expect(await ids()).toHaveLength(2)
    const { changes } = unwrap(await catalog.readAudit({ filter: 'type == "version.deleted"' }))
    expect(changes.map(({ by, detail }) => [by, detail['version']])).toEqual([
      ['alice', '1.0'],
      ['alice', '1.1'],
    ])
    expect(
      (await alice('GET /api/v2/box/acme/base')).body.versions.map(
        ({ version }: { version: string }) => version,
      ),
    ).toEqual(['3.0', '2.0', '0.9'])
  })

  it('need a rule, and an admin of the owner', async () => {
    const { alice, paul } = await company()
    expect((await paul(`POST ${prune}`, { keep_versions: 1 })).status).toBe(403)
    const refused = await alice(`POST ${prune}`, {})
    expect([refused.status, refused.body.errors[0]]).toEqual([
      422,
      'acme has no rule for how many versions to keep: pass keep_versions, or set it in the quota of acme',
    ])
  })

  it('are deleted by the sweep where the owner, or the catalog, has a rule', async () => {
    const { alice, catalog, publish, numbers } = await company({ keepVersions: 3 })
    for (const number of ['1.0', '2.0', '3.0', '4.0']) await publish(number, number)
    await catalog.sweep()
    expect(await numbers()).toEqual(['4.0', '3.0', '2.0'])
    expect((await alice(`PUT ${quota}`, { keep_versions: 1 })).status).toBe(200)
    await catalog.sweep()
    expect(await numbers()).toEqual(['4.0'])
  })

  const aVersion = fc
    .record({
      major: fc.nat(9),
      minor: fc.nat(9),
      status: fc.constantFrom('unreleased', 'active', 'revoked'),
    })
    .map(
      ({ major, minor, status }): Version => ({
        boxId: 'b',
        number: `${major}.${minor}`,
        canonical: `${major}.${minor}`,
        status,
        description: '',
        providers: [],
        createdAt: 0,
        updatedAt: 0,
      }),
    )
  const versions = fc.uniqueArray(aVersion, { selector: ({ number }) => number })

  it('are below the highest active ones: the latest, unreleased ones and as many as asked stay', () => {
    fc.assert(
      fc.property(versions, fc.integer({ min: 1, max: 5 }), (all, keep) => {
        const { surplus } = surplusVersions(all, keep)
        const kept = all.filter((version) => !surplus.includes(version))
        const active = newestFirst(all).filter(({ status }) => status === 'active')
        expect(newestFirst(kept).filter(({ status }) => status === 'active')).toEqual(active.slice(0, keep))
        expect(currentVersion(kept)).toBe(currentVersion(all))
        expect(surplus.every(({ status }) => status !== 'unreleased')).toBe(true)
        expect(surplusVersions(kept, keep).surplus).toEqual([])
      }),
    )
  })
})

describe('the history of a box that was copied', () => {
  it('is set by administrators: dates that have passed, and downloads that only grow', async () => {
    const { alice, boss, ask, publish, clock } = await company()
    for (const number of ['1.0', '2.0']) await publish(number, number)
    const at = '/plinth/v1/owners/acme/boxes/base/history'
    const old = '2019-05-06T07:08:09.000Z'
    const later = new Date(clock.env().now + 86_400_000).toISOString()
    const versions = [
      { version: '1.0.0', created_at: old, updated_at: later },
      { version: '7.0', created_at: old, updated_at: old },
    ]
    const history = { created_at: old, downloads: 1234, versions }
    expect((await alice(`PUT ${at}`, history)).status).toBe(403)
    expect((await boss(`PUT ${at}`, { ...history, downloads: -1 })).status).toBe(422)
    expect((await boss(`PUT ${at}`, { ...history, created_at: 'old' })).status).toBe(422)
    expect((await boss(`PUT ${at}`, history)).status).toBe(204)
    expect((await boss(`PUT ${at}`, { ...history, downloads: 1 })).status).toBe(204)
    const { body } = await ask('GET /api/v2/box/acme/base')
    expect([body.created_at, body.downloads]).toEqual([old, 1234])
    const [second, first] = body.versions
    expect([first.created_at, first.updated_at]).toEqual([old, new Date(clock.env().now).toISOString()])
    expect(second.created_at).not.toBe(old)
  })
})

it('a box that another owner has is not counted', async () => {
  const { boss, alice } = await company()
  await boss('PUT /plinth/v1/owners/alice/quota', { versions: 0 })
  expect((await alice('POST /api/v2/boxes', { name: 'tiny', is_private: false })).status).toBe(200)
  expect((await alice(`POST ${box}/versions`, { version: '1.0' })).status).toBe(422)
  expect((await alice('POST /api/v2/box/acme/base/versions', { version: '1.0' })).status).toBe(200)
})
