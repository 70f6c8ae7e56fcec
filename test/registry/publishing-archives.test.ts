import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { directoryBlobs } from '../../src/http/node/index.ts'
import { createRegistry, type RegistryOptions } from '../../src/registry/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { ownerBlob } from '../../src/store/blobs/owned-blobs.ts'
import { type Blobs, faulty, memoryBlobs, memoryStore, StoreError } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { read } from '../client.ts'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'
import { type Made, tarGz, zip } from './archive/archives.ts'

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const at = '/v1/modules/acme/vpc/aws/1.0.0'
const module = (...more: Made[]) =>
  tarGz(
    {
      path: 'main.tf',
      text: 'variable "cidr" {\n  type    = string\n  default = "10.0.0.0/16"\n}\nvariable "name" {}\n',
    },
    { path: 'README.md', text: '# A network\n' },
    { path: 'modules/nat/main.tf', text: 'output "id" {\n  value = 1\n}\n' },
    ...more,
  )

async function idsOf(blobs: Blobs): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const id of ownedBlobIds(blobs)) ids.push(id)
  return ids
}

async function served(options: Partial<RegistryOptions> = {}) {
  const clock = testClock({ now: Date.UTC(2026, 0, 2) })
  const blobs = memoryBlobs(nodeHashing)
  const errors: unknown[] = []
  const registry = createRegistry({
    store: memoryStore(),
    blobs,
    env: clock.env,
    timers: clock.timers,
    onError: (error) => errors.push(error),
    ...options,
  })
  const made = await registry.createToken({ name: 'ci', namespaces: ['Acme'] })
  if (!made.ok) throw new Error(made.refusal.message)
  const { token } = made.value
  const send = (method: string, path: string, init: RequestInit = {}) =>
    registry.fetch(new Request(`http://service.test${path}`, { method, ...init }))
  /** Sends with the token of `ci`. */
  const authorized = (init: RequestInit = {}) => ({
    ...init,
    headers: { authorization: `Bearer ${token}`, ...init.headers },
  })
  const publish = async (body: Uint8Array = module(), path = at, headers = {}) =>
    read(await send('POST', path, authorized({ body: new Uint8Array(body), headers })))
  const get = async (path: string, init: RequestInit = {}) => read(await send('GET', path, init))
  const blobIds = async () => idsOf(blobs)
  return { clock, blobs, errors, registry, token, send, authorized, publish, get, blobIds }
}

