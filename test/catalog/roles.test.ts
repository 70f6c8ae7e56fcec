import { describe, expect, it } from 'vitest'
import { accounts } from '../../src/catalog/records.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { asking, box, provider, served, version, withBoxes } from './catalog.ts'

/** The world of `withBoxes`, where alice's box tiny is private, and every kind of caller. */
async function cast() {
  const world = await withBoxes()
  const { catalog, alice, ask } = world
  await alice(`PUT ${box}`, { box: { is_private: true } })
  const user = async (username: string, details = {}) =>
    asking(catalog, unwrap(await catalog.createToken(username, details)).token)
  const member = async (username: string, role: string, path = '/plinth/v1/owners/alice') => {
    unwrap(await catalog.putUser({ username }))
    expect((await alice(`PUT ${path}/members/${username}`, { role })).status).toBe(200)
    return user(username)
  }
  unwrap(await catalog.putUser({ username: 'root', administrator: true }))
  return {
    ...world,
    user,
    callers: {
      anonymous: ask,
      stranger: world.bob,
      reader: await member('rita', 'reader'),
      publisher: await member('paul', 'publisher'),
      admin: await member('ada', 'admin'),
      'reader of the box': await member('ron', 'reader', '/plinth/v1/owners/alice/boxes/tiny'),
      'publisher of the box': await member('pia', 'publisher', '/plinth/v1/owners/alice/boxes/tiny'),
      'admin of the box': await member('abe', 'admin', '/plinth/v1/owners/alice/boxes/tiny'),
      owner: alice,
      administrator: await user('root'),
      'token that reads': await user('alice', { role: 'reader' }),
      'token that publishes': await user('alice', { role: 'publisher' }),
      'token for another owner': await user('alice', { owners: ['acme'] }),
      'token of an administrator that publishes': await user('root', {
        role: 'publisher',
        owners: ['Alice'],
      }),
    },
  }
}

type CallerName = keyof Awaited<ReturnType<typeof cast>>['callers']

const readers: readonly CallerName[] = ['reader', 'reader of the box', 'token that reads']
const publishers: readonly CallerName[] = [
  'publisher',
  'publisher of the box',
  'token that publishes',
  'token of an administrator that publishes',
]
const admins: readonly CallerName[] = ['admin', 'admin of the box', 'owner', 'administrator']
const others: readonly CallerName[] = ['anonymous', 'stranger', 'token for another owner']
/** The roles on one box say nothing about new boxes, and about members of the owner. */
const ofAll = (names: readonly CallerName[]) => names.filter((name) => !name.endsWith('of the box'))

const operations: readonly (readonly [string, unknown, readonly CallerName[]])[] = [
  [`GET ${box}`, undefined, [...readers, ...publishers, ...admins]],
  [`GET ${version}`, undefined, [...readers, ...publishers, ...admins]],
  ['POST /api/v2/boxes', { box: { username: 'alice', name: 'new' } }, ofAll([...publishers, ...admins])],
  [`PUT ${box}`, { box: { short_description: 'small' } }, [...publishers, ...admins]],
  [`PUT ${box}`, { box: { is_private: false } }, admins],
  [`PUT ${box}`, { box: { name: 'renamed' } }, admins],
  [`POST ${box}/versions`, { version: { version: '2.0.0' } }, [...publishers, ...admins]],
  [`PUT ${version}`, { version: { description: 'new' } }, [...publishers, ...admins]],
  [`POST ${version}/providers`, { provider: { name: 'libvirt' } }, [...publishers, ...admins]],
  [`GET ${provider}/upload`, undefined, [...publishers, ...admins]],
  [`DELETE ${provider}`, undefined, [...publishers, ...admins]],
  [`DELETE ${version}`, undefined, [...publishers, ...admins]],
  [`DELETE ${box}`, undefined, admins],
  ['GET /plinth/v1/owners/alice/members', undefined, ofAll(admins)],
  ['PUT /plinth/v1/owners/alice/members/bob', { role: 'admin' }, ofAll(admins)],
  ['DELETE /plinth/v1/owners/alice/members/rita', undefined, ofAll(admins)],
  ['GET /plinth/v1/owners/alice/boxes/tiny/members', undefined, admins],
  ['PUT /plinth/v1/owners/alice/boxes/tiny/members/bob', { role: 'reader' }, admins],
  ['DELETE /plinth/v1/owners/alice/boxes/tiny/members/ron', undefined, admins],
  ['GET /plinth/v1/users', undefined, ['administrator']],
  ['GET /plinth/v1/audit', undefined, ['administrator']],
]

