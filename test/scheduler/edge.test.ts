import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createScheduler } from '../../src/scheduler/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { given } from './harness.ts'

describe('every answer to a read', () => {
  it('carries index, contact and leader', async () => {
    const { get } = await given()
    const { headers } = await get('/v1/jobs')
    expect(headers.get('X-Scheduler-Index')).toBe('1')
    expect(headers.get('X-Scheduler-LastContact')).toBe('0')
    expect(headers.get('X-Scheduler-KnownLeader')).toBe('true')
    expect(headers.get('X-Scheduler-NextToken')).toBeNull()
    expect(headers.get('content-type')).toBe('application/json')
  })

  it('says how far a stale one may be behind', async () => {
    const consistency = { lastContact: () => 12.7, knownLeader: () => false }
    const { get } = await given({}, { consistency })
    const { headers } = await get('/v1/jobs?stale')
    expect([headers.get('X-Scheduler-LastContact'), headers.get('X-Scheduler-KnownLeader')]).toEqual([
      '12',
      'false',
    ])
  })

  it('says it under every word, and takes the token under each', async () => {
    const { get } = await given({}, { words: ['Acme'], managementToken: 'secret' })
    const { headers } = await get('/v1/nodes', { headers: { 'X-Acme-Token': 'secret' } })
    for (const word of ['Scheduler', 'Nomad', 'Acme']) expect(headers.get(`X-${word}-Index`)).toBe('1')
    expect(headers.get('X-Acme-KnownLeader')).toBe('true')
  })

  it('is compact, or indented by four when pretty', async () => {
    const { get } = await given({ nodes: [{ ID: 'n' }] })
    expect((await get('/v1/nodes')).text).not.toContain('\n')
    for (const pretty of ['pretty', 'pretty=1', 'pretty=false'])
      expect((await get(`/v1/nodes?${pretty}`)).text).toMatch(/^\[\n {4}\{\n {8}"Address"[\s\S]*\]\n$/)
    expect((await get('/v1/nodes?pretty=0')).text).not.toContain('\n')
  })

  it.each([1, 99])('is compressed for clients that accept it, at any length: %i nodes', async (count) => {
    const nodes = Array.from({ length: count }, (_, at) => ({ ID: `n${at}` }))
    const { scheduler } = await given({ nodes })
    const request = (encoding: string) =>
      scheduler.fetch(new Request('http://x/v1/nodes', { headers: { 'accept-encoding': encoding } }))
    const packed = await request('br, gzip')
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('vary')).toBe('Accept-Encoding')
    expect(JSON.parse(gunzipSync(await packed.arrayBuffer()).toString())).toHaveLength(count)
    const plain = await request('gzip;q=0')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('vary')).toBe('Accept-Encoding')
    expect(JSON.parse(await plain.text())).toHaveLength(count)
  })
  it('is compressed where it is a refusal, and nothing where it has no body', async () => {
    const { scheduler } = await given()
    const ask = (path: string, init: RequestInit = {}) =>
      scheduler.fetch(new Request(`http://x${path}`, { headers: { 'accept-encoding': 'gzip' }, ...init }))
    const refused = await ask('/v1/job/none')
    expect([refused.status, refused.headers.get('content-encoding')]).toEqual([404, 'gzip'])
    expect(gunzipSync(await refused.arrayBuffer()).toString()).toBe('job not found')
    const written = await ask('/v1/node/pools', { method: 'PUT', body: '{"Name":"gpu"}' })
    expect([written.headers.get('content-encoding'), await written.text()]).toEqual([null, ''])
  })

  it('has no body for HEAD, and the same headers', async () => {
    const { get } = await given()
    const head = await get('/v1/jobs', { method: 'HEAD' })
    expect([head.status, head.text, head.index]).toEqual([200, '', 1])
  })
})

describe('a request that fits nothing', () => {
  it.each([
    ['GET', '/v1/nothing', 404, ''],
    ['GET', '/v2/jobs', 404, ''],
    ['DELETE', '/v1/node/pools', 405, 'Invalid method'],
    ['POST', '/v1/nodes', 405, 'Invalid method'],
  ])('%s %s is %i', async (method, path, status, text) => {
    const { get } = await given()
    const got = await get(path, { method })
    expect([got.status, got.text]).toEqual([status, text])
  })
})

describe('a parameter that makes no sense', () => {
  it.each([
    ['index=-1', 'Invalid index'],
    ['index=x', 'Invalid index'],
    ['index=1.5', 'Invalid index'],
    ['index=18446744073709551616', 'Invalid index'],
    ['wait=10', 'Invalid wait time'],
    ['wait=soon', 'Invalid wait time'],
    ['wait=1d', 'Invalid wait time'],
    ['stale=maybe', 'Expect `true` or `false` for `stale` query string parameter'],
  ])('%s is 400: %s', async (query, text) => {
    const { get } = await given()
    for (const path of [
      '/v1/jobs',
      '/v1/node/pools',
      '/v1/node/pool/default',
      '/v1/node/pool/default/nodes',
    ]) {
      const got = await get(`${path}?${query}`)
      expect([got.status, got.text]).toEqual([400, text])
    }
  })

  it.each(['index=0&wait=0', 'index=&wait=', 'stale=false', 'stale=', 'wait=1h5m', 'wait=300ms'])(
    '%s makes sense',
    async (query) => {
      const { get } = await given()
      expect((await get(`/v1/jobs?${query}`)).status).toBe(200)
    },
  )
})