describe('publishing over HTTP', () => {
  it('makes the module and its version, with what the archive says of it', async () => {
    const { publish, get } = await served()
    const { status, headers, body } = await publish(module(), at, { 'content-type': 'application/gzip' })
    expect([status, headers.get('location')]).toEqual([201, at])
    expect(body).toMatchObject({
      id: 'acme/vpc/aws/1.0.0',
      owner: 'ci',
      root: {
        path: '',
        name: 'vpc',
        readme: '# A network\n',
        empty: false,
        inputs: [
          { name: 'cidr', type: 'string', description: '', default: '"10.0.0.0/16"', required: false },
          { name: 'name', type: '', description: '', default: '', required: true },
        ],
      },
      submodules: [{ path: 'modules/nat', name: 'nat', outputs: [{ name: 'id', description: '' }] }],
      versions: ['1.0.0'],
    })
    expect(body.warnings).toBeUndefined()
    expect((await get(at)).body).toEqual(body)
    expect((await get('/v1/modules/search?q=vpc')).body.modules).toMatchObject([{ version: '1.0.0' }])
  })

  it('serves exactly the same bytes, whole and in part', async () => {
    const { publish, send } = await served()
    const bytes = module({ path: 'data', text: randomBytes(5000) })
    await publish(bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const whole = await send('GET', `${at}/archive`)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="acme-vpc-aws-1.0.0.tar.gz"',
    })
    const part = await send('GET', `${at}/archive`, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true)
    expect((await send('GET', `${at}/archive`, { headers: { range: 'bytes=999999-' } })).status).toBe(416)
    expect((await send('GET', `${at}/archive`, { headers: { 'if-none-match': `"${sha256}"` } })).status).toBe(
      304,
    )
    expect((await send('GET', `${at}/archive`, { headers: { 'if-match': '"x"' } })).status).toBe(412)
    const head = await send('HEAD', `${at}/archive`)
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ])
  })

  it('tells clients where the archive is, and what it must be', async () => {
    const { publish, send } = await served()
    await publish()
    await publish(zip({ path: 'vpc-1/main.tf' }), '/v1/modules/acme/vpc/aws/1.1.0')
    await publish(zip({ path: 'vpc 1?/main.tf' }), '/v1/modules/acme/vpc/aws/1.2.0')
    const locationOf = async (version: string) =>
      (await send('GET', `/v1/modules/acme/vpc/aws/${version}/download`)).headers.get('X-Registry-Get')
    expect(await locationOf('1.0.0')).toMatch(/^\.\/archive\?archive=tar\.gz&checksum=sha256:[0-9a-f]{64}$/)
    expect(await locationOf('1.1.0')).toMatch(/^\.\/archive\/\/vpc-1\?archive=zip&checksum=sha256:/)
    expect(await locationOf('1.2.0')).toMatch(/^\.\/archive\/\/\*\?archive=zip&/)
  })

  it('needs a token, and one for the namespace', async () => {
    const { send, publish, authorized, get, registry } = await served()
    const body = new Uint8Array(module())
    const tries: readonly (readonly [string, RequestInit])[] = [
      ['POST', { body }],
      ['DELETE', {}],
      ['PUT', {}],
    ]
    for (const [method, init] of tries)
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic x' }]) {
        const path = method === 'PUT' ? `${at}/deprecation` : at
        const answer = await read(await send(method, path, { ...init, headers }))
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      }
    expect((await publish(module(), '/v1/modules/other/vpc/aws/1.0.0')).status).toBe(403)
    expect((await send('DELETE', '/v1/modules/other/vpc/aws/1.0.0', authorized())).status).toBe(403)
    expect((await publish(module(), '/v1/modules/ACME/vpc/aws/1.0.0')).status).toBe(201)
    expect((await get('/v1/modules')).body.modules).toHaveLength(1)
    expect(await registry.removeTokens('ci')).toBe(1)
    expect((await publish(module(), '/v1/modules/acme/vpc/aws/2.0.0')).status).toBe(401)
  })

  it('asks the program about tokens that it did not make', async () => {
    const publishers = (token: string) => (token === 'mine' ? { name: 'ann' } : undefined)
    const { send } = await served({ publishers })
    const answer = await send('POST', '/v1/modules/any/vpc/aws/1.0.0', {
      body: new Uint8Array(module()),
      headers: { authorization: 'Bearer mine' },
    })
    expect(await answer.json()).toMatchObject({ owner: 'ann' })
  })

  it('keeps tokens as digests only', async () => {
    const store = memoryStore()
    const { registry, token } = await served({ store })
    const kept = await store.read((view) => view.scan({ prefix: '' }))
    expect(JSON.stringify(kept)).not.toContain(token)
    expect(JSON.stringify(kept)).toContain(createHash('sha256').update(token).digest('hex'))
    expect(await registry.listTokens()).toMatchObject([{ name: 'ci', namespaces: ['Acme'] }])
    expect(JSON.stringify(await registry.listTokens())).not.toContain(token.slice(3))
    for (const wrong of [
      { name: '' },
      { name: 'a b' },
      { name: 'x', namespaces: [] },
      { name: 'x', namespaces: ['a/b'] },
    ])
      expect(await registry.createToken(wrong)).toMatchObject({ refusal: { code: 'invalid_token' } })
  })

  it.each([
    ['a version that is there', 409, module(), '/v1/modules/acme/vpc/aws/v1.0'],
    ['what is no version', 422, module(), '/v1/modules/acme/vpc/aws/latest'],
    ['what is no address', 422, module(), '/v1/modules/acme/vpc/AWS/1.0.0'],
    ['what is no archive', 422, Buffer.from('hello'), '/v1/modules/acme/vpc/aws/2.0.0'],
    ['nothing', 422, Buffer.alloc(0), '/v1/modules/acme/vpc/aws/2.0.0'],
    ['what is no module', 422, tarGz({ path: 'a.txt' }), '/v1/modules/acme/vpc/aws/2.0.0'],
    ['an unsafe path', 422, module({ path: '../x' }), '/v1/modules/acme/vpc/aws/2.0.0'],
    ['a bomb', 413, module({ path: 'x', text: Buffer.alloc(2_000_000) }), '/v1/modules/acme/vpc/aws/2.0.0'],
    [
      'a long archive',
      413,
      module({ path: 'x', text: randomBytes(200_000) }),
      '/v1/modules/acme/vpc/aws/2.0.0',
    ],
  ])('refuses %s with %i, and keeps nothing of it', async (_, status, body, path) => {
    const { publish, get, blobIds, errors, registry } = await served({
      archives: { expandedBytes: 1_000_000, archiveBytes: 100_000 },
    })
    expect((await publish()).status).toBe(201)
    const before = await blobIds()
    const answer = await publish(body, path)
    expect([answer.status, answer.body.errors.length]).toEqual([status, 1])
    expect(await blobIds()).toEqual(before)
    expect((await get('/v1/modules/acme/vpc/aws')).body.versions).toEqual(['1.0.0'])
    expect(await registry.sweep({ abandoned: true })).toBe(0)
    expect(errors).toEqual([])
  })

  it('takes the archive for what its bytes are, and refuses it where it is said to be something else', async () => {
    const { publish } = await served()
    const path = (minor: number) => `/v1/modules/acme/vpc/aws/1.${minor}.0`
    const tar = module()
    const zipped = zip({ path: 'main.tf' })
    const statuses = []
    for (const [index, [bytes, type]] of (
      [
        [tar, 'application/gzip'],
        [tar, 'application/x-tar+gzip; charset=binary'],
        [zipped, 'application/zip'],
        [zipped, 'application/octet-stream'],
        [tar, 'application/zip'],
        [zipped, 'application/gzip'],
        [tar, 'application/json'],
      ] as const
    ).entries())
      statuses.push((await publish(bytes, path(index), { 'content-type': type })).status)
    expect(statuses).toEqual([201, 201, 201, 201, 422, 422, 422])
  })

  it('publishes what could be read of a module with mistakes, and says where they are', async () => {
    const { publish } = await served()
    const { status, body } = await publish(
      tarGz(
        { path: 'a.tf', text: 'variable "a" {}\nvariable "b" {\n  type =\n}\noutput "c" {}\n' },
        { path: 'b.tf.json', text: '{"variable": {"d": {"default": 1}},}' },
        { path: 'c.tf', text: 'variable "e" { default = lower("X") }' },
        { path: 'modules/m/a.tf', text: 'variable "f" {' },
      ),
    )
    expect(status).toBe(201)
    expect(body.root).toMatchObject({
      inputs: [{ name: 'a' }, { name: 'e', default: 'null' }],
      outputs: [{ name: 'c' }],
    })
    expect(body.warnings).toEqual([
      'a.tf:3:9: expected a value after "="',
      expect.stringMatching(/^b\.tf\.json:1:\d+: expected /),
      'c.tf:1:26: the default of e is not a constant: shown as null',
      'modules/m/a.tf:1:14: there is no "}" to close this block',
    ])
  })

  it('is done once where two do it at the same time', async () => {
    const { publish, blobIds } = await served()
    const answers = await Promise.all([1, 2, 3, 4].map(() => publish()))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(await blobIds()).toHaveLength(1)
  })

  it('takes bytes from a producer that uses one buffer over and over', async () => {
    const { registry } = await served()
    const whole = module({ path: 'data', text: randomBytes(500_000) })
    const reused = Buffer.alloc(64 * 1024)
    const body = async function* () {
      for (let at = 0; at < whole.length; at += reused.length)
        yield reused.subarray(0, whole.copy(reused, 0, at, at + reused.length))
    }
    expect(await registry.publishArchive(vpc, { version: '1.0.0' }, body())).toMatchObject({ ok: true })
  })

  it('says that it keeps no archives where it was given no place for them', async () => {
    const { send, registry } = await served({ blobs: undefined })
    const made = await registry.createToken({ name: 'x' })
    const authorization = `Bearer ${made.ok ? made.value.token : ''}`
    const answer = await send('POST', at, { headers: { authorization }, body: new Uint8Array(module()) })
    expect(answer.status).toBe(501)
  })

  it('takes no more than its listener does', async () => {
    const { withBodyLimit } = await import('../../src/http/index.ts')
    const { registry, token } = await served()
    const limited = withBodyLimit(registry.fetch, 100)
    const headers = { authorization: `Bearer ${token}` }
    const sent = (body: NonNullable<RequestInit['body']>) =>
      limited(
        new Request(`http://service.test${at}`, {
          method: 'POST',
          headers,
          body,
          ...({ duplex: 'half' } as object),
        }),
      )
    const bytes = new Uint8Array(module())
    expect((await sent(bytes)).status).toBe(413)
    expect((await sent(new Blob([bytes]).stream())).status).toBe(413)
  })
})

