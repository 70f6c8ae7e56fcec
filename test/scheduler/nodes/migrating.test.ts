import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import { given, type Harness } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const minute = 60_000
const web = (Migrate: object | undefined, Count = 3, over: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count, Migrate, Tasks: [{ Name: 't' }], ...over }],
})
interface Row {
  readonly ID: string
  readonly NodeID: string
  readonly DesiredStatus: string
  readonly ClientStatus: string
}

const live = async ({ scheduler, get }: Harness): Promise<readonly Row[]> => {
  await scheduler.settled()
  const rows = (await get('/v1/job/web/allocations')).json as readonly Row[]
  return rows.filter((row) => row.DesiredStatus === 'run' && /pending|running|unknown/.test(row.ClientStatus))
}
/** How many stand on each node. */
const where = async (harness: Harness) => {
  const counts: Record<string, number> = {}
  for (const { NodeID } of await live(harness)) counts[NodeID] = (counts[NodeID] ?? 0) + 1
  return counts
}
/** The agents start what is pending, and say of it whether it is healthy if they say anything. */
const obey = async (harness: Harness, verdict: { readonly Healthy?: boolean } = { Healthy: true }) => {
  for (const { ID, ClientStatus } of await live(harness))
    if (ClientStatus === 'pending')
      await harness.scheduler.updateAllocations([{ ID, ClientStatus: 'running', ...verdict }])
  await harness.scheduler.settled()
}
const drain = (harness: Harness, spec: object = { Deadline: 0 }) =>
  harness.send('PUT', '/v1/node/n1/drain', { DrainSpec: spec })

/** All of a job runs on n1; there is room on n2 as soon as n1 drains. */
async function cluster(job: object, options: object = {}) {
  const harness = await given({}, { place: true, ...options })
  await harness.scheduler.registerNode({ ID: 'n1', NodeResources: room })
  const registered = await harness.send('PUT', '/v1/jobs', { Job: job })
  expect(registered.status).toBe(200)
  await obey(harness)
  await harness.scheduler.registerNode({ ID: 'n2', NodeResources: room })
  await harness.scheduler.settled()
  return harness
}

