import { describe, expect, it } from 'vitest'
import { ids, served } from './served.ts'

describe('GET /v1/modules', () => {
  it('lists every module at its latest version, in order of address', async () => {
    const { get } = await served()
    const { status, body, headers } = await get('/v1/modules')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.meta).toEqual({ limit: 15, current_offset: 0 })
    expect(body.modules[0]).toEqual({
      id: 'acme/vpc/aws/1.10.0',
      owner: 'ada',
      namespace: 'acme',
      name: 'vpc',
      version: '1.10.0',
      provider: 'aws',
      description: 'A private network',
      source: 'https://git.example.com/vpc',
      published_at: '2026-01-02T03:04:05.678000Z',
      downloads: 0,
      verified: false,
    })
    expect(ids(body)).toEqual(['acme/vpc/aws/1.10.0', 'acme/vpc/google/0.1.0', 'beta/db/aws/3.0.0'])
  })

  it.each([
    ['/v1/modules/', 3],
    ['/v1/modules//', 3],
    ['/v1/modules/acme', 2],
    ['/v1/modules//acme/', 2],
    ['/v1/modules/ACME', 2],
    ['/v1/modules/unknown', 0],
    ['/v1/modules?provider=aws', 2],
    ['/v1/modules?provider=aws&provider=google', 3],
    ['/v1/modules?provider=google&provider=azure&provider=', 1],
    ['/v1/modules/acme?provider=GOOGLE&provider=aws', 2],
    ['/v1/modules/search?q=network&namespace=beta&namespace=acme', 2],
    ['/v1/modules/search?q=vpc&provider=google&provider=azure', 1],
    ['/v1/modules?verified=true', 1],
    ['/v1/modules?verified=TRUE', 3],
    ['/v1/modules?verified=1', 3],
    ['/v1/modules?verified=', 3],
    ['/v1/modules/acme?provider=aws', 1],
    ['/v1/modules/acme?provider=google&verified=true', 1],
    ['/v1/modules/search?q=network', 2],
    ['/v1/modules/search?q=NETwork&namespace=beta', 1],
    ['/v1/modules/search?q=network&provider=google', 0],
    ['/v1/modules/search?q=vpc&verified=true', 1],
    ['/v1/modules/search?q=no+such+thing', 0],
    ['/v1/modules//search?q=vpc', 2],
  ])('%s has %i modules', async (path, count) => {
    const { get } = await served()
    const { status, body } = await get(path)
    expect([status, body.modules.length]).toEqual([200, count])
  })

  it.each([
    ['', { limit: 15, current_offset: 0 }],
    ['limit=1', { limit: 1, current_offset: 0, next_offset: 1, next_url: '/v1/modules?limit=1&offset=1' }],
    [
      'offset=1&limit=1',
      {
        limit: 1,
        current_offset: 1,
        next_offset: 2,
        next_url: '/v1/modules?limit=1&offset=2',
        prev_offset: 0,
        prev_url: '/v1/modules?limit=1',
      },
    ],
    ['limit=3', { limit: 3, current_offset: 0 }],
    [
      'verified=no&limit=2',
      { limit: 2, current_offset: 0, next_offset: 2, next_url: '/v1/modules?limit=2&offset=2&verified=no' },
    ],
    ['limit=100000', { limit: 100, current_offset: 0 }],
    ['limit=0', { limit: 15, current_offset: 0 }],
    ['limit=-4', { limit: 15, current_offset: 0 }],
    ['limit=ten', { limit: 15, current_offset: 0 }],
    ['offset=-3', { limit: 15, current_offset: 0 }],
    ['offset=x', { limit: 15, current_offset: 0 }],
    [
      'offset=40&limit=10',
      { limit: 10, current_offset: 40, prev_offset: 30, prev_url: '/v1/modules?limit=10&offset=30' },
    ],
  ])('answers ?%s with the page %j', async (query, meta) => {
    const { get } = await served()
    const { status, body } = await get(`/v1/modules?${query}`)
    expect(status).toBe(200)
    expect(body.meta).toEqual(meta)
  })

  it('answers an offset beyond every number with an empty page', async () => {
    const { get } = await served()
    const { status, body } = await get('/v1/modules?offset=99999999999999999999999')
    expect([status, body.modules]).toEqual([200, []])
  })

  it.each([
    '/v1/modules/search',
    '/v1/modules/search?q=',
    '/v1/modules/search?q=%20',
    `/v1/modules/search?q=${'x'.repeat(1025)}`,
  ])('refuses a search without words (%#) with 400', async (path) => {
    const { get } = await served()
    expect(await get(path)).toMatchObject({
      status: 400,
      body: { errors: [expect.stringContaining('Query string must be specified')] },
    })
  })

  it('names the next page by a path of its own host, however the request was written', async () => {
    const { get } = await served()
    expect((await get('//v1/modules//?limit=1')).body.meta.next_url).toBe('/v1/modules?limit=1&offset=1')
  })

  it('never lists a module without versions', async () => {
    const { get, registry } = await served()
    await registry.publishModule({ namespace: 'acme', name: 'draft', provider: 'aws' })
    expect((await get('/v1/modules/acme')).body.modules).toHaveLength(2)
    expect((await get('/v1/modules/acme/draft/aws')).status).toBe(404)
    expect((await get('/v1/modules/acme/draft/aws/versions')).status).toBe(404)
    expect((await get('/v1/modules/acme/draft')).status).toBe(404)
  })
})
