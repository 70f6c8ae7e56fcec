import { describe, expect, it } from 'vitest'
import { NodeRecord } from '../../../src/scheduler/index.ts'
import { memoryStore, StoreError } from '../../../src/store/index.ts'
import { given, type Harness } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const node = (ID: string, over: object = {}) => NodeRecord.parse({ ID, NodeResources: room, ...over })
const job = (ID: string, over: object = {}, group: object = {}) => ({
  ID,
  TaskGroups: [{ Name: 'app', Count: 1, Tasks: [{ Name: 't' }], ...group }],
  ...over,
})
interface Allocation {
  readonly ID: string
  readonly JobID: string
  readonly NodeID: string
  readonly DesiredStatus: string
  readonly ClientStatus: string
}
interface Node {
  readonly Drain: boolean
  readonly Status: string
  readonly SchedulingEligibility: string
  readonly LastDrain: { readonly Status: string; readonly StartedAt: string } | null
}

const allocations = async ({ get }: Harness) => (await get('/v1/allocations')).json as Allocation[]
/** How the nodes say, in one word each, that they are. */
const shown = async ({ get }: Harness, id: string) => {
  const rows = (await get('/v1/nodes')).json as (Node & { readonly ID: string })[]
  const found = rows.find(({ ID }) => ID === id)
  return found && [found.Status, found.SchedulingEligibility, found.Drain, found.LastDrain?.Status ?? null]
}
/** The nodes do as they are told: what is to run runs, what is to stop has stopped. */
const obey = async (harness: Harness, only: (row: Allocation) => boolean = () => true) => {
  await harness.scheduler.settled()
  for (const row of (await allocations(harness)).filter(only)) {
    const isOver = !/pending|running/.test(row.ClientStatus)
    if (isOver || (row.DesiredStatus === 'run' && row.ClientStatus === 'running')) continue
    const ClientStatus = row.DesiredStatus === 'run' ? 'running' : 'complete'
    await harness.scheduler.updateAllocations([{ ID: row.ID, ClientStatus, Healthy: true }])
  }
  await harness.scheduler.settled()
}
/** Two nodes whose agents report: a service and a system job run, the service on one of them. */
async function cluster(options: object = {}) {
  const harness = await given({ nodes: [node('n1'), node('n2')] }, { place: true, ...options })
  await harness.send('PUT', '/v1/jobs', { Job: job('agent', { Type: 'system' }) })
  await harness.send('PUT', '/v1/jobs', { Job: job('web') })
  await obey(harness)
  const home = (await allocations(harness)).find(({ JobID }) => JobID === 'web')?.NodeID ?? ''
  return { ...harness, home }
}

