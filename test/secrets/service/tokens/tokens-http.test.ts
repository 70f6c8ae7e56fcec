import { describe, expect, it } from 'vitest'
import { asking, type Client, client } from '../client.ts'

/** Makes a token as the holder of the root token, and a way to ask as it. */
const child = async ({ ask, service }: Client, body: object = {}, path = 'create') => {
  const made = await ask('POST', `/v1/auth/token/${path}`, { policies: ['app'], ...body })
  if (made.status !== 200) throw new Error(made.text)
  const { auth, warnings } = made.body
  return { auth, warnings, text: auth.client_token as string, ask: asking(service, auth.client_token) }
}

const withPolicy = async (text: string) => {
  const it = await client()
  await it.service.policies.write('app', text)
  return it
}
/** The long form of an error. */
const oneError = (text: string) => `1 error occurred:\n\t* ${text}\n\n`
const self = 'path "auth/token/*" { capabilities = ["create", "read", "update"] }'

describe('creating', () => {
  it('takes notes as a map or as a list of pairs', async () => {
    const { ask } = await client()
    for (const meta of [{ team: 'x' }, ['team=x'], 'team = x'])
      expect((await ask('POST', '/v1/auth/token/create', { meta })).body.auth.metadata).toEqual({ team: 'x' })
  })

  it('warns of what it does not know, and of what the path says already', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/auth/token/roles/nightly', { orphan: true })
    const { body } = await ask('POST', '/v1/auth/token/create/nightly', {
      role: 'other',
      zz: 1,
      extra: null,
    })
    expect(body.warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [extra zz]',
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [role]",
    ])
  })

  it('gives a token with an accessor, and says all about it', async () => {
    const it = await withPolicy(self)
    const { auth } = await child(it, { ttl: '1h', meta: { team: 'x' }, display_name: 'web app', num_uses: 3 })
    expect(auth).toMatchObject({
      client_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
      accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
      policies: ['app', 'default'],
      token_policies: ['app', 'default'],
      metadata: { team: 'x' },
      lease_duration: 3600,
      renewable: true,
      token_type: 'service',
      orphan: false,
      num_uses: 3,
      entity_id: '',
      mfa_requirement: null,
    })
    const looked = await it.ask('POST', '/v1/auth/token/lookup', { token: auth.client_token })
    const read = await it.ask('GET', `/v1/auth/token/lookup?token=${auth.client_token}`)
    expect(read.body.data).toEqual(looked.body.data)
    expect(looked.body.data).toMatchObject({
      display_name: 'token-web-app',
      path: 'auth/token/create',
      ttl: 3600,
      creation_ttl: 3600,
      creation_time: 1_767_225_600,
      issue_time: '2026-01-01T00:00:00Z',
      expire_time: '2026-01-01T01:00:00Z',
      explicit_max_ttl: 0,
      num_uses: 3,
      orphan: false,
      renewable: true,
      type: 'service',
    })
  })

  it('shows the root token as one that never ends', async () => {
    const { ask } = await client()
    const { data } = (await ask('GET', '/v1/auth/token/lookup-self')).body
    expect(data).toMatchObject({ id: 'root', policies: ['root'], ttl: 0, expire_time: null, orphan: true })
    expect(data).not.toHaveProperty('renewable')
    expect(data).not.toHaveProperty('issue_time')
  })

  it.each([
    [{ ttl: 'soon' }, /field "ttl": expected a duration/],
    [{ ttl: '-1h' }, 'ttl must be positive'],
    [{ num_uses: -1 }, 'number of uses cannot be negative'],
    [{ type: 'odd' }, "invalid 'token_type' value"],
    [{ type: 'batch', num_uses: 1 }, 'batch tokens cannot have "num_uses" set'],
    [{ type: 'batch', period: 60 }, 'batch tokens cannot have "period" set'],
    [{ policies: ['response-wrapping'] }, 'cannot assign policy "response-wrapping"'],
    [{ id: 's.mine' }, /cannot have a "\."/],
    [{ meta: 'x' }, /field "meta": expected a map/],
    [{ policies: [1] }, /field "policies": expected a list of strings/],
    [{ id: 'a b' }, /visible ASCII/],
    [{ meta: ['a'] }, /list of "name=value"/],
  ])('refuses %j', async (body, message) => {
    const { ask } = await client()
    const answer = await ask('POST', '/v1/auth/token/create', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
    expect((await ask('LIST', '/v1/auth/token/accessors')).body.data.keys).toHaveLength(1)
  })

  it('keeps a child within what its parent may do', async () => {
    const it = await withPolicy(self)
    const parent = await child(it)
    for (const [body, message] of [
      [{ policies: ['other'] }, 'child policies must be subset of parent'],
      [{ policies: ['root'] }, /subset of parent|root tokens may not be created/],
      [{ no_parent: true }, 'root or sudo privileges required to create orphan token'],
      [{ period: '1h' }, 'root or sudo privileges required to create periodic token'],
      [{ id: 'mine' }, 'root or sudo privileges required to specify token id'],
    ] as const) {
      const answer = await parent.ask('POST', '/v1/auth/token/create', body)
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0]).toMatch(message)
    }
    const inherited = await parent.ask('POST', '/v1/auth/token/create')
    expect(inherited.body.auth.policies).toEqual(['app', 'default'])
  })

  it.each([
    { ttl: '100ms' },
    { ttl: 0.5 },
    { lease: '1ns' },
    { explicit_max_ttl: '999ms' },
    { period: '0.1s' },
  ])('makes a short life a second, and not an endless one: %j', async (body) => {
    const { ask } = await client()
    expect((await ask('POST', '/v1/auth/token/create', body)).body.auth).toMatchObject({
      policies: ['root'],
      lease_duration: 1,
    })
    const [[name]] = Object.entries(body) as [[string, unknown]]
    const negative = await ask('POST', '/v1/auth/token/create', { [name]: '-100ms' })
    expect([negative.status, negative.body.errors]).toEqual([
      400,
      [expect.stringMatching(/must be positive$/)],
    ])
  })

  it('takes a text of its own once', async () => {
    const it = await client()
    expect((await child(it, { id: 'mine' })).text).toBe('mine')
    expect(await it.ask('POST', '/v1/auth/token/create', { id: 'mine' })).toMatchObject({
      status: 400,
      body: { errors: ['cannot create a token with a duplicate ID'] },
    })
  })

  it('warns of policies that are not there and of times that are cut', async () => {
    const it = await client()
    const { warnings, auth } = await child(it, { ttl: '1000h' })
    expect(warnings).toEqual([
      'Policy "app" does not exist',
      'TTL of "1000h" exceeded the effective max_ttl of "768h"; TTL value is capped accordingly',
    ])
    expect(auth.lease_duration).toBe(2_764_800)
  })
})

