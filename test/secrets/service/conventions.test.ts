import { describe, expect, it } from 'vitest'
import { needsSudo } from '../../../src/secrets/acl/index.ts'
import { createSecrets, devSecrets } from '../../../src/secrets/index.ts'
import { memoryStore, type Store } from '../../../src/store/index.ts'
import { asking, client } from './client.ts'

describe('permissions', () => {
  it('takes the token from its own header, from an alias, or from Authorization', async () => {
    const { service } = await client({ words: ['Acme'] })
    const ask = asking(service, undefined)
    for (const headers of [
      { 'X-Secrets-Token': 'root' },
      { 'X-Vault-Token': 'root' },
      { 'X-Acme-Token': 'root' },
      { authorization: 'Bearer root' },
      { 'X-Secrets-Token': 'root', authorization: 'Bearer wrong' },
    ])
      expect((await ask('GET', '/v1/sys/mounts', undefined, headers)).status).toBe(200)
  })

  it.each([
    [{}],
    [{ 'X-Secrets-Token': 'wrong' }],
    [{ 'X-Secrets-Token': '' }],
    [{ authorization: 'Basic root' }],
    [{ authorization: 'bearer root' }],
    [{ 'X-CSRF-Token': 'root' }],
    [{ 'X-Secrets-Token': 'b.00' }],
    [{ 'X-Secrets-Token': 'wrong', authorization: 'Bearer root' }],
  ])('refuses %j with 403, whether anything is there or not', async (headers) => {
    const { service } = await client()
    const ask = asking(service, undefined)
    for (const path of ['/v1/sys/mounts', '/v1/secret/data/x', '/v1/nowhere/x', '/v1/sys/nothing'])
      expect(await ask('GET', path, undefined, headers)).toMatchObject({
        status: 403,
        body: { errors: ['permission denied'] },
      })
  })

  it('names the header by which a refused client means another product', async () => {
    const { service } = await client()
    const { body } = await asking(service, undefined)('GET', '/v1/sys/mounts', undefined, {
      'X-Acme-Token': 'root',
    })
    expect(body).toEqual({
      errors: [
        'permission denied; the header x-acme-token is not read here: send X-Secrets-Token or X-Vault-Token, or create the service with words: ["acme"]',
      ],
    })
  })

  it('refuses writes to a folder with a clear message, whether it exists or not', async () => {
    const { service } = await client()
    const ask = asking(service, undefined)
    for (const method of ['POST', 'PATCH'])
      for (const path of ['secret/data/', 'nowhere/x/', 'sys/mounts/x/', 'auth/nowhere/login/'])
        expect(await ask(method, `/v1/${path}`)).toMatchObject({
          status: 400,
          body: { errors: ["cannot write to a path ending in '/'"] },
        })
  })

  it('hides from a token without the right whether there is anything', async () => {
    const { service } = await client()
    const made = await service.tokens.create({ policies: ['default'] })
    const ask = asking(service, made.ok ? made.value.token : '')
    for (const path of ['/v1/secret/data/x', '/v1/nowhere/x', '/v1/sys/nothing'])
      expect((await ask('GET', path)).status).toBe(403)
    expect((await ask('DELETE', '/v1/auth/token/lookup-self')).status).toBe(403)
  })

  it('tells creating from updating where the engine can tell', async () => {
    const { service, ask } = await client()
    await service.policies.write(
      'maker',
      'path "secret/data/*" { capabilities = ["create"] }\npath "plain/*" { capabilities = ["create"] }',
    )
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    const made = await service.tokens.create({ policies: ['maker'] })
    const as = asking(service, made.ok ? made.value.token : '')
    for (const [path, body] of [
      ['/v1/secret/data/x', { data: {} }],
      ['/v1/plain/x', { a: 1 }],
    ] as const) {
      expect((await as('POST', path, body)).status).toBeLessThan(300)
      expect((await as('POST', path, body)).status).toBe(403)
    }
  })

  it('judges parameters before anything is written', async () => {
    const { service } = await client()
    await service.mounts.enable({ path: 'plain', type: 'kv' })
    await service.policies.write(
      'narrow',
      'path "plain/*" { capabilities = ["create", "update", "read"]\n' +
        '  allowed_parameters = { "colour" = ["red", "blue"], "size" = [] }\n  required_parameters = ["colour"] }',
    )
    const made = await service.tokens.create({ policies: ['narrow'] })
    const as = asking(service, made.ok ? made.value.token : '')
    expect((await as('POST', '/v1/plain/x', { colour: 'red', size: 3 })).status).toBe(204)
    const refused = [{ colour: 'green' }, { size: 3 }, { colour: 'red', more: 1 }, undefined]
    for (const body of [...refused, { colour: 'green', COLOUR: 'red' }, { COLOUR: 'red', colour: 'green' }])
      expect((await as('POST', '/v1/plain/y', body)).status).toBe(403)
    expect((await service.kv1('plain').read('y')).ok && (await service.kv1('plain').list())).toMatchObject({
      value: ['x'],
    })
  })

  it('checks parameters in the body of a write and in the query of a read, and ignores the other', async () => {
    const { service } = await client()
    await service.kv().write('x', {})
    await service.policies.write(
      'narrow',
      `path "auth/token/create" { capabilities = ["update"]
         required_parameters = ["ttl"]
         allowed_parameters = { "ttl" = ["1h"] } }
       path "secret/data/x" { capabilities = ["read"]
         denied_parameters = { "version" = [] } }`,
    )
    const made = await service.tokens.create({ policies: ['narrow'] })
    const as = asking(service, made.ok ? made.value.token : '')
    const create = '/v1/auth/token/create'
    expect((await as('POST', create, { ttl: '1h' })).body.auth.lease_duration).toBe(3600)
    for (const body of [undefined, {}, { ttl: '2h' }])
      expect((await as('POST', `${create}?ttl=1h`, body)).status).toBe(403)
    expect((await as('POST', `${create}?ttl=2h`, { ttl: '1h' })).status).toBe(200)
    expect((await as('GET', '/v1/secret/data/x')).status).toBe(200)
    expect((await as('GET', '/v1/secret/data/x?version=1')).status).toBe(403)
  })

  it('says of every route whether it takes sudo, as it is asked for', async () => {
    await using service = createSecrets()
    for (const { id, methods, path, access = '' } of service.routes) {
      const within = path.slice('/v1/'.length).replace(/[:*][^/]+/g, 'x')
      const sudo = needsSudo(within, methods.includes('LIST') ? 'list' : undefined)
      expect([id, sudo]).toEqual([id, access.includes('sudo')])
    }
  })

  it('needs sudo for the paths that do', async () => {
    const { service } = await client()
    await service.policies.write('seal', 'path "sys/seal" { capabilities = ["update"] }')
    await service.policies.write('sealer', 'path "sys/seal" { capabilities = ["update", "sudo"] }')
    const as = async (policy: string) => {
      const made = await service.tokens.create({ policies: [policy] })
      return asking(service, made.ok ? made.value.token : '')
    }
    expect((await (await as('seal'))('PUT', '/v1/sys/seal')).status).toBe(403)
    expect((await (await as('sealer'))('PUT', '/v1/sys/seal')).status).toBe(204)
  })

  it('ties a token to its networks', async () => {
    const { service, ask } = await client()
    await ask('POST', '/v1/auth/token/roles/office', { token_bound_cidrs: '10.0.0.0/8' })
    const made = await ask('POST', '/v1/auth/token/create/office', { policies: ['default'] })
    const from = async (address: string | undefined) => {
      const request = new Request('http://localhost/v1/auth/token/lookup-self', {
        headers: { 'X-Secrets-Token': made.body.auth.client_token },
      })
      const peer = address === undefined ? undefined : { address }
      return (await service.fetch(request, { peer })).status
    }
    expect(await from('10.1.2.3')).toBe(200)
    expect(await from('192.168.1.1')).toBe(403)
    expect(await from(undefined)).toBe(403)
  })
})

