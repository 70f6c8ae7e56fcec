import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const minute = 60e9
const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const allocation = (ID: string, over: object = {}) => ({
  ID,
  JobID: 'web',
  TaskGroup: 'web',
  NodeID: ID,
  DeploymentID: 'd',
  CreateTime: 1,
  ...over,
})
const group = (Name: string, Update: object, over: object = {}) => ({
  Name,
  Count: 2,
  Update: { MaxParallel: 2, ...Update },
  Tasks: [{ Name: 't' }],
  ...over,
})
interface Given {
  /** The update strategy of the group `web`, and of further groups. */
  readonly update: object
  readonly others?: Readonly<Record<string, object>>
  /** What the deployment says of its groups beside what follows from these. */
  readonly state?: object
  readonly status?: string
  readonly allocations?: readonly object[]
  readonly policy?: object
  readonly count?: number
}

/** A job that is rolled out, as the cases have it. */
async function rollOut({ update, others = {}, state = {}, status, policy, count = 2, ...rest }: Given) {
  const allocations = rest.allocations ?? [allocation('a')]
  const groups = Object.entries({ web: update, ...others }).map(([name, each]) =>
    group(name, each, { Count: count, ...(policy && { ReschedulePolicy: policy }) }),
  )
  const TaskGroups = Object.fromEntries(
    groups.map(({ Name, Update, Count }) => [
      Name,
      {
        DesiredTotal: Count,
        DesiredCanaries: 'Canary' in Update ? Update.Canary : 0,
        ProgressDeadline: 0,
        AutoRevert: false,
        ...Update,
        ...state,
      },
    ]),
  )
  const harness = await given({
    jobs: [{ ID: 'web', Version: 1, Status: 'running', TaskGroups: groups }],
    deployments: [
      {
        ID: 'd',
        JobID: 'web',
        JobVersion: 1,
        Status: status ?? 'running',
        StatusDescription: 'Deployment is running',
        TaskGroups,
      },
    ],
    allocations: allocations.map((each) => ({ JobVersion: 1, ...each })),
  })
  const { send, get, scheduler, clock } = harness
  const judge = async (healthy: readonly string[], unhealthy: readonly string[] = [], id = 'd') => {
    const answer = await send('PUT', `/v1/deployment/allocation-health/${id}`, {
      DeploymentID: id,
      HealthyAllocationIDs: healthy,
      UnhealthyAllocationIDs: unhealthy,
    })
    await scheduler.settled()
    return answer
  }
  const steer = async (verb: string, more: object = {}, id = 'd') => {
    const answer = await send('PUT', `/v1/deployment/${verb}/${id}`, { DeploymentID: id, ...more })
    await scheduler.settled()
    return answer
  }
  const wait = async (ns: number) => {
    await clock.advance(ns / 1e6)
    await scheduler.settled()
  }
  const deployment = async () => (await get('/v1/deployment/d')).json as Record<string, unknown>
  const states = async () => (await deployment())['TaskGroups'] as Record<string, Record<string, unknown>>
  const evaluations = async () => ((await get('/v1/job/web/evaluations')).json as readonly unknown[]).length
  const read = async (id: string) => (await get(`/v1/allocation/${id}`)).json as Record<string, unknown>
  return { ...harness, judge, steer, wait, deployment, states, evaluations, read }
}

type World = Awaited<ReturnType<typeof rollOut>>
const failedBy = (why: string) => ({ Status: 'failed', StatusDescription: `Failed due to ${why}` })
const canary = (ID: string, over: object = {}) =>
  allocation(ID, { DeploymentStatus: { Canary: true }, ...over })
const noAttempts = { Attempts: 0, Interval: minute, Unlimited: false }
const deadline = { ProgressDeadline: minute }

