import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const nodes = [{ ID: 'n1', NodeResources: room }]
const job = (Priority = 50, update: object = {}) => ({
  ID: 'web',
  Priority,
  TaskGroups: [{ Name: 'app', Count: 2, Update: update, Tasks: [{ Name: 't' }] }],
})
type Body = Record<string, never>

/** A job being rolled out to allocations that say nothing of their own accord. */
async function rollingOut(update: object = {}) {
  const harness = await given({ nodes }, { place: true })
  const { send, get, scheduler } = harness
  const register = async (Priority: number) => {
    await send('PUT', '/v1/jobs', { Job: job(Priority, update) })
    await scheduler.settled()
  }
  await register(50)
  const deployment = async () => (await get('/v1/job/web/deployment')).json as Record<string, string>
  const report = async (healthy: boolean) => {
    const { ID } = await deployment()
    const rows = (await get('/v1/job/web/allocations')).json as Record<string, string>[]
    const due = rows.filter((row) => row['DeploymentID'] === ID && row['DesiredStatus'] === 'run')
    const key = healthy ? 'HealthyAllocationIDs' : 'UnhealthyAllocationIDs'
    const body = { DeploymentID: ID, [key]: due.map((row) => row['ID']) }
    const done = await send('PUT', `/v1/deployment/allocation-health/${ID}`, body)
    await scheduler.settled()
    return done
  }
  const steer = async (verb: string, more: object = {}) => {
    const { ID } = await deployment()
    const done = await send('PUT', `/v1/deployment/${verb}/${ID}`, { DeploymentID: ID, ...more })
    await scheduler.settled()
    return done
  }
  return { ...harness, register, deployment, report, steer }
}

