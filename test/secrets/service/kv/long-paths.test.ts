import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nodeCrypto } from '../../../../src/crypto/index.ts'
import { prepareServer, serve, toNodeListener } from '../../../../src/http/node/index.ts'
import { unwrap } from '../../../../src/kernel/index.ts'
import { createSecrets, devSecrets } from '../../../../src/secrets/index.ts'
import { listKeys } from '../../../../src/secrets/kv1/index.ts'
import {
  coalesced,
  compareKeys,
  memoryStore,
  restoreRealm,
  type Store,
  saveRealm,
} from '../../../../src/store/index.ts'
import { asking, type Client, client } from '../client.ts'
import { secretsFaults } from '../whole.ts'

const bytesOf = (text: string) => Buffer.byteLength(text)
/** A path of so many bytes that begins so. */
const longer = (begin: string, bytes = 4096) => begin + 'x'.repeat(bytes - bytesOf(begin))
/** Two paths of 4,096 bytes that differ in their last character. */
const twins = ['a', 'b'].map((end) => longer('team/app/').slice(0, -1) + end) as [string, string]
const [one, two] = twins
const names = twins.map((path) => path.slice('team/app/'.length))

const withPlain = async (options: Parameters<typeof client>[0] = {}) => {
  const made = await client(options)
  await made.ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
  return made
}
const keysOf = async ({ ask }: Pick<Client, 'ask'>, line: string) => {
  const at = line.indexOf(' ')
  const { status, body } = await ask(line.slice(0, at), `/v1/${line.slice(at + 1)}`)
  return status === 200 ? body.data.keys : status
}

/** The three places for secrets: where one is, what a write sends, and where its folders are listed. */
const places = [
  ['a version 2 mount', 'secret/data/', 'secret/metadata/', (a: number) => ({ data: { a } })],
  ['a version 1 mount', 'plain/', 'plain/', (a: number) => ({ a })],
  ['a cubbyhole', 'cubbyhole/', 'cubbyhole/', (a: number) => ({ a })],
] as const

