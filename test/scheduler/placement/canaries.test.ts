import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const room = { Cpu: { CpuShares: 9000 }, Memory: { MemoryMB: 90_000 } }
const node = (ID: string) => ({ ID, NodeResources: room })
const web = (build: number, update: object, Count = 3) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count, Update: update, Tasks: [{ Name: 't', Config: { build } }] }],
})

interface Row {
  readonly ID: string
  readonly NodeID: string
  readonly JobVersion: number
  readonly ClientStatus: string
  readonly DesiredStatus: string
}

/** A cluster whose allocations run as soon as they are placed; the first version of a job runs there. */
async function rolledOut(update: object) {
  const harness = await given({ nodes: [node('n1'), node('n2')] }, { place: true, simulate: true })
  const { send, scheduler, get } = harness
  const register = async (build: number, Count?: number) => {
    await send('PUT', '/v1/jobs', { Job: web(build, update, Count) })
    await scheduler.settled()
  }
  const deployment = async () =>
    (await get('/v1/job/web/deployment')).json as { readonly ID: string; readonly Status: string }
  /** How many run of each version, oldest first. */
  const running = async () => {
    const rows = (await get('/v1/job/web/allocations')).json as readonly Row[]
    const counts: Record<string, number> = {}
    for (const { JobVersion, DesiredStatus } of rows)
      if (DesiredStatus === 'run') counts[`v${JobVersion}`] = (counts[`v${JobVersion}`] ?? 0) + 1
    return counts
  }
  await register(0)
  return { ...harness, register, deployment, running }
}

describe('canaries', () => {
  it('of a version that was not promoted stop when the next one comes', async () => {
    const { register, running } = await rolledOut({ Canary: 1 })
    for (const build of [1, 2, 3]) await register(build)
    expect(await running()).toEqual({ v0: 3, v3: 1 })
  })
  it('go also where the next version has the same tasks: it is tried again', async () => {
    const { register, running, deployment } = await rolledOut({ Canary: 1 })
    await register(1)
    await register(1, 2)
    expect(await running()).toEqual({ v0: 2, v2: 1 })
    expect(await deployment()).toMatchObject({ Status: 'running', JobVersion: 2 })
  })
  it('that were promoted take the places of others, also where the roll-out then fails', async () => {
    const { register, running, deployment, send, scheduler } = await rolledOut({ Canary: 1, MaxParallel: 1 })
    for (const build of [1, 2, 3]) {
      await register(build)
      const { ID } = await deployment()
      await scheduler.writeSchedulerConfiguration({ PauseEvalBroker: true })
      await send('PUT', `/v1/deployment/promote/${ID}`, { DeploymentID: ID, All: true })
      await send('PUT', `/v1/deployment/fail/${ID}`)
      await scheduler.writeSchedulerConfiguration({ PauseEvalBroker: false })
      await scheduler.settled()
      expect((await deployment()).Status).toBe('failed')
      const counts = await running()
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(3)
    }
    expect(await running()).toEqual({ v0: 2, v3: 1 })
  })
  it('stand beside no more than are wanted', async () => {
    const { register, running } = await rolledOut({ Canary: 1 })
    await register(1, 2)
    expect(await running()).toEqual({ v0: 2, v1: 1 })
  })
})

