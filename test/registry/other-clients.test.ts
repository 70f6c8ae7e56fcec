import { beforeAll, describe, expect, it } from 'vitest'
import { ids, served, source, vpc } from './served.ts'

/**
 * What OpenTofu, Renovate and the clients of terrareg, boring-registry and tapir ask of a registry, and how each of
 * them reads the answer. Where they and the original disagree, the limitations page says what is answered here.
 */

type Served = Awaited<ReturnType<typeof served>>
let at: Served

beforeAll(async () => {
  at = await served()
  await at.registry.deprecateVersion(vpc, '1.0.0', { reason: 'use 1.10', link: 'https://example.com/1.10' })
})

const modules = '/v1/modules'
const versionsPath = `${modules}/acme/vpc/aws/versions`
const notFound = { status: 404, body: { errors: ['Not Found'] } }
const get = (path: string, headers: Record<string, string> = {}) => at.get(path, { headers })
const post = async (path: string) => (await at.send(path, { method: 'POST' })).status

/** An answer of a registry that a client reads as JSON. */
async function json(path: string) {
  const { status, headers, body } = await get(path)
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json\b/)])
  return body
}

describe('OpenTofu', () => {
  it('finds the modules at an address that it resolves against the host', async () => {
    const { 'modules.v1': base } = await json('/.well-known/terraform.json')
    expect(new URL('acme/vpc/aws/versions', new URL(base, 'https://modules.test')).pathname).toBe(
      versionsPath,
    )
  })

  it('reads the versions of the first module, and ignores other fields', async () => {
    const [{ versions }] = (await json(versionsPath)).modules
    expect(versions).toContainEqual({
      version: '1.10.0',
      root: { dependencies: [], providers: [] },
      submodules: [],
    })
  })

  it('sends its version and a bearer token, also to a registry that needs none', async () => {
    const headers = { 'x-terraform-version': '1.10.0', authorization: 'Bearer unknown' }
    expect((await get(versionsPath, headers)).status).toBe(200)
  })

  it('takes the location of a 204 from the header', async () => {
    const { status, headers, text } = await get(`${modules}/acme/vpc/aws/1.10.0/download`)
    expect([status, headers.get('x-terraform-get'), text]).toEqual([204, `${source}?v=1.10.0`, ''])
  })

  it('takes the location of a 200 from the body, and the header says the same', async () => {
    const download = await get(`${modules}/acme/vpc/aws/1.10.0/download`, { accept: 'application/json' })
    expect([download.status, download.body]).toEqual([200, { location: `${source}?v=1.10.0` }])
    expect(download.headers.get('x-terraform-get')).toBe(`${source}?v=1.10.0`)
  })

  it('resolves a location that begins with a dot against the download', async () => {
    const { headers } = await get(`${modules}/acme/vpc/google/0.1.0/download`)
    expect(headers.get('x-terraform-get')).toBe('./vpc.tar.gz')
  })

  it('takes 404 for a module, and for a version, that is not there', async () => {
    expect(await get(`${modules}/acme/none/aws/versions`)).toMatchObject(notFound)
    expect(await get(`${modules}/acme/vpc/aws/9.9.9/download`)).toMatchObject(notFound)
  })

  it('asks for a service of providers, and is not told that there is one', async () => {
    expect(await json('/.well-known/terraform.json')).not.toHaveProperty(['providers.v1'])
  })
})

describe('Renovate', () => {
  it('joins the address of the modules and the name, with one slash between them', async () => {
    const { 'modules.v1': base } = await json('/.well-known/terraform.json')
    expect(`${base.replace(/\/$/, '')}/acme/vpc/aws/versions`).toBe(versionsPath)
  })

  it('takes every version as a release, prereleases too', async () => {
    const [{ versions }] = (await json(versionsPath)).modules
    expect(versions.map(({ version }: { version: string }) => version)).toEqual([
      '1.0.0',
      '1.9.0',
      '1.10.0',
      '2.0.0-beta1',
    ])
  })

  it('takes the source of the module for its repository when it is a URL', async () => {
    expect((await json(versionsPath)).modules[0].source).toBe('https://git.example.com/vpc')
    expect((await json(`${modules}/beta/db/aws/versions`)).modules[0].source).toBe('beta/db/aws')
  })

  it('reads names, versions, source and date of the latest version in the detail', async () => {
    expect(await json(`${modules}/acme/vpc/aws`)).toMatchObject({
      namespace: 'acme',
      name: 'vpc',
      provider: 'aws',
      version: '1.10.0',
      versions: ['1.0.0', '1.9.0', '1.10.0', '2.0.0-beta1'],
      source: 'https://git.example.com/vpc',
      published_at: '2026-01-02T03:04:05.678000Z',
    })
  })

  it('needs no more of a deprecated version than that it is listed', async () => {
    const [{ versions }] = (await json(versionsPath)).modules
    expect(versions[0]).toMatchObject({
      version: '1.0.0',
      deprecation: { reason: 'use 1.10', link: 'https://example.com/1.10' },
    })
  })
})

