import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { providerKey, signToken, testProvider } from '../support/identity-provider.ts'
import { asking, served } from './catalog.ts'

const issuer = 'https://gitlab.test'
const audience = 'https://boxes.test'
const rule = {
  name: 'gitlab',
  issuer,
  claims: { aud: audience, project_path: 'acme/images', ref_protected: 'true' },
  namespaces: ['Acme'],
}
const job = {
  sub: 'project_path:acme/images:ref:main',
  aud: audience,
  project_path: 'acme/images',
  ref_protected: 'true',
}

async function setup() {
  const clock = testClock()
  const provider = testProvider({ issuer, now: clock.now, keys: [providerKey('first', 'RS256')] })
  const world = await served({ trust: [rule], fetch: provider.fetch, env: clock.env, timers: clock.timers })
  unwrap(await world.catalog.putOrganization({ username: 'acme', members: ['alice'] }))
  const as = (claims: object = {}) => asking(world.catalog, provider.token({ ...job, ...claims }))
  const newBox = (username: string) => ({ box: { username, name: 'base', is_private: true } })
  return { ...world, clock, provider, as, newBox }
}
const refused = (status: number, message: RegExp) => ({
  status,
  body: { errors: [expect.stringMatching(message)] },
})

describe('the token of a CI job', () => {
  it('publishes boxes of the accounts of its rule, and is named in the audit trail', async () => {
    const { as, newBox, catalog } = await setup()
    const ask = as()
    expect((await ask('POST /api/v2/boxes', newBox('acme'))).status).toBe(200)
    expect((await ask('POST /api/v2/box/acme/base/versions', { version: { version: '1.0.0' } })).status).toBe(
      200,
    )
    expect((await ask('GET /api/v2/box/acme/base')).status).toBe(200)
    const trail = unwrap(await catalog.readAudit())
    expect(trail.changes[0]).toMatchObject({ by: job.sub })
  })
  it.each(['upload', 'upload/direct'])('uploads images by %s, and releases them', async (way) => {
    const { as, newBox, catalog } = await setup()
    const ask = as()
    const version = '/api/v2/box/acme/base/version/1.0.0'
    await ask('POST /api/v2/boxes', newBox('acme'))
    await ask('POST /api/v2/box/acme/base/versions', { version: { version: '1.0.0' } })
    await ask(`POST ${version}/providers`, { provider: { name: 'qemu', architecture: 'amd64' } })
    const leave = await ask(`GET ${version}/provider/qemu/amd64/${way}`)
    const sent = await catalog.fetch(new Request(leave.body.upload_path, { method: 'PUT', body: 'image' }))
    expect(sent.status).toBe(200)
    if (leave.body.callback)
      expect((await ask(`PUT ${new URL(leave.body.callback).pathname}`)).status).toBe(200)
    expect((await ask(`PUT ${version}/release`)).status).toBe(200)
  })
  it('does nothing else: no other account, no accounts, members and tokens', async () => {
    const { as, newBox } = await setup()
    const ask = as()
    expect((await ask('POST /api/v2/boxes', newBox('alice'))).status).toBe(403)
    for (const line of [
      'GET /plinth/v1/users',
      'GET /plinth/v1/audit',
      'GET /plinth/v1/tokens',
      'GET /plinth/v1/owners/acme/members',
    ])
      expect((await ask(line)).status, line).toBe(403)
    expect((await ask('DELETE /api/v2/box/acme/base')).status).toBe(404)
  })
  it.each([
    [{ project_path: 'eve/images' }, /claim "project_path" does not match/],
    [{ ref_protected: 'false' }, /claim "ref_protected" does not match/],
    [{ aud: 'https://other.test' }, /claim "aud" does not match/],
    [{ iss: 'https://evil.test' }, /no trust rule is for the issuer/],
    [{ exp: 1 }, /token is expired/],
  ])('with %j is refused, and is told why', async (claims, message) => {
    const { as, newBox } = await setup()
    expect(await as(claims)('POST /api/v2/boxes', newBox('acme'))).toMatchObject(refused(401, message))
  })
  it('is refused if another key signed it, or the provider is down', async () => {
    const { catalog, provider, clock, as, newBox } = await setup()
    const forged = signToken(providerKey('evil', 'RS256'), {
      ...job,
      iss: issuer,
      exp: clock.now() / 1000 + 60,
    })
    expect((await asking(catalog, forged)('POST /api/v2/boxes', newBox('acme'))).status).toBe(401)
    provider.instead.set('/keys', () => Promise.reject(new Error('down')))
    await clock.advance(90_000_000)
    expect(await as()('POST /api/v2/boxes', newBox('acme'))).toMatchObject(refused(502, /cannot be reached/))
  })
})