describe('paths and verbs', () => {
  it.each([
    ['GET', '/v1/nowhere/x', 404, 'no handler for route "nowhere/x". route entry not found.'],
    ['GET', '/v1/sys/nothing', 404, '1 error occurred:\n\t* unsupported path\n\n'],
    ['DELETE', '/v1/sys/health', 405, '1 error occurred:\n\t* unsupported operation\n\n'],
    ['POST', '/v1/sys/mounts', 405, '1 error occurred:\n\t* unsupported operation\n\n'],
    ['GET', '/v1/auth/idp/login/ada', 405, 'unsupported operation'],
    ['POST', '/v1/auth/idp/verify/abc', 405, 'unsupported operation'],
    ['GET', '/v1/secret/data/a/', 400, "a path ending in '/' names a folder, which can only be listed"],
    ['GET', '/v1/sys/policies/acl/app.', 404, '1 error occurred:\n\t* unsupported path\n\n'],
    ['GET', '/v1/auth/token/roles/x.', 404, '1 error occurred:\n\t* unsupported path\n\n'],
    ['POST', '/v1/sys/mounts/x/', 400, "cannot write to a path ending in '/'"],
    ['GET', '/v1/secret/data/a%2F..%2Fb', 400, 'relative paths not supported'],
  ])('%s %s is %d', async (method, path, status, message) => {
    const { ask } = await client()
    expect(await ask(method, path)).toMatchObject({ status, body: { errors: [message] } })
  })

  it('needs no token to hear that a path without tokens has another verb', async () => {
    const { service } = await client()
    expect((await asking(service, undefined)('GET', '/v1/auth/idp/login/ada')).status).toBe(405)
    expect((await asking(service, undefined)('GET', '/v1/auth/idp/users/ada')).status).toBe(403)
  })

  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/v1', 404],
    ['GET', '/v2/secret/data/x', 404],
    ['SCAN', '/v1/secret/metadata', 404],
    ['GET', '/v1/secret/metadata?list=perhaps', 400],
  ])('%s %s is %d without a word', async (method, path, status) => {
    const { ask } = await client()
    expect(await ask(method, path)).toMatchObject({ status, body: { errors: [] } })
  })

  it('says which methods a path has', async () => {
    const { ask } = await client()
    expect((await ask('OPTIONS', '/v1/secret/data/x')).headers.get('allow')).toBe(
      'DELETE, GET, HEAD, PATCH, POST, OPTIONS',
    )
    await ask('POST', '/v1/sys/namespaces/team')
    await ask('POST', '/v1/team/sys/mounts/kv', { type: 'kv' })
    const team = { 'X-Secrets-Namespace': 'team' }
    expect((await ask('OPTIONS', '/v1/kv/x', undefined, team)).status).toBe(204)
    expect((await ask('OPTIONS', '/v1/secret/data/x', undefined, team)).status).toBe(404)
  })

  it('does not reveal to unauthenticated callers which methods a path has, and so what exists', async () => {
    const { service } = await client()
    for (const token of [undefined, 'wrong'])
      for (const path of ['secret/data/x', 'nowhere/x', 'sys/mounts', 'auth/idp/config'])
        expect(await asking(service, token)('OPTIONS', `/v1/${path}`)).toMatchObject({
          status: 403,
          body: { errors: ['permission denied'] },
        })
    const health = await asking(service, undefined)('OPTIONS', '/v1/sys/health')
    expect([health.status, health.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  it('lists a folder whether its slash is written or not, and knows no other verb there', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/namespaces/team')
    await ask('POST', '/v1/auth/idp/users/ada', {})
    await ask('POST', '/v1/auth/idp/groups/dev', {})
    await ask('POST', '/v1/auth/token/roles/app', {})
    await ask('POST', '/v1/auth/token/create', { policies: ['default'] })
    await ask('POST', '/v1/sys/config/ui/headers/x-color', { values: ['blue'] })
    await ask('POST', '/v1/secret/data/a/b', { data: {} })
    for (const folder of [
      'sys/namespaces',
      'sys/policies/acl',
      'sys/policy',
      'sys/config/ui/headers',
      'sys/leases/lookup',
      'sys/leases/lookup/auth/token',
      'auth/token/roles',
      'auth/token/accessors',
      'auth/idp/users',
      'auth/idp/groups',
      'secret/metadata',
      'secret/metadata/a',
    ]) {
      const [slashed, bare] = [await ask('LIST', `/v1/${folder}/`), await ask('LIST', `/v1/${folder}`)]
      expect([folder, slashed.status, slashed.body.data]).toEqual([folder, 200, bare.body.data])
      expect((await ask('OPTIONS', `/v1/${folder}/`)).headers.get('allow')).toContain('LIST')
    }
    expect(await ask('GET', '/v1/auth/token/roles/')).toMatchObject({ status: 405 })
    expect((await ask('LIST', '/v1/secret/metadata//')).status).toBe(301)
  })

  it('answers HEAD like GET, without the body', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: {} })
    const head = await ask('HEAD', '/v1/secret/data/x')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers.get('content-type')).toBe('application/json')
  })

  it('leads from / to the user interface', async () => {
    const { service } = await client()
    const response = await service.fetch(new Request('http://localhost/'))
    expect(response.status).toBe(307)
    expect(response.headers.get('location')).toBe('/ui/')
  })

  it('takes a form where a body is JSON otherwise, and JSON that a client calls a form', async () => {
    const { ask } = await client()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    await ask('POST', '/v1/sys/mounts/plain', 'type=kv&description=of+a+form', form)
    expect((await ask('GET', '/v1/sys/mounts/plain')).body.data.description).toBe('of a form')
    await ask('PUT', '/v1/plain/a', 'user=ada&role=x&role=y&__proto__=z', form)
    expect((await ask('GET', '/v1/plain/a')).text).toContain(
      '"data":{"user":"ada","role":["x","y"],"__proto__":"z"}',
    )
    expect((await ask('PUT', '/v1/plain/a', '{"user":"eve"}', form)).status).toBe(204)
    expect((await ask('PUT', '/v1/plain/a', '{"user=', form)).status).toBe(400)
    expect((await ask('PUT', '/v1/plain/a', 'user=ada')).status).toBe(400)
    expect((await ask('GET', '/v1/plain/a')).body.data).toEqual({ user: 'eve' })
  })

  it('refuses bodies that are too large', async () => {
    const { ask } = await client({ maxBodyBytes: 1000 })
    const answer = await ask('POST', '/v1/secret/data/x', { data: { a: 'x'.repeat(1000) } })
    expect(answer.status).toBe(413)
    expect(answer.body.errors[0]).toContain('http: request body too large')
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(404)
  })

  it('refuses bodies with absurdly many values, and takes a string full of brackets', async () => {
    const { ask } = await client()
    const many = await ask('POST', '/v1/secret/data/x', `{"data":{"a":[${'{},'.repeat(30_000)}3]}}`)
    expect([many.status, many.body.errors[0]]).toEqual([
      413,
      expect.stringContaining('more than 30000 values'),
    ])
    const data = { a: ',[{"\\'.repeat(100_000) }
    expect((await ask('POST', '/v1/secret/data/x', { data })).status).toBe(200)
    expect((await ask('GET', '/v1/secret/data/x')).body.data.data).toEqual(data)
  })

  it('refuses secrets, metadata and lists whose reading or writing would hold the process', async () => {
    const { ask, service } = await client()
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [at, '']))
    const [most, tooMany] = [members(10_000), members(10_001)]
    const listed = Array.from({ length: 10_001 }, () => 'web')
    for (const [method, path, body] of [
      ['POST', 'secret/data/x', { data: tooMany }],
      ['POST', 'secret/metadata/x', { custom_metadata: tooMany }],
      ['POST', 'auth/token/create', { meta: tooMany }],
      ['POST', 'auth/token/create', { policies: listed }],
      ['POST', 'cubbyhole/x', tooMany],
    ] as const) {
      const { status, body: said } = await ask(method, `/v1/${path}`, body)
      expect([path, status, said.errors[0]]).toEqual([
        path,
        413,
        expect.stringContaining('more than 10000 in one object or list'),
      ])
    }
    expect((await ask('POST', '/v1/secret/data/x', { data: most })).status).toBe(200)
    expect((await ask('GET', '/v1/secret/subkeys/x')).body.data.subkeys).toMatchObject({ 9999: null })
    // A patch must not make a secret that could not be written, and neither must a method.
    const patch = { 'content-type': 'application/merge-patch+json' }
    expect((await ask('PATCH', '/v1/secret/data/x', { data: { more: 1 } }, patch)).status).toBe(413)
    expect(await service.kv().write('x', tooMany)).toMatchObject({
      refusal: { code: 'secret_too_large' },
    })
  })

  it('takes a form with very many names, and refuses one with absurdly many', async () => {
    const { ask } = await client()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}=${at}`).join('&')
    expect((await ask('PUT', '/v1/cubbyhole/x', names(9_000), form)).status).toBe(204)
    expect((await ask('GET', '/v1/cubbyhole/x')).body.data).toMatchObject({ n0: '0', n8999: '8999' })
    expect((await ask('PUT', '/v1/cubbyhole/x', 'n=&'.repeat(10_001), form)).status).toBe(413)
  })

  it('takes at most 64 KiB from unauthenticated callers, even when the limit for others is higher', async () => {
    const { service, ask } = await client({ maxBodyBytes: 100_000 })
    const stranger = asking(service, undefined)
    const long = { key: 'x'.repeat(64 * 1024), password: 'x', token: 'x' }
    for (const path of ['auth/idp/login/ada', 'sys/unseal', 'sys/init', 'sys/wrapping/unwrap'])
      expect((await stranger('POST', `/v1/${path}`, long)).status).toBe(413)
    expect((await ask('POST', '/v1/secret/data/x', { data: long })).status).toBe(200)
    expect((await ask('POST', '/v1/secret/data/x', { data: { long, more: long } })).status).toBe(413)
  })

  it('takes what fits 32 MiB, in both engines, and refuses what does not', async () => {
    const { service, ask } = await client()
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    const value = `${'é😀'.repeat(5 * 1024 * 1024)}`
    for (const [path, body] of [
      ['/v1/secret/data/x', { data: { a: value } }],
      ['/v1/plain/x', { a: value }],
    ] as const) {
      expect((await ask('POST', path, body)).status).toBeLessThan(300)
      const read = (await ask('GET', path)).body.data
      expect((read.data ?? read).a === value).toBe(true)
      expect((await ask('POST', path, `{"data":{"a":"${'x'.repeat(33 * 1024 * 1024)}"}}`)).status).toBe(413)
    }
    await ask('POST', '/v1/sys/mounts/plain/tune', { options: { version: '2' } })
    expect((await ask('GET', '/v1/plain/data/x')).body.data.data.a === value).toBe(true)
    await ask('POST', '/v1/secret/destroy/x', { versions: [1] })
    await ask('DELETE', '/v1/plain/metadata/x')
    expect(await service.sweep()).toBeGreaterThan(2)
  })

  it('does not fail because a listener does', async () => {
    const { service, errors, ask } = await client({
      onEvent: () => {
        throw new Error('a listener that fails')
      },
    })
    expect((await ask('POST', '/v1/secret/data/x', { data: {} })).status).toBe(200)
    expect(errors.length).toBeGreaterThan(0)
    await service.close()
  })
})

describe('plain key/value mounts', () => {
  it('store the whole body, replace it, and know how long it may be kept', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv', options: { version: '1' } })
    const body = '{"password":"x","n":12345678901234567890,"ttl":"30m"}'
    expect((await ask('PUT', '/v1/plain/a/b', body)).status).toBe(204)
    const read = await ask('GET', '/v1/plain/a/b')
    expect(read.text).toContain(`"lease_duration":1800,"data":${body}`)
    await ask('POST', '/v1/plain/a/b', { only: 1 })
    const { body: plain } = await ask('GET', '/v1/plain/a/b')
    expect(plain).toMatchObject({ lease_id: '', lease_duration: 2_764_800, data: { only: 1 } })
    await ask('POST', '/v1/sys/mounts/plain/tune', { default_lease_ttl: '2h' })
    expect((await ask('GET', '/v1/plain/a/b')).body.lease_duration).toBe(7200)
    expect((await ask('GET', '/v1/plain/a/b')).body.data.password).toBeUndefined()
  })

  it('list folders and delete again and again', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    for (const path of ['a', 'a/b', 'c/d/e']) await ask('POST', `/v1/plain/${path}`, { x: 1 })
    expect((await ask('LIST', '/v1/plain')).body.data.keys).toEqual(['a', 'a/', 'c/'])
    expect((await ask('LIST', '/v1/plain/c/')).body.data.keys).toEqual(['d/'])
    for (let turn = 0; turn < 2; turn += 1) expect((await ask('DELETE', '/v1/plain/a')).status).toBe(204)
    expect(await ask('GET', '/v1/plain/a')).toMatchObject({ status: 404, body: { errors: [] } })
    expect((await ask('LIST', '/v1/plain/zz')).status).toBe(404)
  })

  it.each([
    ['an empty body', 'a', undefined, 'missing data fields'],
    ['no fields', 'a', {}, 'missing data fields'],
    ['a list', 'a', [1], /must be an object/],
    ['the root', '', { a: 1 }, /missing path|ending in/],
    ['a folder', 'a/', { a: 1 }, "cannot write to a path ending in '/'"],
  ])('refuse %s', async (_, path, body, message) => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    const answer = await ask('POST', `/v1/plain/${path}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
  })

  it('know no patch', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    expect((await ask('PATCH', '/v1/plain/a', { a: 1 })).status).toBe(405)
  })
})

