import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersionNumbers, versionLifecycle } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import type { Answer } from '../client.ts'
import { asking, elsewhere, served } from './catalog.ts'

const external = { name: 'qemu', url: 'https://example.com/x.box' }

describe('bodies', () => {
  it.each(['v1', 'v2'])('of API %s are taken bare and below their name; null says nothing', async (api) => {
    const { alice } = await served()
    const bare = {
      username: 'alice',
      name: 'bare',
      description: 'd',
      short_description: 's',
      is_private: false,
    }
    expect((await alice(`POST /api/${api}/boxes`, bare)).status).toBe(200)
    expect((await alice(`POST /api/${api}/boxes`, { box: { ...bare, name: 'wrapped' } })).status).toBe(200)
    // What the client sends for `box update --short-description`.
    const noise = { short_description: 'new', description: null, is_private: null }
    expect((await alice(`PUT /api/${api}/box/alice/bare`, noise)).body).toMatchObject({
      short_description: 'new',
      description_markdown: 'd',
      private: false,
    })
    for (const body of [{ version: '1.0' }, { version: { version: '2.0' } }])
      expect((await alice(`POST /api/${api}/box/alice/bare/versions`, body)).status).toBe(200)
    for (const body of [external, { provider: { ...external, name: 'vbox' } }])
      expect((await alice(`POST /api/${api}/box/alice/bare/version/1.0/providers`, body)).status).toBe(200)
  })

  it('start a recreated box from the defaults, not from the deleted one', async () => {
    const { alice } = await served()
    await alice('POST /api/v1/boxes', { name: 'tiny', is_private: false, short_description: 'old' })
    await alice('DELETE /api/v1/box/alice/tiny')
    expect((await alice('POST /api/v1/boxes', { name: 'tiny' })).body).toMatchObject({
      private: true,
      short_description: '',
      downloads: 0,
    })
  })
})

