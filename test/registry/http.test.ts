import { describe, expect, it } from 'vitest'
import { createRegistry, type RegistryEvent, type RegistryOptions } from '../../src/registry/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'

const source = 'https://example.com/vpc.zip'
const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }

async function given(options: Partial<RegistryOptions> = {}, { empty = false } = {}) {
  const clock = testClock({ now: Date.UTC(2026, 0, 2, 3, 4, 5, 678) })
  const events: RegistryEvent[] = []
  const errors: unknown[] = []
  const registry = createRegistry({
    store: memoryStore(),
    env: clock.env,
    timers: clock.timers,
    onEvent: (event) => events.push(event),
    onError: (error) => errors.push(error),
    ...options,
  })
  if (!empty) {
    await registry.publishModule({
      ...vpc,
      owner: 'ada',
      description: 'A private network',
      source: 'https://git.example.com/vpc',
    })
    for (const version of ['1.0.0', 'v1.9', '1.10.0', '2.0.0-beta1'])
      await registry.publishVersion(vpc, { version, source: `${source}?v=${version}` })
    await registry.publishModule({ ...vpc, provider: 'google', verified: true })
    await registry.publishVersion(
      { ...vpc, provider: 'google' },
      { version: '0.1.0', source: './vpc.tar.gz' },
    )
    await registry.publishModule({
      namespace: 'beta',
      name: 'db',
      provider: 'aws',
      description: 'A database in a network',
    })
    await registry.publishVersion(
      { namespace: 'beta', name: 'db', provider: 'aws' },
      { version: '3.0.0', source },
    )
  }
  const send = (path: string, init: RequestInit = {}) =>
    registry.fetch(new Request(`http://registry.test${path}`, init))
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await send(path, init)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return { clock, registry, send, get, events, errors }
}

const ids = (body: { modules: { id: string }[] }) => body.modules.map(({ id }) => id)

describe('service discovery', () => {
  it.each(['/.well-known/terraform.json', '/.well-known/registry.json'])('is at %s', async (path) => {
    const { get } = await given()
    expect(await get(path)).toMatchObject({
      status: 200,
      body: { 'modules.v1': '/v1/modules/', 'modules.v2': '/v2/modules/' },
    })
  })
})

describe('GET /v1/modules', () => {
  it('lists every module at its latest version, in order of address', async () => {
    const { get } = await given()
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
    ['/v1/modules/nobody', 0],
    ['/v1/modules?provider=aws', 2],
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
    const { get } = await given()
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
    const { get } = await given()
    const { status, body } = await get(`/v1/modules?${query}`)
    expect(status).toBe(200)
    expect(body.meta).toEqual(meta)
  })

  it('answers an offset beyond every number with an empty page', async () => {
    const { get } = await given()
    const { status, body } = await get('/v1/modules?offset=99999999999999999999999')
    expect([status, body.modules]).toEqual([200, []])
  })

  it.each([
    '/v1/modules/search',
    '/v1/modules/search?q=',
    '/v1/modules/search?q=%20',
    `/v1/modules/search?q=${'x'.repeat(1025)}`,
  ])('refuses a search without words (%#) with 400', async (path) => {
    const { get } = await given()
    expect(await get(path)).toMatchObject({
      status: 400,
      body: { errors: [expect.stringContaining('Query string must be specified')] },
    })
  })

  it('names the next page by a path of its own host, however the request was written', async () => {
    const { get } = await given()
    expect((await get('//v1/modules//?limit=1')).body.meta.next_url).toBe('/v1/modules?limit=1&offset=1')
  })

  it('never lists a module without versions', async () => {
    const { get, registry } = await given()
    await registry.publishModule({ namespace: 'acme', name: 'draft', provider: 'aws' })
    expect((await get('/v1/modules/acme')).body.modules).toHaveLength(2)
    expect((await get('/v1/modules/acme/draft/aws')).status).toBe(404)
    expect((await get('/v1/modules/acme/draft/aws/versions')).status).toBe(404)
    expect((await get('/v1/modules/acme/draft')).status).toBe(404)
  })
})

