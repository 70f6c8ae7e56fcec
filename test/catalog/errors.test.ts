import { describe, expect, it } from 'vitest'
import { fixedWindow } from '../../src/catalog/index.ts'
import { nodeCrypto, totp } from '../../src/crypto/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { asking, served } from './catalog.ts'

/** alice has a public box with one unreleased version and a private one; bob is somebody else. */
async function withBoxes() {
  const world = await served()
  const { catalog, alice } = world
  unwrap(await catalog.putUser({ username: 'bob', password: 'battery staple' }))
  const bob = asking(catalog, unwrap(await catalog.createToken('bob')).token)
  await alice('POST /api/v2/boxes', { box: { name: 'tiny', is_private: false } })
  await alice('POST /api/v2/boxes', { box: { name: 'secret' } })
  await alice('POST /api/v2/box/alice/tiny/versions', { version: { version: '1.0.0' } })
  await alice('POST /api/v2/box/alice/tiny/version/1.0.0/providers', {
    provider: { name: 'qemu', architecture: 'amd64' },
  })
  return { ...world, bob }
}

const box = '/api/v2/box/alice/tiny'
const version = `${box}/version/1.0.0`
const provider = `${version}/provider/qemu/amd64`

describe('what the catalog refuses, in the words of the service it follows', () => {
  it.each<[string, unknown, number, string | RegExp]>([
    ['POST /api/v2/boxes', { box: { name: 'tiny' } }, 422, 'Type has already been taken'],
    ['POST /api/v2/boxes', { box: { name: 'TINY' } }, 422, 'Type has already been taken'],
    ['POST /api/v2/boxes', { box: {} }, 422, 'box parameter is required!'],
    ['POST /api/v2/boxes', { box: null }, 422, 'box parameter is required!'],
    ['POST /api/v2/boxes', [], 422, 'box parameter is required!'],
    ['POST /api/v2/boxes', undefined, 422, 'box parameter is required!'],
    ['POST /api/v2/boxes', { box: { username: 'alice' } }, 422, "Name can't be blank"],
    ['POST /api/v2/boxes', { name: '../etc' }, 422, /Name "..\/etc" is invalid/],
    ['POST /api/v2/boxes', { box: 5 }, 422, 'box parameter is required!'],
    ['POST /api/v2/boxes', { unheard: 'of' }, 422, 'box parameter is required!'],
    ['POST /api/v2/boxes', { name: 7 }, 422, 'name is invalid: expected string, received number'],
    [
      'POST /api/v2/boxes',
      { name: 'x', is_private: 'maybe' },
      422,
      'is_private is invalid: expected true or false',
    ],
    ['POST /api/v2/boxes', { name: 'x', short_description: 'a'.repeat(1025) }, 422, /too long/],
    ['POST /api/v2/boxes', { name: 'x', username: 'nobody' }, 404, 'Resource not found!'],
    ['POST /api/v2/boxes', { name: 'x', username: 'bob' }, 403, 'You may not change the boxes of bob'],
    [`PUT ${box}`, { box: {} }, 422, 'box parameter is required!'],
    [`PUT ${box}`, { box: ['x'] }, 422, 'box parameter is required!'],
    [`PUT ${box}`, { box: { name: 'secret' } }, 422, 'Type has already been taken'],
    [`POST ${box}/versions`, { version: '1.0' }, 422, 'Version has already been taken'],
    [`POST ${box}/versions`, { version: { version: 'v1' } }, 422, /Version "v1" is invalid/],
    [`POST ${box}/versions`, { version: { description: 'x' } }, 422, "Version can't be blank"],
    [`POST ${box}/versions`, {}, 422, 'version parameter is required!'],
    [`POST ${box}/versions`, { version: null }, 422, 'version parameter is required!'],
    [`PUT ${version}`, { version: { version: '' } }, 422, "Version can't be blank"],
    [`PUT ${version}/release`, undefined, 422, /needs a provider/],
    [`PUT ${version}/revoke`, undefined, 422, /has not been released/],
    [
      `POST ${version}/providers`,
      { name: 'qemu', architecture: 'amd64' },
      422,
      'Metadata provider must be unique for version',
    ],
    [`POST ${version}/providers`, { provider: {} }, 422, 'provider parameter is required!'],
    [
      `POST ${version}/providers`,
      { name: 'x', architecture: 'z80' },
      422,
      /Architecture is not included in the list/,
    ],
    [`POST ${version}/providers`, { name: 'x', url: 'ftp://x' }, 422, /Url is invalid/],
    [`POST ${version}/providers`, { name: 'x', url: 'http://x/a\r\nb: c' }, 422, /Url is invalid/],
    [
      `POST ${version}/providers`,
      { name: 'x', checksum: 'ab', checksum_type: 'md5' },
      422,
      /Checksum is invalid/,
    ],
    [`PUT ${provider}`, { provider: {} }, 422, 'provider parameter is required!'],
    [`GET ${version}/provider/qemu/arm64`, undefined, 404, 'Resource not found!'],
    [`GET ${version}/provider/qemu/z80`, undefined, 404, 'Resource not found!'],
    [`GET ${version}/provider/qemu/arm64/upload`, undefined, 404, 'Resource not found!'],
    [`PUT ${provider}/upload/direct/nonsense`, undefined, 404, 'Resource not found!'],
    [`GET ${box}/version/9.9`, undefined, 404, 'Resource not found!'],
    [`GET ${box}/version/v1`, undefined, 404, 'Resource not found!'],
    ['GET /api/v2/box/alice/nothing', undefined, 404, 'Resource not found!'],
    ['GET /api/v2/user/nobody', undefined, 404, 'Resource not found!'],
    ['GET /api/v2/user/__proto__', undefined, 404, 'Resource not found!'],
    ['GET /api/v3/boxes', undefined, 404, 'Resource not found!'],
    ['GET /api/v2/box/%ff/x', undefined, 404, 'Resource not found!'],
    ['GET /alice/nothing', undefined, 404, 'Resource not found!'],
    ['GET /alice/boxes/tiny/versions/1.0.0/providers/qemu.box', undefined, 404, 'Resource not found!'],
    ['GET /alice/boxes/tiny/versions/1.0.0/providers/qemu', undefined, 404, 'Resource not found!'],
    ['PATCH /api/v2/boxes', {}, 405, 'Method Not Allowed'],
    ['POST /api/v2/authenticate', {}, 405, 'Method Not Allowed'],
    ['GET /api/v2/search?limit=many', undefined, 422, /limit must be a whole number/],
    ['GET /api/v2/search?page=1.5', undefined, 422, /page must be a whole number/],
    ['GET /api/v2/search?sort=name', undefined, 422, 'sort must be one of downloads, created, updated'],
    ['GET /api/v2/search?order=up', undefined, 422, 'order must be one of desc, asc'],
  ])('%s %j: %i', async (line, body, status, error) => {
    const { alice } = await withBoxes()
    const answer = await alice(line, body)
    expect([answer.status, answer.body.success]).toEqual([status, false])
    expect(answer.body.errors).toEqual([typeof error === 'string' ? error : expect.stringMatching(error)])
  })

  it('refuses a body that is no JSON, or too much of it', async () => {
    const { catalog, token } = await served()
    const send = async (body: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return catalog.fetch(new Request('http://catalog.test/api/v2/boxes', { method: 'POST', body, headers }))
    }
    expect((await send('{"box":')).status).toBe(422)
    expect((await send(JSON.stringify({ box: { description: 'a'.repeat(2 ** 20) } }))).status).toBe(413)
  })
})