describe('what clients read outside the API', () => {
  const released = async () => {
    const world = await served()
    const { alice } = world
    await alice('POST /api/v2/boxes', { name: 'tiny', is_private: false, short_description: 's' })
    for (const version of ['1.10.0', '1.9.0', '2.0.0']) {
      await alice('POST /api/v2/box/alice/tiny/versions', { version })
      for (const architecture of ['amd64', 'arm64'])
        await alice(`POST /api/v2/box/alice/tiny/version/${version}/providers`, { ...external, architecture })
      await alice(`POST /api/v2/box/alice/tiny/version/${version}/providers`, { name: 'waiting' })
      if (version !== '2.0.0') await alice(`PUT /api/v2/box/alice/tiny/version/${version}/release`)
    }
    return world
  }

  it('lists active versions, newest first, with what can be fetched from an absolute address', async () => {
    const { ask } = await released()
    const answer = await ask('GET /alice/tiny')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.body.name).toBe('alice/tiny')
    expect(answer.body.versions.map(({ version }: { version: string }) => version)).toEqual([
      '1.10.0',
      '1.9.0',
    ])
    expect(answer.body.versions[0].providers).toEqual([
      {
        name: 'qemu',
        url: 'http://service.test/alice/boxes/tiny/versions/1.10.0/providers/qemu.box',
        checksum: null,
        checksum_type: null,
      },
    ])
    const newer = await ask('GET /api/v2/vagrant/alice/tiny')
    expect(newer.body.versions[0].providers).toMatchObject([
      {
        url: 'http://service.test/alice/boxes/tiny/versions/1.10.0/providers/qemu/amd64/vagrant.box',
        architecture: 'amd64',
        default_architecture: true,
      },
      { architecture: 'arm64', default_architecture: false },
    ])
  })

  it('leaves out a version of which nothing can be fetched any more: clients fail on it', async () => {
    const { ask, alice } = await released()
    for (const architecture of ['amd64', 'arm64']) {
      await alice(`DELETE /api/v2/box/alice/tiny/version/1.10.0/provider/qemu/${architecture}`)
      const listed = async (path: string) =>
        (await ask(`GET ${path}`)).body.versions.map(({ version }: { version: string }) => version)
      const left = architecture === 'amd64' ? ['1.10.0', '1.9.0'] : ['1.9.0']
      expect(await listed('/alice/tiny')).toEqual(left)
      expect(await listed('/api/v2/vagrant/alice/tiny')).toEqual(left)
    }
  })

  it('has all boxes of an owner on one page, unless pages are asked for', async () => {
    const { catalog, alice } = await served()
    for (let box = 0; box < 101; box += 1)
      unwrap(await catalog.createBox({ username: 'alice', name: `b${box}` }))
    for (const [query, boxes] of [
      ['', 101],
      ['?page=1', 100],
      ['?page=2', 1],
      ['?limit=7', 7],
    ] as const)
      for (const api of ['v1', 'v2'])
        expect((await alice(`GET /api/${api}/user/alice${query}`)).body.boxes).toHaveLength(boxes)
  })

  it('removes the default provider of a name when no architecture is named, as Packer cleans up', async () => {
    const { alice } = await released()
    const providers = '/api/v2/box/alice/tiny/version/2.0.0/provider'
    const left = async () =>
      (await alice('GET /api/v2/box/alice/tiny/version/2.0.0')).body.providers.map(
        ({ name, architecture }: { name: string; architecture: string }) => `${name} ${architecture}`,
      )
    expect((await alice(`DELETE ${providers}/waiting`)).body).toMatchObject({ architecture: 'unknown' })
    expect((await alice(`DELETE ${providers}/qemu`)).body).toMatchObject({ architecture: 'amd64' })
    expect(await left()).toEqual(['qemu arm64'])
    expect((await alice(`DELETE ${providers}/qemu`)).status).toBe(200)
    expect((await alice(`DELETE ${providers}/qemu`)).status).toBe(404)
  })

  it('answers HEAD as JSON without a body', async () => {
    const { ask } = await released()
    for (const path of ['/alice/tiny', '/api/v2/vagrant/alice/tiny']) {
      const head = await ask(`HEAD ${path}`)
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it('returns URLs below the configured base', async () => {
    const { alice } = await served({ baseUrl: 'https://boxes.example.com/' })
    await alice('POST /api/v2/boxes', { name: 'tiny' })
    const { body } = await alice('POST /api/v2/box/alice/tiny/versions', { version: '1.0' })
    expect(body.release_url).toBe('https://boxes.example.com/api/v2/box/alice/tiny/version/1.0/release')
  })

  it('still serves the images of an unreleased version at their URL', async () => {
    const { ask } = await released()
    expect((await ask('GET /alice/boxes/tiny/versions/2.0.0/providers/qemu.box')).status).toBe(302)
  })
})

const place = fc.record({
  version: fc.constantFrom('1.0', '1.0.0', '2.0'),
  provider: fc.constantFrom('qemu', 'vbox'),
  architecture: fc.constantFrom('amd64', 'arm64'),
  api: fc.constantFrom(1 as const, 2 as const),
})
const act = fc.record({
  place,
  verb: fc.constantFrom(
    'create version',
    'delete version',
    'release',
    'revoke',
    'create provider',
    'delete provider',
    'move default',
    'rename provider',
  ),
  writer: fc.constantFrom('alice' as const, 'bob' as const),
})
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

/** One act as the request a client would send. */
const line = ({ place: { api, version, provider, architecture }, verb }: Act): [string, unknown] => {
  const at = `/api/v${api}/box/acme/tiny`
  const on = `${at}/version/${version}`
  const of = `${on}/provider/${provider}${api === 2 ? `/${architecture}` : ''}`
  const fields = { name: provider, url: external.url, ...(api === 2 ? { architecture } : {}) }
  switch (verb) {
    case 'create version':
      return [`POST ${at}/versions`, { version }]
    case 'delete version':
      return [`DELETE ${on}`, undefined]
    case 'release':
      return [`PUT ${on}/release`, undefined]
    case 'revoke':
      return [`PUT ${on}/revoke`, undefined]
    case 'create provider':
      return [`POST ${on}/providers`, fields]
    case 'delete provider':
      return [`DELETE ${of}`, undefined]
    case 'move default':
      return [`PUT ${of}`, { default_architecture: true }]
    default:
      return [`PUT ${of}`, { name: provider === 'qemu' ? 'vbox' : 'qemu' }]
  }
}

interface Seen {
  readonly version: string
  readonly status: string
  readonly created_at: string
  readonly providers: readonly (Record<string, unknown> & { readonly name: string })[]
}

/** The two versions of the API show one state: version 1 the default architectures of what version 2 shows. */
async function expectAgreement(ask: ReturnType<typeof asking>): Promise<readonly Seen[]> {
  const one: Answer = await ask('GET /api/v1/box/acme/tiny')
  const two: Answer = await ask('GET /api/v2/box/acme/tiny')
  const through = (version: Seen) => ({
    version: version.version,
    status: version.status,
    providers: version.providers
      .filter((shown) => shown['default_architecture'] === true)
      .map(({ name, original_url }) => ({ name, original_url })),
  })
  const versions: readonly Seen[] = two.body.versions
  expect(
    one.body.versions.map((version: Seen) => ({
      version: version.version,
      status: version.status,
      providers: version.providers.map(({ name, original_url }) => ({ name, original_url })),
    })),
  ).toEqual(versions.map(through))
  for (const { providers } of versions) {
    const names = new Set(providers.map(({ name }) => name))
    expect(providers.filter((shown) => shown['default_architecture'] === true)).toHaveLength(names.size)
  }
  const active = versions.filter(({ status }) => status === 'active').map(({ version }) => version)
  expect(two.body.current_version?.version).toEqual(active.sort(compareVersionNumbers).at(-1))
  return versions
}

describe('two concurrent writers', () => {
  // Alice's service holds the data in its process; bob's follows the same store from another one.
  it('end, however their acts interleave, in a state the tables allow, of which both APIs tell the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
        async (rounds) => {
          const store = memoryStore()
          const { catalog, token } = await served({ store })
          const { catalog: followed } = await served({ store: elsewhere(store) }, 2)
          unwrap(await catalog.putUser({ username: 'bob' }))
          unwrap(await catalog.putOrganization({ username: 'acme', members: ['alice', 'bob'] }))
          unwrap(await catalog.createBox({ username: 'acme', name: 'tiny' }))
          const writers = {
            alice: asking(catalog, token),
            bob: asking(followed, unwrap(await followed.createToken('bob')).token),
          }
          let before: readonly Seen[] = []
          for (const round of rounds) {
            // Everything in a round is under way at the same time.
            const answers = await Promise.all(round.map((one) => writers[one.writer](...line(one))))
            for (const { status } of answers) expect([200, 404, 422]).toContain(status)
            const after = await expectAgreement(writers.alice)
            expect(await expectAgreement(writers.bob)).toEqual(after)
            expectAllowed(before, after, round)
            before = after
          }
          await followed.close()
        },
      ),
      { numRuns: 40 },
    )
  })

  it('search what the other has written', async () => {
    const store = memoryStore()
    const { alice } = await served({ store })
    const { ask, catalog } = await served({ store: elsewhere(store) }, 2)
    const search = async () => (await ask('GET /api/v2/search?q=tiny')).body.boxes.length
    expect(await search()).toBe(0)
    await alice('POST /api/v2/boxes', { name: 'tiny', is_private: false })
    await alice('POST /api/v2/box/alice/tiny/versions', { version: '1.0' })
    await alice('POST /api/v2/box/alice/tiny/version/1.0/providers', external)
    await alice('PUT /api/v2/box/alice/tiny/version/1.0/release')
    expect(await search()).toBe(1)
    await alice('DELETE /api/v2/box/alice/tiny')
    expect(await search()).toBe(0)
    await catalog.close()
  })
})

/** Every change of status follows the table, over as many steps as the round had; what was deleted may begin anew. */
function expectAllowed(before: readonly Seen[], after: readonly Seen[], round: readonly Act[]): void {
  const deleted = round.some(({ verb }) => verb === 'delete version')
  for (const next of after) {
    const last = before.find(({ version }) => compareVersionNumbers(version, next.version) === 0)
    const from = last && !deleted ? last.status : 'unreleased'
    const reachable = new Set([from, ...(last ? [last.status] : [])])
    for (let steps = 0; steps < round.length; steps += 1)
      for (const status of [...reachable])
        for (const to of Object.values(versionLifecycle[status as 'active'])) reachable.add(to)
    expect(reachable).toContain(next.status)
  }
}
