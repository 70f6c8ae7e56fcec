import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { defineService, errorsArray, mount, type RequestRecord, reply, route } from '../../src/http/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { AclTokenWrite, createScheduler } from '../../src/scheduler/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { testClock } from '../../src/testing/index.ts'

/** What a service tells of requests, and what it told. */
const heard = () => {
  const records: RequestRecord[] = []
  return { records, onRequest: (record: RequestRecord) => void records.push(record) }
}

/** The same text in a path, with every letter escaped. */
const encoded = (text: string) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)

describe('onRequest is called for every request once it is answered', () => {
  it('of the scheduler, with the accessor of a token, and how long it waited', async () => {
    const { records, onRequest } = heard()
    const clock = testClock()
    const scheduler = createScheduler({ ...clock, managementToken: 'root', onRequest })
    const { AccessorID, SecretID } = unwrap(
      await scheduler.writeToken(undefined, AclTokenWrite.parse({ Name: 'reader', Type: 'management' }), {
        token: 'root',
      }),
    )
    const ask = (path: string, token?: string) =>
      scheduler.fetch(
        new Request(`http://s${path}`, {
          headers: token === undefined ? {} : { 'X-Scheduler-Token': token },
        }),
      )
    await ask('/v1/node/pools?prefix=secret', SecretID)
    await ask('/v1/node/pools', 'root')
    await ask('/v1/nodes')
    await ask('/v1/nodes', 'wrong')
    await ask('/v1/nothing', SecretID)
    const waiting = ask('/v1/node/pools?index=1000&wait=5s', SecretID)
    while (scheduler.waiting() === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(10_000)
    await waiting
    expect(records).toMatchObject([
      { method: 'GET', path: '/v1/node/pools', status: 200, caller: AccessorID, durationMs: 0 },
      { path: '/v1/node/pools', status: 200, caller: 'management' },
      { status: 403, caller: null },
      { status: 403, caller: null },
      { path: '/v1/nothing', status: 404, caller: null, route: null },
      { path: '/v1/node/pools', status: 200, caller: AccessorID },
    ])
    expect(records[0]?.route).toBe(records[1]?.route)
    expect(records[5]?.durationMs).toBeGreaterThanOrEqual(5000)
    const text = JSON.stringify(records)
    for (const secret of [SecretID, 'wrong', 'secret']) expect(text).not.toContain(secret)
    await scheduler.close()
  })

  it('of the catalog, with the name of a user, and without the secret of an upload', async () => {
    const { records, onRequest } = heard()
    const catalog = createCatalog({ onRequest })
    unwrap(await catalog.putUser({ username: 'ada' }))
    const { token } = unwrap(await catalog.createToken('ada'))
    const version = { username: 'ada', name: 'tiny', version: '1.0.0' }
    unwrap(await catalog.createBox({ username: 'ada', name: 'tiny', private: false }))
    unwrap(await catalog.createVersion(version, { version: '1.0.0' }))
    unwrap(await catalog.createProvider(version, { name: 'qemu', architecture: 'amd64' }))
    const { secret } = unwrap(await catalog.requestUpload(version, { name: 'qemu' }, 'standard'))
    const ask = (method: string, path: string) =>
      catalog.fetch(
        new Request(`http://c${path}`, { method, ...(method === 'PUT' ? { body: 'image' } : {}) }),
      )
    await ask('GET', `/api/v2/box/ada/tiny?access_token=${token}`)
    await ask('GET', '/api/v2/box/ada/tiny?access_token=none-of-ours')
    await ask('PUT', `/api/upload/${secret}`)
    await ask('DELETE', `/api/upload/${secret}`)
    await ask('PUT', `/api/upload/${secret}/more`)
    await ask('PUT', `/api//upload/${secret}`)
    await ask('PUT', `/api/uploads/${secret}`)
    await ask('PUT', `/API/v2/upload%2F${secret}?now`)
    await ask('PUT', `/api/upload%2f${encoded(secret)}`)
    await ask('PUT', `/api/v2/box/ada/tiny/version/1.0.0/provider/qemu/amd64/upload/direct/${secret}`)
    expect(records.map(({ method, path, status, caller }) => [method, path, status, caller])).toEqual([
      ['GET', '/api/v2/box/ada/tiny', 200, 'ada'],
      ['GET', '/api/v2/box/ada/tiny', 401, null],
      ['PUT', '/api/upload/…', 200, null],
      ['DELETE', '/api/upload/…', 405, null],
      ['PUT', '/api/upload/…', 404, null],
      ['PUT', '/api//upload/…', 404, null],
      ['PUT', '/api/uploads/…', 404, null],
      ['PUT', '/API/v2/…', 404, null],
      ['PUT', '/api/…', 405, null],
      ['PUT', '/api/v2/box/ada/tiny/version/1.0.0/provider/qemu/amd64/upload/direct/…', 401, null],
    ])
    expect(decodeURIComponent(JSON.stringify(records))).not.toContain(secret)
    await catalog.close()
  })

  it('of the registry, with the name of a reader, and below the place where it is mounted', async () => {
    const { records, onRequest } = heard()
    const registry = createRegistry({
      authenticate: ({ headers }) =>
        headers.get('authorization') === 'Bearer let-me-in' ? { name: 'ada' } : undefined,
      onRequest,
    })
    const fetch = mount({ '/registry': registry.fetch })
    const authorization = 'Bearer let-me-in'
    await fetch(new Request('http://r/registry/v1/modules', { headers: { authorization } }))
    await fetch(new Request('http://r/registry/v1/modules'))
    expect(records).toMatchObject([
      { path: '/v1/modules', status: 200, caller: 'ada' },
      { path: '/v1/modules', status: 401, caller: null },
    ])
    expect(JSON.stringify(records)).not.toContain('let-me-in')
    await registry.close()
  })

  it('of the gateway, which has no callers', async () => {
    const { records, onRequest } = heard()
    const gateway = createGateway({ onRequest })
    await gateway.fetch(new Request('http://g/health?worker_info=1'))
    await gateway.close()
    await gateway.fetch(new Request('http://g/health', { method: 'HEAD' }))
    expect(records).toMatchObject([
      { method: 'GET', path: '/health', route: 'gateway.health', status: 200, caller: null, address: null },
      { method: 'HEAD', path: '/health', status: 503 },
    ])
  })

  it('of secrets, as an audit log', async () => {
    const clock = testClock({ now: 5000 })
    const records: RequestRecord<{ readonly displayName: string }>[] = []
    const { service, rootToken } = await devSecrets({ ...clock, onRequest: (record) => records.push(record) })
    const headers = { 'X-Secrets-Token': rootToken }
    await service.fetch(new Request('http://s/v1/sys/mounts', { headers }))
    expect(records).toMatchObject([
      {
        at: 5000,
        method: 'GET',
        path: 'sys/mounts',
        status: 200,
        durationMs: 0,
        caller: { displayName: 'root' },
      },
    ])
    expect(records[0]?.route).toMatch(/mounts/)
    await service.close()
  })

  it('also where the service itself failed, or the client went away', async () => {
    const { records, onRequest } = heard()
    const broken = route<object>()({
      id: 'broken',
      method: 'GET',
      path: '/broken',
      summary: 'Fail',
      handle: () => {
        throw new Error('broken')
      },
    })
    const service = defineService({
      name: 'broken',
      routes: [broken],
      statusOf: {},
      dialect: errorsArray,
      context: () => ({}),
      newId: () => 'id',
      onRequest,
    })
    await service.fetch(new Request('http://b/broken'))
    await service.fetch(new Request('http://b/broken', { signal: AbortSignal.abort() }))
    expect(records).toMatchObject([
      { route: 'broken', status: 500 },
      { route: 'broken', status: 499 },
    ])
  })

  it('and a listener that fails does not delay the answer: its failure has no reference, because no caller saw one', async () => {
    const errors: unknown[][] = []
    const hello = route<object>()({
      id: 'hello',
      method: 'GET',
      path: '/',
      summary: 'Say hello',
      handle: () => reply('hello'),
    })
    const service = defineService({
      name: 'hello',
      routes: [hello],
      statusOf: {},
      dialect: errorsArray,
      context: () => ({}),
      newId: () => 'id',
      onError: (...reported) => errors.push(reported),
      onRequest: () => {
        throw new Error('disk full')
      },
    })
    const answer = await service.fetch(new Request('http://h/'))
    expect(answer.status).toBe(200)
    expect(errors).toEqual([[new Error('disk full')]])
  })
})

it('every service tells its table as text', async () => {
  const { service: secrets } = await devSecrets()
  const services = [secrets, createScheduler(), createGateway(), createCatalog(), createRegistry()]
  for (const { help, routes, close } of services) {
    expect(help().split('\n')).toHaveLength(routes.length)
    await close()
  }
  expect(createScheduler().help('/v1/node/pool/')).toContain('GET /v1/node/pool/{')
})
