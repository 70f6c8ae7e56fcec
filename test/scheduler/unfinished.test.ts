import { describe, expect, it } from 'vitest'
import { NodeRecord } from '../../src/scheduler/index.ts'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { failingStore } from './failing-store.ts'
import { given, type Harness } from './harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const node = (ID: string) => NodeRecord.parse({ ID, Status: 'ready', NodeResources: room })
const job = (ID: string, over: object = {}, Count = 1) => ({
  ID,
  TaskGroups: [{ Name: 'app', Count, Tasks: [{ Name: 't' }] }],
  ...over,
})
const jobs = [job('web', {}, 3), job('api', {}, 2), job('agent', { Type: 'system' })]
const minute = 60_000

interface Row {
  readonly NodeID: string
  readonly JobID: string
  readonly DesiredStatus: string
  readonly ClientStatus: string
}
/** What is where, in words that do not depend on the order in which it came about. */
const stored = async ({ get }: Pick<Harness, 'get'>) => {
  const rows = (await get('/v1/allocations')).json as Row[]
  const evaluations = (await get('/v1/evaluations')).json as { readonly Status: string }[]
  const nodes = (await get('/v1/nodes')).json as Record<string, unknown>[]
  const listed = (await get('/v1/jobs')).json as Record<string, unknown>[]
  return {
    allocations: rows
      .map((row) => [row.JobID, row.NodeID, row.DesiredStatus, row.ClientStatus].join(' '))
      .sort(),
    open: evaluations.filter(({ Status }) => Status === 'pending').length,
    nodes: nodes.map(({ ID, Status, Drain, SchedulingEligibility }) => [
      ID,
      Status,
      Drain,
      SchedulingEligibility,
    ]),
    jobs: listed.map(({ ID, Status }) => [ID, Status]),
  }
}

type Deed = (harness: Harness) => Promise<unknown>

/** One node with work on it, and then another one with room. */
const cluster = async (store: Store, options: object, prepare: Deed = async () => {}) => {
  const harness = await given({}, { store, onError: () => {}, ...options })
  const { scheduler, send } = harness
  await scheduler.registerNode(node('n1'))
  for (const each of jobs) await send('PUT', '/v1/jobs', { Job: each })
  await scheduler.settled()
  await scheduler.registerNode(node('n2'))
  await scheduler.settled()
  await prepare(harness)
  return harness
}

const placing = { place: true, simulate: true }
const deeds: readonly (readonly [string, Deed, options: object, prepare?: Deed])[] = [
  ['a node is lost', ({ scheduler }) => scheduler.moveNode('n1', 'lose'), placing],
  ['a node goes out of touch', ({ scheduler }) => scheduler.moveNode('n1', 'disconnect'), placing],
  ['a node is purged', ({ send }) => send('DELETE', '/v1/node/n1/purge'), placing],
  [
    'a node is drained',
    ({ send }) => send('PUT', '/v1/node/n1/drain', { DrainSpec: { Deadline: 0 } }),
    placing,
  ],
  [
    'a node with nothing on it is drained',
    ({ send }) => send('PUT', '/v1/node/n3/drain', { DrainSpec: { Deadline: 0 } }),
    placing,
    ({ scheduler }) => scheduler.registerNode({ ...node('n3'), NodePool: 'idle' }),
  ],
  [
    'a node is drained by force',
    ({ send }) => send('PUT', '/v1/node/n1/drain', { DrainSpec: { Deadline: -1 } }),
    placing,
  ],
  [
    'the last job of a draining node is purged',
    ({ send }) => send('DELETE', '/v1/job/web?purge=true'),
    { place: true },
    async ({ scheduler, send }) => {
      for (const id of ['api', 'agent']) await send('DELETE', `/v1/job/${id}?purge=true`)
      await send('PUT', '/v1/node/n1/drain', { DrainSpec: { Deadline: 0 } })
      await scheduler.settled()
    },
  ],
  [
    'a node falls silent',
    async ({ scheduler, clock }) => {
      await scheduler.heartbeatNode('n2')
      await clock.advance(9_999)
      await scheduler.heartbeatNode('n2')
      await clock.advance(1)
    },
    { ...placing, heartbeatTtlMs: 10_000 },
  ],
  ['a node comes that a system job wants', ({ scheduler }) => scheduler.registerNode(node('n3')), placing],
  ['a job is stopped', ({ send }) => send('DELETE', '/v1/job/web'), placing],
  ['a job is purged', ({ send }) => send('DELETE', '/v1/job/web?purge=true'), placing],
]

const cases = deeds.map(([when, deed, options, prepare]) => ({ when, deed, options, prepare }))