describe('a store that fails in the middle', () => {
  it('is refused with the reason, and nothing is stored or listed', async () => {
    const real = memoryBlobs(nodeHashing)
    const full: Blobs = {
      ...real,
      put: async (id, body, options) => {
        await real.put(id, body, options)
        throw new StoreError('disk_full', 'no space is left for uploads: nothing was stored')
      },
    }
    const { publish, get, registry, errors } = await served({ blobs: full })
    expect((await publish()).status).toBe(507)
    expect((await get('/v1/modules')).body.modules).toEqual([])
    expect(await idsOf(real)).toEqual([])
    expect(await registry.sweep({ abandoned: true })).toBe(0)
    expect(errors).toHaveLength(1)
  })

  it('never loses the bytes of a listed version, nor keeps others, after any operations', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const faults = { conflict: 0.2, unknownApplied: 0.2, unknownLost: 0.2, unreachable: 0 }
      const store = memoryStore()
      const shaken = await served({ store: faulty(store, { seed, faults }) }).catch(() => undefined)
      if (!shaken) continue
      const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0']
      const pathOf = (version: string) => `/v1/modules/acme/vpc/aws/${version}`
      await Promise.all(versions.map((version) => shaken.publish(module(), pathOf(version))))
      await shaken.send('DELETE', pathOf('1.0.0'), shaken.authorized())
      await shaken.registry.close().catch(() => {})
      const { registry, get } = await served({ store, blobs: shaken.blobs })
      await registry.sweep({ abandoned: true })
      const shown: string[] = (await get('/v1/modules/acme/vpc/aws')).body.versions ?? []
      for (const version of shown) expect((await get(`${pathOf(version)}/archive`)).status).toBe(200)
      expect(await idsOf(shaken.blobs)).toHaveLength(shown.length)
      await registry.close()
    }
  })
})

