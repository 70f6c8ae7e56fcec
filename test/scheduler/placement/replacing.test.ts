import { describe, expect, it } from 'vitest'
import { testClock } from '../../../src/testing/index.ts'
import { failingStore } from '../failing-store.ts'
import { given, type Harness } from '../harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
const node = (ID: string, over: object = {}) => ({ ID, NodeResources: room, ...over })
const web = (build: number, update: object, Count = 3, over: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count, Update: update, Tasks: [{ Name: 't', Config: { build } }] }],
  ...over,
})

interface Row {
  readonly ID: string
  readonly Name: string
  readonly NodeID: string
  readonly JobVersion: number
  readonly ClientStatus: string
  readonly DesiredStatus: string
  readonly PreviousAllocation: string
  readonly NextAllocation: string
}

/** All there is of a job, whole. */
const rowsOf = async ({ scheduler, get }: Pick<Harness, 'scheduler' | 'get'>): Promise<readonly Row[]> => {
  await scheduler.settled()
  const listed = (await get('/v1/job/web/allocations')).json as readonly Row[]
  return Promise.all(listed.map(async ({ ID }) => (await get(`/v1/allocation/${ID}`)).json as Row))
}
const isLive = ({ DesiredStatus, ClientStatus }: Row) =>
  DesiredStatus === 'run' && /pending|running/.test(ClientStatus)

/** Three nodes whose agents report when they are told to. */
async function cluster(update: object) {
  const harness = await given({ nodes: ['n1', 'n2', 'n3'].map((id) => node(id)) }, { place: true })
  const { send, get, scheduler } = harness
  await scheduler.writeSchedulerConfiguration({ SchedulerAlgorithm: 'spread' })
  const rows = () => rowsOf(harness)
  /** What is pending runs, and is healthy. */
  const obey = async () => {
    for (const { ID, ClientStatus } of (await rows()).filter(isLive))
      if (ClientStatus === 'pending')
        await scheduler.updateAllocations([{ ID, ClientStatus: 'running', Healthy: true }])
    await scheduler.settled()
  }
  const register = async (build: number, count?: number) => {
    await send('PUT', '/v1/jobs', { Job: web(build, update, count) })
    await scheduler.settled()
  }
  const deployment = async () =>
    (await get('/v1/job/web/deployment')).json as { readonly ID: string; readonly Status: string }
  const steer = async (verb: string, body: object = {}) => {
    const { ID } = await deployment()
    await send('PUT', `/v1/deployment/${verb}/${ID}`, { DeploymentID: ID, ...body })
    await scheduler.settled()
  }
  /** How many run of each version. */
  const running = async () => {
    const counts: Record<string, number> = {}
    for (const { JobVersion } of (await rows()).filter(isLive))
      counts[`v${JobVersion}`] = (counts[`v${JobVersion}`] ?? 0) + 1
    return counts
  }
  await register(0)
  for (let round = 0; round < 3; round += 1) await obey()
  return { ...harness, rows, obey, register, deployment, steer, running }
}
const homeOf = async ({ rows }: { rows: () => Promise<readonly Row[]> }, version: number) =>
  (await rows()).find((row) => isLive(row) && row.JobVersion === version)?.NodeID ?? ''

const ways = [
  ['is lost', ({ scheduler }, id) => scheduler.moveNode(id, 'lose')],
  ['is purged', ({ send }, id) => send('PUT', `/v1/node/${id}/purge`)],
  ['drains', ({ send }, id) => send('PUT', `/v1/node/${id}/drain`, { DrainSpec: { Deadline: 0 } })],
  ['drains by force', ({ send }, id) => send('PUT', `/v1/node/${id}/drain`, { DrainSpec: { Deadline: -1 } })],
] as const satisfies readonly (readonly [string, (harness: Harness, id: string) => Promise<unknown>])[]