describe('mounts', () => {
  it('are listed with their settings, at the top and in the envelope', async () => {
    const { ask } = await client()
    const { body } = await ask('GET', '/v1/sys/mounts')
    expect(Object.keys(body.data).sort()).toEqual(expect.arrayContaining(['cubbyhole/', 'secret/', 'sys/']))
    expect(body['secret/']).toEqual(body.data['secret/'])
    expect(body['secret/']).toMatchObject({ type: 'kv', options: { version: '2' } })
    const auth = await ask('GET', '/v1/sys/auth')
    expect(auth.body.data['token/']).toMatchObject({
      type: 'token',
      config: { token_type: 'default-service' },
    })
  })

  it('are enabled with nulls left out, tuned, and read back with what the system says', async () => {
    const { ask } = await client()
    const body = { type: 'kv', description: null, config: null, options: null, plugin_name: null }
    expect((await ask('POST', '/v1/sys/mounts/team/a', body)).status).toBe(204)
    expect((await ask('GET', '/v1/sys/mounts/team/a/tune')).body.data).toMatchObject({
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 2_764_800,
    })
    expect((await ask('POST', '/v1/sys/mounts/team/a/tune', { max_lease_ttl: '2h' })).status).toBe(204)
    expect((await ask('GET', '/v1/sys/mounts/team/a/tune')).body.data.max_lease_ttl).toBe(7200)
    expect((await ask('GET', '/v1/sys/mounts/team/a')).body.config.max_lease_ttl).toBe(7200)
    await ask('POST', '/v1/sys/mounts/team/a/tune', { max_lease_ttl: 'system' })
    expect((await ask('GET', '/v1/sys/mounts/team/a')).body.config.max_lease_ttl).toBe(0)
  })

  it('lose their data permanently when they are disabled', async () => {
    const { service, ask } = await client()
    await ask('POST', '/v1/sys/mounts/two', { type: 'kv-v2' })
    await ask('POST', '/v1/two/data/x', { data: { a: 1 } })
    expect((await ask('DELETE', '/v1/sys/mounts/two')).status).toBe(204)
    expect((await ask('GET', '/v1/two/data/x')).status).toBe(404)
    await ask('POST', '/v1/sys/mounts/two', { type: 'kv-v2' })
    expect((await ask('GET', '/v1/two/data/x')).status).toBe(404)
    expect((await ask('LIST', '/v1/two/metadata')).status).toBe(404)
    await service.sweep()
    expect(await service.sweep()).toBe(0)
    expect((await ask('DELETE', '/v1/sys/mounts/free')).status).toBe(204)
  })

  it('move with all they hold', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: { a: 1 } })
    const { status, body } = await ask('POST', '/v1/sys/remount', { from: 'secret', to: 'moved/here' })
    expect(status).toBe(200)
    expect((await ask('GET', `/v1/sys/remount/status/${body.migration_id}`)).body.data).toEqual({
      migration_id: body.data.migration_id,
      migration_info: { source_mount: 'secret/', target_mount: 'moved/here/', status: 'success' },
    })
    expect((await ask('GET', '/v1/sys/remount/status/other')).status).toBe(404)
    expect((await ask('GET', '/v1/moved/here/data/x')).body.data.data).toEqual({ a: 1 })
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(404)
  })

  it('are raised to version 2 with every entry', async () => {
    const { service, ask } = await client()
    await ask('POST', '/v1/sys/mounts/old', { type: 'kv' })
    for (let n = 0; n < 40; n += 1) await service.kv1('old').write(`k${n}`, `{"n":${n}.0}`)
    const tuned = await ask('POST', '/v1/sys/mounts/old/tune', { options: { version: '2' } })
    expect(tuned.body.warnings[0]).toMatch(/^Upgrading mount from version 1 to version 2/)
    expect((await ask('LIST', '/v1/old/metadata')).body.data.keys).toHaveLength(40)
    expect((await ask('GET', '/v1/old/data/k7')).text).toContain('"data":{"data":{"n":7.0}')
    expect(await ask('POST', '/v1/sys/mounts/old/tune', { options: { version: '1' } })).toMatchObject({
      status: 400,
      body: { errors: ['cannot downgrade mount from version 2'] },
    })
  })

  it('tell clients which version a path is in', async () => {
    const { ask } = await client()
    expect((await ask('GET', '/v1/sys/internal/ui/mounts/secret/app/db')).body.data).toMatchObject({
      path: 'secret/',
      type: 'kv',
      options: { version: '2' },
    })
    expect((await ask('GET', '/v1/sys/internal/ui/mounts/nowhere')).status).toBe(403)
    expect(Object.keys((await ask('GET', '/v1/sys/internal/ui/mounts')).body.data)).toEqual([
      'secret',
      'auth',
    ])
  })
})