describe('a drain', () => {
  it('is over once the stopped allocations have ended, not when they are told to stop', async () => {
    const harness = await cluster()
    const { home, send } = harness
    expect(await shown(harness, home)).toEqual(['ready', 'eligible', false, null])
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 0 } })
    await harness.scheduler.settled()
    expect((await allocations(harness)).filter(({ DesiredStatus }) => DesiredStatus === 'stop')).toHaveLength(
      1,
    )
    expect(await shown(harness, home)).toEqual(['ready', 'ineligible', true, 'draining'])
    await obey(harness, ({ JobID }) => JobID === 'web')
    expect(await shown(harness, home)).toEqual(['ready', 'ineligible', false, 'complete'])
  })
  it('tells system jobs to stop last, when the others have ended', async () => {
    const harness = await cluster()
    const { home, send } = harness
    const agent = async () =>
      (await allocations(harness)).find(({ JobID, NodeID }) => JobID === 'agent' && NodeID === home)
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 0 } })
    await harness.scheduler.settled()
    expect((await agent())?.DesiredStatus).toBe('run')
    await obey(harness, ({ JobID }) => JobID === 'web')
    expect((await agent())?.DesiredStatus).toBe('stop')
  })
  it('does not wait past its deadline', async () => {
    const harness = await cluster()
    const { home, send, clock } = harness
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 60e9 } })
    await clock.advance(59_999)
    await harness.scheduler.settled()
    expect(await shown(harness, home)).toEqual(['ready', 'ineligible', true, 'draining'])
    await clock.advance(1)
    await harness.scheduler.settled()
    expect(await shown(harness, home)).toEqual(['ready', 'ineligible', false, 'complete'])
    const left = (await allocations(harness)).filter(({ NodeID }) => NodeID === home)
    expect(new Set(left.map(({ DesiredStatus }) => DesiredStatus))).toEqual(new Set(['stop']))
  })
  it('takes a new deadline while it goes on, from when it began', async () => {
    const { home, send, clock, get, scheduler } = await cluster()
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 60e9 } })
    const strategy = async () =>
      ((await get(`/v1/node/${home}`)).json as { DrainStrategy: unknown }).DrainStrategy
    const { StartedAt } = (await strategy()) as { StartedAt: string }
    await clock.advance(10_000)
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 120e9 } })
    await scheduler.settled()
    expect(await strategy()).toMatchObject({ StartedAt, ForceDeadline: '2026-01-01T00:02:10.000Z' })
    await clock.advance(60_000)
    await scheduler.settled()
    expect(await strategy()).not.toBeNull()
  })
  it('is over when the last of the jobs on the node is purged', async () => {
    const harness = await cluster()
    const { home, send } = harness
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 0 } })
    await send('DELETE', '/v1/job/agent?purge=true')
    await harness.scheduler.settled()
    expect(await shown(harness, home)).toEqual(['ready', 'ineligible', true, 'draining'])
    await send('DELETE', '/v1/job/web?purge=true')
    await harness.scheduler.settled()
    expect(await shown(harness, home)).toEqual(['ready', 'ineligible', false, 'complete'])
  })
  it('past its deadline has the jobs looked at that it tells to stop', async () => {
    const harness = await cluster()
    const { home, send, clock, get } = harness
    const other = home === 'n1' ? 'n2' : 'n1'
    await send('PUT', `/v1/node/${other}/eligibility`, { Eligibility: 'ineligible' })
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 60e9 } })
    await clock.advance(60_000)
    await harness.scheduler.settled()
    const looked = (await get('/v1/job/web/evaluations')).json as { readonly TriggeredBy: string }[]
    expect(looked.filter(({ TriggeredBy }) => TriggeredBy === 'node-drain')).toHaveLength(2)
  })
  it('is over when the node dies with what was left on it', async () => {
    const harness = await cluster()
    const { home, send } = harness
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 0 } })
    await harness.scheduler.settled()
    await harness.scheduler.moveNode(home, 'lose')
    await harness.scheduler.settled()
    expect(await shown(harness, home)).toEqual(['down', 'ineligible', false, 'complete'])
  })
})

