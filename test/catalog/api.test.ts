import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { digestOf, read, served } from './catalog.ts'

describe.each(['v1', 'v2'])('building a box with API %s', (api) => {
  const arch = api === 'v2' ? '/amd64' : ''

  it('creates box, version and provider, uploads, and releases, as the spec lists the steps', async () => {
    const { ask, alice, catalog } = await served()
    const created = await alice(`POST /api/${api}/boxes`, {
      box: {
        username: 'alice',
        name: 'tiny',
        short_description: 'a tiny box',
        description: '*tiny*',
        is_private: false,
      },
    })
    expect(created.status).toBe(200)
    expect(created.body).toEqual({
      tag: 'alice/tiny',
      username: 'alice',
      name: 'tiny',
      short_description: 'a tiny box',
      description_html: '<p><em>tiny</em></p>\n',
      description_markdown: '*tiny*',
      private: false,
      downloads: 0,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      current_version: null,
      versions: [],
    })
    const version = await alice(`POST /api/${api}/box/alice/tiny/versions`, {
      version: { version: '1.0.0', description: 'first' },
    })
    expect(version.status).toBe(200)
    expect(version.body).toEqual({
      version: '1.0.0',
      number: '1.0.0',
      status: 'unreleased',
      description_html: '<p>first</p>\n',
      description_markdown: 'first',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      release_url: `http://service.test/api/${api}/box/alice/tiny/version/1.0.0/release`,
      revoke_url: `http://service.test/api/${api}/box/alice/tiny/version/1.0.0/revoke`,
      providers: [],
    })
    const image = 'the bytes of a box'
    const provider = await alice(`POST /api/${api}/box/alice/tiny/version/1.0.0/providers`, {
      provider: {
        name: 'virtualbox',
        checksum: digestOf('sha256', image),
        checksum_type: 'sha256',
        ...(api === 'v2' ? { architecture: 'amd64' } : {}),
      },
    })
    expect(provider.status).toBe(200)
    const path = `/api/${api}/box/alice/tiny/version/1.0.0/provider/virtualbox${arch}`
    expect((await alice(`GET ${path}`)).body).toEqual(provider.body)
    expect(provider.body).toMatchObject({
      name: 'virtualbox',
      hosted: true,
      hosted_token: null,
      original_url: null,
      checksum: digestOf('sha256', image),
      checksum_type: 'sha256',
    })
    if (api === 'v2')
      expect(provider.body).toMatchObject({ architecture: 'amd64', default_architecture: true })
    else expect(provider.body).not.toHaveProperty('architecture')

    const early = await alice(`PUT /api/${api}/box/alice/tiny/version/1.0.0/release`)
    expect(early.status).toBe(422)
    expect(early.body.success).toBe(false)

    const { upload_path } = (await alice(`GET ${path}/upload`)).body
    const sent = await read(await catalog.fetch(new Request(upload_path, { method: 'PUT', body: image })))
    expect(sent.status).toBe(200)
    const released = await alice(`PUT /api/${api}/box/alice/tiny/version/1.0.0/release`)
    expect([released.status, released.body.status]).toEqual([200, 'active'])

    const shown = (await ask(`GET /api/${api}/box/alice/tiny`)).body
    expect(shown.current_version).toEqual(released.body)
    expect(shown.versions).toEqual([released.body])

    const download = await catalog.fetch(new Request(provider.body.download_url))
    expect(await download.text()).toBe(image)
    expect((await ask(`GET /api/${api}/box/alice/tiny`)).body.downloads).toBe(1)
    expect((await ask(`GET /api/${api}/search?q=TIN`)).body.boxes).toMatchObject([
      { tag: 'alice/tiny', downloads: 1, current_version: { version: '1.0.0' } },
    ])
    const revoked = await alice(`PUT /api/${api}/box/alice/tiny/version/1.0.0/revoke`)
    expect([revoked.status, revoked.body.status]).toEqual([200, 'revoked'])
    expect((await ask(`GET /api/${api}/search?q=tin`)).body).toEqual({ boxes: [] })

    const deleted = await alice(`DELETE /api/${api}/box/alice/tiny`)
    expect([deleted.status, deleted.body.tag]).toEqual([200, 'alice/tiny'])
    expect((await alice(`GET /api/${api}/box/alice/tiny`)).body).toEqual({
      errors: ['Resource not found!'],
      success: false,
    })
  })
})

describe('the documentation of the routes', () => {
  it('says of every one what it refuses', async () => {
    const { catalog } = await served()
    expect(catalog.routes.filter(({ refusals }) => refusals.length === 0).map(({ id }) => id)).toEqual([])
    const release = '/api/v2/box/{username}/{name}/version/{version}/release'
    expect(catalog.openapi().paths).toHaveProperty(
      [release, 'put', 'responses', '422', 'description'],
      expect.stringContaining('version_already_released'),
    )
  })
})

describe('what the answers have in common', () => {
  it('is one content type, for successes and refusals', async () => {
    const { alice } = await served()
    const lines = [
      'GET /api/v2/authenticate',
      'GET /api/v2/user/unknown',
      'GET /nothing',
      'PATCH /api/v2/boxes',
    ]
    for (const line of lines) expect((await alice(line)).headers.get('content-type')).toBe('application/json')
  })
})

describe('when a box last changed', () => {
  it('is when one of its versions did, also when that was to go', async () => {
    const { alice, clock } = await served()
    const box = '/api/v2/box/alice/tiny'
    const updated = async () => (await alice(`GET ${box}`)).body.updated_at
    await alice('POST /api/v2/boxes', { name: 'tiny' })
    await clock.advance(1000)
    await alice(`POST ${box}/versions`, { version: { version: '1.0' } })
    expect(await updated()).toBe('2026-01-01T00:00:01.000Z')
    await clock.advance(1000)
    await alice(`DELETE ${box}/version/1.0`)
    expect(await updated()).toBe('2026-01-01T00:00:02.000Z')
  })
})

describe('texts that were cut in the middle of a character', () => {
  it('are replaced, because some clients refuse a document that contains them', async () => {
    const { alice, catalog } = await served()
    const made = await alice('POST /api/v2/boxes', {
      name: 'tiny',
      description: 'a \ud83d b',
      short_description: '\ude00',
    })
    expect(made.body).toMatchObject({ description_markdown: 'a \ufffd b', short_description: '\ufffd' })
    const whole = await alice('PUT /api/v2/box/alice/tiny', { description: 'a 😀 b' })
    expect(whole.body.description_markdown).toBe('a 😀 b')
    const loaded = (await served()).catalog
    unwrap(await loaded.load({ boxes: [{ tag: 'acme/x', short_description: '\ud83d' }] }))
    expect(unwrap(await loaded.readBox({ username: 'acme', name: 'x' })).box.shortDescription).toBe('\ufffd')
    await catalog.close()
  })
})