describe.each(places)('a path of 4,096 bytes in %s', (_, at, lists, body) => {
  it('is written, read, listed and deleted', async () => {
    const { ask, errors } = await withPlain()
    for (const [n, path] of twins.entries())
      expect((await ask('POST', `/v1/${at}${path}`, body(n))).status).toBeLessThan(300)
    for (const [n, path] of twins.entries())
      expect(JSON.stringify((await ask('GET', `/v1/${at}${path}`)).body.data)).toContain(`"a":${n}`)
    expect(await keysOf({ ask }, `LIST ${lists}team/app`)).toEqual(names)
    expect(await keysOf({ ask }, `LIST ${lists}team`)).toEqual(['app/'])
    expect((await ask('DELETE', `/v1/${lists}${one}`)).status).toBe(204)
    expect((await ask('GET', `/v1/${at}${one}`)).status).toBe(404)
    expect(await keysOf({ ask }, `LIST ${lists}team/app`)).toEqual([names[1]])
    expect(errors).toEqual([])
  })

  it('is the longest', async () => {
    const { ask } = await withPlain()
    const message = 'a path has at most 4096 bytes of UTF-8 within its mount, not 4097'
    for (const path of [`${one}x`, `${'é'.repeat(2048)}x`])
      for (const [method, sent] of [['POST', body(1)], ['GET'], ['DELETE']] as const)
        expect(await ask(method, `/v1/${at}${encodeURI(path)}`, sent)).toMatchObject({
          status: 400,
          body: { errors: [message] },
        })
  })

  it('is counted in bytes, not characters', async () => {
    const { ask } = await withPlain()
    const path = encodeURI('é'.repeat(2048))
    expect(path).toHaveLength(12_288)
    expect((await ask('POST', `/v1/${at}${path}`, body(1))).status).toBeLessThan(300)
    expect(await keysOf({ ask }, `LIST ${lists.slice(0, -1)}`)).toEqual(['é'.repeat(2048)])
  })

  it('has its place among shorter ones in a list', async () => {
    const { ask } = await withPlain()
    const folder = `team/${'y'.repeat(760)}/`
    const inside = [
      'a',
      longer('b/'),
      'b',
      longer('c/', 2000),
      'c-d',
      longer('d', 1500),
      `d${'x'.repeat(200)}`,
    ]
    for (const path of inside) await ask('POST', `/v1/${at}${folder}${path.slice(0, 3000)}`, body(1))
    const listed = ['a', 'b', 'b/', 'c-d', 'c/', `d${'x'.repeat(200)}`, longer('d', 1500)]
    expect(await keysOf({ ask }, `LIST ${lists}${folder}`)).toEqual(listed)
    expect(await keysOf({ ask }, `LIST ${lists}${folder}?after=b&limit=3`)).toEqual(listed.slice(2, 5))
    expect(await keysOf({ ask }, `LIST ${lists}${folder}?after=c/`)).toEqual(listed.slice(5))
    expect(await keysOf({ ask }, `LIST ${lists}team`)).toEqual([`${'y'.repeat(760)}/`])
  })

  it('is told from one with the same digest', async () => {
    const crypto = nodeCrypto({ scryptLogN: 4 })
    const { ask } = await withPlain({
      crypto: {
        ...crypto,
        sha256: (data) => crypto.sha256(typeof data === 'string' && data.length > 1000 ? 'x' : data),
      },
    })
    await ask('POST', `/v1/${at}${one}`, body(1))
    expect((await ask('GET', `/v1/${at}${two}`)).status).toBe(404)
    expect(await ask('POST', `/v1/${at}${two}`, body(2))).toMatchObject({
      status: 400,
      body: { errors: ['the path has the same digest as another long path: use a shorter path'] },
    })
    await ask('DELETE', `/v1/${lists}${two}`)
    expect(JSON.stringify((await ask('GET', `/v1/${at}${one}`)).body.data)).toContain('"a":1')
    expect(await keysOf({ ask }, `LIST ${lists}team/app`)).toEqual([names[0]])
  })
})

it('hundreds of long paths that begin alike are listed in order, in parts of any size', async () => {
  const { service } = await withPlain()
  const begins = ['a', 'b', 'c'].map((begin) => longer(begin, 800))
  const counts = [200, 400, 100]
  const paths = begins.flatMap((begin, at) =>
    Array.from(
      { length: counts[at] ?? 0 },
      (_, n) => `${begin}/${String((n * 7) % 400).padStart(3, '0')}/${longer('z', 400)}`,
    ),
  )
  // Folders below which nothing need be read, and one secret that is among the others.
  for (let n = 0; n < 30; n += 1) paths.push(`b${n}/${longer('y', 1200)}`, `b${n}/${longer('y', 1300)}`)
  paths.push(`${begins[1]}/2000`)
  for (const path of paths) unwrap(await service.kv().write(path, {}))
  const sorted = [...paths].sort(compareKeys)
  for (const [how, names] of [
    ['list', listKeys(sorted, '')],
    ['scan', sorted],
  ] as const) {
    expect(unwrap(await service.kv()[how]())).toEqual(names)
    const parts: string[] = []
    for (;;) {
      const part = unwrap(await service.kv()[how]('', { after: parts.at(-1) ?? '', limit: 150 }))
      parts.push(...part)
      if (part.length < 150) break
    }
    expect(parts).toEqual(names)
  }
  const folder = `${begins[1]}/`
  expect(unwrap(await service.kv().list(folder))).toEqual(listKeys(sorted, folder))
})

