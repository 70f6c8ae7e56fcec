import { describe, expect, it } from 'vitest'
import { mount } from '../../src/http/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { type CreateTokenInput, createRegistry } from '../../src/registry/index.ts'
import { served, source, vpc } from './served.ts'

describe('service discovery', () => {
  it.each(['/.well-known/terraform.json', '/.well-known/registry.json'])('is at %s', async (path) => {
    const { get } = await served()
    expect(await get(path)).toMatchObject({
      status: 200,
      body: { 'modules.v1': '/v1/modules/', 'modules.v2': '/v2/modules/' },
    })
  })
})

describe('a registry that clients reach at another address', () => {
  const baseUrl = 'https://tools.example.com/modules/'

  it('says so in its discovery documents', async () => {
    const { get } = await served({ baseUrl })
    for (const path of ['/.well-known/terraform.json', '/.well-known/registry.json'])
      expect((await get(path)).body).toEqual({
        'modules.v1': 'https://tools.example.com/modules/v1/modules/',
        'modules.v2': 'https://tools.example.com/modules/v2/modules/',
      })
  })

  it('links its pages below its path, and redirects to it', async () => {
    const { get, registry } = await served({ baseUrl })
    expect((await get('/v1/modules/search?q=aws&limit=1&offset=1')).body.meta).toMatchObject({
      prev_url: '/modules/v1/modules/search?limit=1&q=aws',
    })
    expect((await get('/v1/modules?limit=2')).body.meta.next_url).toBe('/modules/v1/modules?limit=2&offset=2')
    expect((await get('/v1/modules/acme/vpc/aws/download')).headers.get('location')).toBe(
      'https://tools.example.com/modules/v1/modules/acme/vpc/aws/1.10.0/download',
    )
    await registry.renameModule(vpc, { ...vpc, name: 'network' })
    expect((await get('/v1/modules/acme/vpc/aws/versions')).headers.get('location')).toBe(
      'https://tools.example.com/modules/v1/modules/acme/network/aws/versions',
    )
  })

  it('counts it before the place it is mounted at', async () => {
    const { registry } = await served({ baseUrl })
    const fetch = mount({ '/inside': registry.fetch })
    const ask = (path: string) => fetch(new Request(`http://inside.test/inside${path}`))
    expect((await ask('/v1/modules/acme/vpc/aws/download')).headers.get('location')).toMatch(
      /^https:\/\/tools\.example\.com\/modules\/v1\//,
    )
    expect(await (await ask('/v1/modules?limit=2')).json()).toMatchObject({
      meta: { next_url: '/modules/v1/modules?limit=2&offset=2' },
    })
  })

  it.each([
    'tools.example.com',
    'ftp://tools.example.com',
    'https://',
    'https://a/?b',
    'https:a',
    'https://a/b\r\nc',
  ])('is not made with the address %j', (wrong) => {
    expect(() => createRegistry({ baseUrl: wrong })).toThrow(/^baseUrl is ".*": use a scheme and a host/)
  })
})

describe('a registry without HTTP', () => {
  it('says what it would answer', async () => {
    const { registry } = await served()
    expect(registry.help('/v1/modules/search')).toMatch(/GET +\/v1\/modules\/search/)
  })
})

describe('a registry under load', () => {
  it('sheds it with 503 and says when to come back', async () => {
    let busy = true
    const { get } = await served({ turnAway: () => (busy ? 1.2 : undefined) })
    const { status, headers, body } = await get('/v1/modules')
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    expect(body).toEqual({ errors: ['the registry accepts no requests right now: try again in 2 s'] })
    busy = false
    expect((await get('/v1/modules')).status).toBe(200)
  })
})

