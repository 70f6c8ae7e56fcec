import { describe, expect, it } from 'vitest'
import { NodeRecord } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const node = (ID: string, over: object = {}) => NodeRecord.parse({ ID, NodeResources: room, ...over })
const job = (over: object = {}, group: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 't' }], ...group }],
  ...over,
})
type Body = Record<string, never>
const placing = { place: true, simulate: true }

describe('registering a node', () => {
  it('brings its pool into being in the same commit', async () => {
    const { scheduler, get } = await given()
    const done = await scheduler.registerNode(node('n1', { NodePool: 'gpu' }))
    expect(done).toMatchObject({ ok: true, index: 2 })
    expect((await get('/v1/node/pool/gpu')).json).toMatchObject({ CreateIndex: 2, Description: '' })
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'ready', CreateIndex: 2 })
  })
  it('is refused in "all", and under a name no pool may have', async () => {
    const { scheduler } = await given()
    for (const NodePool of ['all', 'a b'])
      expect(await scheduler.registerNode(node('n1', { NodePool }))).toMatchObject({
        ok: false,
        refusal: { code: 'invalid_node' },
      })
  })
  it('gives work that waited for room a place, and system jobs one more', async () => {
    const { scheduler, send, get } = await given({}, placing)
    await send('PUT', '/v1/jobs', { Job: job() })
    await send('PUT', '/v1/jobs', { Job: job({ ID: 'agent', Type: 'system' }, { Count: 1 }) })
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({ Summary: { app: { Queued: 2 } } })
    await scheduler.registerNode(node('n1'))
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Queued: 0, Running: 2 } },
    })
    expect((await get('/v1/job/agent/summary')).json).toMatchObject({ Summary: { app: { Running: 1 } } })
  })
})

describe('draining a node', () => {
  it('moves its work elsewhere, and is complete then', async () => {
    const { scheduler, send, get } = await given({ nodes: [node('n1'), node('n2')] }, placing)
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    const done = await send('PUT', '/v1/node/n1/drain', {
      DrainSpec: { Deadline: 0 },
      Meta: { why: 'kernel' },
    })
    expect(done.json).toMatchObject({ EvalIDs: [expect.any(String)] })
    await scheduler.settled()
    const rows = (await get('/v1/job/web/allocations')).json as Body[]
    expect(rows.filter(({ DesiredStatus }) => DesiredStatus === 'run').map(({ NodeID }) => NodeID)).toEqual([
      'n2',
      'n2',
    ])
    expect((await get('/v1/node/n1')).json).toMatchObject({
      DrainStrategy: null,
      SchedulingEligibility: 'ineligible',
      LastDrain: { Status: 'complete', Meta: { why: 'kernel' } },
    })
  })
  it('forces off what is left when its deadline has passed', async () => {
    const { scheduler, send, get, clock } = await given({ nodes: [node('n1')] }, placing)
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    await send('PUT', '/v1/node/n1/drain', { DrainSpec: { Deadline: 60e9 } })
    await scheduler.settled()
    expect((await get('/v1/node/n1')).json).toMatchObject({ LastDrain: { Status: 'draining' }, SecretID: '' })
    await clock.advance(60_000)
    await scheduler.settled()
    expect((await get('/v1/node/n1')).json).toMatchObject({ LastDrain: { Status: 'complete' } })
    const rows = (await get('/v1/job/web/allocations')).json as Body[]
    expect(rows.map(({ DesiredStatus }) => DesiredStatus)).toEqual(['stop', 'stop'])
  })
  it('can be called off', async () => {
    const { send, get } = await given({
      nodes: [node('n1')],
      jobs: [job()],
      allocations: [{ ID: 'a', NodeID: 'n1', JobID: 'web', TaskGroup: 'app', ClientStatus: 'running' }],
    })
    await send('PUT', '/v1/node/n1/drain', { DrainSpec: {} })
    const early = await send('PUT', '/v1/node/n1/eligibility', { Eligibility: 'eligible' })
    expect([early.status, early.text]).toEqual([
      400,
      "can not set node's scheduling eligibility to eligible while it is draining",
    ])
    await send('PUT', '/v1/node/n1/drain', { DrainSpec: null, MarkEligible: true })
    expect((await get('/v1/node/n1')).json).toMatchObject({
      SchedulingEligibility: 'eligible',
      LastDrain: { Status: 'canceled' },
    })
  })
})