describe('one module', () => {
  it('has a latest version for each provider', async () => {
    const { get } = await given()
    const { status, body } = await get('/v1/modules/acme/vpc')
    expect(status).toBe(200)
    expect(body.meta).toEqual({ limit: 15, current_offset: 0 })
    expect(ids(body)).toEqual(['acme/vpc/aws/1.10.0', 'acme/vpc/google/0.1.0'])
    const second = await get('/v1/modules/acme/vpc?limit=1&offset=1')
    expect(second.body.meta).toEqual({
      limit: 1,
      current_offset: 1,
      prev_offset: 0,
      prev_url: '/v1/modules/acme/vpc?limit=1',
    })
    expect(ids(second.body)).toEqual(['acme/vpc/google/0.1.0'])
  })

  it('is read at its latest version', async () => {
    const { get } = await given()
    const { status, body } = await get('/v1/modules/acme/vpc/aws')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'acme/vpc/aws/1.10.0',
      version: '1.10.0',
      providers: ['aws', 'google'],
      versions: ['1.0.0', '1.9.0', '1.10.0', '2.0.0-beta1'],
      root: { path: '', readme: '', empty: false, inputs: [], outputs: [], dependencies: [], resources: [] },
      submodules: [],
    })
  })

  it.each(['1.9.0', 'v1.9.0', '1.9', '1.9.0.0'])('is read at the version %s', async (version) => {
    const { get } = await given()
    expect(await get(`/v1/modules/acme/vpc/aws/${version}`)).toMatchObject({
      status: 200,
      body: { id: 'acme/vpc/aws/1.9.0' },
    })
  })

  it('shows everything that was published about a version', async () => {
    const { get, registry } = await given()
    const part = (path: string) => ({
      path,
      readme: `# ${path}`,
      empty: false,
      inputs: [{ name: 'cidr', description: 'Range', default: '"10.0.0.0/16"' }],
      outputs: [{ name: 'id', description: 'Id' }],
      dependencies: [{ name: 'net', source: 'acme/net/aws', version: '~> 1.0' }],
      providers: [{ name: 'aws', version: '>= 5' }],
      resources: [{ name: 'this', type: 'aws_vpc' }],
    })
    await registry.publishVersion(vpc, {
      version: '3.0.0',
      source,
      root: part(''),
      submodules: [part('modules/nat')],
    })
    const { providers: _, ...root } = part('')
    const { providers: __, ...nat } = part('modules/nat')
    expect((await get('/v1/modules/acme/vpc/aws/3.0.0')).body).toMatchObject({ root, submodules: [nat] })
    const { body } = await get('/v1/modules/acme/vpc/aws/versions')
    const { dependencies, providers } = part('')
    expect(body.modules[0].versions.at(-1)).toEqual({
      version: '3.0.0',
      root: { dependencies, providers },
      submodules: [{ path: 'modules/nat', dependencies, providers }],
    })
  })

  it('lists its versions, oldest first', async () => {
    const { get } = await given()
    const { status, body } = await get('/v1/modules/acme/vpc/aws/versions')
    expect(status).toBe(200)
    expect(body.modules).toHaveLength(1)
    expect(body.modules[0].source).toBe('https://git.example.com/vpc')
    expect(body.modules[0].versions.map(({ version }: { version: string }) => version)).toEqual([
      '1.0.0',
      '1.9.0',
      '1.10.0',
      '2.0.0-beta1',
    ])
    expect(body.modules[0].versions[0]).toEqual({
      version: '1.0.0',
      root: { dependencies: [], providers: [] },
      submodules: [],
    })
  })

  it.each([
    '/v1/modules/acme/nothing',
    '/v1/modules/acme/vpc/azure',
    '/v1/modules/acme/vpc/azure/versions',
    '/v1/modules/acme/vpc/azure/download',
    '/v1/modules/acme/vpc/azure/1.0.0',
    '/v1/modules/acme/vpc/azure/1.0.0/download',
    '/v1/modules/acme/vpc/aws/9.9.9',
    '/v1/modules/acme/vpc/aws/9.9.9/download',
    '/v1/modules/acme/vpc/aws/latest',
    '/v1/modules/acme/vpc/aws/latest/download',
    '/v1/modules/-acme/vpc/aws',
    '/v1/modules/acme/v%20pc/aws/versions',
    '/v1/modules/__proto__/constructor/toString/versions',
    '/v1/modules/search/vpc/aws',
    '/v1/modules/%00/%01/%02',
    `/v1/modules/${'x'.repeat(3000)}/vpc/aws/versions`,
    `/v1/modules/acme/vpc/aws/${'1.'.repeat(2000)}1/download`,
    '/v2/modules/acme/vpc/azure/downloads/summary',
    '/v1/modules/acme/vpc/aws/1.0.0/upload',
    '/v1',
    '/',
  ])('answers %s with 404', async (path) => {
    const { get } = await given()
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(body.errors[0]).toBe('Not Found')
    expect(body.errors).toHaveLength(2)
  })

  it('says in a 404 what is missing', async () => {
    const { get } = await given()
    expect((await get('/v1/modules/acme/vpc/aws/9.9')).body.errors[1]).toBe(
      'module acme/vpc/aws has no version 9.9',
    )
    expect((await get('/v1/modules/acme/vpc/x/versions')).body.errors[1]).toBe(
      'module acme/vpc/x is not in this registry',
    )
  })

  it('refuses a path that is not UTF-8, and methods other than GET', async () => {
    const { get } = await given()
    expect((await get('/v1/modules/%ff')).status).toBe(400)
    const { status, headers, body } = await get('/v1/modules', { method: 'POST' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(body.errors).toHaveLength(1)
  })
})