describe('the life of a token', () => {
  it('ends at its instant, and ends its children with it', async () => {
    const it = await withPolicy(self)
    const parent = await child(it, { ttl: '1m' })
    const made = await parent.ask('POST', '/v1/auth/token/create', { ttl: '1h' })
    const grandchild = asking(it.service, made.body.auth.client_token)
    await it.clock.advance(59_999)
    expect((await grandchild('GET', '/v1/auth/token/lookup-self')).status).toBe(200)
    await it.clock.advance(1)
    for (const ask of [parent.ask, grandchild])
      expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
  })

  it('is renewed within its most, by what is asked or what it was granted last', async () => {
    const it = await withPolicy(self)
    const { ask } = await child(it, { ttl: '1h', explicit_max_ttl: '2h' })
    await it.clock.advance(1_800_000)
    expect(
      (await ask('POST', '/v1/auth/token/renew-self', { increment: '30m' })).body.auth.lease_duration,
    ).toBe(1800)
    expect((await ask('POST', '/v1/auth/token/renew-self')).body.auth.lease_duration).toBe(1800)
    const capped = await ask('PUT', '/v1/auth/token/renew-self', { increment: 7200 })
    expect(capped.body.auth.lease_duration).toBe(5400)
    expect(capped.body.warnings[0]).toBe(
      'TTL of "2h" exceeded the effective max_ttl of "1h30m"; TTL value is capped accordingly',
    )
    expect((await ask('GET', '/v1/auth/token/lookup-self')).body.data).toMatchObject({
      last_renewal: '2026-01-01T00:30:00Z',
      last_renewal_time: 1_767_227_400,
    })
  })

  it('goes by the token store that made it, wherever and however it is asked', async () => {
    const { ask, service, clock } = await client()
    await ask('POST', '/v1/sys/auth/token/tune', { max_lease_ttl: '2h' })
    const typed = await service.tokens.create({ policies: ['default'], ttlSeconds: 86_400 })
    expect(typed).toMatchObject({ value: { ttlSeconds: 7200, warnings: [/capped/] } })
    const { token } = typed.ok ? typed.value : { token: '' }
    await ask('POST', '/v1/sys/namespaces/team')
    await service.policies.write('default', 'path "+/auth/token/*" { capabilities = ["update"] }')
    await clock.advance(3_600_000)
    const below = await asking(service, token)('POST', '/v1/team/auth/token/renew-self', { increment: '24h' })
    expect(below.body.auth.lease_duration).toBe(3600)
    expect(await service.tokens.renew({ token }, 86_400)).toMatchObject({ value: { ttlSeconds: 3600 } })
  })

  it('has no end for a periodic token that is renewed in time', async () => {
    const it = await withPolicy(self)
    const { ask } = await child(it, { period: '1h' })
    for (let turn = 0; turn < 5; turn += 1) {
      await it.clock.advance(3_500_000)
      expect(
        (await ask('POST', '/v1/auth/token/renew-self', { increment: '9h' })).body.auth.lease_duration,
      ).toBe(3600)
    }
  })

  it.each([
    ['a root token', '/v1/auth/token/renew-self', {}, 400, 'lease is not renewable'],
    ['an unknown token', '/v1/auth/token/renew', { token: 's.unknown' }, 400, 'token not found'],
    ['no token', '/v1/auth/token/renew', {}, 400, 'missing token ID'],
    [
      'an unknown accessor',
      '/v1/auth/token/renew-accessor',
      { accessor: 'x' },
      400,
      oneError('invalid accessor'),
    ],
  ])('is not renewed: %s', async (_, path, body, status, message) => {
    const { ask } = await client()
    expect(await ask('POST', path, body)).toMatchObject({ status, body: { errors: [message] } })
  })

  it('is over with its last use: that one succeeds, also when it is refused', async () => {
    const it = await withPolicy('path "secret/data/*" { capabilities = ["create"] }')
    const { ask, text } = await child(it, { num_uses: 3 })
    expect((await ask('POST', '/v1/secret/data/x', { data: {} })).status).toBe(200)
    expect((await it.ask('POST', '/v1/auth/token/lookup', { token: text })).body.data.num_uses).toBe(2)
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(403)
    expect((await ask('GET', '/v1/auth/token/lookup-self')).body.data.num_uses).toBe(-1)
    expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
    expect((await it.ask('LIST', '/v1/auth/token/accessors')).body.data.keys).toHaveLength(1)
  })

  it('allows no more requests than it has uses, however many are concurrent', async () => {
    const it = await withPolicy(self)
    const { ask } = await child(it, { num_uses: 4 })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ask('GET', '/v1/auth/token/lookup-self')),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(6)
  })
})

