import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const room = { Cpu: { CpuShares: 1000 }, Memory: { MemoryMB: 90_000 } }
const nodes = [{ ID: 'n1', NodeResources: room }]
const task = { Name: 't', Resources: { CPU: 200 } }
const job = (over: object = {}, group: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count: 2, Tasks: [task], ...group }],
  ...over,
})
interface Plan {
  readonly CreatedEvals: unknown
  readonly JobModifyIndex: number
  readonly Annotations: { readonly DesiredTGUpdates: Record<string, Record<string, number>> }
  readonly FailedTGAllocs: object | null
  readonly Diff: { readonly Type: string; readonly Fields: object[]; readonly TaskGroups: object[] } | null
}

/** A cluster that runs one version, and what it would do with another. */
async function planned(Job: object, before: object | null = job(), Diff = true) {
  const harness = await given({ nodes }, { place: true, simulate: true })
  if (before !== null) await harness.send('PUT', '/v1/jobs', { Job: before })
  await harness.scheduler.settled()
  const { ID = '' } = Job as { readonly ID?: string }
  const got = await harness.send('POST', `/v1/job/${encodeURIComponent(ID)}/plan`, { Job, Diff })
  return { ...harness, got, plan: got.json as Plan }
}
const nothing = {
  Ignore: 0,
  Place: 0,
  Migrate: 0,
  Stop: 0,
  InPlaceUpdate: 0,
  DestructiveUpdate: 0,
  Canary: 0,
  Preemptions: 0,
  RescheduleNow: 0,
  RescheduleLater: 0,
}

