import { describe, expect, it } from 'vitest'
import { NodeRecord } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const room = { Cpu: { CpuShares: 1000 }, Memory: { MemoryMB: 4096 } }
const node = (ID: string, over: object = {}) => ({ ID, Name: ID, NodeResources: room, ...over })
const job = (over: object = {}, group: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 't', Resources: { CPU: 200 } }], ...group }],
  ...over,
})
type Body = Record<string, never>
const nodes = [node('n1'), node('n2')]

describe('placing a job', () => {
  it('runs it immediately if allocations are simulated', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true, simulate: true })
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'running' })
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Running: 2, Queued: 0 } },
    })
    const rows = (await get('/v1/job/web/allocations')).json as Body[]
    expect(rows.map(({ Name, NodeID, ClientStatus }) => [Name, NodeID, ClientStatus]).sort()).toEqual([
      ['web.app[0]', 'n1', 'running'],
      ['web.app[1]', 'n2', 'running'],
    ])
    const evaluations = (await get('/v1/job/web/evaluations')).json as Body[]
    expect(evaluations.map(({ Status }) => Status)).toEqual(['complete'])
  })

  it('leaves it pending without', async () => {
    const { send, get, scheduler } = await given({ nodes })
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'pending' })
    expect((await get('/v1/job/web/allocations')).json).toEqual([])
  })

  it('waits for what the nodes say where nothing is simulated', async () => {
    const { send, get, clock, scheduler } = await given({ nodes }, { place: true })
    await send('PUT', '/v1/jobs', { Job: job() })
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Starting: 2, Running: 0 } },
    })
    const rows = (await get('/v1/job/web/allocations')).json as { ID: string }[]
    await scheduler.updateAllocations(rows.map(({ ID }) => ({ ID, ClientStatus: 'running' })))
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Starting: 0, Running: 2 } },
    })
    await scheduler.updateAllocations([{ ID: rows[0]?.ID ?? '', ClientStatus: 'failed' }])
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Starting: 0, Running: 1, Failed: 1 } },
    })
    await clock.advance(30_000)
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Starting: 1, Running: 1, Failed: 1 } },
    })
    const over = await scheduler.updateAllocations([{ ID: rows[0]?.ID ?? '', ClientStatus: 'running' }])
    expect(over).toMatchObject({ ok: false, refusal: { code: 'allocation_is_over' } })
  })

  it('places hundreds, in commits a store takes', async () => {
    const many = [...Array(20).keys()].map((at) =>
      node(`n${at}`, { NodeResources: { Cpu: { CpuShares: 9e4 }, Memory: { MemoryMB: 9e5 } } }),
    )
    const { send, get, scheduler } = await given({ nodes: many }, { place: true, simulate: true })
    await send('PUT', '/v1/jobs', { Job: job({}, { Count: 300, Update: {} }) })
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Running: 300, Queued: 0 } },
    })
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({ Status: 'successful' })
    await send('PUT', '/v1/jobs', { Job: job({}, { Count: 3, Update: {} }) })
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({ Summary: { app: { Running: 3 } } })
  })

  it('queues what finds no room, and places it once there is some', async () => {
    const { send, get, scheduler } = await given({ nodes: [node('n1')] }, { place: true, simulate: true })
    await send('PUT', '/v1/jobs', { Job: job({}, { Count: 8 }) })
    await scheduler.settled()
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Running: 5, Queued: 3 } },
    })
    expect((await get('/v1/evaluations?status=blocked')).json).toMatchObject([
      { TriggeredBy: 'queued-allocs', QueuedAllocations: { app: 3 } },
    ])
    await send('PUT', '/v1/jobs', { Job: { ...job({}, { Count: 1 }), ID: 'api' } })
    await scheduler.settled()
    expect((await get('/v1/job/api')).json).toMatchObject({ Status: 'pending' })
    await send('DELETE', '/v1/job/web')
    await scheduler.settled()
    expect((await get('/v1/job/api')).json).toMatchObject({ Status: 'running' })
    expect((await get('/v1/evaluations?status=blocked')).json).toEqual([])
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Running: 0, Complete: 5, Queued: 0 } },
    })
  })

  it('places what finds room again, however many wait in front of it for room they never get', async () => {
    const nowhere = { Constraints: [{ LTarget: '${meta.rack}', RTarget: 'none', Operand: '=' }] }
    const { send, get, scheduler } = await given({ nodes: [node('n1')] }, { place: true, simulate: true })
    await send('PUT', '/v1/jobs', { Job: { ...job({}, { Count: 5 }), ID: 'full' } })
    for (let at = 0; at < 70; at += 1)
      await send('PUT', '/v1/jobs', { Job: { ...job(nowhere, { Count: 1 }), ID: `never-${at}` } })
    await send('PUT', '/v1/jobs', { Job: { ...job({}, { Count: 1 }), ID: 'last' } })
    await scheduler.settled()
    expect((await get('/v1/job/last')).json).toMatchObject({ Status: 'pending' })
    await send('DELETE', '/v1/job/full')
    await scheduler.settled()
    expect((await get('/v1/job/last')).json).toMatchObject({ Status: 'running' })
  })

  it.each(['__proto__', 'constructor'])('rolls out, queues and fails a group called %s', async (Name) => {
    const { send, get, scheduler, clock } = await given({ nodes: [node('n1')] }, { place: true })
    const update = { Canary: 1, ProgressDeadline: 60e9, MaxParallel: 9 }
    await send('PUT', '/v1/jobs', { Job: job({}, { Name, Count: 6, Update: update }) })
    await scheduler.settled()
    const found = (await get('/v1/evaluations?status=blocked')).json as Record<string, object>[]
    expect(found.map((each) => Object.entries(each['QueuedAllocations'] ?? {}))).toEqual([[[Name, 1]]])
    expect((await get('/v1/job/web/deployment')).text).toContain(`"TaskGroups":{"${Name}":{`)
    expect((await get('/v1/job/web/deployment')).text).toContain('"PlacedAllocs":5')
    await clock.advance(60_000)
    await scheduler.settled()
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({ Status: 'failed' })
  })

  it('spreads or packs as the pool says, else the cluster', async () => {
    const used = async (configure: boolean, pools: object[]) => {
      const { send, get, scheduler } = await given(
        { pools, nodes: [node('n1', { NodePool: 'p' }), node('n2', { NodePool: 'p' })] },
        { place: true, simulate: true },
      )
      if (configure)
        await send('PUT', '/v1/operator/scheduler/configuration', { SchedulerAlgorithm: 'spread' })
      for (const ID of ['first', 'second']) {
        await send('PUT', '/v1/jobs', { Job: job({ ID, NodePool: 'p' }, { Count: 1 }) })
        await scheduler.settled()
      }
      const rows = (await get('/v1/allocations')).json as Body[]
      return new Set(rows.map(({ NodeID }) => NodeID)).size
    }
    const pool = (SchedulerAlgorithm: string) => [
      { Name: 'p', SchedulerConfiguration: { SchedulerAlgorithm } },
    ]
    expect(await used(false, [{ Name: 'p' }])).toBe(1)
    expect(await used(true, [{ Name: 'p' }])).toBe(2)
    expect(await used(true, pool('binpack'))).toBe(1)
    expect(await used(false, pool('spread'))).toBe(2)
  })

  it('runs a system job once on every node, each of its groups', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true, simulate: true })
    const tasks = [{ Name: 't' }]
    const TaskGroups = [
      { Name: 'a', Tasks: tasks },
      { Name: 'b', Tasks: tasks },
    ]
    await send('PUT', '/v1/jobs', { Job: { ID: 'agent', Type: 'system', TaskGroups } })
    await scheduler.settled()
    const rows = (await get('/v1/job/agent/allocations')).json as Body[]
    expect(rows.map(({ TaskGroup, NodeID }) => `${TaskGroup} ${NodeID}`).sort()).toEqual([
      'a n1',
      'a n2',
      'b n1',
      'b n2',
    ])
  })

  it('takes a system job away from every node when its count is 0, and brings it back', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true, simulate: true })
    const live = async () => {
      await scheduler.settled()
      const rows = (await get('/v1/job/web/allocations')).json as Record<string, string>[]
      return rows.filter((row) => row['ClientStatus'] === 'running').length
    }
    await send('PUT', '/v1/jobs', { Job: job({ Type: 'system' }, { Count: 1 }) })
    expect(await live()).toBe(2)
    await send('PUT', '/v1/job/web/scale', { Target: { Group: 'app' }, Count: 0 })
    expect(await live()).toBe(0)
    await send('PUT', '/v1/job/web/scale', { Target: { Group: 'app' }, Count: 1 })
    expect(await live()).toBe(2)
  })

  it('runs a sysbatch job again where its tasks changed, and only then', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true })
    const register = async (build: string) => {
      const Tasks = [{ Name: 't', Env: { build } }]
      await send('PUT', '/v1/jobs', { Job: job({ Type: 'sysbatch' }, { Count: 1, Tasks }) })
      await scheduler.settled()
      const rows = (await get('/v1/job/web/allocations')).json as Record<string, string>[]
      await scheduler.updateAllocations(
        rows
          .filter((row) => row['ClientStatus'] === 'pending')
          .map((row) => ({ ID: row['ID'] ?? '', ClientStatus: 'complete' as const })),
      )
      await scheduler.settled()
      return rows.length
    }
    expect(await register('1')).toBe(2)
    expect(await register('1')).toBe(2)
    expect(await register('2')).toBe(4)
  })

  it('takes a system job away from a node that leaves its pool', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true, simulate: true })
    await send('PUT', '/v1/jobs', { Job: job({ Type: 'system' }, { Count: 1 }) })
    await scheduler.settled()
    await scheduler.registerNode(NodeRecord.parse({ ...node('n2'), NodePool: 'gpu', Status: 'ready' }))
    await scheduler.settled()
    const rows = (await get('/v1/job/web/allocations')).json as Record<string, string>[]
    expect(rows.map((row) => [row['NodeID'], row['DesiredStatus']]).sort()).toEqual([
      ['n1', 'run'],
      ['n2', 'stop'],
    ])
  })

  it.each([
    ['batch', 'complete'],
    ['batch', 'failed'],
    ['sysbatch', 'complete'],
  ] as const)('runs a %s job again that was %s, stopped and started', async (Type, ClientStatus) => {
    const { send, get, scheduler } = await given({ nodes: [node('n1')] }, { place: true })
    const never = { ReschedulePolicy: { Attempts: 0, Unlimited: false } }
    const once = { Job: job({ Type }, { Count: 1, ...(Type === 'batch' ? never : {}) }) }
    const statuses = async () => {
      await scheduler.settled()
      const rows = (await get('/v1/job/web/allocations')).json as Record<string, string>[]
      return rows.map((row) => row['ClientStatus'])
    }
    await send('PUT', '/v1/jobs', once)
    await statuses()
    const [placed] = (await get('/v1/job/web/allocations')).json as { ID: string }[]
    await scheduler.updateAllocations([{ ID: placed?.ID ?? '', ClientStatus }])
    await send('PUT', '/v1/jobs', once)
    expect(await statuses()).toEqual([ClientStatus])
    await send('DELETE', '/v1/job/web')
    const planned = await send('PUT', '/v1/job/web/plan', once)
    expect(planned.json).toMatchObject({ Annotations: { DesiredTGUpdates: { app: { Place: 1 } } } })
    await send('PUT', '/v1/jobs', once)
    expect(await statuses()).toEqual([ClientStatus, 'pending'])
  })

  it('replaces a version few at a time, with canaries first where they are asked for', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true, simulate: true })
    const update = (over: object, User = 'ada') =>
      job({}, { Update: { MaxParallel: 1, ...over }, Tasks: [{ Name: 't', User, Resources: { CPU: 200 } }] })
    await send('PUT', '/v1/jobs', { Job: update({}) })
    await scheduler.settled()
    expect((await get('/v1/job/web')).json).toMatchObject({ Stable: true, Version: 0 })
    await send('PUT', '/v1/jobs', { Job: update({ Canary: 1 }, 'bob') })
    await scheduler.settled()
    const deployment = (await get('/v1/job/web/deployment')).json as { ID: string }
    expect(deployment).toMatchObject({
      Status: 'running',
      StatusDescription: 'Deployment is running but requires manual promotion',
      TaskGroups: { app: { PlacedAllocs: 1, HealthyAllocs: 1, DesiredCanaries: 1 } },
    })
    expect((await get('/v1/job/web/summary')).json).toMatchObject({ Summary: { app: { Running: 3 } } })
    expect(
      (
        await send('PUT', `/v1/deployment/promote/${deployment.ID}`, {
          DeploymentID: deployment.ID,
          All: true,
        })
      ).status,
    ).toBe(200)
    await scheduler.settled()
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({ Status: 'successful' })
    const rows = (await get('/v1/job/web/allocations')).json as Body[]
    expect(
      rows.filter(({ DesiredStatus }) => DesiredStatus === 'run').map(({ JobVersion }) => JobVersion),
    ).toEqual([1, 1])
  })
})