describe('a client of terrareg', () => {
  it('reads the services of the host, and is told which methods they answer', async () => {
    expect(await post('/.well-known/terraform.json')).toBe(405)
  })

  it('lists modules, with the place of a page in meta', async () => {
    expect(await json(`${modules}?offset=0&limit=1`)).toMatchObject({
      meta: { current_offset: 0, limit: 1, next_offset: 1 },
      modules: [{ id: 'acme/vpc/aws/1.10.0', downloads: expect.any(Number), verified: false }],
    })
    const { meta } = await json(`${modules}?offset=23&limit=12`)
    expect(meta).toMatchObject({ current_offset: 23, limit: 12, prev_offset: 11 })
    expect(meta).not.toHaveProperty('next_offset')
  })

  it.each([
    ['provider=google', ['acme/vpc/google/0.1.0']],
    ['provider=aws&provider=google', ['acme/vpc/aws/1.10.0', 'acme/vpc/google/0.1.0', 'beta/db/aws/3.0.0']],
    ['verified=true', ['acme/vpc/google/0.1.0']],
    ['verified=false', ['acme/vpc/aws/1.10.0', 'acme/vpc/google/0.1.0', 'beta/db/aws/3.0.0']],
  ])('lists the modules of %s', async (query, found) => {
    expect(ids(await json(`${modules}?${query}`))).toEqual(found)
  })

  it.each([
    ['q=vpc&provider=google', ['acme/vpc/google/0.1.0']],
    ['q=network&namespace=beta', ['beta/db/aws/3.0.0']],
    ['q=network&namespace=beta&namespace=acme&provider=aws', ['acme/vpc/aws/1.10.0', 'beta/db/aws/3.0.0']],
    ['q=vpc&verified=true', ['acme/vpc/google/0.1.0']],
    ['q=nothing-of-the-kind', []],
  ])('finds the modules of %s', async (query, found) => {
    expect(ids(await json(`${modules}/search?${query}`)).sort()).toEqual(found)
  })

  it('is told that a search needs words', async () => {
    expect((await get(`${modules}/search`)).status).toBe(400)
  })

  it('lists the modules of a namespace', async () => {
    expect(ids(await json(`${modules}/acme`))).toEqual(['acme/vpc/aws/1.10.0', 'acme/vpc/google/0.1.0'])
  })

  it('lists a module for each provider, and none of a module that is not there', async () => {
    expect(ids(await json(`${modules}/acme/vpc`))).toEqual(['acme/vpc/aws/1.10.0', 'acme/vpc/google/0.1.0'])
    expect(await get(`${modules}/acme/none`)).toMatchObject(notFound)
  })

  it('reads one version, with its parts and all versions', async () => {
    expect(await json(`${modules}/acme/vpc/aws/1.9.0`)).toMatchObject({
      id: 'acme/vpc/aws/1.9.0',
      owner: 'ada',
      root: { path: '', readme: '', empty: expect.any(Boolean), inputs: [], outputs: [], resources: [] },
      submodules: [],
      providers: ['aws', 'google'],
    })
    expect(await get(`${modules}/acme/vpc/aws/9.9.9`)).toMatchObject(notFound)
  })

  it('downloads the latest version without its number', async () => {
    const latest = await get(`${modules}/acme/vpc/aws/download`)
    expect(latest.status).toBe(302)
    const { status, headers } = await get(latest.headers.get('location') ?? '')
    expect([status, headers.get('x-terraform-get')]).toEqual([204, `${source}?v=1.10.0`])
    expect(await get(`${modules}/acme/none/aws/download`)).toMatchObject(notFound)
  })

  it('reads the downloads where the original has them, and not below /v1', async () => {
    const { data } = await json('/v2/modules/acme/vpc/aws/downloads/summary')
    expect(data).toMatchObject({ type: 'module-downloads-summary', id: 'acme/vpc/aws' })
    expect(data.attributes).toMatchObject({ week: expect.any(Number), total: expect.any(Number) })
    expect(await get('/v1/modules/acme/vpc/aws/downloads/summary')).toMatchObject(notFound)
  })

  it('installs a module by its former name', async () => {
    const { registry, get: ask } = await served()
    await registry.renameModule(vpc, { ...vpc, namespace: 'platform' })
    const moved = await ask(`${modules}/acme/vpc/aws/1.10.0/download`)
    const { headers } = await ask(moved.headers.get('location') ?? `${modules}/acme/vpc/aws/1.10.0/download`)
    expect([moved.headers, headers].find((each) => each.has('x-terraform-get'))?.get('x-terraform-get')).toBe(
      `${source}?v=1.10.0`,
    )
  })
})

describe('a client of boring-registry or tapir', () => {
  it.each([versionsPath, `${modules}/acme/vpc`, modules])('may end %s with a slash', async (path) => {
    expect(await json(`${path}/`)).toEqual(await json(path))
  })

  it('may end the path of a download with a slash', async () => {
    expect((await get(`${modules}/acme/vpc/aws/1.10.0/download/`)).status).toBe(204)
  })

  it('may write a version with a v', async () => {
    const { headers } = await get(`${modules}/acme/vpc/aws/v1.10.0/download`)
    expect(headers.get('x-terraform-get')).toBe(`${source}?v=1.10.0`)
  })

  it('is told what a private registry needs', async () => {
    const { get: ask } = await served({ authenticate: () => undefined })
    expect(await ask(versionsPath)).toMatchObject({ status: 401, body: { errors: [expect.any(String)] } })
    expect((await ask('/.well-known/terraform.json')).status).toBe(200)
  })

  it('finds a path that is none of the registry answered as JSON', async () => {
    expect(await get('/terraform/modules/v1/acme/vpc/aws/versions')).toMatchObject({
      status: 404,
      body: { errors: [expect.any(String)] },
    })
  })
})