describe('what does not exist', () => {
  const DeploymentID = 'd1'
  it.each([
    ['/v1/node/n1/drain', { DrainSpec: null }],
    ['/v1/node/n1/eligibility', { Eligibility: 'eligible' }],
    ['/v1/node/n1/evaluate', undefined],
    ['/v1/node/n1/purge', undefined],
    ['/v1/deployment/pause/d1', { DeploymentID, Pause: true }],
    ['/v1/deployment/fail/d1', undefined],
    ['/v1/deployment/promote/d1', { DeploymentID, All: true }],
    ['/v1/deployment/allocation-health/d1', { DeploymentID }],
    ['/v1/deployment/unblock/d1', undefined],
  ])('is 404 when it is written (%s), or what such services are known for', async (path, body) => {
    const text = path.startsWith('/v1/node') ? 'node not found' : 'deployment not found'
    const spec = await (await given()).send('PUT', path, body)
    expect([spec.status, spec.text]).toEqual([404, text])
    const compat = await (await given({}, { errors: 'compat' })).send('PUT', path, body)
    expect([compat.status, compat.text]).toEqual([500, text])
  })
  it.each(['/v1/node/n1', '/v1/deployment/d1', '/v1/allocation/a1', '/v1/evaluation/e1'])(
    'is 404 when it is read, although the original service may have it: %s',
    async (path) => {
      for (const errors of ['spec', 'compat'] as const)
        expect((await (await given({}, { errors })).get(path)).status).toBe(404)
    },
  )
})

describe('a region', () => {
  it('of its own is served', async () => {
    const { get } = await given({}, { region: 'eu' })
    expect((await get('/v1/jobs?region=eu')).status).toBe(200)
    expect((await get('/v1/jobs?region=')).status).toBe(200)
  })

  it('that is unknown is 404, or what the original service answers', async () => {
    const spec = await given()
    const refused = await spec.get('/v1/jobs?region=mars')
    expect([refused.status, refused.text]).toEqual([404, 'No path to region'])
    const compat = await given({}, { errors: 'compat' })
    expect((await compat.get('/v1/jobs?region=mars')).status).toBe(500)
  })

  it('that is somewhere else gets the request', async () => {
    const eu = createScheduler({ store: memoryStore(), region: 'eu' })
    const us = createScheduler({
      store: memoryStore(),
      region: 'us',
      forward: async (region, request) => (region === 'eu' ? eu.fetch(request) : undefined),
    })
    const body = JSON.stringify({ Name: 'gpu' })
    await us.fetch(new Request('http://x/v1/node/pool?region=eu', { method: 'POST', body }))
    expect((await eu.readPool('gpu')).ok).toBe(true)
    expect((await us.readPool('gpu')).ok).toBe(false)
    const lost = await us.fetch(new Request('http://x/v1/jobs?region=mars'))
    expect(lost.status).toBe(404)
  })
})

describe('an unforeseen error', () => {
  it('is 500 with a reference that the host is told too', async () => {
    const heard: string[] = []
    const { get } = await given(
      {},
      {
        consistency: {
          knownLeader: () => {
            throw new Error('disk on fire')
          },
        },
        onError: (error, id) => heard.push(`${String(error)} ${id}`),
      },
    )
    const got = await get('/v1/jobs')
    expect(got.status).toBe(500)
    expect(got.text).not.toContain('fire')
    expect(heard[0]).toContain('disk on fire')
    expect(got.text).toContain(heard[0]?.split(' ').at(-1))
  })
})

describe('a listener that throws', () => {
  it('changes nothing: the change is stored, and work continues', async () => {
    const errors: unknown[] = []
    const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
    const { scheduler, send, get } = await given(
      { nodes: [{ ID: 'n1', NodeResources: room }] },
      {
        ...{ place: true, simulate: true, onError: (error) => errors.push(error) },
        onEvent: () => {
          throw new Error('a broken listener')
        },
      },
    )
    const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] }
    expect((await send('PUT', '/v1/jobs', { Job: job })).status).toBe(200)
    await scheduler.settled()
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({ Status: 'successful' })
    expect((await get('/v1/evaluations?status=pending')).json).toEqual([])
    expect(errors.length).toBeGreaterThan(0)
  })
})

describe('the OpenAPI document', () => {
  it('describes every endpoint of the table', async () => {
    const { scheduler } = await given()
    // OpenAPI does not tell paths apart by the names in them.
    const shape = (path: string) => path.replace(/\{\w+\}|[:*]\w+/g, '{}')
    const described = new Map(
      Object.entries(scheduler.openapi().paths).map(([path, item]) => [shape(path), Object.keys(item)]),
    )
    for (const { path, methods } of scheduler.routes)
      for (const method of methods) expect(described.get(shape(path))).toContain(method.toLowerCase())
  })
})