describe('a development service', () => {
  it('does not take keys for a store that has no need of any', async () => {
    const store = memoryStore()
    await expect(devSecrets({ store, unsealKeys: ['00'] })).rejects.toThrow(/unsealKeys were passed, but/)
    expect(await store.head()).toBe(0)
  })
})

describe('mounts as a user interface sees them', () => {
  it.each([
    ['path "secret/data/app/*" { capabilities = ["read"] }', ['secret/']],
    ['path "secret" { capabilities = ["list"] }', ['secret/']],
    ['path "+/data/app" { capabilities = ["read"] }', ['kv/', 'secret/']],
    ['path "s*" { capabilities = ["read"] }', ['secret/', 'sys/']],
    ['path "*" { capabilities = ["read"] }\npath "kv/*" { capabilities = ["deny"] }', ['secret/', 'sys/']],
    ['path "secret/*" { capabilities = ["deny"] }', []],
  ])('are those that %s leads into', async (rules, shown) => {
    const it = await client()
    await it.ask('POST', '/v1/sys/mounts/kv', { type: 'kv' })
    const denied = 'path "sys/internal/*" { capabilities = ["deny"] }'
    await it.service.policies.write('app', `${denied}\n${rules}`)
    const made = await it.service.tokens.create({ policies: ['app', 'default'] })
    const app = asking(it.service, made.ok ? made.value.token : undefined)
    const { secret } = (await app('GET', '/v1/sys/internal/ui/mounts')).body.data
    const others = ['cubbyhole/', 'identity/', ...(shown.includes('sys/') ? [] : ['sys/'])]
    expect(Object.keys(secret).filter((path) => !others.includes(path))).toEqual(shown)
    for (const path of ['kv', 'secret']) {
      const answer = await app('GET', `/v1/sys/internal/ui/mounts/${path}/some/secret`)
      expect([path, answer.status]).toEqual([path, shown.includes(`${path}/`) ? 200 : 403])
    }
  })

  it('are shown to unauthenticated callers if their visibility says so, and nothing else is', async () => {
    const { service, ask } = await client()
    await ask('POST', '/v1/sys/auth/idp/tune', { listing_visibility: 'unauth', description: 'Staff' })
    for (const token of [undefined, 'wrong']) {
      const anonymous = asking(service, token)
      expect((await anonymous('GET', '/v1/sys/internal/ui/mounts')).body.data).toEqual({
        secret: {},
        auth: { 'idp/': { type: 'idp', description: 'Staff', options: null } },
      })
      expect(await anonymous('GET', '/v1/sys/internal/ui/mounts/secret/app')).toMatchObject({
        status: 403,
        body: {
          errors: [
            `preflight capability check returned 403, please ensure client's policies grant access to path "secret/app/"`,
          ],
        },
      })
    }
    expect((await ask('GET', '/v1/sys/internal/ui/mounts')).body.data.auth['idp/']).toHaveProperty('uuid')
  })

  it('cost a token that may be used a few times none of its uses', async () => {
    const { service } = await client()
    await service.policies.write('app', 'path "secret/*" { capabilities = ["read"] }')
    const made = await service.tokens.create({ policies: ['app'], noDefaultPolicy: true, numUses: 1 })
    const app = asking(service, made.ok ? made.value.token : undefined)
    for (let time = 0; time < 3; time += 1)
      expect((await app('GET', '/v1/sys/internal/ui/mounts/secret/app')).status).toBe(200)
    expect((await app('GET', '/v1/secret/data/app')).status).toBe(404)
    expect((await app('GET', '/v1/secret/data/app')).status).toBe(403)
  })
})

