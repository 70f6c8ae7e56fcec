import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { locate, nameProblem } from '../../../src/secrets/namespaces/rules.ts'
import { asking, client, patchType } from '../service/client.ts'

const at = (namespace: string) => ({ 'X-Secrets-Namespace': namespace })
const setup = async () => {
  const made = await client()
  await made.ask('POST', '/v1/sys/namespaces/team')
  await made.ask('POST', '/v1/sys/namespaces/a', undefined, at('team'))
  await made.ask('POST', '/v1/sys/namespaces/other')
  for (const namespace of ['team/', 'team/a/', 'other/'])
    await made.ask('POST', `/v1/${namespace}sys/mounts/kv`, { type: 'kv' })
  return made
}

describe('where a request leads', () => {
  const namespaces = { 'team/': {}, 'team/a/': {}, 'other/': {} }
  it.each([
    ['', 'secret/x', { namespace: '', path: 'secret/x' }],
    ['', 'team/secret/x', { namespace: 'team/', path: 'secret/x' }],
    ['', 'team/a/secret/x', { namespace: 'team/a/', path: 'secret/x' }],
    ['/team//a/', 'secret/x', { namespace: 'team/a/', path: 'secret/x' }],
    ['team', 'b/x', { namespace: 'team/', path: 'b/x' }],
    ['root', 'team', { namespace: '', path: 'team' }],
    ['nowhere', 'x', undefined],
    ['a', 'x', undefined],
    ['__proto__', 'x', undefined],
  ])('with header %j and path %j', (header, path, expected) => {
    expect(locate(header, path, namespaces)).toEqual(expected)
  })
  it('is the same for every split', () => {
    const whole = ['team', 'a', 'kv', 'x']
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 }), (cut) => {
        expect(locate(whole.slice(0, cut).join('/'), whole.slice(cut).join('/'), namespaces)).toEqual({
          namespace: 'team/a/',
          path: 'kv/x',
        })
      }),
    )
  })
  it.each(['', 'sys', 'root', '..', 'a b', 'a/b', 'a*', '+', 'x'.repeat(129)])(
    'cannot be called %j',
    (name) => {
      expect(nameProblem(name)).toBeDefined()
    },
  )
})