describe('while a roll-out is paused', () => {
  it.each(ways)(
    'what is on a node that %s is replaced, and the roll-out goes no further',
    async (_, leave) => {
      const subject = await cluster({ MaxParallel: 1 })
      const { register, obey, steer, running, rows, deployment } = subject
      await register(1)
      await obey()
      await steer('pause', { Pause: true })
      await obey()
      const before = await running()
      expect(before).toEqual({ v0: 1, v1: 2 })
      const home = await homeOf(subject, 0)
      const there = (await rows()).filter((row) => isLive(row) && row.NodeID === home)
      await leave(subject, home)
      const after = (await rows()).filter(isLive)
      expect(after).toHaveLength(3)
      expect(after.filter(({ NodeID }) => NodeID === home)).toEqual([])
      expect(after.map(({ PreviousAllocation }) => PreviousAllocation)).toEqual(
        expect.arrayContaining(there.map(({ ID }) => ID)),
      )
      expect(await deployment()).toMatchObject({ Status: 'paused' })
    },
  )
  it('replaces stopped allocations, and nothing else', async () => {
    const { register, steer, running, rows, send } = await cluster({ MaxParallel: 1 })
    await register(1)
    await steer('pause', { Pause: true })
    expect(await running()).toEqual({ v0: 2, v1: 1 })
    const [chosen] = (await rows()).filter((row) => isLive(row) && row.JobVersion === 0)
    await send('PUT', `/v1/allocation/${chosen?.ID}/stop`)
    expect(await running()).toEqual({ v0: 1, v1: 2 })
    const stopped = (await rows()).find(({ ID }) => ID === chosen?.ID)
    const next = (await rows()).find(({ ID }) => ID === stopped?.NextAllocation)
    expect(next).toMatchObject({ Name: chosen?.Name, PreviousAllocation: chosen?.ID })
  })
  it('more are not placed because more were wanted, until it goes on', async () => {
    const { register, obey, steer, running, scheduler } = await cluster({ MaxParallel: 1 })
    await scheduler.writeSchedulerConfiguration({ PauseEvalBroker: true })
    await register(1, 5)
    await scheduler.writeSchedulerConfiguration({ PauseEvalBroker: false })
    await scheduler.settled()
    await steer('pause', { Pause: true })
    const before = await running()
    await obey()
    expect(await running()).toEqual(before)
    await steer('pause', { Pause: false })
    for (let round = 0; round < 5; round += 1) await obey()
    expect(await running()).toEqual({ v1: 5 })
  })
  it('canaries leave a node that drains and come back when it goes on; the others are made up for', async () => {
    const subject = await cluster({ MaxParallel: 1, Canary: 1 })
    const { register, obey, steer, running, send } = subject
    await register(1)
    await obey()
    await steer('pause', { Pause: true })
    const home = await homeOf(subject, 1)
    await send('PUT', `/v1/node/${home}/drain`, { DrainSpec: { Deadline: 0 } })
    expect(await running()).toEqual({ v0: 3 })
    await steer('pause', { Pause: false })
    expect(await running()).toEqual({ v0: 3, v1: 1 })
  })
})

describe('while canaries are tried', () => {
  it('what fails of the version that proved itself is replaced by its policy', async () => {
    const { register, running, rows, scheduler, clock } = await cluster({ Canary: 1 })
    await register(1)
    const [chosen] = (await rows()).filter((row) => isLive(row) && row.JobVersion === 0)
    await scheduler.updateAllocations([{ ID: chosen?.ID ?? '', ClientStatus: 'failed' }])
    expect(await running()).toEqual({ v0: 2, v1: 1 })
    await clock.advance(30_000)
    expect(await running()).toEqual({ v0: 3, v1: 1 })
  })
  it('going back to the version before stops them, and nothing has to be promoted', async () => {
    const { register, running, deployment, obey } = await cluster({ Canary: 1 })
    await register(1)
    await register(0)
    await obey()
    expect(await running()).toEqual({ v2: 3 })
    expect(await deployment()).toMatchObject({
      TaskGroups: { app: { DesiredCanaries: 0 } },
    })
  })
})