describe('removing over HTTP', () => {
  it('takes the version away with its bytes, and its number is free again', async () => {
    const { publish, send, authorized, get, blobIds } = await served()
    await publish()
    await publish(module(), '/v1/modules/acme/vpc/aws/1.1.0')
    expect((await send('DELETE', '/v1/modules/acme/vpc/aws/v1.0', authorized())).status).toBe(204)
    expect((await get(at)).text).toBe('{"errors":["Not Found"]}')
    expect((await get(`${at}/archive`)).status).toBe(404)
    expect((await get('/v1/modules/acme/vpc/aws')).body.versions).toEqual(['1.1.0'])
    expect((await send('DELETE', at, authorized())).status).toBe(404)
    expect(await blobIds()).toHaveLength(1)
    expect((await publish()).status).toBe(201)
  })

  it('leaves nothing of a module that is removed', async () => {
    const { publish, registry, blobIds } = await served()
    await publish()
    await publish(module(), '/v1/modules/acme/vpc/aws/1.1.0')
    expect(await registry.removeModule(vpc)).toMatchObject({ ok: true })
    expect(await blobIds()).toEqual([])
    expect(await registry.sweep()).toBe(0)
  })
})

describe('a deprecated version', () => {
  it('says so in the list of versions and in its detail, until it is reinstated', async () => {
    const { publish, send, authorized, get } = await served()
    await publish()
    await publish(module(), '/v1/modules/acme/vpc/aws/2.0.0')
    const deprecation = { reason: 'It leaks; use 2.0', link: 'https://example.com/why' }
    const mark = (body: unknown) =>
      send('PUT', `${at}/deprecation`, authorized({ body: JSON.stringify(body) }))
    expect(
      (await get('/v1/modules/acme/vpc/aws/versions')).body.modules[0].versions[0].deprecation,
    ).toBeUndefined()
    expect((await mark(deprecation)).status).toBe(204)
    const [first, second] = (await get('/v1/modules/acme/vpc/aws/versions')).body.modules[0].versions
    expect([first.deprecation, second.deprecation]).toEqual([deprecation, undefined])
    expect((await get(at)).body.deprecation).toEqual(deprecation)
    expect((await get('/v1/modules/acme/vpc/aws')).body.deprecation).toBeUndefined()
    expect((await mark({ reason: '' })).status).toBe(422)
    expect((await mark({ reason: 'x', link: 'javascript:alert(1)' })).status).toBe(422)
    expect((await mark({ why: 'x' })).status).toBe(400)
    expect((await send('DELETE', `${at}/deprecation`, authorized())).status).toBe(204)
    expect((await get(at)).body.deprecation).toBeUndefined()
    expect(
      (
        await send(
          'PUT',
          '/v1/modules/acme/vpc/aws/9.9.9/deprecation',
          authorized({ body: '{"reason":"x"}' }),
        )
      ).status,
    ).toBe(404)
  })
})

