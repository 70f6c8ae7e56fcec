import { describe, expect, it } from 'vitest'
import {
  AllocationRecord,
  JobSpec,
  type ReconcileInput,
  type ReconcileState,
  reconcile,
  systemWork,
} from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const now = Date.UTC(2026, 0, 1)
const job = (over: object = {}, Count = 2) =>
  JobSpec.parse({ ID: 'web', Version: 1, TaskGroups: [{ Name: 'app', Count }], ...over })
const allocation = (ID: string, over: object = {}) =>
  AllocationRecord.parse({
    ID,
    Name: `web.app[${ID}]`,
    TaskGroup: 'app',
    NodeID: `n${ID}`,
    JobVersion: 1,
    ClientStatus: 'running',
    ...over,
  })
const all = ['0', '1', '2'].map((id) => allocation(id))
const work = (input: Partial<ReconcileState & ReconcileInput & { readonly now: number }> = {}) => {
  const { leaves, unchanged, fits, now: at = now, ...state } = input
  const [first] = reconcile(
    { job: job(), allocations: [], ...state },
    { leaves, unchanged, fits },
    { now: at },
  )
  if (first === undefined) throw new Error('no task group')
  const { place, stop, replace, update, later } = first
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
  return { place, stop: ids(stop), replace: ids(replace), update, later }
}
const nothing = { place: 0, stop: [], replace: [], update: [], later: [] }

describe('what a task group wants done now', () => {
  it('is nothing where it has all it wants', () => {
    expect(work({ allocations: all.slice(0, 2) })).toEqual(nothing)
  })

  it('is as many as are missing', () => {
    expect(work()).toEqual({ ...nothing, place: 2 })
    expect(work({ allocations: all.slice(0, 1) })).toEqual({ ...nothing, place: 1 })
  })

  it('is to stop what is too many, the highest numbers first', () => {
    expect(work({ allocations: all })).toEqual({ ...nothing, stop: ['2'] })
    expect(work({ allocations: all, job: job({}, 0) }).stop).toEqual(['2', '1', '0'])
  })

  it('is to stop allocations of groups that are no more', () => {
    expect(work({ allocations: [...all.slice(0, 2), allocation('9', { TaskGroup: 'old' })] }).stop).toEqual([
      '9',
    ])
  })

  it('is to replace earlier versions, unless their tasks are the same', () => {
    const earlier = all.slice(0, 2).map((each) => ({ ...each, JobVersion: 0 }))
    expect(work({ allocations: earlier })).toMatchObject({ place: 2, replace: ['0', '1'] })
    expect(work({ allocations: earlier, unchanged: () => true })).toEqual({ ...nothing, update: ['0', '1'] })
    expect(work({ allocations: earlier, unchanged: () => true, fits: () => false })).toMatchObject({
      place: 2,
      update: [],
    })
  })

  it('is to take the place of what was lost at once, and of what failed after its delay', () => {
    const lost = allocation('1', { ClientStatus: 'lost' })
    expect(work({ allocations: [...all.slice(0, 1), lost] })).toMatchObject({ place: 1, replace: ['1'] })
    const failed = allocation('1', { ClientStatus: 'failed', ModifyTime: now * 1e6 })
    expect(work({ allocations: [...all.slice(0, 1), failed] })).toEqual({
      ...nothing,
      later: [{ id: '1', at: now + 30_000 }],
    })
    expect(work({ allocations: [...all.slice(0, 1), failed], now: now + 30_000 })).toMatchObject({
      place: 1,
      replace: ['1'],
    })
  })

  it('is to leave a draining node as fast as its pace allows', () => {
    const healthy = all.slice(0, 2).map((each) => ({ ...each, DeploymentStatus: health }))
    expect(work({ allocations: healthy, leaves: () => true })).toMatchObject({ place: 1, replace: ['0'] })
  })

  it('is to replace an unhealthy one that is out of touch as well only once', () => {
    const both = allocation('0', {
      ClientStatus: 'unknown',
      DeploymentID: 'd1',
      DeploymentStatus: { Healthy: false, Timestamp: new Date(now - 60_000).toISOString() },
    })
    const deployment = {
      ID: 'd1',
      Status: 'running',
      TaskGroups: { app: { ...rollout, DesiredCanaries: 0, DesiredTotal: 2, Promoted: false } },
    } as const
    const group = { Name: 'app', Count: 2, Disconnect: { LostAfter: 3600e9 } }
    const asked = { job: job({ TaskGroups: [group] }), allocations: [both], deployment }
    expect(work(asked)).toEqual({ ...nothing, place: 2, replace: ['0'] })
  })

  it('is one canary beside the others while a new version is tried', () => {
    const earlier = all.slice(0, 2).map((each) => ({ ...each, JobVersion: 0 }))
    const state = { DesiredCanaries: 1, DesiredTotal: 2, Promoted: false }
    const works = reconcile(
      {
        job: job(),
        allocations: earlier,
        deployment: { Status: 'running', TaskGroups: { app: { ...rollout, ...state } } },
      },
      {},
      { now },
    )
    expect(works.map(({ place, canary }) => [place, canary])).toEqual([
      [0, false],
      [1, true],
    ])
  })
})