it('tokens of the catalog are valid beside trust rules', async () => {
  const { alice, newBox } = await setup()
  expect((await alice('POST /api/v2/boxes', newBox('acme'))).status).toBe(200)
  expect(
    (await asking((await setup()).catalog, 'unknown')('POST /api/v2/boxes', newBox('acme'))).status,
  ).toBe(401)
})

it.each([
  [{ namespaces: ['a b'] }, 'trust[0].namespaces: "a b" is not a valid account name'],
  [{ claims: { aud: audience } }, 'trust[0].claims: bind a claim'],
])('a catalog is not created with the rule %j', (change, message) => {
  expect(() => createCatalog({ trust: [{ ...rule, ...change }] })).toThrow(message)
})

it('guests publish boxes of their accounts without an account of their own, and readers read private ones', async () => {
  const { catalog, alice } = await served({
    guests: async (token) =>
      token === 'ada'
        ? { name: 'ada', role: 'publisher', owners: ['Acme'] }
        : token === 'cyd'
          ? { name: 'cyd', role: 'publisher', owners: ['infra'], readsAll: true }
          : token === 'bob'
            ? { name: 'bob', role: 'reader' }
            : undefined,
  })
  for (const username of ['acme', 'infra']) unwrap(await catalog.putOrganization({ username }))
  const [ada, bob, cyd, eve] = ['ada', 'bob', 'cyd', 'eve'].map((token) => asking(catalog, token))
  const box = (username: string) => ({ box: { username, name: 'base', is_private: true } })
  expect((await ada?.('POST /api/v2/boxes', box('acme')))?.status).toBe(200)
  expect((await ada?.('POST /api/v2/boxes', box('alice')))?.status).toBe(403)
  expect((await bob?.('GET /api/v2/box/acme/base'))?.status).toBe(200)
  expect((await bob?.('PUT /api/v2/box/acme/base', { box: { short_description: 'x' } }))?.status).toBe(403)
  expect((await cyd?.('GET /api/v2/box/acme/base'))?.status).toBe(200)
  expect((await cyd?.('PUT /api/v2/box/acme/base', { box: { short_description: 'x' } }))?.status).toBe(403)
  const release = async (username: string) => {
    const version = { username, name: 'base', version: '1.0' }
    unwrap(await catalog.createVersion(version, { version: '1.0' }))
    unwrap(await catalog.createProvider(version, { name: 'qemu', url: 'https://example.com/a.box' }))
    unwrap(await catalog.releaseVersion(version))
  }
  await release('acme')
  const found = async (guest: typeof ada) => (await guest?.('GET /api/v2/search?q=base'))?.body.boxes.length
  expect([await found(ada), await found(bob), await found(cyd)]).toEqual([1, 1, 1])
  expect((await cyd?.('POST /api/v2/boxes', box('infra')))?.status).toBe(200)
  await release('infra')
  expect([await found(ada), await found(bob), await found(cyd)]).toEqual([1, 2, 2])
  expect((await eve?.('GET /api/v2/box/acme/base'))?.status).toBe(401)
  expect((await alice('GET /api/v2/box/acme/base')).status).toBe(404)
  for (const line of ['GET /plinth/v1/users', 'GET /plinth/v1/tokens', 'GET /plinth/v1/audit'])
    expect((await ada?.(line))?.status, line).toBe(403)
})