describe('a download', () => {
  it('answers 204 with the get header and no body', async () => {
    const { send } = await given({ words: ['Registry', 'Acme'] })
    const response = await send('/v1/modules/acme/vpc/aws/1.0.0/download')
    expect(response.status).toBe(204)
    expect(response.headers.get('X-Registry-Get')).toBe(`${source}?v=1.0.0`)
    expect(response.headers.get('X-Acme-Get')).toBe(`${source}?v=1.0.0`)
    expect(await response.text()).toBe('')
  })

  it('passes a relative source on for the client to resolve', async () => {
    const { send } = await given()
    const response = await send('/v1/modules/acme/vpc/google/0.1.0/download')
    expect(response.headers.get('x-registry-get')).toBe('./vpc.tar.gz')
  })

  it('can say the same in a body', async () => {
    const { get } = await given({ download: 'both' })
    const { status, headers, body } = await get('/v1/modules/acme/vpc/google/0.1.0/download')
    expect([status, headers.get('x-registry-get'), body]).toEqual([
      200,
      './vpc.tar.gz',
      { location: './vpc.tar.gz' },
    ])
  })

  it('of the latest version is a redirect to that version', async () => {
    const { send } = await given()
    const response = await send('/v1/modules/acme/vpc/aws/download')
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      '/v1/modules/acme/vpc/aws/1.10.0/download',
    ])
  })

  it('is counted by week, month, year and in all, by the clock', async () => {
    const { get, send, clock } = await given()
    const summary = async () => (await get('/v2/modules/acme/vpc/aws/downloads/summary')).body
    expect(await summary()).toEqual({
      data: {
        type: 'module-downloads-summary',
        id: 'acme/vpc/aws',
        attributes: { week: 0, month: 0, year: 0, total: 0 },
      },
    })
    await Promise.all(
      ['1.0.0', 'v1.9', '1.10.0'].map((version) => send(`/v1/modules/acme/vpc/aws/${version}/download`)),
    )
    expect((await summary()).data.attributes).toEqual({ week: 3, month: 3, year: 3, total: 3 })
    await clock.advance(10 * 86_400_000)
    await send('/v1/modules/acme/vpc/aws/1.0.0/download')
    expect((await summary()).data.attributes).toEqual({ week: 1, month: 4, year: 4, total: 4 })
    expect((await get('/v1/modules/acme')).body.modules[0].downloads).toBe(4)
    expect((await get('/v1/modules/acme/vpc/aws/1.0.0')).body.downloads).toBe(4)
  })

  it('is not counted when it fails, is asked about with HEAD, or is only a redirect', async () => {
    const { get, send } = await given()
    await send('/v1/modules/acme/vpc/aws/9.9.9/download')
    await send('/v1/modules/acme/vpc/aws/download')
    const head = await send('/v1/modules/acme/vpc/aws/1.0.0/download', { method: 'HEAD' })
    expect([head.status, head.headers.get('x-registry-get')]).toEqual([204, `${source}?v=1.0.0`])
    expect((await get('/v2/modules/acme/vpc/aws/downloads/summary')).body.data.attributes.total).toBe(0)
  })
})