describe('who may do what', () => {
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

  it.each(writes)('nobody: %s is 401, whatever the body; with a bad token too', async (line) => {
    const { ask, catalog } = await withBoxes()
    const answer = await ask(line, line.startsWith('GET') ? undefined : [])
    expect([answer.status, answer.body.success]).toEqual([401, false])
    const bad = await asking(catalog, 'nonsense')(line)
    expect([bad.status, bad.body.errors]).toEqual([401, ['Bad access token!']])
  })

  it.each(writes.slice(1))('somebody else: %s is 403 on a public box, 404 on a private one', async (line) => {
    const { bob } = await withBoxes()
    const body = line.startsWith('GET') ? undefined : { name: 'x', version: '3', url: 'http://x/y' }
    const answer = await bob(line, body)
    expect([answer.status, answer.body.errors]).toEqual([403, ['You may not change the boxes of alice']])
    expect((await bob(line.replace('/tiny', '/secret'), body)).status).toBe(404)
  })

  it('a private box is not there for strangers, and its owner sees it everywhere', async () => {
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

  it('members of an organization own its boxes, others do not', async () => {
    const { catalog, alice, bob } = await withBoxes()
    unwrap(await catalog.putOrganization({ username: 'acme', members: ['Alice'] }))
    expect((await alice('POST /api/v2/boxes', { username: 'acme', name: 'hidden' })).status).toBe(201)
    expect((await bob('GET /api/v2/box/acme/hidden')).status).toBe(404)
    expect((await bob('POST /api/v2/boxes', { username: 'acme', name: 'x' })).status).toBe(403)
    unwrap(await catalog.putOrganization({ username: 'acme', members: ['bob'] }))
    expect((await alice('GET /api/v2/box/acme/hidden')).status).toBe(404)
    expect((await bob('GET /api/v2/box/acme/hidden')).status).toBe(200)
  })

  it('strangers see the active versions of a public box, its owner all of them', async () => {
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

describe('tokens', () => {
  it('come as bearer, in the legacy header, or in the address, and count in this order', async () => {
    const { catalog, token } = await served({ words: ['Legacy', 'Acme'] })
    const ask = asking(catalog)
    const whoami = async (path: string, headers: Record<string, string>) => {
      const answer = await ask(`GET ${path}`, undefined, headers)
      return answer.status === 200 ? answer.body.user.username : answer.status
    }
    const at = '/api/v2/authenticate'
    expect(await whoami(at, { authorization: `Bearer ${token}` })).toBe('alice')
    expect(await whoami(at, { 'x-legacy-token': token })).toBe('alice')
    expect(await whoami(at, { 'x-acme-token': token })).toBe('alice')
    expect(await whoami(`${at}?access_token=${token}`, {})).toBe('alice')
    expect(await whoami(`${at}?access_token=bad`, { 'x-legacy-token': token })).toBe('alice')
    expect(await whoami(`${at}?access_token=${token}`, { authorization: 'Bearer bad' })).toBe(401)
    expect(await whoami(at, {})).toBe(401)
    expect(await whoami(at, { authorization: 'Basic YTpi' })).toBe(401)
  })

  it('are made with a password, work, and are worthless once deleted', async () => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', email: 'Alice@example.com' }))
    for (const login of ['alice', 'ALICE', 'alice@EXAMPLE.com']) {
      const made = await ask('POST /api/v1/authenticate', {
        token: { description: 'mine' },
        user: { login, password: 'correct horse' },
        two_factor: { code: null },
      })
      expect(made.status).toBe(201)
      expect(made.body).toEqual({
        description: 'mine',
        token: expect.stringMatching(/^[0-9A-Za-z]{14}\.catalogv1\.[0-9A-Za-z]{60}$/),
        token_hash: expect.stringMatching(/^[0-9a-f]{128}$/),
        created_at: '2026-01-01T00:00:00.000Z',
      })
      const mine = asking(catalog, made.body.token)
      for (const api of ['v1', 'v2'])
        expect((await mine(`GET /api/${api}/authenticate`)).body).toEqual({ user: { username: 'alice' } })
      expect((await mine('DELETE /api/v1/authenticate')).status).toBe(204)
      expect((await mine('DELETE /api/v1/authenticate')).status).toBe(401)
      expect((await mine('GET /api/v1/authenticate')).body.errors).toEqual(['Bad access token!'])
    }
  })

  it.each<[unknown, number, string]>([
    [{ user: { login: 'alice', password: 'wrong' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'nobody', password: 'correct horse' } }, 401, 'Invalid login or password'],
    [{ user: { login: '', password: '' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'a@b', password: '' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'x'.repeat(5000), password: '' } }, 401, 'Invalid login or password'],
    [{ user: { login: 'acme', password: '' } }, 401, 'Invalid login or password'],
    [{}, 422, 'user parameter is required!'],
    [{ user: { login: 'alice' } }, 422, 'user.password parameter is required!'],
  ])('%j makes none: %i', async (body, status, error) => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putOrganization({ username: 'acme', members: [] }))
    const answer = await ask('POST /api/v1/authenticate', body)
    expect([answer.status, answer.body]).toEqual([status, { errors: [error], success: false }])
  })

  it('are made although a stale one is sent along', async () => {
    const { catalog } = await served()
    const body = { user: { login: 'alice', password: 'correct horse' } }
    expect((await asking(catalog, 'stale')('POST /api/v1/authenticate', body)).status).toBe(201)
  })
})

describe('two-factor log-in', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const user = { login: 'alice', password: 'correct horse' }
  const codeAt = (now: number) => totp(nodeCrypto(), new TextEncoder().encode('12345678901234567890'), now)

  it('says with 406 that a code is needed, and how to get one', async () => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', totpSecret: secret }))
    const answer = await ask('POST /api/v1/authenticate', { user })
    expect([answer.status, answer.body]).toEqual([
      406,
      {
        errors: ['Two-factor authentication is required: send two_factor.code'],
        success: false,
        two_factor: { default_delivery_method: 'app', delivery_methods: ['app'] },
      },
    ])
    expect((await ask('POST /api/v1/authenticate', { user: { ...user, password: 'no' } })).status).toBe(401)
  })

  it('takes a code of the authenticator once', async () => {
    const { catalog, clock, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', totpSecret: secret }))
    const code = codeAt(clock.now())
    const wrong = code === '000000' ? '000001' : '000000'
    const log = (sent: string) => ask('POST /api/v1/authenticate', { user, two_factor: { code: sent } })
    expect((await log(wrong)).status).toBe(401)
    expect((await log(code)).status).toBe(201)
    expect((await log(code)).status).toBe(401)
    await clock.advance(30_000)
    expect((await log(codeAt(clock.now()))).status).toBe(201)
  })

  it('delivers a code by sms that works once, for ten minutes and five tries', async () => {
    const sent: string[] = []
    const { catalog, clock, ask } = await served({
      deliverCode: async ({ phone, code }) => {
        sent.push(`${phone} ${code}`)
        return undefined
      },
    })
    unwrap(await catalog.putUser({ username: 'alice', phone: '+1 555 010 1234' }))
    const request = () =>
      ask('POST /api/v1/two-factor/request-code', { user, two_factor: { delivery_method: 'sms' } })
    const log = (code: string) => ask('POST /api/v1/authenticate', { user, two_factor: { code } })
    expect((await log('')).body.two_factor).toEqual({
      default_delivery_method: 'sms',
      delivery_methods: ['sms'],
    })
    const latest = async () => {
      const answer = await request()
      expect(answer).toMatchObject({
        status: 200,
        body: { two_factor: { obfuscated_destination: 'SMS number ending in 1234' } },
      })
      return sent.at(-1)?.split(' ').at(-1) ?? ''
    }
    const code = await latest()
    expect(code).toMatch(/^\d{6}$/)
    expect((await log(code)).status).toBe(201)
    expect((await log(code)).status).toBe(401)

    const late = await latest()
    await clock.advance(10 * 60_000)
    expect((await log(late)).status).toBe(401)

    const guessed = await latest()
    const wrong = guessed === '123456' ? '654321' : '123456'
    for (let tries = 0; tries < 5; tries += 1) expect((await log(wrong)).status).toBe(401)
    expect((await log(guessed)).status).toBe(401)
  })

  it.each<[object, number]>([
    [{ user: { ...user, password: 'wrong' }, two_factor: { delivery_method: 'sms' } }, 401],
    [{ user: { login: 'nobody', password: 'x' }, two_factor: { delivery_method: 'sms' } }, 401],
    [{ user, two_factor: { delivery_method: 'pigeon' } }, 422],
    [{ user, two_factor: {} }, 422],
    [{ user }, 422],
  ])('delivers nothing for %j: %i', async (body, status) => {
    let delivered = 0
    const { catalog, ask } = await served({
      deliverCode: async () => {
        delivered += 1
        return undefined
      },
    })
    unwrap(await catalog.putUser({ username: 'alice', phone: '555' }))
    expect((await ask('POST /api/v1/two-factor/request-code', body)).status).toBe(status)
    expect(delivered).toBe(0)
  })

  it('delivers nothing where nothing can be delivered, and says how else', async () => {
    const { catalog, ask } = await served()
    unwrap(await catalog.putUser({ username: 'alice', totpSecret: secret }))
    const answer = await ask('POST /api/v1/two-factor/request-code', {
      user,
      two_factor: { delivery_method: 'sms' },
    })
    expect([answer.status, answer.body.errors[0]]).toEqual([422, expect.stringMatching(/authenticator app/)])
  })

  it('is not there for a user who did not turn it on', async () => {
    const { ask } = await served({ deliverCode: async () => undefined })
    const body = { user, two_factor: { delivery_method: 'sms' } }
    expect((await ask('POST /api/v1/two-factor/request-code', body)).status).toBe(422)
  })
})

describe('load', () => {
  it('is counted per client: rate-limit headers on every answer, 429 beyond the limit', async () => {
    const { ask, clock } = await served({
      limiter: fixedWindow({ limit: 2, windowSeconds: 60 }),
      clientOf: (request) => request.headers.get('x-client') ?? '',
    })
    const first = await ask('GET /api/v2/search')
    expect(first.headers.get('x-ratelimit-limit')).toBe('2')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1')
    expect(first.headers.get('x-ratelimit-reset')).toBe(String(clock.now() / 1000 + 60))
    expect((await ask('GET /api/v2/nothing')).headers.get('x-ratelimit-remaining')).toBe('0')
    const third = await ask('GET /api/v2/search')
    expect([third.status, third.headers.get('retry-after'), third.body.success]).toEqual([429, '60', false])
    expect((await ask('GET /api/v2/search', undefined, { 'x-client': 'other' })).status).toBe(200)
    await clock.advance(60_000)
    expect((await ask('GET /api/v2/search')).status).toBe(200)
  })

  it('is turned away under maintenance with 503 and a time to come back', async () => {
    let pause: number | undefined = 30
    const { ask } = await served({ maintenance: () => pause })
    const answer = await ask('GET /api/v2/search')
    expect([answer.status, answer.headers.get('retry-after'), answer.body.success]).toEqual([
      503,
      '30',
      false,
    ])
    pause = undefined
    expect((await ask('GET /api/v2/search')).status).toBe(200)
  })

  it('that breaks something is 500 with an opaque reference, and nothing else', async () => {
    const { ask, errors } = await served({
      maintenance: () => {
        throw new Error('a secret')
      },
    })
    const answer = await ask('GET /api/v2/search')
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({ errors: [expect.stringMatching(/^internal error/)], success: false })
    expect(errors).toHaveLength(1)
  })
})