describe('a node that dies', () => {
  it('takes what was told to stop along: nothing counts as running for ever', async () => {
    const harness = await cluster()
    const { home, send, get } = harness
    await send('DELETE', '/v1/job/web')
    await harness.scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({ Summary: { app: { Running: 1 } } })
    await harness.scheduler.moveNode(home, 'lose')
    await harness.scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Running: 0, Lost: 1 } },
    })
    await send('PUT', '/v1/system/gc')
    expect((await get('/v1/job/web')).status).toBe(404)
  })
  it('is watched by its heartbeats, also while it drains or its allocations stop', async () => {
    const harness = await cluster({ heartbeatTtlMs: 10_000 })
    const { home, clock } = harness
    for (const id of ['n1', 'n2']) await harness.scheduler.heartbeatNode(id)
    for (let beat = 0; beat < 5; beat += 1) {
      await clock.advance(9_999)
      await harness.scheduler.heartbeatNode(home)
    }
    const other = home === 'n1' ? 'n2' : 'n1'
    await harness.scheduler.settled()
    expect(await shown(harness, home)).toEqual(['ready', 'eligible', false, null])
    expect(await shown(harness, other)).toEqual(['down', 'eligible', false, null])
    await harness.scheduler.heartbeatNode(other)
    expect(await shown(harness, other)).toEqual(['ready', 'eligible', false, null])
  })
  it('is lost as soon as the store is back, where that was away when it fell silent', async () => {
    const kept = memoryStore()
    let commits = Number.POSITIVE_INFINITY
    const commit: typeof kept.commit = (batch) => {
      commits -= 1
      return commits < 0
        ? Promise.reject(new StoreError('unreachable', 'the store is away'))
        : kept.commit(batch)
    }
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const store = { ...kept, commit }
    const harness = await given({}, { place: true, store, heartbeatTtlMs: 10_000, onError })
    const { scheduler, clock, send } = harness
    const found = async () => [
      (await shown(harness, 'n1'))?.[0],
      (await allocations(harness)).map(({ ClientStatus }) => ClientStatus),
    ]
    await scheduler.registerNode(node('n1', { Status: 'ready' }))
    await send('PUT', '/v1/jobs', { Job: job('web') })
    await obey(harness)
    await scheduler.heartbeatNode('n1')
    commits = 0
    await clock.advance(10_000)
    expect(await found()).toEqual(['ready', ['running']])
    commits = 1
    await clock.advance(10_000)
    expect(await found()).toEqual(['down', ['running']])
    expect(errors).toHaveLength(2)
    commits = Number.POSITIVE_INFINITY
    await clock.advance(10_000)
    await scheduler.settled()
    expect(await found()).toEqual(['down', ['lost']])
  })
  it('stays when it is heard of while it is about to be given up', async () => {
    const rings: (() => void)[] = []
    const after = (_: number, ring: () => void) => {
      rings.push(ring)
      return () => {}
    }
    const harness = await given({}, { timers: { after }, heartbeatTtlMs: 10_000 })
    const { scheduler, clock } = harness
    await scheduler.registerNode(node('n1', { Status: 'ready' }))
    await clock.advance(10_000)
    const heard = scheduler.heartbeatNode('n1')
    for (const ring of rings.splice(0)) ring()
    await heard
    await scheduler.settled()
    expect(await shown(harness, 'n1')).toEqual(['ready', 'eligible', false, null])
  })
  it('loses what ran on it when it says of itself that it is down', async () => {
    const harness = await cluster()
    const { home, scheduler } = harness
    await scheduler.registerNode(node(home, { Status: 'down' }))
    await scheduler.settled()
    const rows = (await allocations(harness)).filter(({ JobID }) => JobID === 'web')
    expect(rows.map(({ NodeID, ClientStatus }) => [NodeID === home, ClientStatus])).toEqual([
      [true, 'lost'],
      [false, 'pending'],
    ])
  })
  it.each([
    ['by the process that saw it go', false],
    ['by one that was started later', true],
  ])('has its work kept for it for as long as the work allows: %s', async (_, restarts) => {
    const store = memoryStore()
    const first = await given({}, { place: true, heartbeatTtlMs: 10_000, store })
    for (const id of ['n1', 'n2']) await first.scheduler.registerNode(node(id, { Status: 'ready' }))
    await first.send('PUT', '/v1/jobs', {
      Job: job('web', {}, { Disconnect: { LostAfter: 60e9, Replace: false } }),
    })
    await obey(first)
    const beat = (harness: Harness) => harness.scheduler.heartbeatNode('n2')
    const [home = ''] = (await allocations(first)).map(({ NodeID }) => NodeID)
    expect(home).toBe('n1')
    await beat(first)
    await first.clock.advance(9_999)
    await beat(first)
    await first.clock.advance(1)
    await first.scheduler.settled()
    const statuses = async (harness: Harness) => {
      await harness.scheduler.settled()
      return (await allocations(harness)).map((row) => [row.NodeID, row.ClientStatus])
    }
    expect(await statuses(first)).toEqual([['n1', 'unknown']])
    if (restarts) await first.scheduler.close()
    const { clock } = first
    const last = restarts
      ? await given({}, { place: true, store, env: clock.env, timers: clock.timers })
      : first
    await statuses(last)
    for (let beats = 0; beats < 59; beats += 1) {
      await beat(last)
      await clock.advance(1000)
    }
    expect(await statuses(last)).toEqual([['n1', 'unknown']])
    await beat(last)
    await clock.advance(1000)
    expect(await statuses(last)).toEqual([
      ['n1', 'lost'],
      ['n2', 'pending'],
    ])
    const looked = await last.get('/v1/evaluations')
    expect(looked.text).toContain('"TriggeredBy":"max-disconnect-timeout"')
  })
  it('is not given up with its work once it is back', async () => {
    const harness = await given({}, { place: true })
    const { scheduler, send, clock } = harness
    await scheduler.registerNode(node('n1', { Status: 'ready' }))
    await send('PUT', '/v1/jobs', {
      Job: job('web', {}, { Disconnect: { LostAfter: 60e9, Replace: false } }),
    })
    await obey(harness)
    await scheduler.moveNode('n1', 'disconnect')
    await clock.advance(30_000)
    await scheduler.moveNode('n1', 'ready')
    await clock.advance(60_000)
    await scheduler.settled()
    expect((await allocations(harness)).map(({ ClientStatus }) => ClientStatus)).toEqual(['unknown'])
    await scheduler.moveNode('n1', 'ready')
    await scheduler.moveNode('n1', 'disconnect')
    await clock.advance(1)
    await scheduler.settled()
    expect((await allocations(harness)).map(({ ClientStatus }) => ClientStatus)).toEqual(['lost'])
  })
  it('keeps what was told to stop as it is while it may come back', async () => {
    const harness = await given({ nodes: [node('n1')] }, { place: true, heartbeatTtlMs: 10_000 })
    const { scheduler, send, clock } = harness
    const waits = { MaxClientDisconnect: 3600e9 }
    for (const id of ['web', 'api']) await send('PUT', '/v1/jobs', { Job: job(id, {}, waits) })
    await obey(harness)
    await scheduler.heartbeatNode('n1')
    await send('DELETE', '/v1/job/web')
    await clock.advance(10_000)
    await scheduler.settled()
    expect(await shown(harness, 'n1')).toEqual(['disconnected', 'eligible', false, null])
    const statuses = (await allocations(harness)).map(({ JobID, ClientStatus }) => [JobID, ClientStatus])
    expect(statuses).toEqual([
      ['web', 'running'],
      ['api', 'unknown'],
    ])
    // It starts over, and is ready with the next sign of life.
    await scheduler.heartbeatNode('n1')
    expect(await shown(harness, 'n1')).toEqual(['initializing', 'eligible', false, null])
    await scheduler.heartbeatNode('n1')
    expect(await shown(harness, 'n1')).toEqual(['ready', 'eligible', false, null])
  })
})