describe('during a roll-out', () => {
  it('what is lost is replaced at once, before more of what runs is taken away', async () => {
    const subject = await cluster({ MaxParallel: 1 })
    const { register, rows, running } = subject
    await register(1)
    const home = await homeOf(subject, 0)
    const lost = (await rows()).filter((row) => isLive(row) && row.NodeID === home)
    await subject.scheduler.moveNode(home, 'lose')
    expect(Object.values(await running()).reduce((sum, each) => sum + each, 0)).toBe(3)
    const after = await rows()
    for (const { ID } of lost) expect(after.some((row) => row.PreviousAllocation === ID)).toBe(true)
  })
})

describe('an allocation that takes the place of another', () => {
  it.each(ways)('on a node that %s names it, and the other way round', async (_, leave) => {
    const subject = await cluster({ MaxParallel: 3 })
    const { rows } = subject
    const home = await homeOf(subject, 0)
    const [before] = (await rows()).filter((row) => isLive(row) && row.NodeID === home)
    await leave(subject, home)
    const found = await rows()
    const after = found.find(({ PreviousAllocation }) => PreviousAllocation === before?.ID)
    expect(after).toMatchObject({ Name: before?.Name, NextAllocation: '' })
    expect(found.find(({ ID }) => ID === before?.ID)).toMatchObject({ NextAllocation: after?.ID })
    const listed = (await subject.get('/v1/allocations')).json as readonly object[]
    expect(listed).toContainEqual(expect.objectContaining({ ID: before?.ID, NextAllocation: after?.ID }))
  })
  it('does so for generations', async () => {
    const { rows, scheduler } = await cluster({ MaxParallel: 3 })
    const [first] = (await rows()).filter(isLive)
    let last = first
    for (const verb of ['lose', 'lose'] as const) {
      const home = last?.NodeID ?? ''
      await scheduler.moveNode(home, verb)
      last = (await rows()).find(({ PreviousAllocation }) => PreviousAllocation === last?.ID)
      await scheduler.moveNode(home, 'ready')
    }
    const chain = [last]
    for (let at = last; at !== undefined && at.PreviousAllocation !== ''; ) {
      const id = at.PreviousAllocation
      at = (await rows()).find(({ ID }) => ID === id)
      chain.push(at)
    }
    expect(chain).toHaveLength(3)
    expect(chain.at(-1)?.ID).toBe(first?.ID)
    expect(new Set(chain.map((row) => row?.Name)).size).toBe(1)
  })
  it('is the only one after a crash between any two commits', async () => {
    for (let commits = 1, isDone = false; !isDone; commits += 1) {
      const { store, takes, isAway } = failingStore()
      const clock = testClock()
      const options = { store, env: clock.env, timers: clock.timers, place: true, onError: () => {} }
      const dying = await given({}, options)
      for (const id of ['n1', 'n2']) await dying.scheduler.registerNode(node(id))
      await dying.send('PUT', '/v1/jobs', { Job: web(0, {}, 20) })
      const [{ NodeID: home } = { NodeID: '' }] = await rowsOf(dying)
      takes(commits)
      await dying.scheduler.moveNode(home, 'lose').catch(() => {})
      await dying.scheduler.settled()
      isDone = !isAway()
      await dying.scheduler.close()
      takes(Number.POSITIVE_INFINITY)
      const again = await given({}, options)
      await again.scheduler.settled()
      await clock.advance(10_000)
      const rows = await rowsOf(again)
      const lost = rows.filter(({ ClientStatus }) => ClientStatus === 'lost')
      expect(lost.length).toBeGreaterThan(0)
      for (const { ID, NextAllocation } of lost) {
        const after = rows.filter(({ PreviousAllocation }) => PreviousAllocation === ID)
        expect(after.map((row) => row.ID)).toEqual([NextAllocation])
      }
      expect(rows.filter(isLive)).toHaveLength(20)
      await again.scheduler.close()
    }
  })
})

