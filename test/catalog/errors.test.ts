import { describe, expect, it } from 'vitest'
import { fixedWindow } from '../../src/catalog/index.ts'
import { box, provider, served, version, withBoxes } from './catalog.ts'

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
    ['POST /api/v2/boxes', { unexpected: 'of' }, 422, 'box parameter is required!'],
    ['POST /api/v2/boxes', { name: 7 }, 422, 'name is invalid: expected string, received number'],
    [
      'POST /api/v2/boxes',
      { name: 'x', is_private: 'maybe' },
      422,
      'is_private is invalid: expected true or false',
    ],
    ['POST /api/v2/boxes', { name: 'x', short_description: 'a'.repeat(1025) }, 422, /too long/],
    ['POST /api/v2/boxes', { name: 'x', username: 'unknown' }, 404, 'Resource not found!'],
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
    ['GET /api/v2/user/unknown', undefined, 404, 'Resource not found!'],
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
      return catalog.fetch(new Request('http://service.test/api/v2/boxes', { method: 'POST', body, headers }))
    }
    expect((await send('{"box":')).status).toBe(422)
    expect((await send(JSON.stringify({ box: { description: 'a'.repeat(2 ** 20) } }))).status).toBe(413)
  })
})

describe('load', () => {
  it('is counted per client: rate-limit headers on every answer, 429 beyond the limit', async () => {
    const { ask, clock } = await served({
      limiter: fixedWindow({ limit: 2, windowSeconds: 60 }),
      clientOf: (exchange) => exchange.header('x-client') ?? '',
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

  it('is turned away with 503 when the host says so, as under maintenance, and a time to come back', async () => {
    let pause: number | undefined = 30
    const { ask } = await served({ turnAway: () => pause })
    const answer = await ask('GET /api/v2/search')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30'])
    expect(answer.body).toEqual({
      errors: ['The catalog accepts no requests right now: try again in 30 s'],
      success: false,
    })
    pause = undefined
    expect((await ask('GET /api/v2/search')).status).toBe(200)
  })

  it('that breaks something is 500 with an opaque reference, and nothing else', async () => {
    const { ask, errors } = await served({
      turnAway: () => {
        throw new Error('a secret')
      },
    })
    const answer = await ask('GET /api/v2/search')
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({ errors: [expect.stringMatching(/^internal error/)], success: false })
    expect(errors).toHaveLength(1)
  })
})