const health = { Healthy: true, Timestamp: null, Canary: false, ModifyIndex: 0 }
const rollout = {
  AutoPromote: false,
  AutoRevert: false,
  HealthyAllocs: 0,
  PlacedAllocs: 0,
  PlacedCanaries: null,
  ProgressDeadline: 0,
  RequireProgressBy: null,
  UnhealthyAllocs: 0,
}

describe('what a system job wants done now', () => {
  const nodes = ['n0', 'n1', 'n2'].map((ID) => ({ ID }))
  const system = (allocations: readonly AllocationRecord[], over: object = {}, Count = 1) => {
    const [first] = systemWork(
      { job: job({ Type: 'system', ...over }, Count), allocations },
      { nodes },
      { now },
    )
    return [first?.place, first?.stop.map(({ id }) => id)]
  }

  it('is one on every node that has none', () => {
    expect(system([])).toEqual([3, []])
    expect(system(all.slice(0, 1))).toEqual([2, []])
    expect(system([allocation('elsewhere')])).toEqual([3, []])
  })

  it('is nothing where its count is 0', () => {
    expect(system(all, {}, 0)).toEqual([0, ['0', '1', '2']])
  })

  it('is to stop earlier versions at once', () => {
    expect(system([allocation('0', { JobVersion: 0 })])).toEqual([2, ['0']])
  })

  it('is done where a sysbatch allocation ended, and not where one of a system job did', () => {
    const ended = allocation('0', { ClientStatus: 'complete' })
    expect(system([ended], { Type: 'sysbatch' })).toEqual([2, []])
    expect(system([ended])).toEqual([3, []])
  })
})

describe('an update of a system job with max_parallel', () => {
  it('replaces so many at a time, and waits for the stagger in between', async () => {
    const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
    const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'].map((ID) => ({ ID, NodeResources: room }))
    for (const simulate of [true, false]) {
      const { send, get, scheduler, clock } = await given({ nodes }, { place: true, simulate })
      const system = (build: number) => ({
        ID: 'logs',
        Type: 'system',
        Update: { MaxParallel: 2, Stagger: 30e9 },
        TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't', Config: { build } }] }],
      })
      const rows = async () =>
        (await get('/v1/job/logs/allocations')).json as Record<string, string | number>[]
      const register = async (build: number) => {
        await send('PUT', '/v1/jobs', { Job: system(build) })
        await scheduler.settled()
      }
      /** Nodes on which nothing is simulated do what they are told. */
      const obey = async () => {
        for (const { ID, DesiredStatus, ClientStatus } of await rows())
          if (DesiredStatus !== 'run' && ClientStatus === 'pending')
            await scheduler.updateAllocations([
              { ID: String(ID), ClientStatus: 'running' },
              { ID: String(ID), ClientStatus: 'complete' },
            ])
        await scheduler.settled()
      }
      const updated = async () => (await rows()).filter(({ JobVersion }) => JobVersion === 1).length
      await register(0)
      await register(1)
      await obey()
      expect(await updated()).toBe(2)
      await send('PUT', '/v1/job/logs/evaluate', { JobID: 'logs' })
      await scheduler.settled()
      await obey()
      expect(await updated()).toBe(2)
      await clock.advance(30_000)
      await scheduler.settled()
      await obey()
      expect(await updated()).toBe(4)
      await clock.advance(30_000)
      await scheduler.settled()
      await obey()
      expect(await updated()).toBe(5)
      const live = (await rows()).filter(({ DesiredStatus }) => DesiredStatus === 'run')
      expect(new Set(live.map(({ NodeID, JobVersion }) => `${NodeID} v${JobVersion}`)).size).toBe(5)
      await scheduler.close()
    }
  })
})