describe('a renamed module', () => {
  it.each([
    ['/v1/modules/acme/vpc/aws', '/v1/modules/acme/network/aws'],
    ['/v1/modules/acme/vpc/aws/versions', '/v1/modules/acme/network/aws/versions'],
    ['/v1/modules/ACME/vpc/aws/1.0.0/download', '/v1/modules/acme/network/aws/1.0.0/download'],
    ['/v1/modules/acme//vpc/aws/1.0.0/', '/v1/modules/acme/network/aws/1.0.0'],
    ['/v1/modules/acme/vpc/aws/download?x=1', '/v1/modules/acme/network/aws/download?x=1'],
    ['/v2/modules/acme/vpc/aws/downloads/summary', '/v2/modules/acme/network/aws/downloads/summary'],
  ])('answers %s with 301 to %s', async (path, location) => {
    const { get, registry } = await given()
    await registry.renameModule(vpc, { ...vpc, name: 'network' })
    const { status, headers, body } = await get(path)
    expect([status, headers.get('location')]).toEqual([301, location])
    expect(body.errors).toEqual([expect.stringMatching(/^module acme\/vpc\/aws is now acme\/network\/aws$/i)])
    expect((await get(location)).status).toBeLessThan(400)
  })

  it('is followed from every address it ever had, also to another namespace', async () => {
    const { get, registry } = await given()
    await registry.renameModule(vpc, { ...vpc, name: 'network' })
    await registry.renameModule(
      { ...vpc, name: 'network' },
      { namespace: 'nets', name: 'vpc2', provider: 'aws' },
    )
    for (const name of ['vpc', 'network'])
      expect((await get(`/v1/modules/acme/${name}/aws`)).headers.get('location')).toBe(
        '/v1/modules/nets/vpc2/aws',
      )
    await registry.renameModule({ ...vpc, provider: 'google' }, { ...vpc, name: 'gnet', provider: 'google' })
    expect((await get('/v1/modules/acme/vpc')).headers.get('location')).toMatch(
      /^\/v1\/modules\/(nets\/vpc2|acme\/gnet)$/,
    )
  })

  it('keeps versions, counts and its place in searches', async () => {
    const { get, send, registry } = await given()
    await send('/v1/modules/acme/vpc/aws/1.0.0/download')
    await registry.renameModule(vpc, { ...vpc, name: 'network' })
    expect((await get('/v1/modules/acme/network/aws')).body).toMatchObject({
      downloads: 1,
      versions: { length: 4 },
    })
    expect(ids((await get('/v1/modules/search?q=network')).body)).toEqual([
      'acme/network/aws/1.10.0',
      'beta/db/aws/3.0.0',
    ])
  })
})

describe('a registry under load', () => {
  it('sheds it with 503 and says when to come back', async () => {
    let busy = true
    const { get } = await given({ shed: () => (busy ? 1.2 : undefined) })
    const { status, headers, body } = await get('/v1/modules')
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    expect(body).toEqual({ errors: ['the registry is shedding load: try again in 2 s'] })
    busy = false
    expect((await get('/v1/modules')).status).toBe(200)
  })
})

describe('a private registry', () => {
  const authenticate = async (token: string | undefined) =>
    token === 'all' ? {} : token === 'acme' ? { namespaces: ['Acme'] } : undefined
  const bearer = (token: string) => ({ headers: { authorization: `bearer ${token}` } })

  it('asks for a token everywhere but in discovery', async () => {
    const { get } = await given({ authenticate })
    for (const init of [{}, bearer('wrong'), { headers: { authorization: 'Basic all' } }]) {
      const { status, headers, body } = await get('/v1/modules', init)
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(body.errors).toHaveLength(1)
    }
    expect((await get('/.well-known/terraform.json')).status).toBe(200)
    expect((await get('/v1/modules', bearer('all'))).body.modules).toHaveLength(3)
  })

  it('shows a reader its namespaces, and no trace of others', async () => {
    const { get, registry } = await given({ authenticate })
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
    const { registry } = await given()
    const paths = registry.openapi().paths as Readonly<Record<string, object>>
    expect(Object.keys(paths)).toHaveLength(registry.routes.length)
    expect(Object.keys(paths)).toContain('/v1/modules/{namespace}/{name}/{provider}/{version}/download')
  })

  it('accepts build metadata in a path, raw or encoded', async () => {
    const { get, registry } = await given()
    await registry.publishVersion(vpc, { version: '4.0.0+b1', source })
    for (const version of ['4.0.0+b1', '4.0.0%2Bb1', 'v4+b1'])
      expect((await get(`/v1/modules/acme/vpc/aws/${version}`)).body.id).toBe('acme/vpc/aws/4.0.0+b1')
    expect((await get('/v1/modules/acme/vpc/aws/4.0.0')).status).toBe(404)
  })
})

describe('an unforeseen failure', () => {
  it('is 500 with a reference, tells nothing, and is reported', async () => {
    const store = memoryStore()
    const { get, errors } = await given({ store })
    await store.close()
    const { status, body } = await get('/v1/modules')
    expect(status).toBe(500)
    expect(body.errors).toEqual([expect.stringMatching(/^internal error \(reference [0-9a-f-]+\)$/)])
    expect(errors).toHaveLength(1)
  })
})