describe('a private registry', () => {
  const authenticate = async ({ headers }: Request) => {
    const token = /^bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1]
    return token === 'all' ? {} : token === 'acme' ? { namespaces: ['Acme'] } : undefined
  }
  const bearer = (token: string) => ({ headers: { authorization: `bearer ${token}` } })

  it('asks for a token everywhere but in discovery', async () => {
    const { get } = await served({ authenticate })
    for (const init of [{}, bearer('wrong'), { headers: { authorization: 'Basic all' } }]) {
      const { status, headers, body } = await get('/v1/modules', init)
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(body.errors).toHaveLength(1)
    }
    expect((await get('/.well-known/terraform.json')).status).toBe(200)
    expect((await get('/v1/modules', bearer('all'))).body.modules).toHaveLength(3)
  })

  it('is read with any token of its own, and with those of the program', async () => {
    const publishers = (token: string) => (token === 'root' ? { name: 'root' } : undefined)
    const { get, registry } = await served({ authenticate: 'tokens', publishers })
    const tokenOf = async (input: CreateTokenInput) => unwrap(await registry.createToken(input)).token
    const known = ['root', await tokenOf({ name: 'laptops', readOnly: true }), await tokenOf({ name: 'ci' })]
    for (const token of known) expect((await get('/v1/modules', bearer(token))).body.modules).toHaveLength(3)
    for (const init of [{}, bearer('wrong')]) expect((await get('/v1/modules', init)).status).toBe(401)
    await registry.removeTokens('laptops')
    expect((await get('/v1/modules', bearer(known[1] ?? ''))).status).toBe(401)
  })

  it('shows a reader its namespaces, and no trace of others', async () => {
    const { get, registry } = await served({ authenticate })
    const as = bearer('acme')
    expect((await get('/v1/modules', as)).body.modules).toHaveLength(2)
    expect((await get('/v1/modules?limit=1', as)).body.meta.next_offset).toBe(1)
    expect((await get('/v1/modules/beta', as)).body.modules).toEqual([])
    expect((await get('/v1/modules/search?q=network', as)).body.modules).toHaveLength(1)
    for (const path of ['/beta/db', '/beta/db/aws', '/beta/db/aws/versions', '/beta/db/aws/3.0.0/download'])
      expect((await get(`/v1/modules${path}`, as)).body).toEqual(
        JSON.parse(
          JSON.stringify((await get(`/v1/modules${path.replaceAll('db', 'zz')}`, as)).body).replaceAll(
            'zz',
            'db',
          ),
        ),
      )
    await registry.renameModule(vpc, { namespace: 'beta', name: 'vpc', provider: 'aws' })
    expect((await get('/v1/modules/acme/vpc/aws', as)).status).toBe(404)
    expect((await get('/v1/modules/acme/vpc/aws', bearer('all'))).status).toBe(301)
  })
})

describe('the route table', () => {
  it('is what the OpenAPI document says', async () => {
    const { registry } = await served()
    const paths = registry.openapi().paths as Readonly<Record<string, object>>
    expect(Object.keys(paths)).toHaveLength(new Set(registry.routes.map(({ path }) => path)).size)
    expect(Object.keys(paths)).toContain('/v1/modules/{namespace}/{name}/{provider}/{version}/download')
  })

  it('accepts build metadata in a path, raw or encoded', async () => {
    const { get, registry } = await served()
    await registry.publishVersion(vpc, { version: '4.0.0+b1', source })
    for (const version of ['4.0.0+b1', '4.0.0%2Bb1', 'v4+b1'])
      expect((await get(`/v1/modules/acme/vpc/aws/${version}`)).body.id).toBe('acme/vpc/aws/4.0.0+b1')
    expect((await get('/v1/modules/acme/vpc/aws/4.0.0')).status).toBe(404)
  })
})

describe('an unforeseen failure', () => {
  it('is 500 with a reference, tells nothing, and is reported', async () => {
    const broken = () => {
      throw new Error('the directory of tokens is on fire')
    }
    const { get, errors } = await served({ authenticate: broken })
    const { status, body } = await get('/v1/modules')
    expect(status).toBe(500)
    expect(body.errors).toEqual([expect.stringMatching(/^internal error \(reference [0-9a-f-]+\)$/)])
    expect(errors).toEqual([new Error('the directory of tokens is on fire')])
  })
})
