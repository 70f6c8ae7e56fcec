import { describe, expect, it } from 'vitest'
import { parseJob } from '../../../src/scheduler/parse/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { given, type Harness } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const minute = 60_000
const job = (Disconnect: object, over: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count: 2, Disconnect, Tasks: [{ Name: 't' }] }],
  ...over,
})
interface Row {
  readonly ID: string
  readonly NodeID: string
  readonly ClientStatus: string
  readonly DesiredStatus: string
}

/** Where the allocations are that are not over or lost, and how they fare. */
const fare = async ({ scheduler, get }: Harness) => {
  await scheduler.settled()
  const rows = (await get('/v1/allocations')).json as readonly Row[]
  return rows.map(({ NodeID, ClientStatus }) => `${ClientStatus} on ${NodeID}`).sort()
}
const run = async ({ scheduler, get }: Harness) => {
  await scheduler.settled()
  for (const { ID, ClientStatus } of (await get('/v1/allocations')).json as readonly Row[])
    if (ClientStatus === 'pending')
      await scheduler.updateAllocations([{ ID, ClientStatus: 'running', Healthy: true }])
  await scheduler.settled()
}
/** Both of a job's allocations run on n1; n2 stands by. Only n2 gives signs of life from then on. */
async function cluster(spec: object, options: object = {}) {
  const harness = await given({}, { place: true, heartbeatTtlMs: 10_000, ...options })
  const { scheduler } = harness
  await scheduler.registerNode({ ID: 'n1', NodeResources: room })
  expect((await harness.send('PUT', '/v1/jobs', { Job: spec })).status).toBe(200)
  await run(harness)
  await run(harness)
  await scheduler.registerNode({ ID: 'n2', NodeResources: room })
  return harness
}
/** Time goes by, in which n2 is heard of. */
const wait = async ({ scheduler, clock }: Harness, ms: number) => {
  for (let left = ms; left > 0; left -= 5000) {
    await scheduler.heartbeatNode('n2')
    await clock.advance(Math.min(left, 5000))
  }
  await scheduler.settled()
}

describe('a group whose allocations may be out of touch for a while', () => {
  it('keeps their places for as long as lost_after says, and no longer, where replace is false', async () => {
    const harness = await cluster(job({ LostAfter: minute * 1e6, Replace: false }))
    await wait(harness, 10_000 + minute - 1)
    expect(await fare(harness)).toEqual(['unknown on n1', 'unknown on n1'])
    await wait(harness, 1)
    expect(await fare(harness)).toEqual(['lost on n1', 'lost on n1', 'pending on n2', 'pending on n2'])
  })
  it.each([
    ['lost_after', job({ LostAfter: minute * 1e6 })],
    [
      'max_client_disconnect',
      {
        ...job({}),
        TaskGroups: [{ ...job({}).TaskGroups[0], Disconnect: null, MaxClientDisconnect: minute * 1e6 }],
      },
    ],
  ])('has others take their places while they may return, with %s', async (_, spec) => {
    const harness = await cluster(spec)
    await wait(harness, 10_000)
    const replaced = ['pending on n2', 'pending on n2', 'unknown on n1', 'unknown on n1']
    expect(await fare(harness)).toEqual(replaced)
    // Evaluations of the job meanwhile change nothing.
    await harness.send('PUT', '/v1/job/web/evaluate', { JobID: 'web' })
    expect(await fare(harness)).toEqual(replaced)
    await wait(harness, minute)
    expect(await fare(harness)).toEqual(['lost on n1', 'lost on n1', 'pending on n2', 'pending on n2'])
  })
  it.each([
    ['keep_original', ['n1', 'n1']],
    ['keep_replacement', ['n2', 'n2']],
    // The second one on n1 was placed beside the first, which lowers its score; no task said when it started.
    ['longest_running', ['n1', 'n2']],
    ['best_score', ['n1', 'n2']],
  ])('with reconcile = %s runs those on %j once they return', async (Reconcile, expected) => {
    const harness = await cluster(job({ LostAfter: minute * 1e6, Reconcile }))
    await wait(harness, 10_000)
    await run(harness)
    await harness.scheduler.heartbeatNode('n1')
    const rows = async () =>
      (await harness.get('/v1/allocations')).json as readonly (Row & { readonly NextAllocation: string })[]
    for (const { ID, NodeID } of await rows())
      if (NodeID === 'n1') await harness.scheduler.updateAllocations([{ ID, ClientStatus: 'running' }])
    await harness.scheduler.settled()
    const wanted = (await rows()).filter(({ DesiredStatus }) => DesiredStatus === 'run')
    expect(wanted.map(({ NodeID }) => NodeID)).toEqual(expected)
    // Those that stay are replaced again if they fail.
    expect(wanted.map(({ NextAllocation }) => NextAllocation)).toEqual(['', ''])
  })
  it('has them back where their node is heard of in time', async () => {
    const harness = await cluster(job({ LostAfter: minute * 1e6, Replace: false }))
    await wait(harness, 30_000)
    await harness.scheduler.heartbeatNode('n1')
    for (const { ID } of (await harness.get('/v1/allocations')).json as readonly Row[])
      await harness.scheduler.updateAllocations([{ ID, ClientStatus: 'running' }])
    expect(await fare(harness)).toEqual(['running on n1', 'running on n1'])
    const looked = (await harness.get('/v1/job/web/evaluations')).json as readonly { TriggeredBy: string }[]
    expect(looked.map(({ TriggeredBy }) => TriggeredBy)).toContain('reconnect')
  })
  it('loses them immediately by default', async () => {
    const harness = await cluster(job({}))
    await wait(harness, 10_000)
    expect(await fare(harness)).toEqual(['lost on n1', 'lost on n1', 'pending on n2', 'pending on n2'])
  })
})