describe('ending', () => {
  it('revokes the whole tree, immediately and permanently', async () => {
    const it = await withPolicy(self)
    const parent = await child(it)
    const below: Client['ask'][] = []
    let at = parent.ask
    for (let depth = 0; depth < 5; depth += 1) {
      const made = await at('POST', '/v1/auth/token/create')
      at = asking(it.service, made.body.auth.client_token)
      below.push(at)
    }
    for (let n = 0; n < 30; n += 1) {
      const made = await parent.ask('POST', '/v1/auth/token/create')
      below.push(asking(it.service, made.body.auth.client_token))
    }
    expect((await it.ask('POST', '/v1/auth/token/revoke', { token: parent.text })).status).toBe(204)
    for (const ask of below) expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
    expect((await it.ask('LIST', '/v1/auth/token/accessors')).body.data.keys).toHaveLength(1)
    await it.service.sweep()
    expect(await it.service.sweep()).toBe(0)
    expect((await it.ask('POST', '/v1/auth/token/revoke', { token: parent.text })).status).toBe(204)
  })

  it('alone leaves the children as orphans', async () => {
    const it = await withPolicy(self)
    const parent = await child(it)
    const children: Client['ask'][] = []
    for (let n = 0; n < 30; n += 1) {
      const made = await parent.ask('POST', '/v1/auth/token/create')
      children.push(asking(it.service, made.body.auth.client_token))
    }
    expect((await it.ask('POST', '/v1/auth/token/revoke-orphan', { token: parent.text })).status).toBe(204)
    expect((await parent.ask('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
    for (const ask of children)
      expect((await ask('GET', '/v1/auth/token/lookup-self')).body.data.orphan).toBe(true)
  })

  it('needs sudo to leave orphans, and an existing token', async () => {
    const it = await withPolicy(self)
    const { ask, text } = await child(it)
    expect((await ask('POST', '/v1/auth/token/revoke-orphan', { token: text })).status).toBe(403)
    expect(await it.ask('POST', '/v1/auth/token/revoke-orphan', { token: 's.unknown' })).toMatchObject({
      status: 400,
      body: { errors: ['token to revoke not found'] },
    })
    expect(await it.ask('POST', '/v1/auth/token/revoke-accessor', { accessor: 'x' })).toMatchObject({
      status: 200,
      body: { warnings: ['No token found with this accessor'] },
    })
    expect((await it.ask('POST', '/v1/auth/token/revoke', {})).status).toBe(400)
  })

  it('by its accessor, which looks it up but does not act as it', async () => {
    const it = await withPolicy(self)
    const { auth, ask } = await child(it)
    const looked = await it.ask('POST', '/v1/auth/token/lookup-accessor', { accessor: auth.accessor })
    expect(looked.body.data).toMatchObject({ id: '', accessor: auth.accessor })
    expect((await asking(it.service, auth.accessor)('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
    expect((await it.ask('POST', '/v1/auth/token/revoke-accessor', { accessor: auth.accessor })).status).toBe(
      204,
    )
    expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
    expect((await it.ask('POST', '/v1/auth/token/lookup-accessor', { accessor: auth.accessor })).status).toBe(
      400,
    )
    expect(await it.ask('POST', '/v1/auth/token/lookup', { token: auth.client_token })).toMatchObject({
      status: 403,
      body: { errors: ['bad token'] },
    })
  })

  it('of the calling token', async () => {
    const it = await withPolicy(self)
    const { ask } = await child(it)
    expect((await ask('POST', '/v1/auth/token/revoke-self')).status).toBe(204)
    expect((await ask('POST', '/v1/auth/token/revoke-self')).status).toBe(403)
  })
})

describe('batch tokens', () => {
  it('fit a header with 250 policies', async () => {
    const { service, ask } = await client()
    const policies = Array.from({ length: 250 }, (_, at) => `team-${at}-service-reader`).sort()
    const made = await ask('POST', '/v1/auth/token/create', { type: 'batch', policies })
    const text: string = made.body.auth.client_token
    expect(text).toMatch(/^b\.[\w-]{100,4000}$/)
    const found = await asking(service, text)('GET', '/v1/auth/token/lookup-self')
    expect(found.body.data.policies).toEqual(['default', ...policies])
    for (const forged of [
      `${text}A`,
      text.slice(0, -1),
      `${text}=`,
      text.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ])
      expect((await asking(service, forged)('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
  })
  it('work without being stored, end with their parent, and can do less', async () => {
    const it = await withPolicy(self)
    const parent = await child(it)
    const made = await parent.ask('POST', '/v1/auth/token/create', { type: 'batch', ttl: '1h' })
    expect(made.body.auth).toMatchObject({ token_type: 'batch', accessor: '', renewable: false })
    expect(made.body.auth.client_token).toMatch(/^b\.[\w-]{24,}$/)
    const batch = asking(it.service, made.body.auth.client_token)
    expect((await batch('GET', '/v1/auth/token/lookup-self')).body.data.type).toBe('batch')
    for (const [path, message] of [
      ['create', 'batch tokens cannot create more tokens'],
      ['renew-self', 'batch tokens cannot be renewed'],
      ['revoke-self', 'batch tokens cannot be revoked'],
    ])
      expect(await batch('POST', `/v1/auth/token/${path}`)).toMatchObject({
        status: 400,
        body: { errors: [message] },
      })
    await it.ask('POST', '/v1/auth/token/revoke', { token: parent.text })
    expect((await batch('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
  })

  it('end by the clock, and cannot be bent', async () => {
    const it = await withPolicy(self)
    const { ask, text } = await child(it, { type: 'batch', ttl: '1m', no_parent: true })
    expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(200)
    const bent = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
    expect((await asking(it.service, bent)('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
    await it.clock.advance(60_000)
    expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
  })
})

describe('roles', () => {
  it('say what tokens made with them are', async () => {
    const it = await withPolicy(self)
    const role = {
      allowed_policies: 'app',
      orphan: true,
      token_period: '24h',
      path_suffix: 'night',
      token_num_uses: 5,
    }
    expect((await it.ask('POST', '/v1/auth/token/roles/nightly', role)).status).toBe(204)
    expect((await it.ask('GET', '/v1/auth/token/roles/nightly')).body.data).toMatchObject({
      name: 'nightly',
      allowed_policies: ['app'],
      orphan: true,
      token_period: 86_400,
      token_type: 'default-service',
    })
    const { auth } = await child(it, {}, 'create/nightly')
    expect(auth).toMatchObject({ orphan: true, lease_duration: 86_400, num_uses: 5 })
    expect(
      (await it.ask('POST', '/v1/auth/token/lookup', { token: auth.client_token })).body.data,
    ).toMatchObject({
      role: 'nightly',
      period: 86_400,
      path: 'auth/token/create/nightly/night',
    })
    expect((await it.ask('LIST', '/v1/auth/token/roles')).body.data.keys).toEqual(['nightly'])
    expect((await it.ask('DELETE', '/v1/auth/token/roles/nightly')).status).toBe(204)
    expect((await it.ask('GET', '/v1/auth/token/roles/nightly')).status).toBe(404)
    expect((await it.ask('POST', '/v1/auth/token/create/nightly')).body.errors).toEqual([
      'unknown role nightly',
    ])
    const renewed = await it.ask('POST', '/v1/auth/token/renew', { token: auth.client_token })
    expect(renewed.body.errors[0]).toBe('original token role "nightly" could not be found, not renewing')
  })

  it('allow by patterns of either case, as policies have names of one', async () => {
    const it = await client()
    await it.ask('POST', '/v1/auth/token/roles/web', { allowed_policies_glob: 'Web-*' })
    expect((await child(it, { policies: ['WEB-1'] }, 'create/web')).auth.policies).toEqual([
      'default',
      'web-1',
    ])
  })

  it('with a use limit cannot make batch tokens, which have no use count', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/auth/token/roles/few', { token_num_uses: 2 })
    const made = await ask('POST', '/v1/auth/token/create/few', { type: 'batch', policies: ['app'] })
    expect([made.status, made.body.errors]).toEqual([400, ['batch tokens cannot have "num_uses" set']])
  })

  it.each([
    [{ token_type: 'batch' }, /'token_type' cannot be 'batch'/],
    [{ token_type: 'odd' }, /invalid 'token_type' value/],
    [{ token_num_uses: -1 }, "'token_num_uses' cannot be negative"],
    [{ token_bound_cidrs: 'nowhere' }, /invalid CIDR/],
    [{ period: '-1h' }, /cannot provide negative value/],
  ])('are refused with %j', async (body, message) => {
    const { ask } = await client()
    const answer = await ask('POST', '/v1/auth/token/roles/x', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
    expect((await ask('GET', '/v1/auth/token/roles/x')).status).toBe(404)
  })
})

describe('policies', () => {
  it('are written, read and listed in both spellings', async () => {
    const { ask } = await client()
    const text = 'path "secret/*" { capabilities = ["read"] }'
    expect((await ask('PUT', '/v1/sys/policies/acl/App', { policy: text })).body.warnings[0]).toContain(
      '"app"',
    )
    for (const name of ['app', 'APP', '%20app%20'])
      expect((await ask('GET', `/v1/sys/policies/acl/${name}`)).body.data).toEqual({
        name: 'app',
        policy: text,
      })
    expect((await ask('GET', '/v1/sys/policy/app')).body).toMatchObject({ name: 'app', rules: text })
    // The policy of wrapping tokens cannot be granted.
    const names = ['app', 'default', 'root']
    expect((await ask('LIST', '/v1/sys/policies/acl')).body.data.keys).toEqual(names)
    expect((await ask('GET', '/v1/sys/policy')).body.policies).toEqual(names)
    const packed = Buffer.from(text).toString('base64')
    expect((await ask('PUT', '/v1/sys/policy/packed', { rules: packed })).status).toBe(204)
    expect((await ask('GET', '/v1/sys/policy/packed')).body.rules).toBe(text)
    expect((await ask('DELETE', '/v1/sys/policies/acl/app')).status).toBe(204)
    expect((await ask('GET', '/v1/sys/policies/acl/app')).status).toBe(404)
  })

  it('may have names with slashes, as folders would', async () => {
    const { ask } = await client()
    const policy = 'path "secret/*" { capabilities = ["read"] }'
    expect((await ask('PUT', '/v1/sys/policies/acl/team/app', { policy })).status).toBe(204)
    expect((await ask('GET', '/v1/sys/policy/team/app')).body.name).toBe('team/app')
    expect((await ask('LIST', '/v1/sys/policies/acl/')).body.data.keys).toContain('team/app')
    expect((await ask('DELETE', '/v1/sys/policies/acl/team/app')).status).toBe(204)
    expect((await ask('PUT', '/v1/sys/policies/acl/', { policy })).status).toBe(400)
  })

  it.each([
    ['PUT', 'root', { policy: 'path "x" {}' }, 'cannot update "root" policy'],
    ['PUT', 'x', {}, "'policy' parameter not supplied or empty"],
    ['PUT', 'x', { policy: 'path "x" { capabilities = ["fly"] }' }, /invalid capability/],
    ['PUT', 'x', { policy: 'path {' }, /line 1|1:/],
    ['DELETE', 'default', undefined, 'cannot delete default policy'],
    ['DELETE', 'root', undefined, 'cannot delete "root" policy'],
  ])('%s %s is refused', async (method, name, body, message) => {
    const { ask } = await client()
    const answer = await ask(method, `/v1/sys/policies/acl/${name}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(message)
  })

  it('count from the moment they are written', async () => {
    const it = await withPolicy('path "secret/data/x" { capabilities = ["read"] }')
    await it.service.kv().write('x', {})
    const { ask } = await child(it)
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(200)
    await it.service.policies.write('app', 'path "secret/data/x" { capabilities = ["deny"] }')
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(403)
  })

  it('are not taken for others whose names, put together, read alike', async () => {
    const it = await client()
    await it.service.policies.write('x', 'path "secret/data/x" { capabilities = ["read"] }')
    await it.service.policies.write('z', 'path "secret/*" { capabilities = ["read"] }')
    await it.ask('POST', '/v1/auth/token/roles/only-x', { allowed_policies_glob: 'x*' })
    const both = await child(it, { policies: ['x', 'z'], no_default_policy: true })
    expect((await both.ask('GET', '/v1/secret/data/y')).status).toBe(404)
    const odd = await child(it, { policies: ['x\nz'], no_default_policy: true }, 'create/only-x')
    expect((await odd.ask('GET', '/v1/secret/data/y')).status).toBe(403)
  })

  it('are told as capabilities', async () => {
    const it = await withPolicy('path "secret/*" { capabilities = ["read", "list"] }')
    const { text, auth } = await child(it)
    const paths = ['secret/x', 'other']
    for (const [path, name] of [
      ['capabilities', { token: text }],
      ['capabilities-accessor', { accessor: auth.accessor }],
    ] as const)
      expect((await it.ask('POST', `/v1/sys/${path}`, { ...name, paths })).body.data).toEqual({
        'secret/x': ['list', 'read'],
        other: ['deny'],
      })
    expect((await it.ask('POST', '/v1/sys/capabilities-self', { paths: ['x'] })).body.capabilities).toEqual([
      'root',
    ])
    const many = Array.from({ length: 1001 }, (_, at) => `secret/${at}`)
    expect((await it.ask('POST', '/v1/sys/capabilities-self', { paths: many })).body.errors).toEqual([
      'at most 1000 paths can be queried together',
    ])
    expect(
      (await it.ask('POST', '/v1/sys/capabilities', { token: 's.none', path: 'x' })).body.errors,
    ).toEqual([oneError('invalid token')])
    expect((await it.ask('POST', '/v1/sys/capabilities-self', {})).body.errors).toEqual([
      'paths must be supplied',
    ])
  })
})
