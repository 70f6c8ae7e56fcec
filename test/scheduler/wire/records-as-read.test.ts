import { describe, expect, it } from 'vitest'
import type { AllocationWithJob } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const second = 1e9
const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const nodes = [
  { ID: 'n1', NodeResources: room },
  { ID: 'n2', NodeResources: room, Attributes: { arch: 'arm' } },
]
const job = (over: object = {}) => ({
  ID: 'web',
  Constraints: [{ LTarget: '${attr.arch}', RTarget: 'arm', Operand: '!=' }],
  TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }, { Name: 'logs' }] }],
  ...over,
})

/** A cluster that runs a job. */
async function running(options: object, over: object = {}) {
  const harness = await given({ nodes }, { place: true, ...options })
  const { send, get, scheduler } = harness
  const register = async (Job: object) => {
    const { EvalID } = (await send('PUT', '/v1/jobs', { Job })).json as { EvalID: string }
    await scheduler.settled()
    return EvalID
  }
  const evaluation = await register(job(over))
  const all = async () => {
    const rows = (await get('/v1/job/web/allocations')).json as { ID: string }[]
    return Promise.all(
      rows.map(async ({ ID }) => (await get(`/v1/allocation/${ID}`)).json as AllocationWithJob),
    )
  }
  return { ...harness, register, all, evaluation }
}

describe('an allocation that is read by its ID', () => {
  it('has the version of the job that it runs', async () => {
    const { all, register } = await running({ simulate: true })
    await register(job({ Priority: 70 }))
    await register(job({ TaskGroups: [{ Name: 'app', Count: 0, Tasks: [{ Name: 'server' }] }] }))
    expect(await all()).toMatchObject([{ JobVersion: 1, Job: { ID: 'web', Version: 1, Priority: 70 } }])
  })

  it('tells how its node was chosen', async () => {
    const { all } = await running({})
    const [found] = await all()
    expect(found?.Metrics).toMatchObject({
      NodesEvaluated: 2,
      NodesFiltered: 1,
      NodesExhausted: 0,
      NodesInPool: 2,
      NodePool: 'default',
      NodesAvailable: { dc1: 2 },
      ConstraintFiltered: { '${attr.arch} != arm': 1 },
      ScoreMetaData: [{ NodeID: 'n1', NormScore: expect.any(Number), Scores: { 'job-anti-affinity': 0 } }],
    })
  })

  it('has the events of its tasks also on a simulated node', async () => {
    const { all, register, clock } = await running({ simulate: true })
    await clock.advance(5000)
    await register(job({ Stop: false, TaskGroups: [{ Name: 'other', Tasks: [{ Name: 'server' }] }] }))
    const ended = (await all()).find(({ TaskGroup }) => TaskGroup === 'app')
    const types = ['Received', 'Task Setup', 'Started', 'Killing', 'Terminated', 'Killed']
    for (const task of ['server', 'logs']) {
      expect(ended?.TaskStates?.[task]).toMatchObject({
        State: 'dead',
        StartedAt: '2026-01-01T00:00:00.000Z',
        FinishedAt: '2026-01-01T00:00:05.000Z',
      })
      expect(ended?.TaskStates?.[task]?.Events?.map(({ Type }) => Type)).toEqual(types)
    }
  })

  it('tells the failures before it, and keeps them where it moves for another reason', async () => {
    const ReschedulePolicy = {
      Delay: 10 * second,
      DelayFunction: 'exponential',
      MaxDelay: 100 * second,
      Unlimited: true,
    }
    const { all, scheduler, clock, send } = await running(
      {},
      { TaskGroups: [{ Name: 'app', ReschedulePolicy, Tasks: [{ Name: 'server' }] }], Constraints: null },
    )
    const newest = async () => {
      const found = (await all()).find(
        ({ DesiredStatus, ClientStatus }) => DesiredStatus === 'run' && ClientStatus !== 'failed',
      )
      if (found === undefined) throw new Error('nothing runs')
      return found
    }
    const first = await newest()
    expect(first.RescheduleTracker).toBeNull()
    await scheduler.updateAllocations([{ ID: first.ID, ClientStatus: 'failed' }])
    await scheduler.settled()
    await clock.advance(10_000)
    await scheduler.settled()
    const next = await newest()
    const event = {
      RescheduleTime: (Date.UTC(2026, 0, 1) + 10_000) * 1e6,
      PrevAllocID: first.ID,
      PrevNodeID: first.NodeID,
      Delay: 10 * second,
    }
    expect(next.RescheduleTracker).toEqual({ Events: [event], LastReschedule: 'ok' })
    await send('PUT', `/v1/allocation/${next.ID}/stop`)
    await scheduler.settled()
    const moved = await newest()
    expect(moved.ID).not.toBe(next.ID)
    expect(moved.RescheduleTracker).toEqual(next.RescheduleTracker)
  })

  it('has the index of the verdict on its health, which later changes do not move', async () => {
    const { all, scheduler } = await running({})
    const [{ ID } = { ID: '' }] = await all()
    const judged = await scheduler.updateAllocations([{ ID, ClientStatus: 'running', Healthy: true }])
    const index = judged.ok ? judged.index : 0
    const status = async () => (await all()).map(({ DeploymentStatus }) => DeploymentStatus)
    expect(await status()).toMatchObject([{ Healthy: true, ModifyIndex: index }])
    await scheduler.updateAllocations([
      {
        ID,
        TaskStates: {
          server: {
            State: 'running',
            Failed: false,
            Restarts: 1,
            StartedAt: null,
            FinishedAt: null,
            Events: null,
          },
        },
      },
    ])
    expect(await status()).toMatchObject([{ Healthy: true, ModifyIndex: index }])
  })

  it('names the allocations that made room for it', async () => {
    const { register, all, send, get } = await running({}, { Priority: 20 })
    await send('PUT', '/v1/operator/scheduler/configuration', {
      PreemptionConfig: { ServiceSchedulerEnabled: true },
    })
    const [victim] = await all()
    const Resources = { CPU: 3900, MemoryMB: 100 }
    await register({
      ...job({ Priority: 90 }),
      ID: 'big',
      TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't', Resources }] }],
    })
    const [big] = (await get('/v1/job/big/allocations')).json as { PreemptedAllocations: string[] }[]
    expect(big?.PreemptedAllocations).toEqual([victim?.ID])
  })
})

describe('other records', () => {
  it('an evaluation names the deployment that it worked on', async () => {
    const { get, evaluation } = await running({})
    const { ID } = (await get('/v1/job/web/deployment')).json as { ID: string }
    expect((await get(`/v1/evaluation/${evaluation}`)).json).toMatchObject({ DeploymentID: ID })
  })

  it('a node tells whether it is being drained; filters do not know that', async () => {
    const draining = { ID: 'n3', DrainStrategy: { Deadline: 0 } }
    const { get } = await given({ nodes: [...nodes, draining] })
    expect((await get('/v1/node/n1')).json).toMatchObject({ Drain: false })
    expect((await get('/v1/node/n3')).json).toMatchObject({ Drain: true })
    const refused = await get('/v1/nodes?filter=Drain')
    expect(refused.status).toBe(400)
  })
})