describe('a deployment that is watched, in the cases of the scheduler whose API this is', () => {
  it.each<[string, Given, (world: World) => Promise<unknown>, object]>([
    [
      'an allocation is healthy',
      { update: deadline },
      ({ judge }) => judge(['a']),
      { Status: 'running', TaskGroups: { web: { HealthyAllocs: 1, UnhealthyAllocs: 0 } } },
    ],
    [
      'an allocation is unhealthy, and there is no progress deadline',
      { update: {} },
      ({ judge }) => judge([], ['a']),
      { ...failedBy('unhealthy allocations'), TaskGroups: { web: { HealthyAllocs: 0, UnhealthyAllocs: 1 } } },
    ],
    [
      'healthy canaries are promoted',
      { update: { Canary: 1 }, allocations: [canary('a')] },
      async ({ judge, steer }) => {
        await judge(['a'])
        await steer('promote', { All: true })
      },
      { Status: 'running', TaskGroups: { web: { Promoted: true } } },
    ],
    [
      'canaries that are not healthy are not',
      { update: { Canary: 2 }, allocations: [canary('a')] },
      ({ steer }) => steer('promote', { All: true }),
      { Status: 'running', TaskGroups: { web: { Promoted: false } } },
    ],
    [
      'canaries promote themselves',
      {
        update: { Canary: 2, AutoPromote: true, ...deadline },
        others: { api: deadline },
        allocations: [
          canary('a'),
          canary('b'),
          allocation('c', { TaskGroup: 'api' }),
          allocation('e', { TaskGroup: 'api' }),
        ],
      },
      ({ judge }) => judge(['a', 'b', 'c', 'e']),
      { Status: 'running', TaskGroups: { web: { Promoted: true, HealthyAllocs: 2 } } },
    ],
    [
      'enough of the canaries promote themselves',
      {
        update: { Canary: 2, AutoPromote: true, ...deadline },
        allocations: [canary('a'), canary('b'), canary('c')],
        count: 4,
      },
      ({ judge }) => judge(['a', 'b']),
      { Status: 'running', TaskGroups: { web: { Promoted: true, HealthyAllocs: 2 } } },
    ],
    [
      'it is paused',
      { update: {} },
      ({ steer }) => steer('pause', { Pause: true }),
      { Status: 'paused', StatusDescription: 'Deployment is paused' },
    ],
    [
      'a paused one is paused',
      { update: {}, status: 'paused' },
      ({ steer }) => steer('pause', { Pause: true }),
      { Status: 'paused' },
    ],
    [
      'a paused one has no deadline',
      { update: deadline },
      async ({ steer, wait }) => {
        await steer('pause', { Pause: true })
        await wait(2 * minute)
      },
      { Status: 'paused' },
    ],
    [
      'a paused one goes on',
      { update: {}, status: 'paused' },
      ({ steer }) => steer('pause', { Pause: false }),
      { Status: 'running', StatusDescription: 'Deployment is running' },
    ],
    [
      'a running one goes on',
      { update: {} },
      ({ steer }) => steer('pause', { Pause: false }),
      { Status: 'running', StatusDescription: 'Deployment is running' },
    ],
    [
      'a user fails it',
      { update: {} },
      ({ steer }) => steer('fail'),
      { Status: 'failed', StatusDescription: 'Deployment marked as failed' },
    ],
    [
      'its progress deadline is over',
      { update: deadline, state: { PlacedAllocs: 1, RequireProgressBy: '2026-01-01T00:01:00Z' } },
      async ({ judge, wait }) => {
        await judge([], ['a'])
        await wait(minute)
      },
      failedBy('progress deadline'),
    ],
    [
      'healthy canaries wait for their promotion beyond the deadline',
      { update: { Canary: 1, MaxParallel: 1, ...deadline }, allocations: [canary('a')] },
      async ({ judge, wait }) => {
        await judge(['a'])
        await wait(2 * minute)
      },
      { Status: 'running' },
    ],
    [
      'no attempt is left: it fails before its deadline',
      { update: deadline, policy: noAttempts },
      ({ judge }) => judge([], ['a']),
      failedBy('unhealthy allocations'),
    ],
    [
      'a late promotion has the whole deadline again',
      {
        update: { Canary: 1, ...deadline },
        others: { api: { Canary: 1, ...deadline } },
        allocations: [
          canary('a'),
          canary('b', { TaskGroup: 'api' }),
          allocation('c'),
          allocation('e', { TaskGroup: 'api' }),
        ],
      },
      async ({ judge, wait, steer }) => {
        await judge(['b'])
        await judge(['a'])
        await wait(2 * minute)
        await steer('promote', { All: true })
        await wait(minute / 2)
        await judge(['c'])
        await wait(minute / 4)
      },
      { Status: 'running', TaskGroups: { web: { Promoted: true, HealthyAllocs: 2, UnhealthyAllocs: 0 } } },
    ],
  ])('%s', async (_what, start, steps, expected) => {
    const world = await rollOut(start)
    await steps(world)
    expect(await world.deployment()).toMatchObject(expected)
  })

  it.each<
    [string, { readonly stable?: number; readonly AutoRevert?: boolean }, metas: string[], string, number]
  >([
    [
      'an allocation is unhealthy, and a version of other tasks is stable',
      { stable: 0 },
      ['one', 'two'],
      'Failed due to unhealthy allocations - rolling back to job version 0',
      2,
    ],
    [
      'an allocation is unhealthy, and the stable version is the same',
      { stable: 0 },
      ['one', 'two', 'one'],
      'Failed due to unhealthy allocations - not rolling back to stable job version 0 as current job has same specification',
      2,
    ],
    [
      'an allocation is unhealthy, and no version is stable',
      {},
      ['one', 'two'],
      'Failed due to unhealthy allocations - no stable job version to auto revert to',
      1,
    ],
    [
      'an allocation is unhealthy, and it is not to go back',
      { stable: 0, AutoRevert: false },
      ['one', 'two'],
      'Failed due to unhealthy allocations',
      1,
    ],
  ])('%s', async (_what, { stable, AutoRevert = true }, metas, description, version) => {
    const { send, get, scheduler } = await given(
      { nodes: [{ ID: 'n1', NodeResources: room }] },
      { place: true },
    )
    const act = async (path: string, body: object) => {
      const answer = await send('PUT', path, body)
      expect(answer.status, answer.text).toBe(200)
      await scheduler.settled()
    }
    const Update = { MaxParallel: 1, ProgressDeadline: 0, HealthyDeadline: 0, MinHealthyTime: 0, AutoRevert }
    for (const owner of metas) {
      const TaskGroups = [{ Name: 'web', Count: 1, Update, Meta: { owner }, Tasks: [{ Name: 't' }] }]
      await act('/v1/jobs', { Job: { ID: 'web', TaskGroups } })
      if (owner === metas[0] && stable !== undefined)
        await act('/v1/job/web/stable', { JobID: 'web', JobVersion: stable, Stable: true })
    }
    const { ID } = (await get('/v1/job/web/deployment')).json as { readonly ID: string }
    const rows = (await get('/v1/job/web/allocations')).json as readonly {
      readonly ID: string
      readonly JobVersion: number
    }[]
    const newest = rows.filter((row) => row.JobVersion === metas.length - 1).map((row) => row.ID)
    await act(`/v1/deployment/allocation-health/${ID}`, {
      DeploymentID: ID,
      UnhealthyAllocationIDs: newest,
    })
    expect((await get(`/v1/deployment/${ID}`)).json).toMatchObject({
      Status: 'failed',
      StatusDescription: description,
    })
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: version })
  })
  it.each([
    ['stopped', 'running', { Status: 'cancelled', StatusDescription: 'Cancelled because job is stopped' }],
    ['stopped', 'failed', { Status: 'failed' }],
    [
      'changed',
      'running',
      { Status: 'cancelled', StatusDescription: 'Cancelled due to newer version of job' },
    ],
    ['changed', 'failed', { Status: 'failed' }],
  ])('the job is %s while it is %s', async (what, status, expected) => {
    const { send, get, scheduler, deployment } = await rollOut({ update: {}, status })
    const { json } = await get('/v1/job/web')
    if (what === 'stopped') await send('DELETE', '/v1/job/web')
    else await send('PUT', '/v1/jobs', { Job: { ...(json as object), Meta: { foo: 'bar' } } })
    await scheduler.settled()
    expect(await deployment()).toMatchObject(expected)
  })
  it('refuses what is said of unknown deployments and allocations', async () => {
    const { judge, steer } = await rollOut({ update: {} })
    expect((await judge(['a'], [], 'none')).status).toBe(404)
    for (const verb of ['promote', 'pause', 'fail'])
      expect((await steer(verb, { All: true, Pause: true }, 'none')).status).toBe(404)
    const refused = await judge(['nobody'])
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('nobody')])
  })
  it('tells why canaries cannot be promoted', async () => {
    const { steer } = await rollOut({ update: { Canary: 2 }, allocations: [canary('a')] })
    expect((await steer('promote', { All: true })).text).toContain(
      'Task group "web" has 0/2 healthy allocations',
    )
  })
  it('no longer calls promoted allocations canaries', async () => {
    const { judge, read } = await rollOut({
      update: { Canary: 2, AutoPromote: true },
      allocations: [canary('a'), canary('b')],
      count: 4,
    })
    await judge(['a', 'b'])
    expect(await read('a')).toMatchObject({ DeploymentStatus: { Canary: false }, DesiredStatus: 'run' })
    expect(await read('b')).toMatchObject({ DeploymentStatus: { Canary: false } })
  })
  it('waits for the groups that are not done, each until its own deadline', async () => {
    const { judge, wait, deployment } = await rollOut({
      update: deadline,
      others: { foo: { ProgressDeadline: 3 * minute } },
      allocations: [allocation('a'), allocation('b', { TaskGroup: 'foo' })],
      count: 1,
      state: { PlacedAllocs: 1, RequireProgressBy: '2026-01-01T00:03:00Z' },
    })
    await judge(['a'])
    await wait(2 * minute)
    expect(await deployment()).toMatchObject({ Status: 'running' })
    await wait(minute)
    expect(await deployment()).toMatchObject(failedBy('progress deadline'))
  })
  it('creates an evaluation whenever one becomes healthy, so that it goes on', async () => {
    const { judge, evaluations } = await rollOut({
      update: { Canary: 1, MaxParallel: 1, ...deadline },
      state: { Promoted: true },
      allocations: [allocation('a'), allocation('b')],
      count: 3,
    })
    const before = await evaluations()
    await judge(['a'])
    expect(await evaluations()).toBeGreaterThan(before)
  })
  it('goes with its job', async () => {
    const { send, scheduler, get } = await rollOut({ update: {} })
    await send('DELETE', '/v1/job/web?purge=true')
    await scheduler.settled()
    expect((await get('/v1/deployment/d')).status).toBe(404)
  })
})
