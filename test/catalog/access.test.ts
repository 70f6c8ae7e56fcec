import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { asking, box, provider, version, withBoxes } from './catalog.ts'

describe('permissions', () => {
  const writes = [
    'POST /api/v2/boxes',
    `PUT ${box}`,
    `DELETE ${box}`,
    `POST ${box}/versions`,
    `PUT ${version}`,
    `DELETE ${version}`,
    `PUT ${version}/release`,
    `PUT ${version}/revoke`,
    `POST ${version}/providers`,
    `PUT ${provider}`,
    `DELETE ${provider}`,
    `GET ${provider}/upload`,
    `GET ${provider}/upload/direct`,
    `PUT ${provider}/upload/direct/x`,
  ]

  it.each(writes)('unauthenticated: %s is 401 with any body, also with a bad token', async (line) => {
    const { ask, catalog } = await withBoxes()
    const answer = await ask(line, line.startsWith('GET') ? undefined : [])
    expect([answer.status, answer.body.success]).toEqual([401, false])
    const bad = await asking(catalog, 'nonsense')(line)
    expect([bad.status, bad.body.errors]).toEqual([401, ['Bad access token!']])
    for (const { headers } of [answer, bad]) expect(headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each(writes.slice(1))('another user: %s is 403 on a public box, 404 on a private one', async (line) => {
    const { bob } = await withBoxes()
    const body = line.startsWith('GET') ? undefined : { name: 'x', version: '3', url: 'http://x/y' }
    const answer = await bob(line, body)
    expect([answer.status, answer.body.errors]).toEqual([403, ['You may not change the boxes of alice']])
    expect((await bob(line.replace('/tiny', '/secret'), body)).status).toBe(404)
  })

  it('a private box does not exist for anonymous callers, and its owner sees it everywhere', async () => {
    const { ask, alice, bob } = await withBoxes()
    for (const path of [
      '/api/v1/box/alice/secret',
      '/api/v2/box/alice/secret',
      '/alice/secret',
      '/api/v2/vagrant/alice/secret',
    ]) {
      for (const stranger of [ask, bob])
        expect(await stranger(`GET ${path}`)).toMatchObject({
          status: 404,
          body: { errors: ['Resource not found!'], success: false },
        })
      expect((await alice(`GET ${path}`)).status).toBe(200)
    }
    const names = async (as: typeof ask) =>
      (await as('GET /api/v2/user/alice')).body.boxes.map((seen: { name: string }) => seen.name)
    expect(await names(ask)).toEqual(['tiny'])
    expect(await names(alice)).toEqual(['secret', 'tiny'])
  })

  it('what methods say of an account holds nothing that it logs in with, and its address only for its owner', async () => {
    const { catalog } = await withBoxes()
    const login = { password: 'correct horse', totpSecret: 'GEZDGNBVGY3TQOJQ', phone: '+15550101234' }
    const given = await catalog.putUser({ username: 'alice', email: 'alice@example.com', ...login })
    const acme = await catalog.putOrganization({ username: 'acme', members: ['alice'] })
    const changed = await catalog.updateProfile('alice', { profile: 'I make boxes' })
    const anonymous = await catalog.as({ kind: 'anonymous' }).readAccount('alice')
    const self = await catalog.as({ kind: 'user', username: 'alice' }).readAccount('alice')
    for (const answer of [given, acme, changed, anonymous, self])
      expect(JSON.stringify(unwrap<unknown>(answer))).not.toMatch(
        /scrypt|GEZDGN|5550101234|passwordHash|twoFactor/,
      )
    expect(unwrap(given)).toMatchObject({ username: 'alice', email: 'alice@example.com' })
    expect(unwrap(self).account).toMatchObject({ email: 'alice@example.com', profile: 'I make boxes' })
    expect(unwrap(anonymous).account).toMatchObject({ email: null, profile: 'I make boxes' })
  })

  it('members of an organization own its boxes, others do not', async () => {
    const { catalog, alice, bob } = await withBoxes()
    unwrap(await catalog.putOrganization({ username: 'acme', members: ['Alice'] }))
    expect((await alice('POST /api/v2/boxes', { username: 'acme', name: 'hidden' })).status).toBe(200)
    expect((await bob('GET /api/v2/box/acme/hidden')).status).toBe(404)
    expect((await bob('POST /api/v2/boxes', { username: 'acme', name: 'x' })).status).toBe(403)
    unwrap(await catalog.putOrganization({ username: 'acme', members: ['bob'] }))
    expect((await alice('GET /api/v2/box/acme/hidden')).status).toBe(404)
    expect((await bob('GET /api/v2/box/acme/hidden')).status).toBe(200)
  })

  it('anonymous callers see the active versions of a public box, its owner all of them', async () => {
    const { ask, alice } = await withBoxes()
    await alice(`POST ${version}/providers`, { name: 'x', url: 'https://example.com/x.box' })
    await alice(`POST ${box}/versions`, { version: '2.0.0' })
    await alice(`PUT ${version}/release`)
    const numbers = async (as: typeof ask) =>
      (await as(`GET ${box}`)).body.versions.map((seen: { version: string }) => seen.version)
    expect(await numbers(ask)).toEqual(['1.0.0'])
    expect(await numbers(alice)).toEqual(['2.0.0', '1.0.0'])
  })

  it('the boxes of a delinquent owner are 402, hidden ones still 404', async () => {
    const { catalog, ask, alice } = await withBoxes()
    unwrap(await catalog.updateProfile('alice', { delinquent: true }))
    for (const line of [`GET ${box}`, 'GET /alice/tiny', `GET ${version}`])
      expect((await ask(line)).status).toBe(402)
    expect((await alice('POST /api/v2/boxes', { name: 'more' })).body.errors[0]).toMatch(
      /delinquent on billing/,
    )
    expect((await ask('GET /api/v2/box/alice/secret')).status).toBe(404)
  })
})