describe('a secret at a path of 4,096 bytes', () => {
  it('has versions and metadata like any other', async () => {
    const { ask } = await client()
    for (const a of [1, 2, 3]) await ask('POST', `/v1/secret/data/${one}`, { data: { a } })
    expect((await ask('GET', `/v1/secret/data/${one}?version=2`)).body.data.data).toEqual({ a: 2 })
    await ask('POST', `/v1/secret/metadata/${one}`, { custom_metadata: { owner: 'ada' } })
    await ask('POST', `/v1/secret/delete/${one}`, { versions: [3] })
    await ask('POST', `/v1/secret/destroy/${one}`, { versions: [1] })
    expect((await ask('GET', `/v1/secret/metadata/${one}`)).body.data).toMatchObject({
      current_version: 3,
      custom_metadata: { owner: 'ada' },
      versions: { 1: { destroyed: true }, 3: { deletion_time: expect.stringMatching(/^2026/) } },
    })
    await ask('POST', `/v1/secret/undelete/${one}`, { versions: [3] })
    expect((await ask('GET', `/v1/secret/subkeys/${one}`)).body.data.subkeys).toEqual({ a: null })
  })

  it('is found by its metadata, and listed with them', async () => {
    const { ask } = await client()
    for (const path of [...twins, 'team/app/short'])
      await ask('POST', `/v1/secret/data/${path}`, { data: {} })
    await ask('POST', `/v1/secret/metadata/${two}`, { custom_metadata: { owner: 'ada' } })
    expect(await keysOf({ ask }, 'SCAN secret/metadata?filter=owner%20==%20%22ada%22')).toEqual([two])
    const { body } = await ask('LIST', '/v1/secret/detailed-metadata/team/app')
    expect(body.data.keys).toEqual(['short', ...names])
    expect(body.data.key_info[names[1] ?? '']).toMatchObject({ custom_metadata: { owner: 'ada' } })
  })

  it('can be of several pieces, also where the path fits all keys but those of the pieces', async () => {
    const { service } = await withPlain()
    const text = 'é'.repeat(5 * 1024 * 1024)
    for (const path of [one, longer('a', 975)])
      for (const kv of [service.kv(), service.kv1('plain')]) {
        unwrap(await kv.write(path, { text }))
        const read = await kv.read(path)
        expect(read).toMatchObject({ ok: true, value: { data: { text } } })
        expect(await kv.remove(path)).toEqual({ ok: true, value: true })
      }
  })

  it('is created by those who may create, and updated by those who may update', async () => {
    const { ask, service } = await client()
    await ask('PUT', '/v1/sys/policies/acl/p', {
      policy: 'path "secret/data/team/*" { capabilities = ["create"] }',
    })
    const { token } = unwrap(await service.tokens.create({ policies: ['p'] }))
    const creator = asking(service, token)
    expect((await creator('POST', `/v1/secret/data/${one}`, { data: {} })).status).toBe(200)
    expect((await creator('POST', `/v1/secret/data/${one}`, { data: {} })).status).toBe(403)
  })

  it('is kept when its mount is moved, and removed with all that is kept of it when that is disabled', async () => {
    const store = memoryStore()
    const { ask, service, unsealKeys } = await withPlain({ store })
    const count = () => store.snapshot().scan({ prefix: 'kv' }).length
    const before = count()
    for (const path of twins) {
      await ask('POST', `/v1/secret/data/${path}`, { data: { a: 1 } })
      await ask('POST', `/v1/plain/${path}`, { a: 1 })
    }
    await ask('POST', '/v1/sys/remount', { from: 'secret', to: 'moved' })
    expect((await ask('GET', `/v1/moved/data/${one}`)).body.data.data).toEqual({ a: 1 })
    for (const mount of ['moved', 'plain']) await ask('DELETE', `/v1/sys/mounts/${mount}`)
    await service.sweep()
    expect(count()).toBe(before)
    expect(await secretsFaults(store, unsealKeys)).toEqual([])
  })

  it('leaves nothing when it is removed', async () => {
    const store = memoryStore()
    const { ask, service, unsealKeys } = await withPlain({ store })
    const count = () => store.snapshot().scan({ prefix: 'kv' }).length
    const before = count()
    await ask('POST', `/v1/secret/data/${one}`, { data: { a: 1 } })
    await ask('POST', `/v1/plain/${one}`, { a: 1 })
    expect(await secretsFaults(store, unsealKeys)).toEqual([])
    await ask('DELETE', `/v1/secret/metadata/${one}`)
    await ask('DELETE', `/v1/plain/${one}`)
    await service.sweep()
    expect(count()).toBe(before)
  })

  it('leaves a cubbyhole with its token', async () => {
    const store = memoryStore()
    const { service } = await client({ store })
    const { token, accessor } = unwrap(await service.tokens.create({ policies: ['default'] }))
    await asking(service, token)('POST', `/v1/cubbyhole/${one}`, { a: 1 })
    const count = () => store.snapshot().scan({ prefix: 'cubbyhole' }).length
    expect(count()).toBe(1)
    await service.tokens.revoke({ accessor })
    await service.sweep()
    expect(count()).toBe(0)
  })

  it('gets versions when its mount is upgraded', async () => {
    const { ask, service } = await withPlain()
    const text = 'x'.repeat(5 * 1024 * 1024)
    // The second fits the keys of versioned secrets, and not those of plain ones.
    for (const path of [one, longer('a', 981), 'short'])
      unwrap(await service.kv1('plain').write(path, { path }))
    unwrap(await service.kv1('plain').write(two, { text }))
    await ask('POST', '/v1/sys/mounts/plain/tune', { options: { version: '2' } })
    const kv = service.kv('plain')
    await expect.poll(async () => (await kv.list('')).ok).toBe(true)
    for (const path of [one, longer('a', 981), 'short'])
      expect(unwrap(await kv.read(path))).toMatchObject({ data: { path } })
    expect(unwrap(await kv.read(two))).toMatchObject({ data: { text } })
  })

  it('survives sealing and unsealing', async () => {
    const { ask, service, unsealKeys } = await withPlain()
    for (const [, at, , body] of places) await ask('POST', `/v1/${at}${one}`, body(1))
    await service.seal.seal()
    for (const key of unsealKeys) await service.seal.unseal(key)
    for (const [, at] of places) expect((await ask('GET', `/v1/${at}${one}`)).status).toBe(200)
  })

  it('is in a backup', async () => {
    const store = memoryStore()
    const { ask, unsealKeys } = await withPlain({ store })
    for (const [, at, , body] of places) await ask('POST', `/v1/${at}${one}`, body(1))
    const pieces: string[] = []
    await saveRealm(store, (text) => pieces.push(text))
    const other = memoryStore()
    await restoreRealm(other, pieces)
    const restored = createSecrets({ store: other })
    for (const key of unsealKeys) await restored.seal.unseal(key)
    for (const [, at, lists] of places) {
      const asRoot = asking(restored, 'root')
      expect((await asRoot('GET', `/v1/${at}${one}`)).status).toBe(200)
      expect(await keysOf({ ask: asRoot }, `LIST ${lists}team/app`)).toEqual([names[0]])
    }
  })

  it('is read and listed by a server whose replica holds keys alone', async () => {
    const store: Store = coalesced(memoryStore())
    const { ask, unsealKeys } = await withPlain({ store })
    const other = createSecrets({ store })
    for (const key of unsealKeys) await other.seal.unseal(key)
    const asOther = asking(other, 'root')
    for (const [, at, lists, body] of places) {
      for (const path of twins) await ask('POST', `/v1/${at}${path}`, body(1))
      for (const path of twins) expect((await asOther('GET', `/v1/${at}${path}`)).status).toBe(200)
      expect(await keysOf({ ask: asOther }, `LIST ${lists}team/app`)).toEqual(names)
    }
  })

  it('is found where a release that knew no long paths wrote it', async () => {
    const store = memoryStore()
    const { service } = await withPlain({ store })
    // The longest that these keys have room for: what the earlier release kept is kept in the same place.
    const paths = { kv2: longer('a', 983), kv1data: longer('a', 979) }
    unwrap(await service.kv().write(paths.kv2, { a: 1 }))
    unwrap(await service.kv1('plain').write(paths.kv1data, { a: 1 }))
    const keys = store.snapshot().scan({ prefix: 'kv' })
    for (const [name, path] of Object.entries(paths))
      expect(keys.some(({ key }) => new RegExp(`^${name}\u0001[^\u0001]+\u0001${path}$`).test(key))).toBe(
        true,
      )
  })
})