describe('a system job', () => {
  it('runs on every eligible node, undisturbed by the others', async () => {
    const harness = await cluster()
    const { home, send, scheduler } = harness
    await send('PUT', `/v1/node/${home}/eligibility`, { Eligibility: 'ineligible' })
    await scheduler.registerNode(node('n3'))
    await scheduler.settled()
    const agents = (await allocations(harness)).filter(({ JobID }) => JobID === 'agent')
    expect(agents.map(({ NodeID, DesiredStatus }) => [NodeID, DesiredStatus]).sort()).toEqual([
      ['n1', 'run'],
      ['n2', 'run'],
      ['n3', 'run'],
    ])
  })
  it('stays where a drain lets it be', async () => {
    const harness = await cluster()
    const { home, send } = harness
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 0, IgnoreSystemJobs: true } })
    await obey(harness)
    expect(await shown(harness, home)).toEqual(['ready', 'ineligible', false, 'complete'])
    const agents = (await allocations(harness)).filter(({ JobID }) => JobID === 'agent')
    expect(agents.map(({ DesiredStatus }) => DesiredStatus)).toEqual(['run', 'run'])
  })
})

describe('a node that is told what it is', () => {
  it.each([
    ['eligible', 'eligibility', { Eligibility: 'eligible' }],
    ['not to be drained', 'drain', { DrainSpec: null }],
  ])('%s, does not change, and creates no evaluations', async (_what, verb, body) => {
    const harness = await cluster()
    const before = await harness.get('/v1/evaluations')
    const { ModifyIndex } = (await harness.get(`/v1/node/${harness.home}`)).json as { ModifyIndex: number }
    const reported = await harness.send('PUT', `/v1/node/${harness.home}/${verb}`, body)
    expect(reported.json).toMatchObject({ NodeModifyIndex: ModifyIndex, EvalIDs: [], EvalCreateIndex: 0 })
    await harness.scheduler.settled()
    expect((await harness.get('/v1/evaluations')).json).toEqual(before.json)
  })
})

describe('a node whose jobs are evaluated', () => {
  it('is not written: its index stays', async () => {
    const harness = await cluster()
    const { ModifyIndex } = (await harness.get(`/v1/node/${harness.home}`)).json as { ModifyIndex: number }
    const looked = await harness.send('PUT', `/v1/node/${harness.home}/evaluate`)
    expect(looked.json).toMatchObject({
      NodeModifyIndex: ModifyIndex,
      EvalIDs: [expect.anything(), expect.anything()],
    })
    expect((await harness.get(`/v1/node/${harness.home}`)).json).toMatchObject({ ModifyIndex })
  })
})

describe('eligibility for new work', () => {
  it('is said anew without a write where nothing changes', async () => {
    const { send, get } = await given({ nodes: [node('n1')] })
    const { index } = await get('/v1/nodes')
    const same = await send('PUT', '/v1/node/n1/eligibility', { Eligibility: 'eligible' })
    expect(same.status).toBe(200)
    expect((await get('/v1/nodes')).index).toBe(index)
    await send('PUT', '/v1/node/n1/eligibility', { Eligibility: 'ineligible' })
    expect((await get('/v1/nodes')).index).toBeGreaterThan(index)
  })
})
