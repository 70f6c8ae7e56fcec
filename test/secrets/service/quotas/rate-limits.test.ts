import { describe, expect, it } from 'vitest'
import { createSecrets, devSecrets } from '../../../../src/secrets/index.ts'
import { coalesced, memoryStore } from '../../../../src/store/index.ts'
import { asking, client } from '../client.ts'

const quota = (name: string) => `/v1/sys/quotas/rate-limit/${name}`
const config = '/v1/sys/quotas/config'

/** A service, and the statuses of requests from an address. */
async function limited() {
  const made = await client()
  const from = async (address: string, method: string, path: string, body?: unknown) => {
    const request = new Request(`http://secrets.test${path}`, {
      method,
      headers: { 'X-Secrets-Token': made.rootToken },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status, headers } = await made.service.fetch(request, { peer: { address } })
    return { status, headers }
  }
  /** How many of some requests are answered before one is refused with 429. */
  const admitted = async (path: string, address = '10.0.0.1', most = 20) => {
    for (let n = 0; n < most; n += 1) if ((await from(address, 'GET', path)).status === 429) return n
    return most
  }
  return { ...made, from, admitted }
}

describe('a rate limit', () => {
  it('is created, read, listed and deleted', async () => {
    const { ask } = await client()
    expect((await ask('LIST', '/v1/sys/quotas/rate-limit')).status).toBe(404)
    expect((await ask('POST', quota('all'), { rate: 16.7 })).status).toBe(204)
    expect((await ask('GET', quota('all'))).body.data).toEqual({
      type: 'rate-limit',
      name: 'all',
      path: '',
      role: '',
      rate: 16.7,
      interval: 1,
      block_interval: 0,
      inheritable: true,
      group_by: 'ip',
    })
    const narrow = { rate: '10', path: 'secret/data/app*', interval: '1m', block_interval: 300, burst: 7 }
    expect((await ask('POST', quota('app'), narrow)).status).toBe(204)
    expect((await ask('GET', quota('app'))).body.data).toMatchObject({
      path: 'secret/data/app*',
      rate: 10,
      interval: 60,
      block_interval: 300,
    })
    expect((await ask('LIST', '/v1/sys/quotas/rate-limit')).body.data.keys).toEqual(['all', 'app'])
    expect((await ask('DELETE', quota('all'))).status).toBe(204)
    expect((await ask('DELETE', quota('all'))).status).toBe(204)
    expect((await ask('GET', quota('all'))).status).toBe(404)
  })

  it.each([
    [{}, "'rate' is invalid"],
    [{ rate: -1 }, "'rate' is invalid"],
    [{ rate: 1, path: 'nowhere' }, 'invalid mount path "nowhere/"'],
    [{ rate: 1, path: 'auth/token', role: 'a' }, 'does not support use with role-based quotas'],
    [{ rate: 1, path: 'auth/approle/login', role: 'a' }, 'cannot contain both a path suffix and a role'],
    [{ rate: 1, inheritable: false }, 'all global quotas must be inheritable'],
    [
      { rate: 1, path: 'secret', inheritable: true },
      'only namespace quotas can be configured as inheritable',
    ],
    [{ rate: 1, path: 'cubbyhole' }, 'quota rule with similar properties exists under the name "other"'],
    [{ rate: 1, group_by: 'entity_then_ip' }, "'group_by' is invalid"],
    [{ rate: 1, interval: -1 }, 'cannot provide negative value'],
  ])('cannot be %j', async (body, message) => {
    const { ask } = await client()
    await ask('POST', '/v1/sys/auth/approle', { type: 'approle' })
    await ask('POST', quota('other'), { rate: 1000, path: '/cubbyhole' })
    const refused = await ask('POST', quota('one'), body)
    expect(refused).toMatchObject({ status: 400, body: { errors: [expect.stringContaining(message)] } })
  })

  it('admits the requests of each address, and counts again once the interval is over', async () => {
    const { ask, from, admitted, clock } = await limited()
    await ask('POST', quota('kv'), { path: 'secret', rate: 3, interval: 10 })
    expect(await admitted('/v1/secret/data/x')).toBe(3)
    expect(await admitted('/v1/secret/data/x', '10.0.0.2')).toBe(3)
    expect((await from('10.0.0.1', 'GET', '/v1/cubbyhole/x')).status).toBe(404)
    await clock.advance(9_999)
    expect(await admitted('/v1/secret/data/x')).toBe(0)
    await clock.advance(1)
    expect(await admitted('/v1/secret/data/x')).toBe(3)
    const { body } = await made429(ask)
    expect(body).toEqual({ errors: ['request path "cubbyhole/x": rate limit quota exceeded'] })
  })

  it('refuses an address that exceeds it for the block interval', async () => {
    const { ask, admitted, clock } = await limited()
    await ask('POST', quota('kv'), { path: 'secret', rate: 2, block_interval: '1m' })
    expect(await admitted('/v1/secret/data/x')).toBe(2)
    await clock.advance(59_999)
    expect(await admitted('/v1/secret/data/x')).toBe(0)
    await clock.advance(1)
    expect(await admitted('/v1/secret/data/x')).toBe(2)
  })

  it('refuses requests before their token is looked at', async () => {
    const { ask, service } = await client()
    await ask('POST', quota('kv'), { path: 'secret', rate: 1 })
    const anyone = asking(service, 'wrong')
    expect((await anyone('GET', '/v1/secret/data/x')).status).toBe(403)
    expect((await anyone('GET', '/v1/secret/data/x')).status).toBe(429)
  })

  it('gives way to one that is more specific', async () => {
    const { ask, service, admitted } = await limited()
    await service.namespaces.create('team')
    await service.namespaces.create('team/a')
    const limits = {
      all: ['', 12],
      kv: ['secret', 8],
      begin: ['secret/data/ap*', 6],
      more: ['secret/data/app*', 5],
    }
    for (const [name, [path, rate]] of Object.entries({ ...limits, exact: ['secret/data/app/db', 4] }))
      await ask('POST', quota(name), { path, rate, interval: 3600 })
    expect(await admitted('/v1/secret/data/app/db')).toBe(4)
    expect(await admitted('/v1/secret/data/app/dc')).toBe(5)
    expect(await admitted('/v1/secret/data/apa')).toBe(6)
    expect(await admitted('/v1/secret/data/x')).toBe(8)
    expect(await admitted('/v1/team/a/cubbyhole/x')).toBe(12)
    await ask('POST', quota('team'), { path: 'team', rate: 3, interval: 3600 })
    expect(await admitted('/v1/team/cubbyhole/x')).toBe(3)
    expect(await admitted('/v1/team/a/cubbyhole/x')).toBe(0)
    await ask('POST', quota('team'), { path: 'team', rate: 3, interval: 3600, inheritable: true })
    expect(await admitted('/v1/team/a/cubbyhole/x')).toBe(3)
  })

  it('for a role counts only the logins of that role', async () => {
    const { ask, service, from } = await limited()
    await ask('POST', '/v1/sys/auth/approle', { type: 'approle' })
    await service
      .approle()
      .writeRole('ci', { roleId: 'ci-id', bindSecretId: false, secretIdBoundCidrs: ['0.0.0.0/0'] })
    await service
      .approle()
      .writeRole('cd', { roleId: 'cd-id', bindSecretId: false, secretIdBoundCidrs: ['0.0.0.0/0'] })
    await ask('POST', quota('ci'), { path: 'auth/approle', role: 'CI', rate: 1 })
    const login = (id: string) => from('10.0.0.1', 'POST', '/v1/auth/approle/login', { role_id: id })
    expect((await login('ci-id')).status).not.toBe(429)
    expect((await login('ci-id')).status).toBe(429)
    expect((await login('cd-id')).status).not.toBe(429)
    expect((await login('nobody')).status).not.toBe(429)
    expect((await from('10.0.0.1', 'LIST', '/v1/auth/approle/role')).status).not.toBe(429)
    await ask('POST', quota('method'), { path: 'auth/approle', rate: 2, interval: 3600 })
    for (const id of ['cd-id', 'nobody']) expect((await login(id)).status).not.toBe(429)
    expect((await login('cd-id')).status).toBe(429)
  })

  it('follows its mount, and ends with it', async () => {
    const { ask, service, admitted } = await limited()
    await ask('POST', '/v1/sys/mounts/kv', { type: 'kv' })
    await ask('POST', quota('kv'), { path: 'kv/x', rate: 2, interval: 3600 })
    await ask('POST', '/v1/sys/remount', { from: 'kv', to: 'plain' })
    expect((await ask('GET', quota('kv'))).body.data.path).toBe('plain/x')
    expect(await admitted('/v1/plain/x')).toBe(2)
    await ask('DELETE', '/v1/sys/mounts/plain')
    expect((await ask('GET', quota('kv'))).status).toBe(404)
    await service.sweep()
    await ask('POST', '/v1/sys/mounts/plain', { type: 'kv' })
    expect(await admitted('/v1/plain/x')).toBe(20)
    expect((await ask('POST', quota('kv'), { path: 'plain', rate: 1 })).status).toBe(204)
  })

  it('is counted anew when it is written, also for another path', async () => {
    const { ask, admitted } = await limited()
    await ask('POST', quota('one'), { path: 'secret', rate: 2, interval: 3600 })
    expect(await admitted('/v1/secret/data/x')).toBe(2)
    await ask('POST', quota('one'), { path: 'secret', rate: 4, interval: 3600 })
    expect(await admitted('/v1/secret/data/x')).toBe(4)
    await ask('POST', quota('one'), { path: 'cubbyhole', rate: 1, interval: 3600 })
    expect(await admitted('/v1/secret/data/x')).toBe(20)
    expect(await admitted('/v1/cubbyhole/x')).toBe(1)
    expect((await ask('LIST', '/v1/sys/quotas/rate-limit')).body.data.keys).toEqual(['one'])
  })

  it('needs the rights of its path, in the root namespace only', async () => {
    const { ask, service } = await client()
    await service.namespaces.create('team')
    const rule = 'path "sys/quotas/*" { capabilities = ["read", "update", "list"] }'
    await service.policies.write('limits', rule)
    const made = await service.tokens.create({ policies: ['limits'] })
    const asLimiter = asking(service, made.ok ? made.value.token : '')
    expect((await asLimiter('POST', quota('all'), { rate: 100 })).status).toBe(204)
    expect((await asLimiter('GET', quota('all'))).status).toBe(200)
    expect((await asLimiter('DELETE', quota('all'))).status).toBe(403)
    const within = await ask('GET', config, undefined, { 'X-Secrets-Namespace': 'team' })
    expect(within.status).toBe(400)
  })

  it('is known to every server of a store, each of which counts for itself', async () => {
    const store = coalesced(memoryStore())
    const { service: one, rootToken, unsealKeys } = await devSecrets({ store })
    const two = createSecrets({ store })
    for (const key of unsealKeys) await two.seal.unseal(key)
    await one.quotas.write('kv', { path: 'secret/', rate: 1, intervalSeconds: 3600 })
    for (const server of [one, two]) {
      const ask = asking(server, rootToken)
      expect((await ask('GET', '/v1/secret/data/x')).status).toBe(404)
      expect((await ask('GET', '/v1/secret/data/x')).status).toBe(429)
    }
    await two.quotas.delete('kv')
    expect((await asking(one, rootToken)('GET', '/v1/secret/data/x')).status).toBe(404)
  })
})

describe('the settings of quotas', () => {
  it('stay unless they are written', async () => {
    const { ask } = await client()
    const before = (await ask('GET', config)).body.data
    expect(before).toMatchObject({
      enable_rate_limit_audit_logging: false,
      enable_rate_limit_response_headers: false,
      rate_limit_exempt_paths: expect.arrayContaining(['sys/health', 'sys/seal-status', 'sys/unseal']),
      absolute_rate_limit_exempt_paths: [],
    })
    expect((await ask('POST', config, { foo: 'bar' })).status).toBe(204)
    expect((await ask('GET', config)).body.data).toEqual(before)
    await ask('POST', config, { enable_rate_limit_audit_logging: true, rate_limit_exempt_paths: [] })
    expect((await ask('GET', config)).body.data).toEqual({
      ...before,
      enable_rate_limit_audit_logging: true,
      rate_limit_exempt_paths: [],
    })
  })

  it('exempt paths', async () => {
    const { ask, service, admitted } = await limited()
    await service.namespaces.create('team')
    await ask('POST', quota('all'), { rate: 1, interval: 3600 })
    expect(await admitted('/v1/sys/health')).toBe(20)
    expect(await admitted('/v1/sys/leader')).toBe(1)
    const paths = {
      rate_limit_exempt_paths: 'cubbyhole/*,!cubbyhole/a',
      absolute_rate_limit_exempt_paths: 'team/sys',
    }
    await ask('POST', quota('all'), { rate: 5, interval: 3600 })
    await ask('POST', config, paths)
    expect(await admitted('/v1/sys/health')).toBe(5)
    expect(await admitted('/v1/cubbyhole/x')).toBe(20)
    expect(await admitted('/v1/cubbyhole/ab')).toBe(0)
    expect(await admitted('/v1/team/sys/mounts')).toBe(20)
    expect(await admitted('/v1/team/secret/x')).toBe(0)
  })

  it('add headers to answers', async () => {
    const { ask, from, clock } = await limited()
    await ask('POST', quota('kv'), { path: 'secret', rate: 2, interval: 10 })
    expect((await from('10.0.0.1', 'GET', '/v1/secret/data/x')).headers.get('x-ratelimit-limit')).toBe(null)
    await ask('POST', config, { enable_rate_limit_response_headers: true })
    await clock.advance(3_000)
    const second = await from('10.0.0.1', 'GET', '/v1/secret/data/x')
    expect(second.headers.get('x-ratelimit-limit')).toBe('2')
    expect(second.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(second.headers.get('x-ratelimit-reset')).toBe('7')
    expect(second.headers.get('retry-after')).toBe(null)
    const third = await from('10.0.0.1', 'GET', '/v1/secret/data/x')
    expect(third.status).toBe(429)
    expect(third.headers.get('retry-after')).toBe('7')
  })

  it('write refused requests to the audit devices', async () => {
    const lines: string[] = []
    const sink = { write: async (line: string) => void lines.push(line) }
    const { ask } = await client({ audit: [{ path: 'file/', sink }] })
    await ask('POST', quota('kv'), { path: 'secret', rate: 1, interval: 3600 })
    await ask('GET', '/v1/secret/data/x')
    const before = lines.length
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(429)
    expect(lines.length).toBe(before)
    await ask('POST', config, { enable_rate_limit_audit_logging: true })
    lines.splice(0)
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(429)
    expect(lines.map((line) => JSON.parse(line).error)).toEqual(
      Array.from({ length: 2 }, () => 'request path "secret/data/x": rate limit quota exceeded'),
    )
  })
})

/** The answer of a request beyond a limit of one. */
async function made429(ask: Awaited<ReturnType<typeof client>>['ask']) {
  await ask('POST', quota('one'), { path: 'cubbyhole', rate: 1 })
  await ask('GET', '/v1/cubbyhole/x')
  return ask('GET', '/v1/cubbyhole/x')
}