describe.each(cases)('when $when', ({ deed, options, prepare }) => {
  /** How it ends when nothing comes between, and how many commits that takes. */
  const undisturbed = async () => {
    const { store, kept } = failingStore()
    const harness = await cluster(store, options, prepare)
    const before = await kept.head()
    await deed(harness)
    await harness.scheduler.settled()
    const after = await stored(harness)
    const commits = (await kept.head()) - before
    await harness.scheduler.close()
    return { after, commits }
  }

  it('a crash after any of its commits leaves nothing undone once the store is opened again', async () => {
    const { after, commits } = await undisturbed()
    for (let crash = 1; crash < commits; crash += 1) {
      const { kept, store, takes } = failingStore()
      const first = await cluster(store, options, prepare)
      takes(crash)
      await deed(first).catch(() => {})
      await first.scheduler.settled()
      await first.scheduler.close()
      const { env, timers } = first.clock
      const next = await given({}, { store: kept, env, timers, ...options })
      await next.scheduler.settled()
      expect(await stored(next), `a crash after ${crash} of ${commits} commits`).toEqual(after)
      await next.scheduler.close()
    }
  })

  it('a store that was away in between finds it taken up when it is back', async () => {
    const { after, commits } = await undisturbed()
    for (let loss = 1; loss < commits; loss += 1) {
      const { store, takes, isAway } = failingStore()
      const harness = await cluster(store, options, prepare)
      takes(loss)
      await deed(harness).catch(() => {})
      await harness.scheduler.settled()
      expect(isAway()).toBe(true)
      takes(Number.POSITIVE_INFINITY)
      for (const id of 'heartbeatTtlMs' in options ? ['n2'] : []) await harness.scheduler.heartbeatNode(id)
      await harness.clock.advance(9_999)
      for (const id of 'heartbeatTtlMs' in options ? ['n2'] : []) await harness.scheduler.heartbeatNode(id)
      await harness.clock.advance(1)
      await harness.scheduler.settled()
      expect(await stored(harness), `away after ${loss} of ${commits} commits`).toEqual(after)
      await harness.scheduler.close()
    }
  })
})

describe('a scheduler that places nothing itself', () => {
  it('stops what a crash left running of a job that was stopped', async () => {
    const { kept, store, takes } = failingStore()
    const allocations = Array.from({ length: 30 }, (_, n) => ({
      ID: `a${n}`,
      JobID: 'web',
      TaskGroup: 'app',
    }))
    const records = { jobs: [job('web', {}, 30)], allocations }
    const first = await given(records, { store })
    takes(1)
    expect((await first.send('DELETE', '/v1/job/web')).status).toBe(500)
    await first.scheduler.close()
    const next = await given({}, { store: kept })
    await next.scheduler.settled()
    const rows = (await next.get('/v1/allocations')).json as Row[]
    expect(new Set(rows.map(({ DesiredStatus }) => DesiredStatus))).toEqual(new Set(['stop']))
  })
})

describe('a launch that the store did not take', () => {
  const tick = (Spec: string) => job('tick', { Type: 'batch', Periodic: { Spec } })

  it('is made up for when the store is back, and the schedule goes on', async () => {
    const { store, takes } = failingStore()
    const errors: unknown[] = []
    const { send, clock, scheduler, ids } = await given({}, { store, onError: (error) => errors.push(error) })
    await send('PUT', '/v1/jobs', { Job: tick('@hourly') })
    takes(0)
    await clock.advance(60 * minute)
    await scheduler.settled()
    expect([await ids('/v1/jobs'), errors.length]).toEqual([['tick'], 1])
    await clock.advance(minute)
    expect(errors.length).toBeGreaterThan(1)
    takes(Number.POSITIVE_INFINITY)
    await clock.advance(10_000)
    await scheduler.settled()
    const hour = (n: number) => `tick/periodic-${Date.UTC(2026, 0, 1, n) / 1000}`
    expect(await ids('/v1/jobs')).toEqual(['tick', hour(1)])
    await clock.advance(60 * minute)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', hour(1), hour(2)])
  })

  it('is the most recent one alone where several were missed', async () => {
    const { store, takes } = failingStore()
    const { send, clock, scheduler, ids } = await given({}, { store, onError: () => {} })
    await send('PUT', '/v1/jobs', { Job: tick('* * * * *') })
    takes(0)
    await clock.advance(5 * minute)
    takes(Number.POSITIVE_INFINITY)
    await clock.advance(10_000)
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['tick', `tick/periodic-${Date.UTC(2026, 0, 1, 0, 5) / 1000}`])
  })

  it('is not waited with for years where the clock was ahead for a while', async () => {
    const store = memoryStore()
    const first = await given({}, { store })
    await first.send('PUT', '/v1/jobs', { Job: tick('@hourly') })
    await first.scheduler.close()
    const { env, timers, set, advance } = first.clock
    const at = async (now: number) => {
      await set(now)
      return given({}, { store, env, timers })
    }
    const ahead = await at(Date.UTC(2030, 0, 1))
    await ahead.get('/v1/jobs')
    await advance(0)
    await ahead.scheduler.close()
    const back = await at(Date.UTC(2026, 0, 1))
    await back.get('/v1/jobs')
    await advance(60 * minute)
    await back.scheduler.settled()
    const launched = [Date.UTC(2026, 0, 1, 1), Date.UTC(2030, 0, 1)].map((ms) => `tick/periodic-${ms / 1000}`)
    expect(await back.ids('/v1/jobs')).toEqual(['tick', ...launched])
  })
})

describe('an evaluation that the store was away for', () => {
  it('is worked off when the store is back', async () => {
    const { store, takes } = failingStore()
    const harness = await given({ nodes: [node('n1')] }, { store, place: true, onError: () => {} })
    const { send, clock, scheduler } = harness
    takes(1)
    await send('PUT', '/v1/jobs', { Job: job('web') })
    await scheduler.settled()
    expect((await stored(harness)).allocations).toEqual([])
    takes(Number.POSITIVE_INFINITY)
    await clock.advance(10_000)
    await scheduler.settled()
    expect((await stored(harness)).allocations).toEqual(['web n1 run pending'])
  })
})