describe('a node that falls silent', () => {
  it('is down once its heartbeat is overdue, and its allocations are lost and replaced', async () => {
    const { scheduler, send, get, clock } = await given({}, { ...placing, heartbeatTtlMs: 10_000 })
    await scheduler.registerNode(node('n1'))
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.registerNode(node('n2'))
    await scheduler.settled()
    await clock.advance(6_000)
    await scheduler.heartbeatNode('n2')
    await clock.advance(6_000)
    await scheduler.settled()
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'down' })
    expect((await get('/v1/node/n2')).json).toMatchObject({ Status: 'ready' })
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Lost: 2, Running: 2 } },
    })
    await scheduler.heartbeatNode('n1')
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'ready' })
  })
  it('may keep work that outlives the silence', async () => {
    const { scheduler, send, get, clock } = await given({}, { ...placing, heartbeatTtlMs: 10_000 })
    await scheduler.registerNode(node('n1'))
    await send('PUT', '/v1/jobs', { Job: job({}, { MaxClientDisconnect: 3600e9 }) })
    await scheduler.settled()
    await clock.advance(10_000)
    await scheduler.settled()
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'disconnected' })
    const rows = (await get('/v1/job/web/allocations')).json as Body[]
    expect(rows.map(({ ClientStatus }) => ClientStatus)).toEqual(['unknown', 'unknown'])
  })
  it('does not die where no heartbeats are watched', async () => {
    const { scheduler, get, clock } = await given()
    await scheduler.registerNode(node('n1'))
    await clock.advance(1e9)
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'ready' })
  })
})

describe('what cannot be done with a node', () => {
  it.each([
    ['/v1/node/none/drain', { DrainSpec: {} }, 404, 'node not found'],
    ['/v1/node/none/eligibility', { Eligibility: 'eligible' }, 404, 'node not found'],
    ['/v1/node/none/evaluate', undefined, 404, 'node not found'],
    ['/v1/node/none/purge', undefined, 404, 'node not found'],
    ['/v1/node/n1/drain', undefined, 400, 'Request body is empty'],
    ['/v1/node/n1/drain', { DrainSpec: { Deadline: 'x' } }, 400, 'invalid drain: DrainSpec.Deadline:'],
    ['/v1/node/n1/drain', { NodeID: 'n2' }, 400, 'Node ID does not match request path'],
    ['/v1/node/n1/eligibility', { Eligibility: 'maybe' }, 400, 'invalid scheduling eligibility "maybe"'],
    ['/v1/allocation/none/stop', undefined, 404, 'alloc not found'],
  ])('%s with %j is %i: %s', async (path, body, status, text) => {
    const { send } = await given({ nodes: [node('n1')] })
    const refused = await send('PUT', path, body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)])
  })

  it('asks for node:write', async () => {
    const { send } = await given({ nodes: [node('n1')] }, { acl: true })
    for (const act of ['drain', 'eligibility', 'evaluate', 'purge'])
      expect(
        (await send('PUT', `/v1/node/n1/${act}`, { DrainSpec: null, Eligibility: 'eligible' })).status,
      ).toBe(403)
  })

  it('removes a node, and what ran on it is lost', async () => {
    const { scheduler, send, get } = await given({ nodes: [node('n1')] }, placing)
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    expect((await send('PUT', '/v1/node/n1/purge')).status).toBe(200)
    await scheduler.settled()
    expect((await get('/v1/node/n1')).status).toBe(404)
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Lost: 2, Queued: 2 } },
    })
  })

  it('stops one allocation, and another takes its place', async () => {
    const { scheduler, send, get } = await given({ nodes: [node('n1')] }, placing)
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    const [first] = (await get('/v1/job/web/allocations')).json as Body[]
    const done = await send('PUT', `/v1/allocation/${first?.['ID']}/stop`)
    expect(done.json).toMatchObject({ EvalID: expect.stringMatching(/-/) })
    await scheduler.settled()
    const rows = (await get('/v1/job/web/allocations')).json as Body[]
    expect(rows.map(({ DesiredStatus }) => DesiredStatus)).toEqual(['stop', 'run', 'run'])
  })
})

describe('what nodes report of allocations', () => {
  it('is written as a whole or not at all, also where it says several things of one', async () => {
    const { scheduler, get } = await given({
      jobs: [{ ID: 'web' }],
      allocations: [{ ID: 'a1', JobID: 'web' }],
    })
    const status = async () =>
      ((await get('/v1/allocation/a1')).json as Record<string, string>)['ClientStatus']
    const report = (...all: readonly ('running' | 'complete')[]) =>
      scheduler.updateAllocations(all.map((ClientStatus) => ({ ID: 'a1', ClientStatus })))
    expect(await report('running', 'complete', 'running')).toMatchObject({
      refusal: { code: 'allocation_is_over', message: 'allocation a1 is complete and cannot become running' },
    })
    expect(await status()).toBe('pending')
    expect(await report('running', 'complete')).toMatchObject({ value: { Updated: 2 } })
    expect(await status()).toBe('complete')
  })
})