describe('who may do what', () => {
  it.each(operations)('%s %j', async (line, body, allowed) => {
    for (const name of [...readers, ...publishers, ...admins, ...others]) {
      const { callers, catalog } = await cast()
      const { status } = await callers[name](line, body)
      const isAllowed = status >= 200 && status < 300
      expect([name, isAllowed || status]).toEqual([name, allowed.includes(name) ? true : expect.any(Number)])
      // A caller that may see a private box learns that it may not change it; to others it is not there.
      if (!isAllowed && line.includes('/box/'))
        expect([name, status]).toEqual([
          name,
          readers.includes(name) || publishers.includes(name) ? 403 : expectedFor(name, line),
        ])
      await catalog.close()
    }
  })

  it('shows a private box to those who have a role on it, in lists and in the search', async () => {
    const { callers, alice } = await cast()
    await alice(`PUT ${provider}`, { provider: { url: 'https://example.com/tiny.box' } })
    await alice(`PUT ${version}/release`)
    for (const name of [...readers, ...publishers, ...admins, ...others]) {
      const found = (await callers[name]('GET /api/v2/search?q=tiny')).body.boxes.length
      const listed = (await callers[name]('GET /api/v2/user/alice')).body.boxes
      const sees = !others.includes(name)
      expect([name, listed.some((each: { readonly name: string }) => each.name === 'tiny')]).toEqual([
        name,
        sees,
      ])
      expect([name, found]).toEqual([name, sees ? 1 : 0])
    }
  })
})

/** To anonymous callers every change is 401; to others a private box is not there. */
const expectedFor = (name: CallerName, line: string): number =>
  name === 'anonymous' && !(line.startsWith('GET') && !line.endsWith('/upload')) ? 401 : 404

describe('a role', () => {
  it('that is taken away in the middle of an upload ends it', async () => {
    const { callers, alice, ask, catalog } = await cast()
    const { body } = await callers.publisher(`GET ${provider}/upload`)
    const { pathname } = new URL(body.upload_path)
    expect((await alice('DELETE /plinth/v1/owners/alice/members/paul')).status).toBe(204)
    expect((await ask(`PUT ${pathname}`, 'image')).status).toBe(404)
    expect((await alice(`GET ${provider}`)).body.checksum).toBeNull()
    await catalog.close()
  })

  it.each(['reader', 'reader of the box'])(
    'that becomes %s while the bytes arrive ends the upload, and releases nothing',
    async (role) => {
      const { callers, alice, ask, catalog } = await cast()
      const member = role === 'reader' ? 'paul' : 'pia'
      const caller = callers[role === 'reader' ? 'publisher' : 'publisher of the box']
      const { body } = await caller(`GET ${provider}/upload`)
      const bytes = new TransformStream<Uint8Array, Uint8Array>({}, undefined, { highWaterMark: 0 })
      const writer = bytes.writable.getWriter()
      const answer = catalog.fetch(
        new Request(`http://service.test${new URL(body.upload_path).pathname}`, {
          method: 'PUT',
          body: bytes.readable,
          duplex: 'half',
        } as RequestInit),
      )
      await writer.write(new TextEncoder().encode('half of an '))
      const members = `/plinth/v1/owners/alice${role === 'reader' ? '' : '/boxes/tiny'}/members`
      expect((await alice(`PUT ${members}/${member}`, { role: 'reader' })).status).toBe(200)
      await writer.write(new TextEncoder().encode('image'))
      await writer.close()
      expect((await answer).status).toBe(404)
      expect((await caller(`PUT ${version}/release`)).status).toBe(403)
      expect((await alice(`GET ${provider}`)).body.checksum).toBeNull()
      expect((await alice(`GET ${version}`)).body.status).toBe('unreleased')
      expect((await ask(`PUT ${new URL(body.upload_path).pathname}`, 'image')).status).toBe(404)
      await catalog.close()
    },
  )

  it('is the higher one of those on the owner and on the box, and ends with the user', async () => {
    const { callers, alice, administrator } = await cast().then((world) => ({
      ...world,
      administrator: world.callers.administrator,
    }))
    const path = '/plinth/v1/owners/alice/boxes/tiny/members'
    await alice(`PUT ${path}/rita`, { role: 'admin' })
    expect(
      (await callers.reader(`GET ${path}`)).body.members.map(
        ({ username }: { username: string }) => username,
      ),
    ).toEqual(['abe', 'pia', 'rita', 'ron'])
    await alice(`PUT ${path}/ada`, { role: 'reader' })
    expect((await callers.admin(`DELETE ${path}/ada`)).status).toBe(204)
    expect((await administrator('DELETE /plinth/v1/users/rita')).status).toBe(204)
    expect((await alice(`GET ${path}`)).text).not.toContain('rita')
    expect((await alice('GET /plinth/v1/owners/alice/members')).body.members).toEqual([
      { username: 'ada', role: 'admin' },
      { username: 'paul', role: 'publisher' },
    ])
    expect((await alice(`PUT ${path}/nobody`, { role: 'reader' })).status).toBe(422)
    expect((await alice(`PUT ${path}/bob`, { role: 'owner' })).status).toBe(422)
  })

  it('of a member of an organization is admin at first, and stays when the members are listed again', async () => {
    const { callers, bob, catalog } = await cast()
    const boss = callers.administrator
    await boss('POST /plinth/v1/organizations', { username: 'acme', members: ['bob', 'rita'] })
    expect((await bob('PUT /plinth/v1/owners/acme/members/rita', { role: 'reader' })).status).toBe(200)
    await boss('PUT /plinth/v1/organizations/acme', { members: ['bob', 'rita', 'paul'] })
    expect((await bob('GET /plinth/v1/owners/acme/members')).body.members).toEqual([
      { username: 'bob', role: 'admin' },
      { username: 'paul', role: 'admin' },
      { username: 'rita', role: 'reader' },
    ])
    await catalog.close()
  })
})