describe('while canaries are tried', () => {
  it('those on a node that drains go with it, and others come', async () => {
    const { register, running, send, scheduler, get } = await rolledOut({ Canary: 1 })
    await send('PUT', '/v1/node/n1/eligibility', { Eligibility: 'ineligible' })
    await register(1)
    await send('PUT', '/v1/node/n1/eligibility', { Eligibility: 'eligible' })
    await send('PUT', '/v1/node/n2/drain', { DrainSpec: { Deadline: 0 } })
    await scheduler.settled()
    expect((await get('/v1/node/n2')).json).toMatchObject({ DrainStrategy: null })
    expect(await running()).toEqual({ v0: 3, v1: 1 })
  })
  it.each([
    ['is lost', (id: string) => ({ path: `/v1/node/${id}/purge`, body: undefined }), false],
    [
      'drains',
      (id: string) => ({ path: `/v1/node/${id}/drain`, body: { DrainSpec: { Deadline: 0 } } }),
      false,
    ],
    [
      'is lost when they have failed',
      (id: string) => ({ path: `/v1/node/${id}/purge`, body: undefined }),
      true,
    ],
  ])(
    'what is on a node that %s is made up for by the version that proved itself',
    async (_, leaving, fails) => {
      const { register, running, deployment, send, scheduler, get } = await rolledOut({ Canary: 1 })
      await register(1)
      if (fails) await send('PUT', `/v1/deployment/fail/${(await deployment()).ID}`)
      await scheduler.settled()
      const left = fails ? { v0: 3 } : { v0: 3, v1: 1 }
      expect(await running()).toEqual(left)
      const { path, body } = leaving('n1')
      await send('PUT', path, body)
      await scheduler.settled()
      expect(await running()).toEqual(left)
      const rows = (await get('/v1/job/web/allocations')).json as readonly Row[]
      const placed = rows.filter(({ DesiredStatus }) => DesiredStatus === 'run')
      expect(new Set(placed.map(({ NodeID }) => NodeID))).toEqual(new Set(['n2']))
    },
  )
})

describe('a roll-out that failed half way', () => {
  it.each([
    ['is lost', (id: string) => ({ path: `/v1/node/${id}/purge`, body: undefined })],
    ['drains', (id: string) => ({ path: `/v1/node/${id}/drain`, body: { DrainSpec: { Deadline: 0 } } })],
  ])('goes no further, but what is on a node that %s is made up for', async (_, leaving) => {
    const harness = await given({ nodes: [node('n1'), node('n2')] }, { place: true })
    const update = { MaxParallel: 1, ProgressDeadline: 0 }
    const { send, scheduler, get } = harness
    const live = async () => {
      await scheduler.settled()
      const rows = (await get('/v1/job/web/allocations')).json as Row[]
      return rows.filter((row) => row.DesiredStatus === 'run' && /pending|running/.test(row.ClientStatus))
    }
    const report = async (Healthy: boolean) => {
      for (const { ID, ClientStatus } of await live())
        if (ClientStatus === 'pending')
          await scheduler.updateAllocations([{ ID, ClientStatus: 'running', Healthy }])
    }
    const versions = async () => (await live()).map(({ JobVersion }) => JobVersion)
    await send('PUT', '/v1/jobs', { Job: web(0, update) })
    await report(true)
    await send('PUT', '/v1/jobs', { Job: web(1, update) })
    await report(false)
    expect((await get('/v1/job/web/deployment')).json).toMatchObject({ Status: 'failed' })
    expect(await versions()).toEqual([0, 0, 1])
    const before = await live()
    const [{ NodeID: home } = { NodeID: '' }] = before
    const staying = before.filter(({ NodeID, JobVersion }) => NodeID !== home && JobVersion === 0)
    const { path, body } = leaving(home)
    await send('PUT', path, body)
    // One leaves at a time.
    for (let round = 0; round < 2; round += 1) await report(true)
    expect((await live()).map(({ NodeID }) => NodeID !== home)).toEqual([true, true, true])
    expect((await versions()).filter((version) => version === 0)).toHaveLength(staying.length)
  })
})

describe('promoted canaries', () => {
  it('take the places of those with the same names', async () => {
    const { register, deployment, send, scheduler, get } = await rolledOut({ Canary: 2, MaxParallel: 1 })
    await scheduler.writeSchedulerConfiguration({ PauseEvalBroker: false })
    await register(1)
    const { ID } = await deployment()
    const names = async () => {
      const rows = (await get('/v1/job/web/allocations')).json as readonly (Row & { readonly Name: string })[]
      return rows
        .filter(({ DesiredStatus }) => DesiredStatus === 'run')
        .map(({ Name, JobVersion }) => `${Name} v${JobVersion}`)
        .sort()
    }
    expect((await names()).filter((name) => name.endsWith('v1'))).toEqual(['web.app[0] v1', 'web.app[1] v1'])
    await send('PUT', `/v1/deployment/promote/${ID}`, { DeploymentID: ID, All: true })
    await scheduler.settled()
    expect(await names()).toEqual(['web.app[0] v1', 'web.app[1] v1', 'web.app[2] v1'])
  })
})
