import { describe, expect, it } from 'vitest'
import { asking, type Client, client } from './client.ts'

/** Asks as the holder of a token whose only policy says this. */
async function holderOf({ ask, service }: Client, policy: string) {
  await ask('PUT', '/v1/sys/policies/acl/holder', { policy })
  const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['holder'] })
  return asking(service, body.auth.client_token)
}

const all = '["create", "read", "update", "delete"]'

describe('a refusal holds for every spelling', () => {
  const guard = (folder: string, name: string) =>
    `path "${folder}/*" { capabilities = ${all} }\npath "${folder}/${name}" { capabilities = ["deny"] }`
  it.each([
    ['sys/policies/acl', 'admin', ['ADMIN', 'Admin', '%20admin', 'admin%20']],
    ['sys/policy', 'admin', ['ADMIN', '%20admin']],
    ['sys/mounts', 'keep', ['keep/']],
    ['auth/idp/groups', 'dev', ['DEV', '%20Dev']],
  ])('%s/%s', async (folder, name, spellings) => {
    const made = await client()
    const { ask } = made
    await ask('PUT', '/v1/sys/policies/acl/admin', { policy: 'path "x" { capabilities = ["read"] }' })
    await ask('POST', '/v1/sys/mounts/keep', { type: 'kv' })
    await ask('POST', '/v1/auth/idp/groups/dev', { policies: 'one' })
    const read = async () => (await ask('GET', `/v1/${folder}/${name}`)).body.data
    const before = await read()
    const held = await holderOf(made, guard(folder, name))
    for (const spelling of [name, ...spellings]) {
      const path = `/v1/${folder}/${spelling}`
      expect([spelling, (await held('GET', path)).status]).toEqual([spelling, 403])
      expect([spelling, (await held('DELETE', path)).status]).toEqual([spelling, 403])
      if (!spelling.endsWith('/'))
        expect((await held('POST', path, { policy: '', policies: 'all', type: 'kv' })).status).toBe(403)
    }
    expect(await read()).toEqual(before)
    // What is spelled as it is kept stays as it was.
    expect((await held('GET', `/v1/${folder}/other`)).status).not.toBe(403)
  })

  it('headers of the user interface, which count without case', async () => {
    const made = await client()
    const path = '/v1/sys/config/ui/headers'
    await made.ask('POST', `${path}/x-color`, { values: ['blue'] })
    const held = await holderOf(
      made,
      `path "sys/config/ui/headers/*" { capabilities = ["create", "read", "update", "delete", "sudo"] }
       path "sys/config/ui/headers/X-Color" { capabilities = ["deny"] }`,
    )
    for (const name of ['X-Color', 'x-color', 'X-COLOR']) {
      expect((await held('POST', `${path}/${name}`, { values: ['red'] })).status).toBe(403)
      expect((await held('DELETE', `${path}/${name}`)).status).toBe(403)
      expect((await made.ask('GET', `${path}/${name}`)).body.data).toEqual({ value: 'blue' })
    }
    expect((await held('POST', `${path}/x-shape`, { values: ['round'] })).status).toBe(204)
    expect((await made.ask('LIST', path)).body.data.keys).toEqual(['X-Color', 'X-Shape'])
  })

  it('lists that take sudo, with their slash or without', async () => {
    const made = await client()
    const folders = ['sys/leases/lookup', 'sys/leases/lookup/auth', 'auth/token/accessors']
    const rights = (names: string) => folders.map((path) => `path "${path}/" { capabilities = [${names}] }`)
    const held = await holderOf(made, rights('"list"').join('\n'))
    const lists = () =>
      Promise.all(folders.flatMap((path) => [held('LIST', `/v1/${path}`), held('LIST', `/v1/${path}/`)]))
    expect((await lists()).map(({ status }) => status)).toEqual(Array(6).fill(403))
    await made.ask('PUT', '/v1/sys/policies/acl/holder', { policy: rights('"list", "sudo"').join('\n') })
    expect((await lists()).map(({ status }) => status)).toEqual(Array(6).fill(200))
  })

  it('the older list of policies, which is also read', async () => {
    const made = await client()
    const held = await holderOf(
      made,
      'path "sys/*" { capabilities = ["read", "list"] }\npath "sys/policy" { capabilities = ["deny"] }',
    )
    for (const [method, path] of [
      ['GET', 'sys/policy'],
      ['LIST', 'sys/policy'],
      ['LIST', 'sys/policy/'],
    ] as const)
      expect((await held(method, `/v1/${path}`)).status).toBe(403)
    expect((await held('GET', '/v1/sys/policy/')).status).toBe(404)
    expect((await made.ask('GET', '/v1/sys/policy')).body.policies).toContain('holder')
  })

  it('a rule for the spelling that was sent comes first', async () => {
    const made = await client()
    const held = await holderOf(
      made,
      `path "sys/policies/acl/Default" { capabilities = ["read"] }\npath "sys/policies/acl/*" { capabilities = ["deny"] }`,
    )
    expect((await held('GET', '/v1/sys/policies/acl/Default')).status).toBe(200)
    expect((await held('GET', '/v1/sys/policies/acl/DEFAULT')).status).toBe(403)
  })
})