describe('an account that was stored when members had no roles', () => {
  it('has them as admins, who see and change its boxes', async () => {
    const store = memoryStore()
    const first = await served({ store })
    const { catalog, token } = first
    unwrap(await catalog.putOrganization({ username: 'acme', members: ['alice'] }))
    const key = accounts.keyOf('acme')
    const [entry] = await store.read((view) => view.get([key]))
    if (!entry) throw new Error('there is no such account')
    const value = Object.assign({}, entry.value, { members: ['alice'] })
    await catalog.close()
    await store.commit([{ id: 'old', put: [{ key, value }] }])

    const { catalog: later } = await served({ store })
    const alice = asking(later, token)
    expect(await later.accessOf(token)).toMatchObject({
      publishes: ['alice', 'acme'],
      reads: ['alice', 'acme'],
    })
    const made = { box: { username: 'acme', name: 'base', is_private: true } }
    expect((await alice('POST /api/v2/boxes', made)).status).toBe(200)
    expect((await alice('GET /plinth/v1/owners/acme/members')).body.members).toEqual([
      { username: 'alice', role: 'admin' },
    ])
    await later.close()
  })
})

describe('a token', () => {
  it('may have a role, owners and an end, and says when it was last used', async () => {
    const { catalog, alice, clock } = await served()
    const made = await alice('POST /plinth/v1/tokens', {
      description: 'ci',
      role: 'publisher',
      owners: ['Acme', 'alice'],
      ttl: '1h',
    })
    expect(made.status).toBe(200)
    const { token, ...shown } = made.body
    expect(shown).toMatchObject({
      username: 'alice',
      role: 'publisher',
      owners: ['acme', 'alice'],
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-01T01:00:00.000Z',
      last_used_at: null,
    })
    const ci = asking(catalog, token)
    await clock.advance(60_000)
    expect((await ci('GET /api/v2/authenticate')).status).toBe(200)
    const listed = async () =>
      (await alice('GET /plinth/v1/tokens')).body.tokens.find(({ id }: { id: string }) => id === shown.id)
    expect(await listed()).toEqual({ ...shown, last_used_at: '2026-01-01T00:01:00.000Z' })
    // It manages no tokens, its own neither.
    expect((await ci('GET /plinth/v1/tokens')).status).toBe(403)
    expect((await ci('POST /plinth/v1/tokens', { role: 'admin' })).status).toBe(403)
    expect((await ci(`DELETE /plinth/v1/tokens/${shown.id}`)).status).toBe(403)
    await clock.advance(3_600_000)
    expect((await ci('GET /api/v2/authenticate')).status).toBe(401)
    expect(await listed()).toBeUndefined()
    // The hourly sweep has deleted it.
    const { changes } = unwrap(await catalog.readAudit({ filter: 'type == "token.deleted"' }))
    expect(changes).toMatchObject([{ by: null, subject: 'alice' }])
    await catalog.close()
  })

  it.each([
    [{ owners: [] }, 422],
    [{ owners: ['a/b'] }, 422],
    [{ ttl: '-1h' }, 422],
    [{ ttl: '99999d' }, 422],
    [{ role: 'boss' }, 422],
    [{ username: 'bob' }, 403],
  ])('is not created with %j', async (body, status) => {
    const { alice } = await withBoxes()
    expect((await alice('POST /plinth/v1/tokens', body)).status).toBe(status)
  })
})