describe('a service that is not unsealed', () => {
  it('answers about itself only', async () => {
    const service = createSecrets()
    const ask = asking(service, 'root')
    expect((await ask('GET', '/v1/sys/init')).body).toEqual({ initialized: false })
    expect((await ask('GET', '/v1/sys/seal-status')).body).toMatchObject({
      initialized: false,
      sealed: true,
      n: 0,
    })
    expect((await ask('GET', '/v1/sys/health')).status).toBe(501)
    expect((await ask('GET', '/v1/sys/health?uninitcode=200')).status).toBe(200)
    expect((await ask('GET', '/v1/sys/health?uninitcode=x')).status).toBe(400)
    expect((await ask('GET', '/v1/sys/leader')).status).toBe(200)
    expect((await ask('GET', '/')).status).toBe(307)
    for (const path of ['/v1/secret/data/x', '/v1/sys/mounts', '/v1/nowhere'])
      expect(await ask('GET', path)).toMatchObject({ status: 503, body: { errors: ['Secrets is sealed'] } })
    expect(await ask('POST', '/v1/sys/unseal', { key: 'ab' })).toMatchObject({ status: 400 })
  })

  it.each([
    [{}, 'shares must be at least one'],
    [{ secret_shares: 3, secret_threshold: 1 }, 'threshold must be greater than one for multiple shares'],
    [{ secret_shares: 2, secret_threshold: 3 }, 'threshold cannot be larger than shares'],
    [{ secret_shares: 'x' }, /field "secret_shares"/],
  ])('cannot be initialised with %j', async (body, message) => {
    const service = createSecrets()
    const answer = await asking(service, undefined)('PUT', '/v1/sys/init', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
    expect((await service.seal.status()).initialized).toBe(false)
  })

  it('tells every caller which verbs its paths support', async () => {
    const service = createSecrets()
    for (const token of [undefined, 'root']) {
      const answer = await asking(service, token)('PATCH', '/v1/sys/unseal', {})
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
    await service.close()
  })

  it('is unsealed once when two callers give the last share at the same time', async () => {
    const { head, read, commit, changes, import: fill, close } = memoryStore()
    let followers = 0
    const elsewhere: Store = {
      head,
      read,
      commit,
      import: fill,
      close,
      changes: async (since) => {
        followers += since.waitMs ? 1 : 0
        return changes(since).finally(() => {
          followers -= since.waitMs ? 1 : 0
        })
      },
    }
    const { service, unsealKeys } = await client({ store: elsewhere })
    await service.seal.seal()
    const [key = ''] = unsealKeys
    const both = await Promise.all([service.seal.unseal(key), service.seal.unseal(key)])
    expect(both).toMatchObject([{ value: { opened: true } }, { value: { opened: true } }])
    await service.close()
    await new Promise(setImmediate)
    expect(followers).toBe(0)
  })

  it('is initialised once, and unsealed by enough shares of either spelling', async () => {
    const service = createSecrets()
    const ask = asking(service, undefined)
    const made = await ask('PUT', '/v1/sys/init', { secret_shares: 5, secret_threshold: 3 })
    expect(made.status).toBe(200)
    expect(made.body.root_token).toMatch(/^s\.[0-9A-Za-z]{24}$/)
    expect(await ask('PUT', '/v1/sys/init', { secret_shares: 1, secret_threshold: 1 })).toMatchObject({
      status: 400,
      body: { errors: ['Secrets is already initialized'] },
    })
    expect((await ask('GET', '/v1/sys/health')).status).toBe(503)
    const { keys, keys_base64 } = made.body
    expect((await ask('PUT', '/v1/sys/unseal', { key: keys[0] })).body).toMatchObject({ progress: 1 })
    expect((await ask('PUT', '/v1/sys/unseal', { key: keys[0] })).body).toMatchObject({ progress: 1 })
    expect((await ask('PUT', '/v1/sys/unseal', { reset: true })).body).toMatchObject({
      progress: 0,
      nonce: '',
    })
    await ask('PUT', '/v1/sys/unseal', { key: keys[4] })
    await ask('PUT', '/v1/sys/unseal', { key: keys_base64[1] })
    expect((await ask('PUT', '/v1/sys/unseal', { key: keys[2] })).body).toMatchObject({ sealed: false })
    expect((await ask('GET', '/v1/sys/health')).status).toBe(200)
    const as = asking(service, made.body.root_token)
    expect((await as('POST', '/v1/secret/data/x', { data: {} })).status).toBe(200)
  })

  it('returns no plain keys when encrypted ones were requested', async () => {
    const service = createSecrets()
    const ask = asking(service, undefined)
    for (const wish of [{ pgp_keys: ['mQENBF'] }, { pgp_keys: 'a,b' }, { root_token_pgp_key: 'mQENBF' }]) {
      const made = await ask('PUT', '/v1/sys/init', { secret_shares: 1, secret_threshold: 1, ...wish })
      expect(made).toMatchObject({ status: 400, body: { errors: [/PGP/] } })
    }
    expect((await ask('GET', '/v1/sys/init')).body).toEqual({ initialized: false })
    const plain = { secret_shares: 1, secret_threshold: 1, pgp_keys: null, root_token_pgp_key: '' }
    expect((await ask('PUT', '/v1/sys/init', plain)).status).toBe(200)
  })

  it.each([
    [{}, "'key' must be specified in request body as JSON, or 'reset' set to true"],
    [{ key: '!!' }, "'key' must be a valid hex or base64 string"],
    [{ key: 'abcd' }, /key is shorter than the 33 bytes/],
  ])('is not unsealed by %j', async (body, message) => {
    const service = createSecrets()
    await service.seal.initialize({ shares: 3, threshold: 2 })
    const answer = await asking(service, undefined)('PUT', '/v1/sys/unseal', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
  })

  it('knows wrong shares, and starts over', async () => {
    const service = createSecrets()
    const made = await service.seal.initialize({ shares: 3, threshold: 2 })
    const other = await createSecrets().seal.initialize({ shares: 3, threshold: 2 })
    if (!made.ok || !other.ok) throw new Error('not initialised')
    const [right, again] = made.value.unsealKeys
    const ask = asking(service, undefined)
    await ask('PUT', '/v1/sys/unseal', { key: right })
    const wrong = await ask('PUT', '/v1/sys/unseal', { key: other.value.unsealKeys[1] })
    expect(wrong.status).toBe(400)
    expect(wrong.body.errors[0]).toMatch(/do not fit/)
    expect((await service.seal.status()).progress).toBe(0)
    await ask('PUT', '/v1/sys/unseal', { key: right })
    expect((await ask('PUT', '/v1/sys/unseal', { key: again })).body.sealed).toBe(false)
  })

  it.each([
    ['standby', 429],
    ['performance-standby', 473],
    ['recovery-secondary', 472],
  ] as const)('unsealed as a %s is %d', async (role, status) => {
    const { ask } = await client({ role })
    expect((await ask('GET', '/v1/sys/health')).status).toBe(status)
    expect((await ask('HEAD', '/v1/sys/health')).status).toBe(status)
  })
})
