import { describe, expect, it } from 'vitest'
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

describe('a registry under load', () => {
  it('sheds it with 503 and says when to come back', async () => {
    let busy = true
    const { get } = await served({ turnAway: () => (busy ? 1.2 : undefined) })
    const { status, headers, body } = await get('/v1/modules')
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    expect(body).toEqual({ errors: ['the registry takes no requests right now: try again in 2 s'] })
    busy = false
    expect((await get('/v1/modules')).status).toBe(200)
  })
})

describe('a private registry', () => {
  const authenticate = async (token: string | undefined) =>
    token === 'all' ? {} : token === 'acme' ? { namespaces: ['Acme'] } : undefined
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
    expect(Object.keys(paths)).toHaveLength(registry.routes.length)
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
