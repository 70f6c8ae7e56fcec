import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tagOf } from '../../src/catalog/index.ts'
import { boxIndex } from '../../src/catalog/search/box-index.ts'
import { type BoxQuery, type BoxRow, sorts } from '../../src/catalog/search/row.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { asking, served } from './catalog.ts'

const url = 'https://example.com/x.box'

describe('the search', () => {
  const filled = async () => {
    const world = await served()
    const { catalog } = world
    const release = (version: string, providers: object[]) => ({ version, status: 'active', providers })
    unwrap(
      await catalog.load({
        boxes: [
          {
            tag: 'acme/ubuntu-20.04',
            private: false,
            downloads: 30,
            created_at: '2020-01-03T00:00:00Z',
            short_description: 'Focal Fossa',
            versions: [release('1.0', [{ name: 'virtualbox', url }])],
          },
          {
            tag: 'acme/ubuntu-22.04',
            private: false,
            downloads: 20,
            created_at: '2020-01-01T00:00:00Z',
            short_description: 'Jammy, for QEMU',
            versions: [
              release('1.0', [
                { name: 'qemu', url, architecture: 'arm64' },
                { name: 'virtualbox', url, architecture: 'amd64' },
              ]),
            ],
          },
          {
            tag: 'debian/bookworm64',
            private: false,
            downloads: 10,
            created_at: '2020-01-02T00:00:00Z',
            versions: [release('1.0', [{ name: 'qemu', url, architecture: 'amd64' }])],
          },
          { tag: 'alice/hidden', downloads: 25, versions: [release('1.0', [{ name: 'qemu', url }])] },
          { tag: 'bob/hidden', downloads: 99, versions: [release('1.0', [{ name: 'qemu', url }])] },
          {
            tag: 'acme/unreleased',
            private: false,
            versions: [{ version: '1.0', status: 'unreleased', providers: [] }],
          },
        ],
      } as never),
    )
    const find = async (query: string, as = world.ask) => {
      const answer = await as(`GET /api/v2/search${query}`)
      return answer.body.boxes.map(({ tag }: { tag: string }) => tag)
    }
    return { ...world, find }
  }

  it.each([
    ['', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04', 'debian/bookworm64']],
    ['?q=UBUNTU', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04']],
    ['?q=bunt', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04']],
    ['?q=acme', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04']],
    ['?q=acme/ubuntu-22', ['acme/ubuntu-22.04']],
    ['?q=fossa', ['acme/ubuntu-20.04']],
    ['?q=ubuntu+jammy', ['acme/ubuntu-22.04']],
    ['?q=ubuntu+bookworm', []],
    ['?q=04%20/', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04']],
    ['?q=,', ['acme/ubuntu-22.04']],
    ['?q=hidden', []],
    ['?q=unreleased', []],
    ['?q=%20', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04', 'debian/bookworm64']],
    ['?q=__proto__', []],
    ['?provider=qemu', ['acme/ubuntu-22.04', 'debian/bookworm64']],
    ['?architecture=amd64', ['acme/ubuntu-22.04', 'debian/bookworm64']],
    ['?architcture=arm64', ['acme/ubuntu-22.04']],
    ['?provider=qemu&architecture=amd64', ['debian/bookworm64']],
    ['?provider=constructor', []],
    ['?q=ubuntu&provider=virtualbox&sort=created', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04']],
    ['?sort=created', ['acme/ubuntu-20.04', 'debian/bookworm64', 'acme/ubuntu-22.04']],
    ['?sort=created&order=asc', ['acme/ubuntu-22.04', 'debian/bookworm64', 'acme/ubuntu-20.04']],
    ['?sort=&order=', ['acme/ubuntu-20.04', 'acme/ubuntu-22.04', 'debian/bookworm64']],
    ['?limit=1', ['acme/ubuntu-20.04']],
    ['?limit=1&page=2', ['acme/ubuntu-22.04']],
    ['?limit=0', ['acme/ubuntu-20.04']],
    ['?limit=2&page=2', ['debian/bookworm64']],
    ['?page=-3&limit=1', ['acme/ubuntu-20.04']],
    ['?page=99999999999999', []],
    ['?q=ubuntu&page=2', []],
  ])('%s finds %j', async (query, tags) => expect(await (await filled()).find(query)).toEqual(tags))

  it('shows private boxes to those who own them, in their places', async () => {
    const { catalog, find } = await filled()
    unwrap(await catalog.putUser({ username: 'bob', password: 'x' }))
    const as = async (name: string) => asking(catalog, unwrap(await catalog.createToken(name)).token)
    expect(await find('', await as('alice'))).toEqual([
      'acme/ubuntu-20.04',
      'alice/hidden',
      'acme/ubuntu-22.04',
      'debian/bookworm64',
    ])
    expect(await find('?q=hidden', await as('bob'))).toEqual(['bob/hidden'])
    expect(await find('?sort=downloads&order=asc&limit=2&page=2', await as('bob'))).toEqual([
      'acme/ubuntu-20.04',
      'bob/hidden',
    ])
    const all = await catalog.search({ sort: 'downloads', order: 'desc', offset: 0, limit: 9 })
    expect(all).toHaveLength(5)
  })

  it('lists boxes without their versions: clients would show each of them', async () => {
    const { ask } = await filled()
    const [box] = (await ask('GET /api/v1/search?q=fossa')).body.boxes
    expect(box).not.toHaveProperty('versions')
    expect(box.current_version.providers[0]).not.toHaveProperty('architecture')
  })

  it('by method needs no arguments, and refuses an invalid window', async () => {
    const { catalog } = await filled()
    const found = async (query?: Parameters<typeof catalog.search>[0]) =>
      (await catalog.search(query)).map(({ box }) => tagOf(box))
    const byDownloads = [
      'bob/hidden',
      'acme/ubuntu-20.04',
      'alice/hidden',
      'acme/ubuntu-22.04',
      'debian/bookworm64',
    ]
    expect(await found()).toEqual(byDownloads)
    expect(await found({ q: 'ubuntu', order: 'asc' })).toEqual(['acme/ubuntu-22.04', 'acme/ubuntu-20.04'])
    expect(await found({ offset: -3, limit: 1.5 })).toEqual(['bob/hidden'])
    expect(await found({ offset: Number.NaN, limit: -1 })).toEqual([])
  })

  it('finds a box by the providers that can be had of it', async () => {
    const { catalog, find } = await filled()
    const version = { username: 'debian', name: 'bookworm64', version: '1.0' }
    unwrap(await catalog.createProvider(version, { name: 'vmware' }))
    expect(await find('?provider=vmware')).toEqual([])
    const { secret } = unwrap(await catalog.requestUpload(version, { name: 'vmware' }, 'standard'))
    unwrap(await catalog.receiveUpload(secret, new Blob(['bytes']).stream()))
    expect(await find('?provider=vmware')).toEqual(['debian/bookworm64'])
  })

  it('follows every change immediately', async () => {
    const { catalog, find, alice } = await filled()
    const debian = { username: 'debian', name: 'bookworm64' }
    expect(await find('?q=bookworm')).toEqual(['debian/bookworm64'])
    unwrap(await catalog.updateBox(debian, { name: 'trixie', shortDescription: 'testing' }))
    expect([await find('?q=bookworm'), await find('?q=TEST')]).toEqual([[], ['debian/trixie']])
    unwrap(await catalog.updateBox({ ...debian, name: 'trixie' }, { private: true }))
    expect(await find('?q=trixie')).toEqual([])
    unwrap(await catalog.updateBox({ ...debian, name: 'trixie' }, { private: false }))
    for (let i = 0; i < 25; i += 1) await alice('GET /debian/boxes/trixie/versions/1.0/providers/qemu.box')
    expect((await find(''))[0]).toBe('debian/trixie')
    unwrap(await catalog.revokeVersion({ ...debian, name: 'trixie', version: '1.0' }))
    expect(await find('?q=trixie')).toEqual([])
    unwrap(await catalog.deleteBox({ username: 'acme', name: 'ubuntu-20.04' }))
    expect(await find('')).toEqual(['acme/ubuntu-22.04'])
  })
})

describe('the index', () => {
  const word = fc.constantFrom('ubuntu', 'bunt', 'debian', 'a', 'b-c', 'x.y', 'Ünix', '20.04', '/', '')
  const row = fc.record({
    id: fc.nat({ max: 12 }).map(String),
    username: fc.constantFrom('ann', 'Bob', 'carl'),
    name: fc.tuple(word, word).map((words) => `n${words.join('')}`),
    shortDescription: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
    private: fc.boolean(),
    downloads: fc.nat({ max: 4 }),
    createdAt: fc.nat({ max: 4 }),
    updatedAt: fc.nat({ max: 4 }),
    providers: fc.array(
      fc.record({
        name: fc.constantFrom('qemu', 'vbox'),
        architecture: fc.constantFrom('amd64' as const, 'arm64' as const),
      }),
      { maxLength: 2 },
    ),
  })
  const query = fc.record({
    q: fc.array(word, { maxLength: 2 }).map((words) => words.join(' ')),
    provider: fc.constantFrom(undefined, 'qemu', 'vbox', 'none'),
    architecture: fc.constantFrom(undefined, 'amd64', 'arm64'),
    sort: fc.constantFrom(...sorts),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    offset: fc.nat({ max: 4 }),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  const command = fc.oneof(
    { weight: 5, arbitrary: fc.record({ put: row }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat({ max: 12 }).map(String) }) },
    {
      weight: 3,
      arbitrary: fc.record({ query, owners: fc.constantFrom([], ['ann'], ['bob', 'ann'], 'all' as const) }),
    },
  )

  /** What a search means, spelled out: filter everything, sort everything, cut. */
  const plainly = (rows: Iterable<BoxRow>, asked: BoxQuery, owners: readonly string[] | 'all'): string[] => {
    const value = { downloads: 'downloads', created: 'createdAt', updated: 'updatedAt' } as const
    const by = value[asked.sort]
    const tag = (one: BoxRow) => `${one.username}/${one.name}`
    const found = [...rows]
      .filter((one) => !one.private || owners === 'all' || owners.includes(one.username.toLowerCase()))
      .filter((one) => {
        const text = `${tag(one)}\n${one.shortDescription}`.toLowerCase()
        return (asked.q ?? '')
          .toLowerCase()
          .split(' ')
          .every((term) => text.includes(term))
      })
      .filter(
        ({ providers }) =>
          (asked.provider === undefined && asked.architecture === undefined) ||
          providers.some(
            (one) =>
              (asked.provider ?? one.name) === one.name &&
              (asked.architecture ?? one.architecture) === one.architecture,
          ),
      )
      .sort((a, b) => a[by] - b[by] || (tag(a) < tag(b) ? -1 : tag(a) > tag(b) ? 1 : 0))
    if (asked.order === 'desc') found.reverse()
    return found.slice(asked.offset, asked.offset + asked.limit).map(tag)
  }

  it('finds what filtering and sorting everything would find, after any changes', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), fc.constantFrom(0, 2, 256), (commands, fewHits) => {
        const index = boxIndex(fewHits)
        const rows = new Map<string, BoxRow>()
        for (const step of commands) {
          if ('put' in step) {
            rows.set(step.put.id, step.put)
            index.put(step.put)
          } else if ('remove' in step) {
            rows.delete(step.remove)
            index.remove(step.remove)
          } else {
            const found = index.search(step.query, step.owners)
            const tags = found.map((id) => `${rows.get(id)?.username}/${rows.get(id)?.name}`)
            expect(tags).toEqual(plainly(rows.values(), step.query, step.owners))
            expect(new Set(found).size).toBe(found.length)
          }
          expect(index.size()).toBe(rows.size)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('stays right when most of its slots have been emptied and it is rebuilt', () => {
    const index = boxIndex()
    const make = (id: number, name: string): BoxRow => ({
      id: String(id),
      username: 'ann',
      name,
      shortDescription: '',
      private: id % 3 === 0,
      downloads: id,
      createdAt: 0,
      updatedAt: 0,
      providers: [],
    })
    for (let round = 0; round < 6; round += 1)
      for (let id = 0; id < 600; id += 1) index.put(make(id, `round${round}-${id}`))
    for (let id = 10; id < 600; id += 1) index.remove(String(id))
    const asked = { sort: 'downloads', order: 'asc', offset: 0, limit: 100 } as const
    expect(index.search({ ...asked, q: 'round5' }, [])).toEqual(['1', '2', '4', '5', '7', '8'])
    expect(index.search({ ...asked, q: 'round4' }, 'all')).toEqual([])
    expect(index.search(asked, ['ann'])).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })
})