describe('auth methods', () => {
  it('do not come and go by sys/mounts, which takes no sudo', async () => {
    const made = await client()
    const held = await holderOf(made, `path "sys/mounts/*" { capabilities = ${all} }`)
    for (const path of ['auth/idp', 'auth/mine'])
      for (const [method, body] of [['POST', { type: 'idp' }], ['DELETE']] as const)
        expect((await held(method, `/v1/sys/mounts/${path}`, body)).status).toBe(403)
    expect(Object.keys((await made.ask('GET', '/v1/sys/auth')).body.data)).toEqual(['idp/', 'token/'])
  })
})

describe('a body that comes late', () => {
  /** Sends a request whose body ends when it is told to. */
  const sendingSlowly = ({ service }: Client, token: string, path: string) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const answer = service.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'X-Secrets-Token': token },
        body: readable,
        duplex: 'half',
      } as RequestInit),
    )
    return async (text: string) => {
      const writer = writable.getWriter()
      await writer.write(new TextEncoder().encode(text))
      await writer.close()
      return (await answer).status
    }
  }
  const setup = async (token: object = {}) => {
    const made = await client()
    await made.ask('PUT', '/v1/sys/policies/acl/app', {
      policy: `path "secret/*" { capabilities = ${all} }`,
    })
    const given = { policies: ['app'], id: 'late', ...token }
    expect((await made.ask('POST', '/v1/auth/token/create', given)).status).toBe(200)
    const send = sendingSlowly(made, 'late', '/v1/secret/data/app')
    await made.clock.advance(60_000)
    const written = async () => (await made.ask('GET', '/v1/secret/data/app')).status === 200
    return { ...made, finish: () => send('{"data":{"a":1}}'), written }
  }

  it('is accepted from clients that still send it', async () => {
    const { finish, written } = await setup()
    expect([await finish(), await written()]).toEqual([200, true])
  })

  it('is taken in the last request of a token', async () => {
    const { finish, written, ask } = await setup({ num_uses: 1 })
    expect([await finish(), await written()]).toEqual([200, true])
    expect((await ask('POST', '/v1/auth/token/lookup', { token: 'late' })).status).toBe(403)
  })

  it.each([
    ['revoked', (ask: Client['ask']) => ask('POST', '/v1/auth/token/revoke', { token: 'late' })],
    [
      'revoked and created again with the same text',
      async (ask: Client['ask']) => {
        await ask('POST', '/v1/auth/token/revoke', { token: 'late' })
        await ask('POST', '/v1/auth/token/create', { policies: ['app'], id: 'late' })
      },
    ],
    ['without its policy', (ask: Client['ask']) => ask('DELETE', '/v1/sys/policies/acl/app')],
  ])('is refused from a token that is %s by then', async (_, change) => {
    const { ask, finish, written } = await setup()
    await change(ask)
    expect([await finish(), await written()]).toEqual([403, false])
  })

  it('is refused from a token that has expired by then', async () => {
    const { finish, written } = await setup({ ttl: '30s' })
    expect([await finish(), await written()]).toEqual([403, false])
  })
})