describe('policies and logs of a path of 4,096 bytes', () => {
  const data = `secret/data/${one}`
  it.each([
    ['the whole path', data],
    ['a glob', `${data.slice(0, -1)}*`],
    ['segments', `secret/+/+/app/${names[0]}`],
    ['a template', `secret/data/team/{{identity.entity.name}}/${names[0]}`],
  ])('are about it by %s', async (name, pattern) => {
    const { ask, service } = await client()
    await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
    await ask('POST', '/v1/identity/entity', { name: 'app' })
    const { body: mounts } = await ask('GET', '/v1/sys/auth')
    const { body: entity } = await ask('GET', '/v1/identity/entity/name/app')
    await ask('POST', '/v1/identity/entity-alias', {
      name: 'ada',
      canonical_id: entity.data.id,
      mount_accessor: mounts.data['userpass/'].accessor,
    })
    await ask('POST', '/v1/auth/userpass/users/ada', { password: 'correct horse', policies: 'p' })
    await ask('POST', '/v1/sys/policies/acl/p', { policy: `path "${pattern}" { capabilities = ["read"] }` })
    for (const path of twins) await ask('POST', `/v1/secret/data/${path}`, { data: { a: 1 } })
    const login = await ask('POST', '/v1/auth/userpass/login/ada', { password: 'correct horse' })
    const ada = asking(service, login.body.auth.client_token)
    expect((await ada('GET', `/v1/${data}`)).status).toBe(200)
    const others = name === 'a glob' ? 200 : 403
    expect((await ada('GET', `/v1/secret/data/${two}`)).status).toBe(others)
    const asked = { path: data, operation: 'read' }
    const explained = await ask('POST', '/v1/sys/internal/acl/explain', {
      ...asked,
      token: login.body.auth.client_token,
    })
    expect(explained.body.data).toMatchObject({ allowed: true, policy: 'p' })
    const { body: who } = await ask('POST', '/v1/sys/internal/acl/who', asked)
    expect(JSON.stringify(who.data)).toContain('"p"')
    expect((await ada('POST', '/v1/sys/capabilities-self', { paths: [data] })).body.data[data]).toEqual([
      'read',
    ])
  })

  it('have it whole in the audit log', async () => {
    const lines: string[] = []
    const { ask } = await client({
      audit: [{ path: 'file/', sink: { write: async (line) => void lines.push(line) } }],
    })
    await ask('POST', `/v1/${data}`, { data: { a: 1 } })
    expect(lines.map((line) => JSON.parse(line).request.path)).toEqual([data, data])
  })
})

describe('a listener', () => {
  const path = 'é'.repeat(2048)
  const roundTrip = async (url: string, token: string) => {
    const at = `${url}/v1/secret/data/${encodeURI(path)}`
    const headers = { 'X-Secrets-Token': token }
    const written = await fetch(at, { method: 'POST', headers, body: '{"data":{"a":1}}' })
    const read = await fetch(at, { headers })
    return [written.status, read.status]
  }

  it('takes the longest path, percent-encoded', async () => {
    const { service, rootToken } = await devSecrets()
    const listening = await serve({ fetch: service.fetch })
    onTestFinished(() => listening.close({ drainMs: 0 }))
    expect(await roundTrip(listening.url, rootToken)).toEqual([200, 200])
  })

  it('takes it with the limit on heads that Node has by default, too', async () => {
    const { service, rootToken } = await devSecrets()
    const server = prepareServer(createServer(toNodeListener(service.fetch)))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await roundTrip(`http://127.0.0.1:${port}`, rootToken)).toEqual([200, 200])
  })
})
