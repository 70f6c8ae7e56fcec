import { describe, expect, it } from 'vitest'
import { createScheduler, JobSpec } from '../../../src/scheduler/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { testClock } from '../../../src/testing/index.ts'
import { given } from '../harness.ts'

const TaskGroups = [{ Name: 'g', Tasks: [{ Name: 't' }] }]
const periodic = (Periodic: object, over: object = {}) => ({
  ID: 'tick',
  Type: 'batch',
  Periodic,
  TaskGroups,
  ...over,
})
const minute = 60_000
const hour = 60 * minute
// The clock of these tests starts at 2026-01-01T00:00:00Z.
const start = 1_767_225_600
const child = (minutes: number) => `tick/periodic-${start + minutes * 60}`
const nodes = [{ ID: 'n1', NodeResources: { Cpu: { CpuShares: 9000 }, Memory: { MemoryMB: 90_000 } } }]

/** A scheduler whose clock can be set while its timers go on, as those of a host do. */
async function withClockOnTheWall(options: object = {}) {
  const clock = testClock()
  let ahead = 0
  const env = () => ({ ...clock.env(), now: clock.now() + ahead })
  const harness = await given({}, { env, timers: clock.timers, ...options })
  const setClock = (ms: number) => {
    ahead = ms
  }
  return { ...harness, clock, setClock }
}

describe('a clock that is set', () => {
  it('ahead has launched what fell due with the next write', async () => {
    const { send, ids, clock, setClock, scheduler } = await withClockOnTheWall()
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '@daily' }) })
    setClock(25 * hour)
    await send('PUT', '/v1/node/pools', { Name: 'gpu' })
    await clock.advance(0)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(24 * 60)])
  })
  it('back does not keep a periodic job waiting until it comes to where it was', async () => {
    const { send, ids, clock, setClock, scheduler } = await withClockOnTheWall()
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '@hourly' }) })
    setClock(365 * 24 * hour)
    await clock.advance(hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(60 + 365 * 24 * 60)])
    setClock(0)
    await clock.advance(2 * hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(180), child(60 + 365 * 24 * 60)])
  })
  it('back is noticed with the next write', async () => {
    const { send, ids, clock, setClock, scheduler } = await withClockOnTheWall()
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '*/10 * * * *' }) })
    setClock(5 * hour)
    await clock.advance(10 * minute)
    await scheduler.settled()
    setClock(0)
    await send('PUT', '/v1/node/pools', { Name: 'gpu' })
    await clock.advance(10 * minute)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(20), child(310)])
  })
  it('back does not keep a node alive that fell silent', async () => {
    const { scheduler, clock, setClock, get } = await withClockOnTheWall({ heartbeatTtlMs: 10_000 })
    setClock(hour)
    await scheduler.registerNode({ ID: 'n1' })
    setClock(0)
    await clock.advance(20_000)
    await scheduler.settled()
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'down' })
  })
  it('back does not keep a blocking query waiting for longer than was asked', async () => {
    const { get, clock, setClock, scheduler } = await withClockOnTheWall()
    setClock(hour)
    const [soon, late] = [get('/v1/jobs?index=1&wait=10s'), get('/v1/jobs?index=1&wait=60s')]
    await clock.advance(5_000)
    setClock(0)
    await clock.advance(60_000)
    expect(scheduler.waiting()).toBe(0)
    expect([(await soon).status, (await late).status]).toEqual([200, 200])
  })
})

