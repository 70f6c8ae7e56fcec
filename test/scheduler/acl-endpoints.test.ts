import { describe, expect, it } from 'vitest'
import type { SchedulerEvent } from '../../src/scheduler/index.ts'
import { given } from './harness.ts'

const as = (token: string): RequestInit => ({ headers: { 'X-Scheduler-Token': token } })
const rules = 'namespace "default" { policy = "read" }'

interface Token {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Policies: readonly string[]
}

/** A cluster whose first token was just made. */
async function bootstrapped() {
  const events: SchedulerEvent[] = []
  const harness = await given({}, { acl: true, onEvent: (event) => events.push(event) })
  const { SecretID: secret } = (await harness.send('POST', '/v1/acl/bootstrap')).json as Token
  return { ...harness, events, secret, by: as(secret) }
}

type Bootstrapped = Awaited<ReturnType<typeof bootstrapped>>

describe('the first token', () => {
  it('may do everything, and there is one first token only', async () => {
    const { get, send, by, secret } = await bootstrapped()
    expect(secret).toMatch(/^[0-9a-f-]{36}$/)
    expect((await get('/v1/nodes', by)).status).toBe(200)
    const again = await send('POST', '/v1/acl/bootstrap')
    expect([again.status, again.text]).toEqual([400, 'ACL bootstrap already done'])
  })

  it('is not available if a management token is configured, or was loaded', async () => {
    const outside = await given({}, { managementToken: 'secret' })
    expect((await outside.send('POST', '/v1/acl/bootstrap')).status).toBe(400)
    const loaded = await given({ tokens: [{ SecretID: 'm', Type: 'management' }] }, { acl: true })
    expect((await loaded.send('POST', '/v1/acl/bootstrap')).status).toBe(400)
  })

  it('succeeds only once for two concurrent calls', async () => {
    const { send } = await given({}, { acl: true })
    const both = await Promise.all([send('POST', '/v1/acl/bootstrap'), send('POST', '/v1/acl/bootstrap')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

describe('the secret of the first token', () => {
  const BootstrapSecret = '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a'

  it('may be brought along', async () => {
    const { get, send } = await given({}, { acl: true })
    const first = await send('POST', '/v1/acl/bootstrap', { BootstrapSecret })
    expect(first.json).toMatchObject({ SecretID: BootstrapSecret, Type: 'management' })
    expect((await get('/v1/nodes', as(BootstrapSecret))).status).toBe(200)
  })

  it.each(['secret', '2b778dd9f5f16f29b4b49a5fa948757a'])('is a UUID, not %j', async (wrong) => {
    const { send } = await given({}, { acl: true })
    const refused = await send('POST', '/v1/acl/bootstrap', { BootstrapSecret: wrong })
    expect([refused.status, refused.text]).toEqual([400, 'invalid acl token: BootstrapSecret must be a UUID'])
    expect((await send('POST', '/v1/acl/bootstrap', { BootstrapSecret: '' })).status).toBe(200)
  })

  it('is not one that another token has', async () => {
    const tokens = [{ SecretID: BootstrapSecret, Type: 'client', Policies: ['dev'] }]
    const { send } = await given({ tokens }, { acl: true })
    const refused = await send('POST', '/v1/acl/bootstrap', { BootstrapSecret })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('another token has this secret')
  })
})

describe('policies', () => {
  it('are written, read, listed and deleted by management', async () => {
    const { get, send, by } = await bootstrapped()
    const body = { Name: 'dev', Description: 'Developers', Rules: rules }
    const written = await send('POST', '/v1/acl/policy/dev', body, by)
    expect([written.status, written.text]).toEqual([200, ''])
    const indexes = { CreateIndex: written.index, ModifyIndex: written.index }
    expect((await get('/v1/acl/policy/dev', by)).json).toEqual({ ...body, ...indexes })
    expect((await get('/v1/acl/policies', by)).json).toEqual([
      { Name: 'dev', Description: 'Developers', ...indexes },
    ])
    expect((await send('DELETE', '/v1/acl/policy/dev', undefined, by)).status).toBe(200)
    const gone = await get('/v1/acl/policy/dev', by)
    expect([gone.status, gone.text]).toEqual([404, 'ACL policy not found'])
    expect((await send('DELETE', '/v1/acl/policy/dev', undefined, by)).status).toBe(404)
  })

  it.each([
    ['another name', 'ops', { Name: 'dev' }, 'ACL policy name does not match request path'],
    ['a bad name', 'a%20b', { Name: 'a b' }, 'invalid name "a b"'],
    [
      'a bad rule',
      'dev',
      { Name: 'dev', Rules: 'namespace "x" { policy = "rule" }' },
      'Invalid namespace policy',
    ],
    ['no sense', 'dev', { Name: 'dev', Rules: 'namespace {' }, 'Failed to parse ACL Policy: line 1'],
    [
      'a long description',
      'dev',
      { Name: 'dev', Description: 'x'.repeat(257) },
      'description longer than 256',
    ],
    ['a wrong type', 'dev', { Name: 'dev', Rules: 7 }, 'invalid ACL policy: Rules'],
  ])('with %s are refused', async (_, name, body, text) => {
    const { send, by } = await bootstrapped()
    const refused = await send('POST', `/v1/acl/policy/${name}`, body, by)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(text)
  })

  it('take effect immediately, and so does their end', async () => {
    const { get, send, by } = await bootstrapped()
    await send('POST', '/v1/acl/policy/dev', { Name: 'dev', Rules: rules }, by)
    const created = await send('POST', '/v1/acl/token', { Type: 'client', Policies: ['dev'] }, by)
    const dev = as((created.json as Token).SecretID)
    expect((await get('/v1/jobs', dev)).status).toBe(200)
    await send('POST', '/v1/acl/policy/dev', { Name: 'dev', Rules: '' }, by)
    expect((await get('/v1/jobs', dev)).status).toBe(403)
    await send('POST', '/v1/acl/policy/dev', { Name: 'dev', Rules: rules }, by)
    expect((await get('/v1/jobs', dev)).status).toBe(200)
    await send('DELETE', '/v1/acl/policy/dev', undefined, by)
    expect((await get('/v1/jobs', dev)).status).toBe(403)
  })

  it('are shown to clients that hold them', async () => {
    const { get, ids, send, by } = await bootstrapped()
    for (const name of ['dev', 'ops'])
      await send('POST', `/v1/acl/policy/${name}`, { Name: name, Rules: rules }, by)
    const created = await send('POST', '/v1/acl/token', { Type: 'client', Policies: ['dev'] }, by)
    const dev = as((created.json as Token).SecretID)
    expect(await ids('/v1/acl/policies', dev)).toEqual(['dev'])
    expect(await ids('/v1/acl/policies', by)).toEqual(['dev', 'ops'])
    expect((await get('/v1/acl/policy/dev', dev)).status).toBe(200)
    expect((await get('/v1/acl/policy/ops', dev)).status).toBe(403)
    expect((await send('POST', '/v1/acl/policy/dev', { Name: 'dev' }, dev)).status).toBe(403)
    expect((await send('DELETE', '/v1/acl/policy/dev', undefined, dev)).status).toBe(403)
  })
})

describe('tokens', () => {
  const withPolicy = async () => {
    const harness = await bootstrapped()
    await harness.send('POST', '/v1/acl/policy/dev', { Name: 'dev', Rules: rules }, harness.by)
    return harness
  }

  it('are created, changed, listed without their secret, and revoked', async () => {
    const { get, send, by } = await withPolicy()
    const created = await send('POST', '/v1/acl/token', { Name: 'ci', Type: 'client', Policies: ['dev'] }, by)
    const token = created.json as Token
    expect(token).toMatchObject({ Name: 'ci', Type: 'client', Policies: ['dev'], CreateIndex: created.index })
    expect((await get('/v1/jobs', as(token.SecretID))).status).toBe(200)

    const path = `/v1/acl/token/${token.AccessorID}`
    const change = { AccessorID: token.AccessorID, Name: 'cd', Type: 'client', Policies: ['dev', 'dev'] }
    const changed = (await send('POST', path, change, by)).json
    expect(changed).toMatchObject({ Name: 'cd', SecretID: token.SecretID, Policies: ['dev'] })

    const listed = await get('/v1/acl/tokens', by)
    expect((listed.json as unknown[]).length).toBe(2)
    expect(listed.text).not.toContain('SecretID')
    expect(listed.text).not.toContain(token.SecretID)

    expect((await send('DELETE', path, undefined, by)).status).toBe(200)
    expect((await get('/v1/jobs', as(token.SecretID))).status).toBe(403)
    expect((await get(path, by)).text).toBe('ACL token not found')
    expect((await send('DELETE', path, undefined, by)).status).toBe(404)
    expect((await send('POST', path, change, by)).status).toBe(404)
  })

  it('may name a policy that is written later', async () => {
    const { get, send, by } = await bootstrapped()
    const created = await send('POST', '/v1/acl/token', { Type: 'client', Policies: ['later'] }, by)
    expect(created.json).toMatchObject({ Policies: ['later'] })
    const mine = as((created.json as Token).SecretID)
    expect((await get('/v1/jobs', mine)).status).toBe(403)
    await send('POST', '/v1/acl/policy/later', { Name: 'later', Rules: rules }, by)
    expect((await get('/v1/jobs', mine)).status).toBe(200)
  })

  it('can be read by themselves, and by management', async () => {
    const { get, send, by } = await withPolicy()
    const make = async () =>
      (await send('POST', '/v1/acl/token', { Type: 'client', Policies: ['dev'] }, by)).json as Token
    const [mine, other] = [await make(), await make()]
    const me = as(mine.SecretID)
    expect((await get('/v1/acl/token/self', me)).json).toMatchObject({ AccessorID: mine.AccessorID })
    expect((await get(`/v1/acl/token/${mine.AccessorID}`, me)).status).toBe(200)
    expect((await get(`/v1/acl/token/${other.AccessorID}`, me)).status).toBe(403)
    expect((await get(`/v1/acl/token/${other.AccessorID}`, by)).status).toBe(200)
    expect((await get('/v1/acl/token/self')).status).toBe(403)
    expect((await get('/v1/acl/tokens', me)).status).toBe(403)
  })

  it.each([
    [{ Type: 'client' }, 'client token missing policies'],
    [{ Type: 'root' }, 'token type must be client or management'],
    [{ Type: 'management', Policies: ['dev'] }, 'management token cannot be associated with policies'],
    [{ Type: 'client', Policies: ['\u0000'] }, 'invalid policy name "\\u0000"'],
    [{ Type: 'client', Policies: ['dev'], Name: 'x'.repeat(257) }, 'token name too long'],
    [{ Type: 'client', Policies: ['dev'], ExpirationTTL: '10s' }, 'a token expires between'],
    [{ Type: 'client', Policies: ['dev'], ExpirationTTL: '25h' }, 'a token expires between'],
    [{ Type: 'client', Policies: ['dev'], ExpirationTTL: 'soon' }, 'a token expires between'],
    [
      { Type: 'client', Policies: ['dev'], AccessorID: 'mine' },
      'a new token cannot have an AccessorID: the service creates it',
    ],
  ])('that make no sense are refused: %j', async (body, text) => {
    const { send, by } = await withPolicy()
    const refused = await send('POST', '/v1/acl/token', body, by)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(text)
  })

  it.each([
    [
      'is revoked',
      async ({ send, by }: Bootstrapped, id: string) => send('DELETE', `/v1/acl/token/${id}`, undefined, by),
    ],
    ['has come to its end', async ({ clock }: Bootstrapped) => clock.advance(61_000)],
  ])('that %s sees nothing of what it waited for', async (_, end) => {
    const harness = await withPolicy()
    const { get, send, by, scheduler } = harness
    const write = { Type: 'client', Policies: ['dev'], ExpirationTTL: '1m' }
    const token = (await send('POST', '/v1/acl/token', write, by)).json as Token
    const { index } = await get('/v1/jobs', by)
    const [theirs, ours] = [
      get(`/v1/jobs?index=${index}`, as(token.SecretID)),
      get(`/v1/jobs?index=${index}`, by),
    ]
    await expect.poll(() => scheduler.waiting()).toBe(2)
    await end(harness, token.AccessorID)
    await send(
      'PUT',
      '/v1/jobs',
      { Job: { ID: 'web', TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] } },
      by,
    )
    expect([(await theirs).status, (await theirs).text]).toEqual([403, 'Permission denied'])
    expect((await ours).status).toBe(200)
  })

  const job = (ID: string) => ({ Job: { ID, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] } })

  it.each([
    ['the namespace', 'namespace=default', '', 403],
    ['some of the namespaces', 'namespace=*', 'namespace "ops" { policy = "read" }', 200],
  ])('whose policy loses %s while they wait see none of it', async (_, query, narrowed, status) => {
    const { get, send, by, scheduler } = await withPolicy()
    const both = `${rules} namespace "ops" { policy = "read" }`
    await send('POST', '/v1/acl/policy/dev', { Name: 'dev', Rules: both }, by)
    const made = await send('POST', '/v1/acl/token', { Type: 'client', Policies: ['dev'] }, by)
    const { index } = await get('/v1/jobs?namespace=*', by)
    const waiting = get(`/v1/jobs?${query}&index=${index}`, as((made.json as Token).SecretID))
    await expect.poll(() => scheduler.waiting()).toBe(1)
    await send('POST', '/v1/acl/policy/dev', { Name: 'dev', Rules: narrowed }, by)
    await send('PUT', '/v1/jobs', job('secret-plans'), by)
    const answer = await waiting
    expect(answer.status).toBe(status)
    expect(answer.text).not.toContain('secret-plans')
  })

  it('whose policy was narrowed wait no longer than they asked to', async () => {
    const { get, send, by, scheduler, clock } = await withPolicy()
    const made = await send('POST', '/v1/acl/token', { Type: 'client', Policies: ['dev'] }, by)
    const { index } = await get('/v1/jobs', by)
    const waiting = get(`/v1/jobs?index=${index}&wait=16s`, as((made.json as Token).SecretID))
    await expect.poll(() => scheduler.waiting()).toBe(1)
    await send('POST', '/v1/acl/policy/dev', { Name: 'dev', Rules: '' }, by)
    await clock.advance(17_000)
    expect((await waiting).status).toBe(403)
  })

  it('end when their time is up', async () => {
    const { get, send, by, clock } = await withPolicy()
    const body = { Type: 'client', Policies: ['dev'], ExpirationTTL: '1h' }
    const token = (await send('POST', '/v1/acl/token', body, by)).json as Token
    await clock.advance(3_599_999)
    expect((await get('/v1/jobs', as(token.SecretID))).status).toBe(200)
    await clock.advance(1)
    expect((await get('/v1/jobs', as(token.SecretID))).status).toBe(403)
  })

  it('keep their expiry when they are changed, and refuse another one', async () => {
    const { send, by } = await withPolicy()
    const body = { Type: 'client', Policies: ['dev'], ExpirationTTL: '1h' }
    const token = (await send('POST', '/v1/acl/token', body, by)).json as Token & { ExpirationTime: string }
    const path = `/v1/acl/token/${token.AccessorID}`
    const change = (more: object) => send('POST', path, { ...token, Name: 'ada', ...more }, by)
    expect((await change({})).json).toMatchObject({ Name: 'ada', ExpirationTime: token.ExpirationTime })
    for (const more of [{ ExpirationTTL: '2h' }, { ExpirationTime: '2030-01-01T00:00:00Z' }]) {
      const refused = await change(more)
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringContaining('cannot update expiration'),
      ])
    }
  })

  it('leave no secret in events', async () => {
    const { send, by, events, secret } = await withPolicy()
    const token = (await send('POST', '/v1/acl/token', { Type: 'client', Policies: ['dev'] }, by))
      .json as Token
    expect(events.map(({ type }) => type)).toEqual([
      'acl.bootstrapped',
      'acl.policy-upserted',
      'acl.token-created',
    ])
    expect(JSON.stringify(events)).not.toContain(token.SecretID)
    expect(JSON.stringify(events)).not.toContain(secret)
  })
})

describe('while access control is off', () => {
  it.each([
    ['POST', '/v1/acl/bootstrap'],
    ['GET', '/v1/acl/policies'],
    ['GET', '/v1/acl/policy/x'],
    ['DELETE', '/v1/acl/policy/x'],
    ['GET', '/v1/acl/tokens'],
    ['GET', '/v1/acl/token/self'],
    ['DELETE', '/v1/acl/token/x'],
  ])('%s %s is refused', async (method, path) => {
    const { send } = await given()
    const refused = await send(method, path)
    expect([refused.status, refused.text]).toEqual([400, 'ACL support disabled'])
  })
})

describe('what everyone may know of the servers', () => {
  it('reports the leader, the peers and the regions', async () => {
    const { get } = await given({}, { region: 'eu', acl: true })
    expect((await get('/v1/status/leader')).json).toBe('127.0.0.1:4647')
    expect((await get('/v1/status/peers')).json).toEqual(['127.0.0.1:4647'])
    expect((await get('/v1/regions')).json).toEqual(['eu'])
    expect((await get('/v1/regions')).headers.get('X-Scheduler-Index')).toBeNull()
  })

  it('lists the members, with the right to read nodes', async () => {
    const { get } = await given({}, { managementToken: 'secret', server: { name: 'one' } })
    expect((await get('/v1/agent/members')).status).toBe(403)
    expect((await get('/v1/agent/members', as('secret'))).json).toMatchObject({
      ServerName: 'one',
      ServerRegion: 'global',
      ServerDC: 'dc1',
      Members: [{ Name: 'one.global', Addr: '127.0.0.1', Status: 'alive', Tags: { region: 'global' } }],
    })
  })

  it('has no leader while there is none', async () => {
    const { get } = await given({}, { consistency: { knownLeader: () => false } })
    expect((await get('/v1/status/leader')).json).toBe('')
  })
})