describe('a group whose agent stops what is out of touch', () => {
  const stopping = (over: object = {}) => job({ StopOnClientAfter: minute * 1e6 }, over)

  it.each([
    ['service', false],
    ['service', true],
    ['batch', false],
  ])(
    'has it replaced when that has had its time, and no sooner: a %s, by another process: %s',
    async (Type, restarts) => {
      const options = { place: true, heartbeatTtlMs: 10_000, store: memoryStore() }
      const first = await cluster(stopping({ Type }), options)
      await wait(first, 10_000)
      expect(await fare(first)).toEqual(['lost on n1', 'lost on n1'])
      const { clock } = first
      if (restarts) await first.scheduler.close()
      const harness = restarts
        ? { ...(await given({}, { ...options, env: clock.env, timers: clock.timers })), clock }
        : first
      await wait(harness, minute - 1)
      // Evaluations of the job meanwhile change nothing.
      await harness.send('PUT', '/v1/job/web/evaluate', { JobID: 'web' })
      expect(await fare(harness)).toEqual(['lost on n1', 'lost on n1'])
      await wait(harness, 1)
      expect(await fare(harness)).toEqual(['lost on n1', 'lost on n1', 'pending on n2', 'pending on n2'])
    },
  )
  it('has stopped allocations replaced, and additional ones placed, at once', async () => {
    const harness = await cluster(stopping())
    const [first] = (await harness.get('/v1/allocations')).json as readonly Row[]
    await harness.send('PUT', `/v1/node/n1/eligibility`, { Eligibility: 'ineligible' })
    await harness.send('PUT', `/v1/allocation/${first?.ID}/stop`)
    expect(await fare(harness)).toEqual(['pending on n2', 'running on n1', 'running on n1'])
    await wait(harness, 10_000)
    const [group] = stopping().TaskGroups
    await harness.send('PUT', '/v1/jobs', { Job: { ...stopping(), TaskGroups: [{ ...group, Count: 3 }] } })
    const placed = (await fare(harness)).filter((each) => each === 'pending on n2')
    expect(placed).toHaveLength(2)
  })
  it('has its canaries wait as well', async () => {
    const update = { Update: { Canary: 1 } }
    const harness = await cluster(stopping(update))
    const [group] = stopping().TaskGroups
    await harness.send('PUT', `/v1/node/n2/eligibility`, { Eligibility: 'ineligible' })
    const tried = { ...group, Tasks: [{ Name: 't', Config: { build: 2 } }] }
    await harness.send('PUT', '/v1/jobs', { Job: { ...stopping(update), TaskGroups: [tried] } })
    expect(await fare(harness)).toEqual(['pending on n1', 'running on n1', 'running on n1'])
    await harness.send('PUT', `/v1/node/n2/eligibility`, { Eligibility: 'eligible' })
    await wait(harness, 10_000)
    expect(await fare(harness)).toEqual(['lost on n1', 'lost on n1', 'lost on n1'])
    await wait(harness, minute)
    expect((await fare(harness)).filter((each) => each === 'pending on n2')).toHaveLength(3)
  })
})

describe('a disconnect block', () => {
  it('is read from a job file', () => {
    const text = `job "web" { group "app" { disconnect {
      lost_after = "6h"
      replace = false
      reconcile = "keep_original"
    } } }`
    const read = parseJob(text)
    const Disconnect = { LostAfter: 21_600e9, Replace: false, Reconcile: 'keep_original' }
    expect(read.ok && read.value['TaskGroups']).toEqual([{ Name: 'app', Disconnect }])
    const stops = parseJob('job "web" { group "app" { disconnect { stop_on_client_after = "5m" } } }')
    expect(stops.ok && stops.value['TaskGroups']).toEqual([
      { Name: 'app', Disconnect: { StopOnClientAfter: 300e9 } },
    ])
  })
  it.each([
    [{ LostAfter: -1 }, {}, 'the disconnect strategy has LostAfter -1, less than 0'],
    [{ StopOnClientAfter: -1 }, {}, 'the disconnect strategy has StopOnClientAfter -1, less than 0'],
    [{ Reconcile: 'luck' }, {}, 'Reconcile is "luck", not one of best_score, keep_original'],
    [
      { LostAfter: 1, StopOnClientAfter: 1 },
      {},
      'has StopOnClientAfter together with LostAfter or MaxClientDisconnect',
    ],
    [
      { StopOnClientAfter: 1 },
      { MaxClientDisconnect: 1 },
      'has StopOnClientAfter together with LostAfter or MaxClientDisconnect',
    ],
    [{ LostAfter: 1 }, { MaxClientDisconnect: 1 }, 'has LostAfter, and the group has MaxClientDisconnect'],
  ])('may not be %j beside %j: %s', async (Disconnect, over, text) => {
    const { send } = await given()
    const [group] = job(Disconnect).TaskGroups
    const { json } = await send('PUT', '/v1/validate/job', {
      Job: { ...job({}), TaskGroups: [{ ...group, ...over }] },
    })
    expect(json).toMatchObject({ ValidationErrors: [expect.stringContaining(text)] })
  })
})
