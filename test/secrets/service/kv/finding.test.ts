import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asking, type Client, client } from '../client.ts'

const paths = ['app', 'app-x', 'app/db', 'app/web/tls', 'app/web/token', 'zoo']
const filled = async (mount = 'secret', prefix = 'data/') => {
  const made = await client()
  await made.ask('POST', '/v1/sys/mounts/old', { type: 'kv' })
  for (const path of paths) await made.ask('POST', `/v1/${mount}/${prefix}${path}`, { data: { a: 1 } })
  return made
}
const keysOf = async ({ ask }: Pick<Client, 'ask'>, line: string) => {
  const at = line.indexOf(' ')
  const { status, body } = await ask(line.slice(0, at), `/v1/${line.slice(at + 1)}`)
  return status === 200 ? body.data.keys : status
}
const holder = async ({ ask, service }: Client, policy: string) => {
  await ask('PUT', '/v1/sys/policies/acl/p', { policy })
  const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['p'] })
  return { ask: asking(service, body.auth.client_token) }
}

describe('a part of a list', () => {
  it.each([
    ['LIST secret/metadata?limit=2', ['app', 'app-x']],
    ['LIST secret/metadata?after=app-x', ['app/', 'zoo']],
    ['LIST secret/metadata?after=app/&limit=5', ['zoo']],
    ['LIST secret/metadata?after=app.z', ['app/', 'zoo']],
    ['GET secret/metadata/app?list=true&limit=1', ['db']],
    ['LIST secret/metadata?after=zoo', 404],
    ['LIST secret/metadata?limit=0', ['app', 'app-x', 'app/', 'zoo']],
    ['LIST secret/metadata?limit=-1&after=', ['app', 'app-x', 'app/', 'zoo']],
    ['LIST secret/metadata?limit=x', 400],
    ['LIST secret/metadata?limit=1.5', 400],
    ['LIST sys/policies/acl?limit=1', ['default']],
    ['LIST sys/policies/acl?after=default', ['root']],
  ])('%s is %j', async (line, expected) => {
    expect(await keysOf(await filled(), line)).toEqual(expected)
  })
  it('is taken of plain secrets, too', async () => {
    expect(await keysOf(await filled('old', ''), 'LIST old?after=app&limit=2')).toEqual(['app-x', 'app/'])
  })
  it('after part gives the whole, for any names and any size of the parts', async () => {
    const { service } = await client()
    const segment = fc.constantFrom('a', 'b', 'a-', 'a.', 'a0', 'é', '😀', '￿')
    const names = fc.uniqueArray(
      fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
      {
        maxLength: 12,
      },
    )
    let mount = 0
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 1, max: 4 }), fc.boolean(), async (all, limit, deep) => {
        mount += 1
        const path = `m${mount}/`
        await service.mounts.enable({ path, type: 'kv', options: { version: '2' } })
        const kv = service.kv(path)
        for (const name of all) await kv.write(name, {})
        const list = deep ? kv.scan : kv.list
        const whole = await list()
        const parts: string[] = []
        for (;;) {
          const part = await list('', { after: parts.at(-1) ?? '', limit })
          if (!part.ok) throw new Error(part.refusal.message)
          parts.push(...part.value)
          if (part.value.length < limit) break
        }
        expect({ ok: true, value: parts }).toEqual(whole)
      }),
      { numRuns: 40 },
    )
    await service.close()
  })
})

describe('a scan', () => {
  it.each([
    ['SCAN secret/metadata', paths],
    ['SCAN secret/metadata/app', ['db', 'web/tls', 'web/token']],
    ['SCAN secret/metadata/app/', ['db', 'web/tls', 'web/token']],
    ['GET secret/metadata/app?scan=true&limit=1&after=db', ['web/tls']],
    ['SCAN secret/metadata/nothing', 404],
    ['SCAN secret/data/app', 405],
    ['GET secret/metadata/app?scan=perhaps', 400],
  ])('%s is %j', async (line, expected) => {
    expect(await keysOf(await filled(), line)).toEqual(expected)
  })
  it('is one of plain secrets, too', async () => {
    expect(await keysOf(await filled('old', ''), 'SCAN old')).toEqual(paths)
  })
  it('takes a capability of its own', async () => {
    const made = await filled()
    const lister = await holder(made, 'path "secret/metadata/*" { capabilities = ["list", "read"] }')
    expect(await keysOf(lister, 'LIST secret/metadata/app')).toEqual(['db', 'web/'])
    expect(await keysOf(lister, 'SCAN secret/metadata/app')).toBe(403)
    const scanner = await holder(made, 'path "secret/metadata/*" { capabilities = ["scan"] }')
    expect(await keysOf(scanner, 'SCAN secret/metadata/app')).toEqual(['db', 'web/tls', 'web/token'])
    expect(await keysOf(scanner, 'LIST secret/metadata/app')).toBe(403)
    const { body } = await scanner.ask('POST', '/v1/sys/capabilities-self', { path: 'secret/metadata/app' })
    expect(body.data['secret/metadata/app']).toEqual(['scan'])
  })
})