describe('planning a job', () => {
  it('changes nothing', async () => {
    const { get, plan, send } = await planned(job({ Priority: 70 }))
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 0, Priority: 50 })
    const { index } = await get('/v1/jobs')
    await send('PUT', '/v1/job/web/plan', { Job: job({}, { Count: 5 }) })
    expect((await get('/v1/jobs')).index).toBe(index)
    expect((await get('/v1/evaluations')).json).toHaveLength(1)
    // Registering with its index does just what was planned.
    const { JobModifyIndex } = plan
    const sent = await send('PUT', '/v1/jobs', { Job: job(), EnforceIndex: true, JobModifyIndex })
    expect(sent.status).toBe(200)
  })

  it.each([
    ['the same again', job(), { Ignore: 2 }],
    ['two more', job({}, { Count: 4 }), { InPlaceUpdate: 2, Place: 2 }],
    ['one fewer', job({}, { Count: 1 }), { InPlaceUpdate: 1, Stop: 1 }],
    ['another priority', job({ Priority: 70 }), { InPlaceUpdate: 2 }],
    ['other tasks', job({ Meta: { a: 'b' } }), { DestructiveUpdate: 1, Ignore: 1 }],
    ['other tasks at once', job({ Meta: { a: 'b' }, Update: { MaxParallel: 2 } }), { DestructiveUpdate: 2 }],
    ['canaries', job({ Meta: { a: 'b' }, Update: { Canary: 1 } }), { Canary: 1, Ignore: 2 }],
  ])('says what placing would do: %s', async (_what, next, expected) => {
    const { plan } = await planned(next)
    expect(plan.Annotations.DesiredTGUpdates).toEqual({ app: { ...nothing, ...expected } })
    expect(plan.FailedTGAllocs).toBeNull()
  })

  it('counts what would find no room, and says why', async () => {
    const { plan } = await planned(job({}, { Count: 9 }))
    expect(plan.Annotations.DesiredTGUpdates['app']).toMatchObject({ InPlaceUpdate: 2, Place: 7 })
    expect(plan.FailedTGAllocs).toMatchObject({
      app: { CoalescedFailures: 3, NodesEvaluated: 1, NodesExhausted: 1, DimensionExhausted: { cpu: 1 } },
    })
    expect(plan.CreatedEvals).toMatchObject([
      { Status: 'blocked', TriggeredBy: 'queued-allocs', JobID: 'web', QueuedAllocations: { app: 4 } },
    ])
  })

  it('tells of groups that come and go', async () => {
    const db = { Name: 'db', Tasks: [task] }
    const { plan } = await planned({ ...job(), TaskGroups: [db] })
    expect(plan.Annotations.DesiredTGUpdates).toMatchObject({ app: { Stop: 2 }, db: { Place: 1 } })
    expect(plan.Diff).toMatchObject({
      Type: 'Edited',
      TaskGroups: [
        { Type: 'Deleted', Name: 'app', Updates: { destroy: 2 } },
        { Type: 'Added', Name: 'db', Updates: { create: 1 }, Tasks: [{ Annotations: ['forces create'] }] },
      ],
    })
  })

  it('shows how the job differs, where that is asked for', async () => {
    const { plan } = await planned(
      job(
        { Priority: 70, Datacenters: ['dc1'], Meta: { team: 'a' } },
        { Tasks: [{ ...task, User: 'ada' }], Constraints: [{ LTarget: 'x', RTarget: 'x' }] },
      ),
    )
    expect(plan.Diff).toMatchObject({
      Type: 'Edited',
      ID: 'web',
      Fields: [{ Type: 'Edited', Name: 'Priority', Old: '50', New: '70' }],
      Objects: [
        {
          Type: 'Edited',
          Name: 'Datacenters',
          Fields: [
            { Type: 'Deleted', Old: '*', New: '' },
            { Type: 'Added', Old: '', New: 'dc1' },
          ],
        },
        { Type: 'Added', Name: 'Meta', Fields: [{ Type: 'Added', Name: 'team', Old: '', New: 'a' }] },
      ],
      TaskGroups: [
        {
          Type: 'Edited',
          Name: 'app',
          Objects: [{ Type: 'Added', Name: 'Constraints' }],
          Tasks: [
            {
              Type: 'Edited',
              Name: 't',
              Fields: [{ Type: 'Added', Name: 'User', Old: '', New: 'ada' }],
              Annotations: ['forces create/destroy update'],
            },
          ],
          Updates: { 'create/destroy update': 1 },
        },
      ],
    })
    expect((await planned(job())).plan.Diff).toMatchObject({ Type: 'None', Fields: [], TaskGroups: [] })
    expect((await planned(job({ Priority: 70 }), job(), false)).plan.Diff).toBeNull()
  })

  it('of one that is new says so', async () => {
    const { plan } = await planned(job(), null)
    expect(plan).toMatchObject({
      JobModifyIndex: 0,
      Annotations: { DesiredTGUpdates: { app: { Place: 2 } } },
      Diff: { Type: 'Added', TaskGroups: [{ Type: 'Added', Name: 'app' }] },
    })
  })

  it('says when a periodic one would be launched', async () => {
    const Periodic = { Spec: '@daily' }
    const { plan } = await planned(job({ Type: 'batch', Periodic }), null)
    expect(plan).toMatchObject({
      NextPeriodicLaunch: '2026-01-02T00:00:00.000Z',
      Annotations: { DesiredTGUpdates: {} },
    })
    expect((await planned(job())).plan).toMatchObject({ NextPeriodicLaunch: '0001-01-01T00:00:00Z' })
  })

  it('knows where a system job would go', async () => {
    const system = job({ ID: 'agent', Type: 'system' }, { Count: 1 })
    const { plan } = await planned(system, null)
    expect(plan.Annotations.DesiredTGUpdates['app']).toMatchObject({ Place: 1 })
    expect(plan.FailedTGAllocs).toBeNull()
  })

  it.each([
    ['/v1/job/web/plan', undefined, 400, 'Request body is empty'],
    ['/v1/job/web/plan', {}, 400, 'Job must be specified'],
    ['/v1/job/api/plan', { Job: job() }, 400, 'Job ID does not match name'],
    ['/v1/job/web/plan', { Job: job({ Priority: 0 }) }, 400, 'job priority must be between [1, 100]'],
    ['/v1/job/web/plan', { Job: job({ Type: 'batch' }) }, 400, 'cannot update job from type'],
    ['/v1/job/web/plan', { Job: job({ NodePool: 'none' }) }, 400, 'is in nonexistent node pool "none"'],
    ['/v1/job/web/plan', { Job: { ID: 'web' } }, 400, 'Missing job task groups'],
  ])('%s with %j is %i: %s', async (path, body, status, text) => {
    const { send } = await given({ jobs: [job()] })
    const refused = await send('PUT', path, body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)])
  })

  it('requires the right to register', async () => {
    const { send } = await given({}, { acl: true })
    for (const Job of [job(), job({ Priority: 0 })])
      expect((await send('PUT', '/v1/job/web/plan', { Job })).status).toBe(403)
  })
})