describe('a deployment', () => {
  it('is successful once all is healthy, and its version stable', async () => {
    const { deployment, report, get } = await rollingOut()
    expect(await deployment()).toMatchObject({ Status: 'running', TaskGroups: { app: { PlacedAllocs: 2 } } })
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'running', Stable: false })
    expect((await report(true)).status).toBe(200)
    expect(await deployment()).toMatchObject({
      Status: 'successful',
      TaskGroups: { app: { HealthyAllocs: 2 } },
    })
    expect((await get('/v1/job/web')).json).toMatchObject({ Stable: true })
  })

  it('leaves healthy allocations of the version before alone while one of the new one is unhealthy', async () => {
    const { send, report, get, clock, scheduler } = await rollingOut()
    await report(true)
    const [group] = job().TaskGroups
    const other = { ...group, Tasks: [{ Name: 't', Config: { image: 'other' } }] }
    await send('PUT', '/v1/jobs', { Job: { ...job(), TaskGroups: [other] } })
    await scheduler.settled()
    const running = async () => {
      const rows = (await get('/v1/job/web/allocations')).json as Record<string, unknown>[]
      return rows.filter((row) => row['DesiredStatus'] === 'run').map((row) => row['JobVersion'])
    }
    expect((await running()).sort()).toEqual([0, 1])
    for (let round = 0; round < 3; round += 1) {
      await report(false)
      expect((await running()).sort()).toEqual([0, 1])
      await clock.advance(60_000)
      await scheduler.settled()
      expect((await running()).sort()).toEqual([0, 1])
    }
  })

  it('takes the verdicts on more allocations than one commit holds', async () => {
    const ids = [...Array(60).keys()].map((at) => `a${at}`)
    const { send, get } = await given({
      jobs: [job()],
      deployments: [{ ID: 'd', JobID: 'web', TaskGroups: { app: { DesiredTotal: 60 } } }],
      allocations: ids.map((ID) => ({ ID, JobID: 'web', TaskGroup: 'app', DeploymentID: 'd', NodeID: ID })),
    })
    const body = { DeploymentID: 'd', HealthyAllocationIDs: ids }
    expect((await send('PUT', '/v1/deployment/allocation-health/d', body)).status).toBe(200)
    expect((await get('/v1/deployment/d')).json).toMatchObject({
      Status: 'successful',
      TaskGroups: { app: { HealthyAllocs: 60 } },
    })
  })

  it('is cancelled by a newer version, and by a stop', async () => {
    const { register, send, scheduler, get } = await rollingOut()
    await register(60)
    await send('DELETE', '/v1/job/web')
    await scheduler.settled()
    const rows = (await get('/v1/job/web/deployments')).json as Body[]
    expect(rows.map(({ Status, StatusDescription }) => [Status, StatusDescription])).toEqual([
      ['cancelled', 'Cancelled due to newer version of job'],
      ['cancelled', 'Cancelled because job is stopped'],
    ])
  })

  it('goes back to the stable version where it wants that', async () => {
    const { register, deployment, report, get } = await rollingOut({ AutoRevert: true, MaxParallel: 2 })
    await report(true)
    await register(60)
    expect((await report(false)).json).toMatchObject({ EvalID: expect.any(String) })
    const rows = (await get('/v1/job/web/deployments')).json as Body[]
    expect(rows[1]).toMatchObject({
      Status: 'failed',
      StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 0',
    })
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 2, Priority: 50 })
    expect(await deployment()).toMatchObject({ Status: 'running', JobVersion: 2 })
  })

  it('replaces unhealthy and failed allocations until its progress deadline, and nothing after', async () => {
    const policy = { Delay: 10e9, DelayFunction: 'constant', Unlimited: true }
    const { send, get, scheduler, clock } = await given({ nodes }, { place: true })
    const [group] = job(50, { ProgressDeadline: 60e9 }).TaskGroups
    await send('PUT', '/v1/jobs', { Job: { ...job(), TaskGroups: [{ ...group, ReschedulePolicy: policy }] } })
    await scheduler.settled()
    const rows = async () => (await get('/v1/job/web/allocations')).json as Record<string, string>[]
    const live = async () =>
      (await rows()).filter((row) => row['DesiredStatus'] === 'run' && row['ClientStatus'] === 'pending')
    const deployment = async () => (await get('/v1/job/web/deployment')).json
    const [first, second] = await live()
    await scheduler.updateAllocations([{ ID: second?.['ID'] ?? '', ClientStatus: 'running', Healthy: true }])
    await scheduler.updateAllocations([{ ID: first?.['ID'] ?? '', ClientStatus: 'running', Healthy: false }])
    await scheduler.settled()
    expect(await deployment()).toMatchObject({
      Status: 'running',
      TaskGroups: { app: { UnhealthyAllocs: 1 } },
    })
    expect(await rows()).toHaveLength(2)
    await clock.advance(10_000)
    await scheduler.settled()
    const replaced = (await rows()).find(({ ID }) => ID === first?.['ID'])
    expect(replaced).toMatchObject({
      DesiredStatus: 'stop',
      DesiredDescription: 'alloc was rescheduled because it failed',
      NextAllocation: (await live())[0]?.['ID'],
    })
    for (let round = 0; round < 3; round += 1) {
      const [{ ID = '' } = {}] = await live()
      await scheduler.updateAllocations([{ ID, ClientStatus: 'failed' }])
      await clock.advance(10_000)
      await scheduler.settled()
    }
    expect(await deployment()).toMatchObject({ Status: 'running' })
    await clock.advance(20_000)
    await scheduler.settled()
    expect(await deployment()).toMatchObject({ StatusDescription: 'Failed due to progress deadline' })
    const [{ ID = '' } = {}] = await live()
    await scheduler.updateAllocations([{ ID, ClientStatus: 'failed' }])
    const before = (await rows()).length
    await clock.advance(3_600_000)
    await scheduler.settled()
    expect(await rows()).toHaveLength(before)
  })

  it('fails early once an allocation is not rescheduled any more', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true })
    const [group] = job().TaskGroups
    const ReschedulePolicy = { Attempts: 0, Unlimited: false }
    await send('PUT', '/v1/jobs', { Job: { ...job(), TaskGroups: [{ ...group, ReschedulePolicy }] } })
    await scheduler.settled()
    const [{ ID = '' } = {}] = (await get('/v1/job/web/allocations')).json as Record<string, string>[]
    await scheduler.updateAllocations([{ ID, ClientStatus: 'failed' }])
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({
      StatusDescription: 'Failed due to unhealthy allocations',
    })
  })

  it('has its failed allocations replaced at once where that is asked for', async () => {
    const { send, get, scheduler } = await rollingOut({ ProgressDeadline: 0 })
    const rows = async () => (await get('/v1/job/web/allocations')).json as Record<string, string>[]
    const [first, second] = await rows()
    for (const row of [first, second])
      await scheduler.updateAllocations([{ ID: row?.['ID'] ?? '', ClientStatus: 'running', Healthy: true }])
    await scheduler.updateAllocations([{ ID: first?.['ID'] ?? '', ClientStatus: 'failed' }])
    await scheduler.settled()
    expect(await rows()).toHaveLength(2)
    await send('PUT', '/v1/job/web/evaluate', { JobID: 'web', EvalOptions: { ForceReschedule: true } })
    await scheduler.settled()
    expect(await rows()).toHaveLength(3)
  })

  it('fails when its progress deadline passes, also when the clock jumps', async () => {
    const { deployment, clock, scheduler } = await rollingOut({ ProgressDeadline: 60e9 })
    await clock.advance(59_999)
    await scheduler.settled()
    expect(await deployment()).toMatchObject({ Status: 'running' })
    await clock.set(clock.now() + 86_400_000)
    await scheduler.settled()
    expect(await deployment()).toMatchObject({
      Status: 'failed',
      StatusDescription: 'Failed due to progress deadline',
    })
  })

  it('waits for a promotion however long it takes, and gives those that follow their time', async () => {
    const update = { ProgressDeadline: 60e9, Canary: 1 }
    const { deployment, report, steer, clock, scheduler, send } = await rollingOut(update)
    await report(true)
    const [group] = job(50, update).TaskGroups
    await send('PUT', '/v1/jobs', { Job: { ...job(), TaskGroups: [{ ...group, Tasks: [{ Name: 'new' }] }] } })
    await scheduler.settled()
    await report(true)
    await clock.advance(3_600_000)
    await scheduler.settled()
    expect(await deployment()).toMatchObject({
      Status: 'running',
      StatusDescription: 'Deployment is running but requires manual promotion',
    })
    await steer('promote', { All: true })
    const deadline = new Date(clock.now() + 60_000).toISOString()
    expect(await deployment()).toMatchObject({
      Status: 'running',
      TaskGroups: { app: { Promoted: true, RequireProgressBy: deadline } },
    })
    await clock.advance(60_000)
    await scheduler.settled()
    expect(await deployment()).toMatchObject({ StatusDescription: 'Failed due to progress deadline' })
  })

  it('fails with the group that does not get on, although another one was done long before', async () => {
    const group = (ProgressDeadline: number, RequireProgressBy: string, HealthyAllocs: number) => ({
      ...{ ProgressDeadline, RequireProgressBy, HealthyAllocs, DesiredTotal: 1, PlacedAllocs: 1 },
    })
    const { clock, get, scheduler } = await given({
      jobs: [job()],
      deployments: [
        {
          ID: 'd',
          JobID: 'web',
          TaskGroups: {
            done: group(60e9, '2026-01-01T00:01:00Z', 1),
            late: group(600e9, '2026-01-01T00:10:00Z', 0),
          },
        },
      ],
    })
    await get('/v1/deployments')
    await clock.advance(120_000)
    await scheduler.settled()
    expect((await get('/v1/deployment/d')).json).toMatchObject({ Status: 'running' })
    await clock.advance(480_000)
    await scheduler.settled()
    expect((await get('/v1/deployment/d')).json).toMatchObject({ Status: 'failed' })
  })

  it('does not go back to a pool that is gone', async () => {
    const { send, get, scheduler } = await given({ nodes }, { place: true, simulate: true })
    await send('PUT', '/v1/node/pools', { Name: 'gpu' })
    await send('PUT', '/v1/jobs', { Job: { ...job(50, { AutoRevert: true }), NodePool: 'gpu' } })
    await send('PUT', '/v1/job/web/stable', { JobVersion: 0, Stable: true })
    await send('PUT', '/v1/jobs', { Job: { ...job(60, { AutoRevert: true }) } })
    await scheduler.settled()
    expect((await send('DELETE', '/v1/node/pool/gpu')).status).toBe(200)
    const refused = await send('PUT', '/v1/job/web/revert', { JobVersion: 0 })
    expect([refused.status, refused.text]).toEqual([400, 'job "web" is in nonexistent node pool "gpu"'])
    await send('PUT', '/v1/jobs', { Job: job(70, { AutoRevert: true }) })
    const { ID = '' } = (await get('/v1/job/web/deployment')).json as Record<string, string>
    await send('PUT', `/v1/deployment/fail/${ID}`)
    expect((await get('/v1/job/web')).json).toMatchObject({ NodePool: 'default' })
  })

  it('waits while it is paused', async () => {
    const { steer, deployment, report } = await rollingOut({ ProgressDeadline: 60e9 })
    expect((await steer('pause', { Pause: true })).json).toMatchObject({
      DeploymentModifyIndex: expect.any(Number),
    })
    expect(await deployment()).toMatchObject({ Status: 'paused', StatusDescription: 'Deployment is paused' })
    await report(true)
    expect(await deployment()).toMatchObject({ Status: 'paused' })
    await steer('pause', { Pause: false })
    expect(await deployment()).toMatchObject({ Status: 'successful' })
  })

  it('is failed manually, and refuses everything after', async () => {
    const { steer } = await rollingOut()
    expect((await steer('fail')).json).toMatchObject({ RevertedJobVersion: null })
    for (const [verb, text, more] of [
      ['fail', "can't fail terminal deployment", {}],
      ['pause', "can't pause terminal deployment", { Pause: true }],
      ['pause', "can't resume terminal deployment", { Pause: false }],
      ['promote', "can't promote terminal deployment", { All: true }],
      ['unblock', "can't unblock terminal deployment", {}],
      ['allocation-health', "can't set health of allocations for a terminal deployment", {}],
    ] as const) {
      const refused = await steer(verb, more)
      expect([refused.status, refused.text]).toEqual([400, text])
    }
  })

  it.each([
    ['pause', {}, 400, 'DeploymentID must be specified'],
    ['pause', undefined, 400, 'Request body is empty'],
    ['promote', { DeploymentID: 'other' }, 400, 'Deployment ID does not match'],
    ['promote', { DeploymentID: 'd', Groups: ['none'] }, 400, 'the deployment has no task group "none"'],
    ['promote', { DeploymentID: 'd', All: true }, 400, 'Task group "app" has 0/1 healthy allocations'],
    [
      'allocation-health',
      { DeploymentID: 'd', HealthyAllocationIDs: ['x'] },
      400,
      'allocation "x" is not part of',
    ],
    ['unblock', {}, 400, "can't unblock a deployment that is running"],
    ['fail', { DeploymentID: 1 }, 400, 'invalid deployment request: DeploymentID:'],
  ])('%s refuses %j with %i: %s', async (verb, body, status, text) => {
    const { send } = await given({
      jobs: [job()],
      deployments: [{ ID: 'd', JobID: 'web', TaskGroups: { app: { DesiredCanaries: 1, DesiredTotal: 2 } } }],
    })
    const refused = await send('PUT', `/v1/deployment/${verb}/d`, body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)])
    const unknown = await send('PUT', `/v1/deployment/${verb}/none`, { DeploymentID: 'none' })
    expect([unknown.status, unknown.text]).toEqual([404, 'deployment not found'])
  })
})