describe('a periodic job', () => {
  it('is launched whenever its schedule says so', async () => {
    const { send, ids, get, clock, scheduler } = await given()
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '*/20 * * * *' }) })
    await clock.advance(19 * minute)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick'])
    await clock.advance(minute)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(20)])
    await clock.advance(40 * minute)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(20), child(40), child(60)])
    expect((await get(`/v1/job/${child(40)}`)).json).toMatchObject({
      Name: child(40),
      ParentID: 'tick',
      Periodic: null,
      Status: 'pending',
      SubmitTime: (start + 40 * 60) * 1e9,
    })
    expect((await get('/v1/job/tick/summary')).json).toMatchObject({ Children: { Pending: 3 } })
    expect((await get(`/v1/job/${child(40)}/evaluations`)).json).toMatchObject([
      { TriggeredBy: 'periodic-job' },
    ])
  })

  it('runs on its nodes where jobs are placed', async () => {
    const { send, get, clock, scheduler } = await given({ nodes }, { place: true, simulate: true })
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '@hourly' }) })
    await clock.advance(hour)
    await scheduler.settled()
    expect((await get(`/v1/job/${child(60)}`)).json).toMatchObject({ Status: 'running' })
    expect((await get('/v1/job/tick/summary')).json).toMatchObject({ Children: { Running: 1 } })
  })

  it('keeps the clocks of its time zone, and several schedules', async () => {
    const { send, ids, clock, scheduler } = await given()
    const Specs = ['30 0 * * *', '45 0 * * *']
    await send('PUT', '/v1/jobs', { Job: periodic({ Specs, TimeZone: 'America/New_York' }) })
    await clock.advance(6 * hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(5 * 60 + 30), child(5 * 60 + 45)])
  })

  it('waits for the child before where overlap is prohibited; force does not', async () => {
    const { send, ids, clock, scheduler } = await given()
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '@hourly', ProhibitOverlap: true }) })
    await clock.advance(2 * hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(60)])
    await clock.advance(minute)
    await send('PUT', '/v1/job/tick/periodic/force')
    expect(await ids('/v1/jobs')).toEqual(['tick', child(60), child(121)])
    for (const each of [60, 121]) await send('DELETE', `/v1/job/${child(each)}`)
    await clock.advance(hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(60), child(121), child(180)])
  })

  it.each([
    ['is off', periodic({ Spec: '@hourly', Enabled: false })],
    ['is parameterized', periodic({ Spec: '@hourly' }, { ParameterizedJob: {} })],
  ])('is never launched while it %s', async (_what, Job) => {
    const { send, ids, clock, scheduler } = await given()
    expect((await send('PUT', '/v1/jobs', { Job })).status).toBe(200)
    await clock.advance(5 * hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick'])
    const forced = await send('PUT', '/v1/job/tick/periodic/force')
    expect([forced.status, forced.text]).toEqual([
      400,
      'can\'t force run non-tracked job "tick": its schedule is off',
    ])
  })

  it('is dispatched first where it is parameterized: the child keeps the schedule', async () => {
    const { send, clock, scheduler, ids } = await given()
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '@hourly' }, { ParameterizedJob: {} }) })
    const { DispatchedJobID } = (await send('PUT', '/v1/job/tick/dispatch', {})).json as Record<
      string,
      string
    >
    await clock.advance(hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual([
      'tick',
      DispatchedJobID,
      `${DispatchedJobID}/periodic-${start + 3600}`,
    ])
  })

  it('is no longer launched once it is stopped or purged, and again once it is registered', async () => {
    const { send, ids, clock, scheduler } = await given()
    const Job = periodic({ Spec: '@hourly' })
    await send('PUT', '/v1/jobs', { Job })
    await send('DELETE', '/v1/job/tick')
    await clock.advance(2 * hour)
    await send('PUT', '/v1/jobs', { Job })
    await clock.advance(hour)
    await scheduler.settled()
    // What was not to be made while it was stopped was not missed.
    expect(await ids('/v1/jobs')).toEqual(['tick', child(180)])
    await send('DELETE', '/v1/job/tick?purge=true')
    await clock.advance(2 * hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual([child(180)])
  })

  it('follows a schedule that changes', async () => {
    const { send, ids, clock, scheduler } = await given()
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '@hourly' }) })
    await send('PUT', '/v1/jobs', { Job: periodic({ Spec: '30 * * * *' }) })
    await clock.advance(hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(30)])
  })

  it.each([
    [{}, 'Must specify a spec'],
    [{ Spec: '61 * * * *' }, 'Invalid cron spec "61 * * * *": syntax error in minute field'],
    [{ Spec: '@daily', TimeZone: 'Nowhere/Land' }, 'Invalid time zone "Nowhere/Land"'],
    [{ Spec: 7 }, 'Periodic.Spec:'],
    [{ Spec: '* '.repeat(100_000) }, 'a cron expression has at most 1000 characters'],
  ])('is refused with %j', async (schedule, text) => {
    const { send } = await given()
    const refused = await send('PUT', '/v1/jobs', { Job: periodic(schedule) })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
  })
})

