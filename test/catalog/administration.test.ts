import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { asking, box, provider, served, version, withBoxes } from './catalog.ts'

/** The world of `withBoxes` with an administrator, whose names for things are short. */
async function administered() {
  const world = await withBoxes()
  const { catalog } = world
  unwrap(await catalog.putUser({ username: 'boss', administrator: true }))
  const boss = asking(catalog, unwrap(await catalog.createToken('boss')).token)
  const names = async (kind: 'users' | 'organizations') =>
    (await boss(`GET /plinth/v1/${kind}`)).body[kind].map(({ username }: { username: string }) => username)
  return { ...world, boss, names }
}

const lines = [
  'GET /plinth/v1/users',
  'PUT /plinth/v1/users/bob',
  'DELETE /plinth/v1/users/bob',
  'GET /plinth/v1/organizations',
  'POST /plinth/v1/organizations',
  'PUT /plinth/v1/organizations/acme',
  'DELETE /plinth/v1/organizations/acme',
]

describe('accounts', () => {
  it.each(lines)('are for administrators: %s', async (line) => {
    const { ask, alice } = await administered()
    const body = line.startsWith('GET') ? undefined : {}
    expect((await ask(line, body)).status).toBe(401)
    expect((await alice(line, body)).status).toBe(403)
  })

  it('are created once: of two at the same moment one is refused, and changes nothing', async () => {
    const { boss, catalog } = await administered()
    const passwords = ['first password', 'second password']
    const answers = await Promise.all(
      passwords.map((password) => boss('POST /api/v2/users', { user: { username: 'twin', password } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    for (const [place, password] of passwords.entries())
      expect((await catalog.logIn({ login: 'twin', password })).ok).toBe(answers[place]?.status === 200)
    const again = await catalog.putUser({ username: 'twin', password: 'third password', createOnly: true })
    expect(again).toMatchObject({ ok: false, refusal: { code: 'account_taken' } })
  })

  it('are listed by name, a page at a time, without secrets', async () => {
    const { boss, catalog } = await administered()
    for (let at = 0; at < 150; at += 1) unwrap(await catalog.putUser({ username: `user${1000 + at}` }))
    const first = await boss('GET /plinth/v1/users')
    expect([first.body.users.length, first.body.total]).toEqual([100, 153])
    expect(first.body.users[0]).toEqual({
      username: 'alice',
      email: null,
      administrator: false,
      created_at: expect.any(String),
    })
    expect((await boss('GET /plinth/v1/users?page=2')).body.users).toHaveLength(53)
    expect((await boss('GET /plinth/v1/users?page=x')).status).toBe(422)
    expect(first.text).not.toMatch(/password|hash/i)
  })

  it.each([
    ['a user', 'POST /api/v2/users', { user: { username: 'later' } }],
    ['shared', 'POST /plinth/v1/organizations', { username: 'later', members: ['alice'] }],
  ])('that nobody belongs to can become %s, and keep their boxes', async (_, line, body) => {
    const { boss, bob, ask } = await administered()
    expect((await boss('POST /plinth/v1/organizations', { username: 'Later', members: [] })).status).toBe(200)
    const box = { username: 'later', name: 'tiny', is_private: false }
    expect((await boss('POST /api/v2/boxes', { box })).status).toBe(200)
    expect((await bob(line, body)).status).toBe(403)
    expect((await boss(line, body)).status).toBe(200)
    expect((await boss(line, body)).status).toBe(422)
    expect((await ask('GET /api/v2/box/later/tiny')).status).toBe(200)
  })

  it('are organizations without members, too, and a refusal names the field that does not exist', async () => {
    const { boss } = await administered()
    expect(await boss('POST /plinth/v1/organizations', { username: 'empty' })).toMatchObject({
      status: 200,
      body: { username: 'empty', members: [] },
    })
    expect((await boss('POST /plinth/v1/organizations', { username: 'x', member: [] })).body.errors).toEqual([
      'The body is invalid: Unrecognized key: "member"',
    ])
  })

  it('change: a password, an e-mail address, the rights', async () => {
    const { boss, ask, bob } = await administered()
    const changed = await boss('PUT /plinth/v1/users/Bob', {
      password: 'another one',
      email: 'Bob@example.com',
      administrator: true,
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { username: 'bob', email: 'bob@example.com', administrator: true },
    })
    const login = (password: string) =>
      ask('POST /api/v1/authenticate', { user: { login: 'bob@example.com', password } })
    expect([(await login('another one')).status, (await login('battery staple')).status]).toEqual([200, 401])
    expect((await bob('GET /plinth/v1/users')).status).toBe(200)
    expect((await boss('PUT /plinth/v1/users/nobody', {})).status).toBe(404)
    expect((await boss('PUT /plinth/v1/users/bob', { pasword: 'x' })).status).toBe(422)
    expect((await boss('PUT /plinth/v1/users/boss', { administrator: false })).status).toBe(403)
  })

  it('end with their tokens and memberships, and a later user of the name has neither', async () => {
    const { boss, bob, catalog, names } = await administered()
    await boss('POST /plinth/v1/organizations', { username: 'acme', members: ['Bob', 'alice'] })
    await bob('POST /api/v2/boxes', { box: { username: 'acme', name: 'base' } })
    expect((await boss('DELETE /plinth/v1/users/bob')).status).toBe(204)
    expect(await names('users')).toEqual(['alice', 'boss'])
    expect((await bob('GET /api/v2/authenticate')).status).toBe(401)
    await boss('POST /api/v2/users', { user: { username: 'bob' } })
    expect((await bob('GET /api/v2/authenticate')).status).toBe(401)
    const next = asking(catalog, unwrap(await catalog.createToken('bob')).token)
    expect((await next('GET /api/v2/box/acme/base')).status).toBe(404)
    expect((await boss('DELETE /plinth/v1/users/nobody')).status).toBe(404)
  })

  it('stay while they own boxes, and an administrator cannot delete itself', async () => {
    const { boss, alice } = await administered()
    expect(await boss('DELETE /plinth/v1/users/alice')).toMatchObject({
      status: 409,
      body: { errors: ['alice owns boxes: delete them first'] },
    })
    expect((await alice('GET /api/v2/authenticate')).status).toBe(200)
    for (const name of ['tiny', 'secret']) await alice(`DELETE /api/v2/box/alice/${name}`)
    expect((await boss('DELETE /plinth/v1/users/alice')).status).toBe(204)
    expect((await boss('DELETE /plinth/v1/users/Boss')).status).toBe(403)
  })

  it('of organizations have users as members, who own its boxes', async () => {
    const { boss, bob, names } = await administered()
    expect(await boss('POST /plinth/v1/organizations', { username: 'acme', members: ['bbo'] })).toMatchObject(
      {
        status: 422,
        body: { errors: ['There is no user "bbo": create it first'] },
      },
    )
    const made = await boss('POST /plinth/v1/organizations', { username: 'Acme', members: ['bob'] })
    expect(made).toMatchObject({ status: 200, body: { username: 'Acme', members: ['bob'] } })
    expect((await boss('POST /plinth/v1/organizations', { username: 'acme', members: [] })).status).toBe(422)
    const create = (name: string) => bob('POST /api/v2/boxes', { box: { username: 'acme', name } })
    expect((await create('base')).status).toBe(200)
    expect((await boss('PUT /plinth/v1/organizations/acme', { members: ['alice'] })).status).toBe(200)
    expect((await create('other')).status).toBe(403)
    expect((await boss('DELETE /plinth/v1/organizations/acme')).status).toBe(409)
    expect((await boss('DELETE /plinth/v1/users/acme')).status).toBe(404)
    await boss('DELETE /api/v2/box/acme/base')
    expect((await boss('DELETE /plinth/v1/organizations/acme')).status).toBe(204)
    expect(await names('organizations')).toEqual([])
  })

  it('are deleted once, whatever is created at the same time', async () => {
    const { boss, catalog } = await administered()
    for (let round = 0; round < 8; round += 1) {
      unwrap(await catalog.putUser({ username: 'eve' }))
      const [, box, token] = await Promise.all([
        boss('DELETE /plinth/v1/users/eve'),
        catalog.createBox({ username: 'eve', name: 'tiny' }),
        catalog.createToken('eve'),
      ])
      const stays = (await catalog.readAccount('eve')).ok
      expect(stays).toBe(box.ok)
      if (!stays && token.ok) expect(await catalog.authenticate(token.value.token)).toBeUndefined()
      const left = unwrap(await catalog.listTokens({ username: 'eve' }))
      if (!stays) expect(left).toEqual([])
      if (box.ok) await catalog.deleteBox({ username: 'eve', name: 'tiny' })
      await boss('DELETE /plinth/v1/users/eve')
    }
  })
})

describe('tokens of users', () => {
  it('are created by administrators, shown once, and revoked by id', async () => {
    const { boss, bob, catalog } = await administered()
    const made = await boss('POST /plinth/v1/tokens', { username: 'BOB', description: 'ci' })
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const { token, ...shown } = made.body
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      username: 'bob',
      description: 'ci',
      role: null,
      owners: null,
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
    })
    const ci = asking(catalog, token)
    expect((await ci('GET /api/v2/authenticate')).body).toEqual({ user: { username: 'bob' } })
    const listed = await bob('GET /plinth/v1/tokens')
    expect(listed.body.tokens).toContainEqual({ ...shown, last_used_at: expect.any(String) })
    expect(listed.text).not.toContain(token)
    expect((await boss(`DELETE /plinth/v1/tokens/${shown.id}`)).status).toBe(204)
    expect((await boss(`DELETE /plinth/v1/tokens/${shown.id}`)).status).toBe(404)
    expect((await ci('GET /api/v2/authenticate')).status).toBe(401)
    expect((await boss('POST /plinth/v1/tokens', { username: 'nobody' })).status).toBe(404)
  })

  it('are seen and revoked by their user, and by administrators', async () => {
    const { ask, alice, bob, boss } = await administered()
    const users = async (who: typeof ask, query = '') =>
      (await who(`GET /plinth/v1/tokens${query}`)).body.tokens.map(
        ({ username }: { username: string }) => username,
      )
    expect(await users(alice)).toEqual(['alice'])
    expect(await users(boss)).toEqual(['alice', 'bob', 'boss'])
    expect(await users(boss, '?username=Bob')).toEqual(['bob'])
    expect((await alice('GET /plinth/v1/tokens?username=bob')).status).toBe(403)
    expect((await ask('GET /plinth/v1/tokens')).status).toBe(401)
    const [{ id }] = (await bob('GET /plinth/v1/tokens')).body.tokens
    expect((await alice(`DELETE /plinth/v1/tokens/${id}`)).status).toBe(404)
    expect((await bob(`DELETE /plinth/v1/tokens/${id}`)).status).toBe(204)
    expect((await bob('GET /api/v2/authenticate')).status).toBe(401)
  })
})

describe('the audit trail', () => {
  it('says who did what to which box and account, to administrators only, and holds no secret', async () => {
    const { ask, alice, boss, catalog, token } = await administered()
    await alice(`PUT ${version}/release`)
    const { body: upload } = await alice(`GET ${provider}/upload`)
    const { pathname } = new URL(upload.upload_path)
    await ask(`PUT ${pathname}`, 'the image')
    await alice(`PUT ${version}/release`)
    await alice(`DELETE ${box}`)
    await boss('PUT /plinth/v1/users/bob', { password: 'another password' })
    expect((await ask('GET /plinth/v1/audit')).status).toBe(401)
    expect((await alice('GET /plinth/v1/audit')).status).toBe(403)
    const read = async (filter: string) => {
      const { body } = await boss(`GET /plinth/v1/audit?filter=${encodeURIComponent(filter)}`)
      return body.changes.map(
        ({ type, subject, by, detail }: Record<string, string | Record<string, string>>) => [
          type,
          subject,
          by,
          detail,
        ],
      )
    }
    const image = { version: '1.0.0', provider: 'qemu', architecture: 'amd64' }
    expect(await read('subject == "alice/tiny"')).toEqual([
      ['box.deleted', 'alice/tiny', 'alice', {}],
      ['version.released', 'alice/tiny', 'alice', { version: '1.0.0' }],
      ['image.uploaded', 'alice/tiny', 'alice', image],
      ['provider.created', 'alice/tiny', 'alice', image],
      ['version.created', 'alice/tiny', 'alice', { version: '1.0.0' }],
      ['box.created', 'alice/tiny', 'alice', {}],
    ])
    expect(await read('by == "boss"')).toEqual([['account.updated', 'bob', 'boss', {}]])
    const whole = JSON.stringify((await boss('GET /plinth/v1/audit')).body)
    for (const secret of [token, pathname.split('/').at(-1) ?? '', 'another password'])
      expect(whole).not.toContain(secret)
    expect((await boss('GET /plinth/v1/audit?limit=0')).status).toBe(422)
    expect((await boss('GET /plinth/v1/audit?filter=bye')).body.errors[0]).toContain('bye')
    await catalog.close()
  })

  it('keeps a change as long as it is told to', async () => {
    const { catalog, clock } = await served({ keepAuditMs: 60_000 })
    await clock.advance(61_000)
    await catalog.putUser({ username: 'carol' })
    await catalog.sweep()
    const { changes } = unwrap(await catalog.readAudit())
    expect(changes.map(({ subject }) => subject)).toEqual(['carol'])
    await catalog.close()
  })
})