describe('a service on a node that drains', () => {
  it.each([
    ['one at a time, where it does not say', undefined, [1, 2, 3]],
    ['as many at a time as its group says', { MaxParallel: 2 }, [2, 3, 3]],
    ['all at once, where that many may', { MaxParallel: 3 }, [3, 3, 3]],
  ])('moves %s, and goes on as others are healthy', async (_, migrate, moved) => {
    const harness = await cluster(web(migrate))
    await drain(harness)
    for (const count of moved) {
      expect((await where(harness))['n2']).toBe(count)
      await obey(harness)
    }
    expect(await where(harness)).toEqual({ n2: 3 })
  })
  it('moves immediately if nodes are simulated, whether a deployment watches or not', async () => {
    for (const Update of [undefined, { MaxParallel: 0 }]) {
      const harness = await cluster(web(undefined, 3, { Update }), { simulate: true })
      await drain(harness)
      expect(await where(harness)).toEqual({ n2: 3 })
      await harness.scheduler.close()
    }
  })
  it('moves no further while one that moved has failed and is not replaced yet', async () => {
    const harness = await cluster(web(undefined))
    await drain(harness)
    const moved = (await live(harness)).find(({ NodeID }) => NodeID === 'n2')
    await harness.scheduler.updateAllocations([{ ID: moved?.ID ?? '', ClientStatus: 'failed' }])
    expect(await where(harness)).toEqual({ n1: 2 })
    // As the job's policy for failures has it.
    await harness.clock.advance(30_000)
    expect(await where(harness)).toEqual({ n1: 2, n2: 1 })
    await obey(harness)
    expect(await where(harness)).toEqual({ n1: 1, n2: 2 })
  })
  it('moves on without a verdict when the healthy deadline of what moved is over, and not before', async () => {
    const harness = await cluster(web({ HealthyDeadline: 2 * minute * 1e6 }))
    await drain(harness)
    for (const there of [1, 2, 3]) {
      await obey(harness, {})
      await harness.clock.advance(2 * minute - 1)
      expect((await where(harness))['n2']).toBe(there)
      await harness.clock.advance(1)
    }
    expect(await where(harness)).toEqual({ n2: 3 })
  })
  it('moves on when what moved has run for long enough, where the states of its tasks decide', async () => {
    const harness = await cluster(web({ HealthCheck: 'task_states', MinHealthyTime: 20e9 }))
    await harness.clock.advance(20_000)
    await drain(harness)
    expect(await where(harness)).toEqual({ n1: 2, n2: 1 })
    await harness.clock.advance(minute)
    expect(await where(harness)).toEqual({ n1: 2, n2: 1 })
    await obey(harness, {})
    await harness.clock.advance(19_999)
    expect(await where(harness)).toEqual({ n1: 2, n2: 1 })
    await harness.clock.advance(1)
    expect(await where(harness)).toEqual({ n1: 1, n2: 2 })
  })
  it('moves on when what was out of touch is back', async () => {
    const harness = await cluster(web(undefined, 3, { MaxClientDisconnect: 3600e9 }))
    await drain(harness)
    await obey(harness)
    await obey(harness)
    const [kept] = (await live(harness)).filter(({ NodeID }) => NodeID === 'n2')
    expect(await where(harness)).toEqual({ n2: 3 })
    await harness.send('PUT', '/v1/node/n1/drain', { DrainSpec: null, MarkEligible: true })
    await harness.scheduler.updateAllocations([{ ID: kept?.ID ?? '', ClientStatus: 'unknown' }])
    await obey(harness)
    await harness.send('PUT', '/v1/node/n2/drain', { DrainSpec: { Deadline: 0 } })
    // It has a replacement meanwhile.
    expect(await where(harness)).toEqual({ n1: 1, n2: 3 })
    await harness.scheduler.updateAllocations([{ ID: kept?.ID ?? '', ClientStatus: 'running' }])
    expect(await where(harness)).toEqual({ n1: 1, n2: 2 })
  })
  it('moves on in another process than the one that saw the drain begin', async () => {
    const store = memoryStore()
    const first = await cluster(web(undefined), { store })
    await drain(first)
    expect(await where(first)).toEqual({ n1: 2, n2: 1 })
    await first.scheduler.close()
    const { clock } = first
    const second = await given({}, { place: true, store, env: clock.env, timers: clock.timers })
    expect(await where(second)).toEqual({ n1: 2, n2: 1 })
    await obey(second)
    expect(await where(second)).toEqual({ n1: 1, n2: 2 })
    await clock.advance(5 * minute)
    expect(await where(second)).toEqual({ n2: 3 })
  })
  it('is not looked at again for what its tasks do, while it waits', async () => {
    const harness = await cluster(web(undefined))
    await drain(harness)
    const moved = (await live(harness)).find(({ NodeID }) => NodeID === 'n2')
    const before = await harness.get('/v1/job/web/evaluations')
    const TaskStates = {
      t: { State: 'pending', Failed: false, Restarts: 1, StartedAt: null, FinishedAt: null, Events: null },
    }
    await harness.scheduler.updateAllocations([{ ID: moved?.ID ?? '', TaskStates }])
    await harness.scheduler.settled()
    expect((await harness.get('/v1/job/web/evaluations')).json).toEqual(before.json)
  })
  it('is forced off by the deadline of the drain, ready or not', async () => {
    const harness = await cluster(web({ MaxParallel: 0 }))
    await drain(harness, { Deadline: minute * 1e6 })
    await harness.clock.advance(minute - 1)
    expect(await where(harness)).toEqual({ n1: 3 })
    await harness.clock.advance(1)
    expect(await where(harness)).toEqual({ n2: 3 })
    expect((await harness.get('/v1/node/n1')).json).toMatchObject({ LastDrain: { Status: 'complete' } })
  })
  it('stays with what has not left when the drain is called off', async () => {
    const harness = await cluster(web(undefined))
    await drain(harness)
    await harness.send('PUT', '/v1/node/n1/drain', { DrainSpec: null, MarkEligible: true })
    await obey(harness)
    await harness.clock.advance(60 * minute)
    expect(await where(harness)).toEqual({ n1: 2, n2: 1 })
    const evaluations = (await harness.get('/v1/job/web/evaluations')).json as readonly { Status: string }[]
    expect(evaluations.filter(({ Status }) => Status === 'pending')).toEqual([])
  })
  it('leaves it at another pace once its job says so', async () => {
    const harness = await cluster(web({ MaxParallel: 0 }))
    await drain(harness)
    expect(await where(harness)).toEqual({ n1: 3 })
    await harness.send('PUT', '/v1/jobs', { Job: web({ MaxParallel: 3 }) })
    await obey(harness)
    await obey(harness)
    expect(await where(harness)).toEqual({ n2: 3 })
  })
})

describe('a migrate strategy', () => {
  it('is filled in for services, part by part, and for nothing else', async () => {
    const { send, get } = await given()
    const found = async (id: string) =>
      ((await get(`/v1/job/${id}`)).json as { TaskGroups: { Migrate: unknown }[] }).TaskGroups[0]?.Migrate
    await send('PUT', '/v1/jobs', { Job: web({ MaxParallel: 2 }) })
    const rest = { HealthCheck: 'checks', MinHealthyTime: 10e9, HealthyDeadline: 300e9 }
    expect(await found('web')).toEqual({ MaxParallel: 2, ...rest })
    await send('PUT', '/v1/jobs', { Job: { ...web(undefined), ID: 'api' } })
    expect(await found('api')).toEqual({ MaxParallel: 1, ...rest })
    await send('PUT', '/v1/jobs', { Job: { ...web(undefined), ID: 'once', Type: 'batch' } })
    expect(await found('once')).toBeNull()
  })
})