describe('a draining node', () => {
  it('is where a batch goes on until its deadline, and then ends for good', async () => {
    const harness = await given({ nodes: [node('n1')] }, { place: true })
    const { send, scheduler, clock } = harness
    await send('PUT', '/v1/jobs', { Job: web(0, {}, 2, { Type: 'batch' }) })
    const [first] = await rowsOf(harness)
    await scheduler.registerNode(node('n2'))
    await send('PUT', '/v1/node/n1/drain', { DrainSpec: { Deadline: 60e9 } })
    await scheduler.updateAllocations([{ ID: first?.ID ?? '', ClientStatus: 'complete' }])
    await clock.advance(59_999)
    const homes = async () => (await rowsOf(harness)).filter(isLive).map(({ NodeID }) => NodeID)
    expect(await homes()).toEqual(['n1'])
    await clock.advance(1)
    expect(await homes()).toEqual([])
    // Nor does an evaluation place it again.
    await send('PUT', '/v1/job/web/evaluate', {})
    await scheduler.settled()
    expect(await homes()).toEqual([])
  })
})

describe('where fewer are wanted', () => {
  it('those with the highest numbers go', async () => {
    const { register, rows, obey } = await cluster({ MaxParallel: 3 })
    const names = async () =>
      (await rows())
        .filter(isLive)
        .map(({ Name }) => Name)
        .sort()
    await register(0, 9)
    await obey()
    await register(0, 4)
    expect(await names()).toEqual([0, 1, 2, 3].map((at) => `web.app[${at}]`))
  })
})

describe('a roll-out that waits for other regions', () => {
  it.each([
    ['pending', 0],
    ['initializing', 0],
    ['running', 3],
  ])('and is %s has placed %i', async (Status, placed) => {
    const deployments = [{ ID: 'd1', JobID: 'web', Status, TaskGroups: { app: { DesiredTotal: 3 } } }]
    const harness = await given({ nodes: [node('n1')], jobs: [web(0, {})], deployments }, { place: true })
    await harness.send('PUT', '/v1/job/web/evaluate', { JobID: 'web' })
    expect(await rowsOf(harness)).toHaveLength(placed)
  })
})

describe('room', () => {
  it('of what is replaced is free when it has ended, not when it is told to stop', async () => {
    const small = node('n1', { NodeResources: { Cpu: { CpuShares: 400 }, Memory: { MemoryMB: 8192 } } })
    const harness = await given({ nodes: [small] }, { place: true })
    const { send, scheduler } = harness
    const once = (build: number, count: number) => web(build, {}, count, { Type: 'batch' })
    await send('PUT', '/v1/jobs', { Job: once(0, 4) })
    const rows = () => rowsOf(harness)
    const three = (await rows()).slice(0, 3)
    await scheduler.updateAllocations(three.map(({ ID }) => ({ ID, ClientStatus: 'lost' })))
    await send('PUT', '/v1/jobs', { Job: once(1, 5) })
    const leaving = (await rows()).filter(({ ClientStatus }) => ClientStatus === 'pending')
    expect(leaving.map(({ DesiredStatus }) => DesiredStatus)).toEqual(['stop', 'stop', 'stop', 'stop'])
    const queued = async () =>
      ((await harness.get('/v1/job/web/summary')).json as { Summary: { app: { Queued: number } } }).Summary
        .app.Queued
    expect(await queued()).toBe(5)
    for (const [at, { ID }] of leaving.entries()) {
      await scheduler.updateAllocations([{ ID, ClientStatus: 'complete' }])
      await scheduler.settled()
      expect((await rows()).filter(isLive)).toHaveLength(at + 1)
    }
    expect(await queued()).toBe(1)
  })
})
