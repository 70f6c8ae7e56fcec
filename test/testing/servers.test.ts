import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import {
  type Started,
  startCatalog,
  startRegistry,
  startScheduler,
  startSecrets,
  testClock,
} from '../../src/testing/index.ts'

const vault = async (server: { url: string; token: string }, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/v1/${path}`, { ...init, headers: { 'X-Vault-Token': server.token } })
const value = async (server: { url: string; token: string }, path = 'secret/data/db'): Promise<unknown> => {
  const answer = await vault(server, path)
  return answer.ok ? ((await answer.json()) as { data: { data: unknown } }).data.data : answer.status
}

describe('a secrets service on a port of its own', () => {
  const started = () =>
    startSecrets({
      prepare: async (service) => void unwrap(await service.kv().write('db', { password: 'hunter2' })),
    })

  it('tells clients where it is, and records their requests', async () => {
    await using server = await started()
    expect(server.env).toMatchObject({ VAULT_ADDR: server.url, VAULT_TOKEN: server.token })
    expect(await value(server)).toEqual({ password: 'hunter2' })
    expect(await value(server, 'secret/data/none?version=2')).toBe(404)
    expect(server.requests).toMatchObject([
      { method: 'GET', path: '/v1/secret/data/db', status: 200, headers: { 'x-vault-token': server.token } },
      { path: '/v1/secret/data/none', query: { version: '2' }, status: 404 },
    ])
  })

  it('is forked with its content, and each goes its own way', async () => {
    await using server = await started()
    await using copy = await server.fork()
    expect(copy.token).toBe(server.token)
    const body = JSON.stringify({ data: { password: 'other' } })
    expect((await vault(copy, 'secret/data/db', { method: 'POST', body })).status).toBe(200)
    await server.service.kv().write('mine', { a: 1 })
    expect([await value(server), await value(copy)]).toEqual([{ password: 'hunter2' }, { password: 'other' }])
    expect([await value(server, 'secret/data/mine'), await value(copy, 'secret/data/mine')]).toEqual([
      { a: 1 },
      404,
    ])
    await copy.reset()
    expect(await value(copy)).toEqual({ password: 'hunter2' })
  })

  it('returns to what was prepared, at the same address and with the same token', async () => {
    await using server = await started()
    await server.service.kv().write('db', { password: 'changed' })
    server.fail()
    expect(await value(server)).toBe(500)
    await server.reset()
    expect(server.requests).toEqual([])
    expect(await value(server)).toEqual({ password: 'hunter2' })
  })

  it('fails on demand: once, for some requests, with a status', async () => {
    await using server = await started()
    server.fail({ path: '/v1/secret/data/db', method: 'get', status: 503, times: 1 })
    server.fail({ path: /none$/ })
    expect([await value(server), await value(server)]).toEqual([503, { password: 'hunter2' }])
    expect(await value(server, 'secret/data/none')).toBe(500)
    expect(() => server.fail({ paths: '/v1' } as never)).toThrow(/paths/)
  })

  it('is sealed and unsealed, and forked while sealed', async () => {
    await using server = await started()
    await server.seal()
    expect(await value(server)).toBe(503)
    await using copy = await server.fork()
    expect(await value(copy)).toEqual({ password: 'hunter2' })
    await server.unseal()
    expect(await value(server)).toEqual({ password: 'hunter2' })
  })

  it('answers late, by its clock', async () => {
    await using server = await startSecrets({ clock: testClock() })
    server.delay(60_000, { path: '/v1/sys/health' })
    let answered = false
    const answer = server.fetch(new Request(`${server.url}/v1/sys/health`)).then(({ status }) => {
      answered = true
      return status
    })
    await server.clock.advance(59_000)
    expect(answered).toBe(false)
    await server.clock.advance(1000)
    expect(await answer).toBe(200)
  })

  it('lets tokens expire by its clock, and its own on demand', async () => {
    await using server = await started()
    const input = { policies: ['root'], ttlSeconds: 60 }
    const { token } = unwrap(await server.service.tokens.create(input))
    const other = { url: server.url, token }
    expect(await value(other)).toEqual({ password: 'hunter2' })
    await server.clock.advance(61_000)
    expect(await value(other)).toBe(403)
    expect(await value(server)).toEqual({ password: 'hunter2' })
    await server.expire()
    expect(await value(server)).toBe(403)
    await server.reset()
    expect(await value(server)).toEqual({ password: 'hunter2' })
  })
})

/** Starts, fills, forks and resets a server of a kind. */
async function walk<Service>(
  server: Started<Service>,
  fill: (service: Service) => Promise<unknown>,
  look: (server: Started<Service>) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const before = await look(server)
  await fill(server.service)
  const copy = await server.fork()
  await server.reset()
  const seen = [before, await look(server), await look(copy)]
  await Promise.all([server.close(), copy.close()])
  return seen
}

describe('the other services', () => {
  it('schedule jobs', async () => {
    const server = await startScheduler()
    const job = { ID: 'web', TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'exec' }] }] }
    const jobs = async ({ env }: Started<unknown>) =>
      (
        await fetch(`${env['NOMAD_ADDR']}/v1/jobs`, {
          headers: { 'X-Nomad-Token': env['NOMAD_TOKEN'] ?? '' },
        })
      ).json()
    const seen = await walk(server, (service) => service.registerJob(job, { token: server.token }), jobs)
    expect(seen).toMatchObject([[], [], [{ ID: 'web' }]])
  })

  it('end although a client waits', async () => {
    const server = await startScheduler()
    const waiting = fetch(`${server.url}/v1/jobs?index=99&wait=10m`, {
      headers: { 'X-Nomad-Token': server.token },
    })
    await expect.poll(() => server.requests.length).toBe(1)
    await server.close()
    await waiting.catch(() => {})
  })

  it('keep boxes, and revoke tokens', async () => {
    const boxes = async ({ url, token }: Started<unknown>) =>
      (await fetch(`${url}/api/v2/user/test`, { headers: { authorization: `Bearer ${token}` } })).json()
    const server = await startCatalog()
    const seen = await walk(
      server,
      async (service) =>
        unwrap(
          await service.as({ kind: 'user', username: 'test' }).createBox({ username: 'test', name: 'b' }),
        ),
      boxes,
    )
    expect(seen).toMatchObject([{ boxes: [] }, { boxes: [] }, { boxes: [{ name: 'b' }] }])
    await using other = await startCatalog({ username: 'ada' })
    await other.expire()
    const headers = { authorization: `Bearer ${other.token}` }
    expect((await fetch(`${other.url}/api/v2/user/ada`, { headers })).status).toBe(401)
  })

  it('keep modules', async () => {
    const address = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    const seen = await walk(
      await startRegistry(),
      async (service) => {
        await service.publishModule(address)
        const archive = { version: '1.0.0', source: 'https://example.com/vpc.zip' }
        return service.publishVersion(address, archive)
      },
      async ({ url }) =>
        ((await (await fetch(`${url}/v1/modules/acme`)).json()) as { modules?: unknown }).modules,
    )
    expect(seen).toMatchObject([[], [], [{ name: 'vpc' }]])
  })
})

describe('fake timers of the test runner', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) }))
  afterEach(() => void vi.useRealTimers())

  it('move the clock of a server', async () => {
    const clock = testClock({ running: true })
    let due = false
    clock.timers.after(60_000, () => {
      due = true
    })
    await vi.advanceTimersByTimeAsync(59_000)
    expect([clock.now(), due]).toEqual([Date.UTC(2030, 0, 1) + 59_000, false])
    await vi.advanceTimersByTimeAsync(1000)
    expect(due).toBe(true)
  })
})
