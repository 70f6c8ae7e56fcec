import { describe, expect, it } from 'vitest'
import { ids, served, source, vpc } from './served.ts'

describe('one module', () => {
  it('has a latest version for each provider', async () => {
    const { get } = await served()
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
    const { get } = await served()
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
    const { get } = await served()
    expect(await get(`/v1/modules/acme/vpc/aws/${version}`)).toMatchObject({
      status: 200,
      body: { id: 'acme/vpc/aws/1.9.0' },
    })
  })

  it('shows everything that was published about a version', async () => {
    const { get, registry } = await served()
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
    const { get } = await served()
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
    const { get } = await served()
    const { status, text } = await get(path)
    expect(status).toBe(404)
    expect(text).toBe('{"errors":["Not Found"]}')
  })

  it('says to its program what is missing', async () => {
    const { registry } = await served()
    expect(await registry.readModule(vpc, '9.9')).toMatchObject({
      refusal: { message: 'module acme/vpc/aws has no version 9.9' },
    })
    expect(await registry.listVersions({ ...vpc, provider: 'x' })).toMatchObject({
      refusal: { message: 'module acme/vpc/x is not in this registry' },
    })
  })

  it('says of a module that is published but has no version what it lacks', async () => {
    const { get, registry } = await served()
    await registry.publishModule({ namespace: 'acme', name: 'empty', provider: 'aws' })
    for (const path of ['', '/versions', '/download', '/1.0.0', '/1.0.0/download']) {
      const { status } = await get(`/v1/modules/acme/empty/aws${path}`)
      expect(status).toBe(404)
    }
    expect((await get('/v1/modules/acme/empty')).status).toBe(404)
    expect(await registry.readModule({ namespace: 'acme', name: 'empty', provider: 'aws' })).toMatchObject({
      refusal: { message: 'module acme/empty/aws has no version yet: publish one first' },
    })
    const hidden = await registry.readModule(
      { namespace: 'acme', name: 'empty', provider: 'aws' },
      undefined,
      { namespaces: ['other'] },
    )
    expect(!hidden.ok && hidden.refusal.message).toBe('module acme/empty/aws is not in this registry')
  })

  it('refuses a path that is not UTF-8, and methods other than GET', async () => {
    const { get } = await served()
    expect((await get('/v1/modules/%ff')).status).toBe(400)
    const { status, headers, body } = await get('/v1/modules', { method: 'POST' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(body.errors).toHaveLength(1)
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
    const { get, registry } = await served()
    await registry.renameModule(vpc, { ...vpc, name: 'network' })
    const { status, headers, body } = await get(path)
    expect([status, headers.get('location')]).toEqual([301, location])
    expect(body.errors).toEqual([expect.stringMatching(/^module acme\/vpc\/aws is now acme\/network\/aws$/i)])
    expect((await get(location)).status).toBeLessThan(400)
  })

  it('is followed from every address it ever had, also to another namespace', async () => {
    const { get, registry } = await served()
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
    const { get, send, registry } = await served()
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