describe('a private registry', () => {
  const authenticate = ({ headers }: Request) =>
    /^bearer reader$/i.test(headers.get('authorization') ?? '') ? { name: 'r' } : undefined
  const reader = { headers: { authorization: 'Bearer reader' } }

  it('hands out addresses of archives that work without a token, for a while', async () => {
    const { publish, send, get, clock } = await served({ authenticate })
    await publish()
    await publish(module(), '/v1/modules/acme/vpc/aws/2.0.0')
    expect((await get(`${at}/archive`)).status).toBe(401)
    expect((await get(`${at}/archive`, reader)).status).toBe(200)
    const location = (await send('GET', `${at}/download`, reader)).headers.get('X-Registry-Get') ?? ''
    const { pathname, search } = new URL(location, `http://service.test${at}/download`)
    expect((await get(pathname + search)).status).toBe(200)
    const other = pathname.replace('1.0.0', '2.0.0')
    for (const wrong of [
      other + search,
      `${pathname}?ticket=1-2`,
      pathname + search.replace(/.$/, (x) => (x === '0' ? '1' : '0')),
    ])
      expect((await get(wrong)).status).toBe(401)
    await clock.advance(16 * 60_000)
    expect((await get(pathname + search)).status).toBe(401)
  })
})

describe('what a crash leaves of a publish', () => {
  let folder: string | undefined
  afterEach(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('is gone after the next start', async () => {
    folder = await mkdtemp(join(tmpdir(), 'plinth-modules-'))
    const store = memoryStore()
    const real = await directoryBlobs(folder)
    // Ends the process, as far as this test can, once the bytes are there.
    const dying: Blobs = {
      ...real,
      put: async (id, ...put) => {
        const written = await real.put(id, ...put)
        return id === ownerBlob ? written : new Promise(() => {})
      },
    }
    const { registry, send, authorized, get } = await served({ store, blobs: dying })
    void send('POST', at, authorized({ body: new Uint8Array(module()) }))
    // Not its folder, which is made before it has its name.
    await expect.poll(async () => (await idsOf(real)).length).toBe(1)
    expect((await get(at)).status).toBe(404)
    expect(await registry.sweep()).toBe(0)
    const next = createRegistry({ store, blobs: real })
    expect(await next.sweep({ abandoned: true })).toBe(1)
    expect(await idsOf(real)).toEqual([])
    await next.close()
  })

  it('is found: bytes are kept only after their announcement', async () => {
    const store = memoryStore()
    let isSlow = false
    let go = () => {}
    const waiting = new Promise<void>((resolve) => {
      go = resolve
    })
    const commit: typeof store.commit = async (batch) => {
      if (isSlow) await waiting
      return store.commit(batch)
    }
    const { publish, blobs } = await served({ store: { ...store, commit } })
    isSlow = true
    let arrived = () => {}
    const allArrived = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const put = blobs.put
    blobs.put = (id, body, options) =>
      put(
        id,
        (async function* () {
          for await (const chunk of body) {
            if (id !== ownerBlob) arrived()
            yield chunk
          }
        })(),
        options,
      )
    const publishing = publish()
    await allArrived
    await new Promise((resolve) => setImmediate(resolve))
    expect(await idsOf(blobs)).toEqual([])
    go()
    expect((await publishing).status).toBe(201)
    expect(await idsOf(blobs)).toHaveLength(1)
  })

  it('does not take away what is published meanwhile', async () => {
    const clock = testClock({ now: Date.UTC(2026, 0, 2) })
    const real = memoryBlobs(nodeHashing)
    let go = () => {}
    const waiting = new Promise<void>((resolve) => {
      go = resolve
    })
    const slow: Blobs = {
      ...real,
      put: async (id, ...put) => {
        const written = await real.put(id, ...put)
        if (id !== ownerBlob) await waiting
        return written
      },
    }
    const { registry, publish } = await served({ blobs: slow, env: clock.env })
    const publishing = publish()
    await expect.poll(async () => (await idsOf(real)).length).toBe(1)
    await clock.advance(2 * 3_600_000)
    expect(await registry.sweep()).toBe(1)
    go()
    expect((await publishing).status).toBe(503)
    expect(await idsOf(real)).toEqual([])
  })
})

it('says where clients log in, where it was told', async () => {
  const login = {
    client: 'terraform',
    authz: '/oauth/authorize',
    token: '/oauth/token',
    ports: [10000, 10010] as [number, number],
  }
  const { get } = await served({ login })
  expect((await get('/.well-known/terraform.json')).body).toMatchObject({
    'login.v1': login,
    'modules.v1': '/v1/modules/',
  })
  expect(() => createRegistry({ login: { client: 'x' } as never })).toThrow('login.token: ')
})

it('answers a download with a body to clients that want nothing but JSON', async () => {
  const { publish, get } = await served()
  await publish()
  const asJson = await get(`${at}/download`, { headers: { accept: 'application/json' } })
  expect([asJson.status, asJson.body]).toEqual([200, { location: asJson.headers.get('X-Registry-Get') }])
  for (const accept of ['*/*', 'application/json, text/plain, */*'])
    expect((await get(`${at}/download`, { headers: { accept } })).status).toBe(204)
})

describe('a module', () => {
  it('is removed whole, with the bytes of its archives, by those who may publish it', async () => {
    const { publish, send, authorized, get, blobIds, registry } = await served()
    const whole = '/v1/modules/acme/vpc/aws'
    await publish()
    await publish(module(), `${whole}/1.1.0`)
    expect((await send('DELETE', whole)).status).toBe(401)
    expect((await send('DELETE', '/v1/modules/other/vpc/aws', authorized())).status).toBe(403)
    expect((await get(whole)).headers.get('x-content-type-options')).toBe('nosniff')
    expect((await send('DELETE', whole, authorized())).status).toBe(204)
    expect((await get(whole)).status).toBe(404)
    expect((await send('DELETE', whole, authorized())).status).toBe(404)
    expect(await blobIds()).toEqual([])
    await registry.close()
  })

  it('falls back to an earlier version as its latest when that is deprecated', async () => {
    const { publish, send, authorized, get, registry } = await served()
    const whole = '/v1/modules/acme/vpc/aws'
    await publish()
    await publish(module(), `${whole}/1.1.0`)
    expect((await get(whole)).body.version).toBe('1.1.0')
    await send(
      'PUT',
      `${whole}/1.1.0/deprecation`,
      authorized({ body: JSON.stringify({ reason: 'broken' }) }),
    )
    expect((await get(whole)).body.version).toBe('1.0.0')
    expect((await get('/v1/modules')).body.modules).toMatchObject([{ version: '1.0.0' }])
    await registry.close()
  })
})

describe('what a module says of itself', () => {
  const whole = '/v1/modules/acme/vpc/aws'

  it('is given with its archive, and found by its labels', async () => {
    const { publish, get } = await served()
    const query = '?description=Private%20networks&source=https://git.test/vpc&label=edge&label=core'
    const said = {
      description: 'Private networks',
      source: 'https://git.test/vpc',
      labels: ['edge', 'core'],
      verified: false,
    }
    expect((await publish(module(), `${at}${query}`)).body).toMatchObject(said)
    expect((await get('/v1/modules/search?q=edge')).body.modules).toMatchObject([said])
    // A version without them leaves them as they are.
    expect((await publish(module(), `${whole}/1.1.0`)).body).toMatchObject(said)
    const labels = Array.from({ length: 21 }, (_, at) => `label=${at}`).join('&')
    expect((await publish(module(), `${whole}/1.2.0?${labels}`)).status).toBe(422)
  })

  it('is the first paragraph of its newest README, unless a publisher describes it', async () => {
    const { publish, send, authorized, get } = await served()
    const saying = (text: string) =>
      tarGz({ path: 'main.tf', text: '' }, { path: 'README.md', text: `# vpc\n\n[![b](c)](d)\n\n${text}\n` })
    const described = async () => (await get(whole)).body.description
    await publish(saying('Makes a **private** network,\nsee [docs](https://x).\n\nMore.'))
    expect(await described()).toBe('Makes a private network, see docs.')
    await publish(saying('Makes networks.'), `${whole}/2.0.0`)
    expect(await described()).toBe('Makes networks.')
    await publish(saying('A fix of the old one.'), `${whole}/1.0.1`)
    expect(await described()).toBe('Makes networks.')
    const changes = JSON.stringify({ description: 'Ours' })
    expect((await send('PATCH', whole, authorized({ body: changes }))).status).toBe(204)
    await publish(saying('Makes all networks.'), `${whole}/3.0.0`)
    expect(await described()).toBe('Ours')
  })

  it('is verified by administrators only', async () => {
    const { registry, publish, send, authorized, get } = await served()
    const boss = await registry.createToken({ name: 'boss', administrator: true })
    if (!boss.ok) throw new Error(boss.refusal.message)
    await publish()
    const body = JSON.stringify({ verified: true })
    expect((await send('PATCH', whole, authorized({ body }))).status).toBe(403)
    expect((await get(whole)).body.verified).toBe(false)
    const headers = { authorization: `Bearer ${boss.value.token}` }
    expect((await send('PATCH', whole, { body, headers })).status).toBe(204)
    expect((await get('/v1/modules?verified=true')).body.modules).toHaveLength(1)
    expect((await send('PATCH', '/v1/modules/acme/none/aws', { body, headers })).status).toBe(404)
  })

  it('is under another address once it is renamed, by those who may publish to both', async () => {
    const { publish, send, authorized, get } = await served()
    await publish()
    const rename = (to: object) => send('POST', `${whole}/rename`, authorized({ body: JSON.stringify(to) }))
    expect((await rename({ namespace: 'other' })).status).toBe(403)
    expect((await rename({ name: 'no name' })).status).toBe(422)
    expect((await get(whole)).status).toBe(200)
    expect((await rename({ name: 'network' })).status).toBe(204)
    expect((await get(whole)).headers.get('location')).toBe('/v1/modules/acme/network/aws')
    expect((await get('/v1/modules/acme/network/aws')).body.id).toBe('acme/network/aws/1.0.0')
  })

  it('warns of a source that leaves the archive', async () => {
    const { publish } = await served()
    const call = (source: string) => `module "x" {\n  source = "${source}"\n}\n`
    const { body } = await publish(
      tarGz(
        { path: 'main.tf', text: call('../x') },
        { path: 'modules/a/main.tf', text: call('../../shared') },
        { path: 'modules/b/main.tf', text: call('../../../shared') },
      ),
    )
    expect(body.warnings).toEqual([
      'main.tf:2:12: the source "../x" of module x leaves the archive',
      'modules/b/main.tf:2:12: the source "../../../shared" of module x leaves the archive',
    ])
  })
})

describe('the audit trail', () => {
  it('says which token did what to which module, to administrators only', async () => {
    const { registry, publish, send, authorized, get, token } = await served()
    const boss = await registry.createToken({ name: 'boss', administrator: true })
    if (!boss.ok) throw new Error(boss.refusal.message)
    const asBoss = { headers: { authorization: `Bearer ${boss.value.token}` } }
    expect((await publish()).status).toBe(201)
    await send('PUT', `${at}/deprecation`, authorized({ body: JSON.stringify({ reason: 'old' }) }))
    await send('DELETE', at, authorized())
    expect((await get('/plinth/v1/audit')).status).toBe(401)
    expect((await get('/plinth/v1/audit', authorized())).status).toBe(403)
    const first = await get('/plinth/v1/audit?limit=3', asBoss)
    const change = { by: 'ci', subject: 'acme/vpc/aws', detail: { version: '1.0.0' } }
    expect(first.body.changes).toMatchObject([
      { type: 'version.removed', ...change },
      { type: 'version.deprecated', ...change },
      { type: 'version.published', ...change },
    ])
    const rest = await get(`/plinth/v1/audit?after=${first.body.next}`, asBoss)
    expect(rest.body).toMatchObject({
      changes: [
        { type: 'module.published', by: 'ci', subject: 'acme/vpc/aws', detail: {} },
        { type: 'token.created', by: null, subject: 'boss' },
        { type: 'token.created', by: null, subject: 'ci' },
      ],
      next: null,
    })
    for (const secret of [token, boss.value.token]) expect(first.text + rest.text).not.toContain(secret)
    expect((await get('/plinth/v1/audit?filter=x', asBoss)).status).toBe(422)
    await registry.close()
  })
})