describe('a detailed list', () => {
  it('has the metadata of each secret beside its name, and none of folders', async () => {
    const { ask } = await filled()
    await ask('POST', '/v1/secret/metadata/app', { custom_metadata: { owner: 'ada' } })
    const { body } = await ask('LIST', '/v1/secret/detailed-metadata')
    expect(body.data.keys).toEqual(['app', 'app-x', 'app/', 'zoo'])
    expect(Object.keys(body.data.key_info)).toEqual(['app', 'app-x', 'zoo'])
    expect(body.data.key_info.app).toMatchObject({ current_version: 1, custom_metadata: { owner: 'ada' } })
    const deep = await ask('SCAN', '/v1/secret/detailed-metadata/app?limit=2')
    expect(Object.keys(deep.body.data.key_info)).toEqual(['db', 'web/tls'])
  })
})

describe('a detailed list of a caller without the right to read metadata', () => {
  it('has custom metadata only of secrets that the caller may read', async () => {
    const { ask, service } = await filled()
    for (const name of ['app', 'zoo'])
      await ask('POST', `/v1/secret/metadata/${name}`, { custom_metadata: { owner: 'ada' } })
    await service.policies.write(
      'lists',
      'path "secret/detailed-metadata/*" { capabilities = ["list"] }\npath "secret/metadata/zoo" { capabilities = ["read"] }',
    )
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['lists'] })
    const lists = asking(service, made.body.auth.client_token)
    const { key_info } = (await lists('LIST', '/v1/secret/detailed-metadata/')).body.data
    expect(key_info.app).toMatchObject({ current_version: 1, custom_metadata: null })
    expect(key_info.zoo).toMatchObject({ custom_metadata: { owner: 'ada' } })
  })
})

describe('a filter over custom metadata', () => {
  const owned = async () => {
    const made = await filled()
    for (const [path, notes] of [
      ['app', { owner: 'ada', level: '3' }],
      ['app/db', { owner: 'bob' }],
      ['app/web/tls', { owner: 'ada' }],
    ] as const)
      await made.ask('POST', `/v1/secret/metadata/${path}`, { custom_metadata: notes })
    return made
  }
  const where = (line: string, filter: string) =>
    `${line}${line.includes('?') ? '&' : '?'}filter=${encodeURIComponent(filter)}`

  it.each([
    ['LIST secret/metadata', 'owner == "ada"', ['app']],
    ['SCAN secret/metadata', 'owner == "ada"', ['app', 'app/web/tls']],
    ['SCAN secret/metadata', 'custom_metadata.owner == "ada" and level == "3"', ['app']],
    ['SCAN secret/detailed-metadata/app', 'owner != "ada"', ['db', 'web/token']],
    ['SCAN secret/metadata?limit=1', 'owner == "ada"', ['app']],
    ['SCAN secret/metadata?after=app', 'owner == "ada"', ['app/web/tls']],
    ['SCAN secret/metadata', 'owner == "unknown"', 404],
    ['SCAN secret/metadata', 'owner ==', 400],
  ])('%s of %s is %j', async (line, filter, expected) => {
    expect(await keysOf(await owned(), where(line, filter))).toEqual(expected)
  })
  it('tells nothing of metadata that the caller may not read', async () => {
    const made = await owned()
    const policy = `path "secret/metadata/*" { capabilities = ["scan"] }
      path "secret/metadata/app/*" { capabilities = ["scan", "read"] }`
    const some = await holder(made, policy)
    expect(await keysOf(some, where('SCAN secret/metadata', 'owner == "ada"'))).toEqual(['app/web/tls'])
    expect(await keysOf(some, 'LIST secret/detailed-metadata')).toBe(403)
  })
})

describe('check-and-set of metadata', () => {
  it('writes where it follows the version that is there, and counts versions', async () => {
    const { ask } = await client()
    const write = (metadata_cas: number | undefined, owner: string) =>
      ask('POST', '/v1/secret/metadata/app', { metadata_cas, custom_metadata: { owner } })
    expect((await write(1, 'eve')).body.errors[0]).toMatch(/did not match/)
    expect((await ask('GET', '/v1/secret/metadata/app')).status).toBe(404)
    expect((await write(0, 'ada')).status).toBe(204)
    expect((await write(0, 'eve')).status).toBe(400)
    expect((await write(1, 'bob')).status).toBe(204)
    const { body } = await ask('GET', '/v1/secret/metadata/app')
    expect(body.data).toMatchObject({ current_metadata_version: 2, custom_metadata: { owner: 'bob' } })
  })
  it('lets one of two concurrent writes win', async () => {
    const { ask } = await client()
    const answers = await Promise.all(
      ['ada', 'bob'].map((owner) =>
        ask('POST', '/v1/secret/metadata/app', { metadata_cas: 0, custom_metadata: { owner } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400])
  })
  it('is required where the secret or the mount says so', async () => {
    const { ask } = await client()
    const merge = { 'content-type': 'application/merge-patch+json' }
    await ask('POST', '/v1/secret/metadata/app', { metadata_cas_required: true })
    expect((await ask('POST', '/v1/secret/metadata/app', { max_versions: 3 })).status).toBe(400)
    const patch = { max_versions: 3, metadata_cas: 1 }
    expect((await ask('PATCH', '/v1/secret/metadata/app', patch, merge)).status).toBe(204)
    await ask('POST', '/v1/secret/config', { metadata_cas_required: true })
    expect((await ask('POST', '/v1/secret/metadata/new', { max_versions: 3 })).status).toBe(400)
    const first = { max_versions: 3, metadata_cas: 0 }
    expect((await ask('POST', '/v1/secret/metadata/new', first)).status).toBe(204)
  })
})