describe('namespaces', () => {
  it('never hide a mount, nor does a mount go where a namespace is', async () => {
    const { ask } = await setup()
    await ask('POST', '/v1/sys/mounts/deep/er', { type: 'kv' })
    for (const [name, taken] of [
      ['secret', 'secret/'],
      ['deep', 'deep/er/'],
    ])
      expect((await ask('POST', `/v1/sys/namespaces/${name}`)).body.errors).toEqual([
        `path is already in use at ${taken}`,
      ])
    const taken = { status: 400, body: { errors: ['path is already in use at team/'] } }
    expect(await ask('POST', '/v1/sys/mounts/team', { type: 'kv' })).toMatchObject(taken)
    expect(await ask('POST', '/v1/sys/mounts/team/x', { type: 'kv' })).toMatchObject(taken)
    expect(await ask('POST', '/v1/sys/remount', { from: 'secret', to: 'team/x' })).toMatchObject(taken)
    expect((await ask('POST', '/v1/sys/mounts/teams', { type: 'kv' })).status).toBe(204)
  })

  it('are created, listed, read and deleted', async () => {
    const { ask } = await setup()
    expect((await ask('LIST', '/v1/sys/namespaces')).body.data.keys).toEqual(['other/', 'team/'])
    expect((await ask('LIST', '/v1/team/sys/namespaces')).body.data.keys).toEqual(['a/'])
    expect((await ask('GET', '/v1/sys/namespaces/team')).body.data).toMatchObject({ path: 'team/' })
    expect((await ask('DELETE', '/v1/sys/namespaces/team')).body.errors[0]).toMatch(/contains "team\/a\/"/)
    expect((await ask('DELETE', '/v1/sys/namespaces/other')).status).toBe(204)
    expect((await ask('GET', '/v1/sys/namespaces/other')).status).toBe(404)
    expect((await ask('GET', '/v1/kv/x', undefined, at('other'))).body.errors).toEqual([
      'namespace not found',
    ])
  })
  it('have notes, which a merge patch changes', async () => {
    const { ask } = await setup()
    const patch = (body: object, headers = patchType) =>
      ask('PATCH', '/v1/sys/namespaces/team', body, headers)
    await patch({ custom_metadata: { owner: 'ada', old: 1 } })
    const patched = await patch({ custom_metadata: { old: null, ['__proto__']: 'note' } })
    expect(patched.body.data).toMatchObject({ path: 'team/' })
    expect(Object.entries(patched.body.data.custom_metadata)).toEqual([
      ['owner', 'ada'],
      ['__proto__', 'note'],
    ])
    expect((await patch({}, { 'content-type': 'application/json' })).status).toBe(415)
    expect((await ask('PATCH', '/v1/sys/namespaces/nowhere', {}, patchType)).status).toBe(404)
    expect((await patch({ custom_metadata: null })).body.data.custom_metadata).toEqual({})
  })
  it('refuse names that mean something else', async () => {
    const { ask } = await setup()
    for (const name of ['sys', 'root', 'a+b', 'x/y'])
      expect((await ask('POST', `/v1/sys/namespaces/${name}`)).status).toBe(400)
  })
  it('keep secrets apart, with the namespace in the header or in the path', async () => {
    const { ask } = await setup()
    await ask('POST', '/v1/kv/x', { who: 'a' }, at('team/a'))
    const reads = await Promise.all([
      ask('GET', '/v1/team/a/kv/x'),
      ask('GET', '/v1/a/kv/x', undefined, at('team')),
      ask('GET', '/v1/kv/x', undefined, at('/team/a/')),
    ])
    expect(reads.map(({ body }) => body.data)).toEqual([{ who: 'a' }, { who: 'a' }, { who: 'a' }])
    expect((await ask('GET', '/v1/kv/x', undefined, at('team'))).status).toBe(404)
    expect((await ask('GET', '/v1/kv/x', undefined, at('other'))).status).toBe(404)
  })
  it('are said again in the answer', async () => {
    const { ask } = await setup()
    const answer = await ask('GET', '/v1/sys/mounts', undefined, at('team'))
    expect(answer.headers.get('x-secrets-namespace')).toBe('team')
  })
  it('take an empty header for the root', async () => {
    const { ask } = await setup()
    expect((await ask('GET', '/v1/sys/mounts', undefined, at(''))).status).toBe(200)
  })
  it('have no say about the server', async () => {
    const { ask } = await setup()
    const answer = await ask('GET', '/v1/sys/health', undefined, at('team'))
    expect([answer.status, answer.body.errors]).toEqual([400, ['operation unavailable in namespaces']])
  })
  it('bind the tokens made in them: not to parents, not to siblings', async () => {
    const { ask, service } = await setup()
    const rules = 'path "kv/*" { capabilities = ["create", "read", "update"] }'
    await ask('PUT', '/v1/sys/policies/acl/app', { policy: rules }, at('team'))
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['app'] }, at('team'))
    const app = asking(service, made.body.auth.client_token)
    expect((await app('POST', '/v1/kv/x', { a: 1 }, at('team'))).status).toBe(204)
    expect((await app('POST', '/v1/team/kv/x', { a: 1 })).status).toBe(204)
    expect((await app('POST', '/v1/kv/x', { a: 1 }, at('other'))).status).toBe(403)
    expect((await app('POST', '/v1/secret/data/x', { data: {} })).status).toBe(403)
    expect((await app('POST', '/v1/kv/x', { a: 1 }, at('team/a'))).status).toBe(403)
    expect(
      (await app('GET', '/v1/auth/token/lookup-self', undefined, at('team'))).body.data.namespace_path,
    ).toBe('team/')
  })
  it('let a parent’s policy reach what it names below', async () => {
    const { ask, service } = await setup()
    await ask('PUT', '/v1/sys/policies/acl/down', {
      policy: 'path "team/a/kv/*" { capabilities = ["create", "update"] }',
    })
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['down'] })
    const down = asking(service, made.body.auth.client_token)
    expect((await down('POST', '/v1/kv/x', { a: 1 }, at('team/a'))).status).toBe(204)
    expect((await down('POST', '/v1/kv/x', { a: 1 }, at('team'))).status).toBe(403)
  })
  it('take their tokens with them', async () => {
    const { ask, service } = await setup()
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['root'] }, at('other'))
    const own = asking(service, made.body.auth.client_token)
    expect((await own('GET', '/v1/sys/mounts', undefined, at('other'))).status).toBe(200)
    expect((await own('GET', '/v1/sys/mounts')).status).toBe(403)
    await ask('DELETE', '/v1/sys/namespaces/other')
    await ask('POST', '/v1/sys/namespaces/other')
    expect((await own('GET', '/v1/sys/mounts', undefined, at('other'))).status).toBe(403)
    expect((await ask('GET', '/v1/kv/x', undefined, at('other'))).body.errors[0]).toMatch(
      /no handler for route/,
    )
  })
  it('do not know the tokens of an earlier one of their name, batch tokens included', async () => {
    const { ask, service } = await setup()
    const rules = 'path "kv/*" { capabilities = ["create", "read", "update"] }'
    const furnish = async () => {
      await ask('PUT', '/v1/sys/policies/acl/app', { policy: rules }, at('other'))
      await ask('POST', '/v1/sys/mounts/kv', { type: 'kv' }, at('other'))
    }
    await furnish()
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['app'], type: 'batch' }, at('other'))
    const batch = asking(service, made.body.auth.client_token)
    expect((await batch('POST', '/v1/kv/x', { a: 1 }, at('other'))).status).toBe(204)
    await ask('DELETE', '/v1/sys/namespaces/other')
    await ask('POST', '/v1/sys/namespaces/other')
    await furnish()
    expect((await batch('POST', '/v1/kv/x', { a: 1 }, at('other'))).status).toBe(403)
  })
  it('do not lend their policies to those of the same name below', async () => {
    const { ask, service } = await setup()
    const rules = 'path "team/auth/token/create" { capabilities = ["create", "update"] }'
    await ask('PUT', '/v1/sys/policies/acl/app', { policy: rules })
    await ask(
      'PUT',
      '/v1/sys/policies/acl/app',
      { policy: 'path "*" { capabilities = ["read"] }' },
      at('team'),
    )
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['app'] })
    const app = asking(service, made.body.auth.client_token)
    const refused = await app('POST', '/v1/auth/token/create', { policies: ['app'] }, at('team'))
    expect([refused.status, refused.body.errors]).toEqual([400, ['child policies must be subset of parent']])
    const child = await app('POST', '/v1/auth/token/create', {}, at('team'))
    expect(child.body.auth.policies).toEqual(['default'])
  })
  it('do not end or show tokens of others by their accessors', async () => {
    const { ask, service } = await setup()
    const root = await ask('POST', '/v1/auth/token/create', { policies: ['root'] }, at('team'))
    const team = asking(service, root.body.auth.client_token)
    const { accessor } = (await ask('POST', '/v1/auth/token/create', {})).body.auth
    for (const [path, status] of [
      ['lookup-accessor', 400],
      ['revoke-accessor', 200],
      ['renew-accessor', 400],
    ])
      expect((await team('POST', `/v1/auth/token/${path}`, { accessor }, at('team'))).status).toBe(status)
    expect((await ask('POST', '/v1/auth/token/lookup-accessor', { accessor })).status).toBe(200)
    const below = await ask('POST', '/v1/auth/token/create', { policies: ['default'] }, at('team/a'))
    const found = await team(
      'POST',
      '/v1/auth/token/lookup-accessor',
      { accessor: below.body.auth.accessor },
      at('team'),
    )
    expect(found.status).toBe(200)
  })
})