describe('after a pause', () => {
  const spec = (over: object = {}) =>
    JobSpec.parse({ ID: 'tick', Type: 'batch', Periodic: { Spec: '@hourly', ...over }, TaskGroups })

  /** A scheduler that launches at one and two, is away until half past five, and comes back. */
  async function returned(config: object = {}) {
    const store = memoryStore()
    const clock = testClock()
    const open = () => createScheduler({ store, env: clock.env, timers: clock.timers })
    const before = open()
    await before.registerJob(spec(config))
    await clock.advance(2 * hour)
    await before.settled()
    await before.close()
    await clock.advance(3.5 * hour)
    const launched: string[] = []
    const after = createScheduler({
      store,
      env: clock.env,
      timers: clock.timers,
      onEvent: (event) => event.type === 'job.launched' && launched.push(event.child),
    })
    await after.open()
    return { clock, after, launched }
  }
  const jobs = async (scheduler: ReturnType<typeof createScheduler>) => {
    const listed = await scheduler.listJobs()
    return listed.ok ? listed.value.map(({ ID }) => ID) : []
  }

  it('one launch is made at once for all that were missed, although nobody calls', async () => {
    const { after, clock, launched } = await returned()
    await clock.advance(0)
    expect(launched).toEqual([child(330)])
    await clock.advance(hour)
    expect(launched).toEqual([child(330), child(360)])
    expect(await jobs(after)).toEqual(['tick', child(60), child(120), child(330), child(360)])
    await after.close()
  })

  it('a standby that nobody called goes on where the other one ended', async () => {
    const store = memoryStore()
    const clock = testClock()
    const [one, standby] = [0, 1].map(() => createScheduler({ store, env: clock.env, timers: clock.timers }))
    await standby?.open()
    await one?.registerJob(spec())
    await clock.advance(hour)
    await one?.close()
    await clock.advance(2 * hour)
    expect(standby && (await jobs(standby))).toEqual(['tick', child(60), child(120), child(180)])
    await standby?.close()
  })

  it('none is while a child runs that prohibits it', async () => {
    const { after, clock } = await returned({ ProhibitOverlap: true })
    await clock.advance(0)
    await after.settled()
    expect(await jobs(after)).toEqual(['tick', child(60)])
    await after.close()
  })

  it('two servers of one store make each launch once', async () => {
    const store = memoryStore()
    const clock = testClock()
    const servers = [0, 1].map(() => createScheduler({ store, env: clock.env, timers: clock.timers }))
    await servers[0]?.registerJob(spec())
    await servers[1]?.listJobs()
    await clock.advance(3 * hour)
    for (const server of servers) await server.settled()
    for (const server of servers) {
      expect(await jobs(server)).toEqual(['tick', child(60), child(120), child(180)])
      await server.close()
    }
  })

  it('a job that was loaded counts from then on, however old it is', async () => {
    const SubmitTime = (start - 9e6) * 1e9
    const { ids, clock, scheduler } = await given({ jobs: [periodic({ Spec: '@hourly' }, { SubmitTime })] })
    await clock.advance(0)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick'])
    await clock.advance(hour)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', child(60)])
  })

  it('a job that was loaded before it has not missed less', async () => {
    const store = memoryStore()
    const clock = testClock()
    const open = () => createScheduler({ store, env: clock.env, timers: clock.timers })
    const before = open()
    await before.load({ jobs: [periodic({ Spec: '@hourly' })] })
    await before.close()
    await clock.advance(1.5 * hour)
    const after = open()
    await after.open()
    await clock.advance(0)
    expect(await jobs(after)).toEqual(['tick', child(90)])
    await after.close()
  })

  it('a loaded job with an invalid schedule is only shown', async () => {
    const { ids, clock, scheduler } = await given({
      jobs: [periodic({}), periodic({ Spec: 'x' }, { ID: 'y' })],
    })
    await scheduler.settled()
    await clock.advance(48 * hour)
    expect(await ids('/v1/jobs')).toEqual(['tick', 'y'])
  })
})
