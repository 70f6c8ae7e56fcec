import { describe, expect, it } from 'vitest'
import { testClock } from '../../src/testing/index.ts'
import { filter, given } from './harness.ts'

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }

const records = {
  nodes: [{ ID: 'n1' }],
  jobs: [{ ID: 'web' }, { ID: 'web', Namespace: 'prod' }, { ID: 'web-2' }],
  deployments: [
    { ID: 'd2', JobID: 'web' },
    { ID: 'd1', JobID: 'web' },
    { ID: 'd3', JobID: 'web-2' },
    { ID: 'd4', JobID: 'web', Namespace: 'prod' },
  ],
  allocations: [
    { ID: 'a2', JobID: 'web', NodeID: 'n1' },
    { ID: 'a1', JobID: 'web', NodeID: 'n2' },
    { ID: 'a3', JobID: 'web', NodeID: 'n1', Namespace: 'prod' },
  ],
  evaluations: [
    { ID: 'e1', JobID: 'web', Status: 'complete' },
    { ID: 'e2', JobID: 'web', Status: 'pending' },
    { ID: 'e3', JobID: 'web-2', Status: 'pending' },
  ],
}

describe('jobs that are each other’s parents', () => {
  it('are listed, stopped, purged and collected as any others', async () => {
    const { send, get, ids, scheduler } = await given(
      { nodes: [{ ID: 'n1', NodeResources: room }] },
      { place: true, simulate: true },
    )
    const TaskGroups = [{ Name: 'app', Tasks: [{ Name: 't', Driver: 'exec' }] }]
    for (const [ID, ParentID] of [
      ['a', 'b'],
      ['b', 'a'],
    ])
      await send('PUT', '/v1/jobs', { Job: { ID, ParentID, Type: 'batch', TaskGroups } })
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual(['a', 'b'])
    expect((await get('/v1/job/a/summary')).status).toBe(200)
    for (const id of ['a', 'b']) expect((await send('DELETE', `/v1/job/${id}`)).status).toBe(200)
    await scheduler.settled()
    expect((await send('PUT', '/v1/system/gc')).status).toBe(200)
    await send('DELETE', '/v1/job/a?purge=true')
    await send('DELETE', '/v1/job/b?purge=true')
    await scheduler.settled()
    expect(await ids('/v1/jobs')).toEqual([])
  })
})

describe('what belongs to a job', () => {
  it.each([
    ['/v1/job/web/deployments', ['d2', 'd1']],
    ['/v1/job/web/deployments?namespace=prod', ['d4']],
    ['/v1/job/web/deployments?reverse=true', ['d1', 'd2']],
    ['/v1/job/web/deployments?prefix=d1', ['d1']],
    ['/v1/job/web-2/deployments', ['d3']],
    ['/v1/job/none/deployments', []],
    ['/v1/job/web/allocations', ['a2', 'a1']],
    [`/v1/job/web/allocations?${filter('NodeID == "n2"')}`, ['a1']],
    ['/v1/job/web/evaluations', ['e1', 'e2']],
    ['/v1/node/n1/allocations', ['a2', 'a3']],
    ['/v1/node/none/allocations', []],
  ])('is listed at %s: %j', async (path, expected) => {
    const { ids } = await given(records)
    expect(await ids(path)).toEqual(expected)
  })

  it('comes in pages, with an index of its own', async () => {
    const { get } = await given(records)
    const page = await get('/v1/job/web/deployments?per_page=1')
    expect(page.nextToken).toMatch(/^\d+\.d1$/)
    const next = await get(`/v1/job/web/deployments?per_page=1&next_token=${page.nextToken}`)
    expect(next.text).toContain('"d1"')
    const own = (await get('/v1/job/web/deployments?namespace=prod')).index
    expect(own).toBeGreaterThan(page.index)
    expect((await get('/v1/job/none/deployments')).index).toBe(1)
  })

  it('is visible with the right to read the job; on a node, namespace by namespace', async () => {
    const { get, ids } = await given(
      {
        ...records,
        policies: [
          { Name: 'p', Rules: 'namespace "prod" { policy = "read" } node { policy = "read" }' },
          { Name: 'q', Rules: 'namespace "*" { policy = "read" }' },
        ],
        tokens: [
          { SecretID: 'prod', Type: 'client', Policies: ['p'] },
          { SecretID: 'jobs', Type: 'client', Policies: ['q'] },
        ],
      },
      { acl: true },
    )
    const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })
    expect((await get('/v1/job/web/deployments', as('prod'))).status).toBe(403)
    expect(await ids('/v1/job/web/deployments?namespace=prod', as('prod'))).toEqual(['d4'])
    expect(await ids('/v1/node/n1/allocations', as('prod'))).toEqual(['a3'])
    expect((await get('/v1/node/n1/allocations', as('jobs'))).status).toBe(403)
  })
})

describe('evaluations', () => {
  it('can be chosen by job and status', async () => {
    const { ids } = await given(records)
    expect(await ids('/v1/evaluations?job=web')).toEqual(['e1', 'e2'])
    expect(await ids('/v1/evaluations?status=pending')).toEqual(['e2', 'e3'])
    expect(await ids('/v1/evaluations?status=pending&job=web-2')).toEqual(['e3'])
    expect(await ids('/v1/evaluations?status=&job=')).toEqual(['e1', 'e2', 'e3'])
  })

  it('cannot be chosen so and filtered as well', async () => {
    const { get } = await given(records)
    for (const other of ['job=web', 'status=pending']) {
      const refused = await get(`/v1/evaluations?${other}&${filter('Type == "service"')}`)
      expect([refused.status, refused.text]).toEqual([
        400,
        'Filter expression cannot be used with other filter parameters',
      ])
    }
  })
})

describe('what belongs to an evaluation', () => {
  const placed = {
    jobs: [{ ID: 'web', Namespace: 'prod' }],
    evaluations: [{ ID: 'e1', JobID: 'web', Namespace: 'prod' }],
    allocations: [
      { ID: 'a1', JobID: 'web', Namespace: 'prod', EvalID: 'e1' },
      { ID: 'a2', JobID: 'web', Namespace: 'prod', EvalID: 'e2' },
      { ID: 'a3', JobID: 'web', Namespace: 'prod', EvalID: 'e1', NodeID: 'n2' },
    ],
  }
  it.each([
    ['/v1/evaluation/e1/allocations', ['a1', 'a3']],
    ['/v1/evaluation/e1/allocations?per_page=1', ['a1']],
    [`/v1/evaluation/e1/allocations?${filter('NodeID == "n2"')}`, ['a3']],
    ['/v1/evaluation/none/allocations', []],
  ])('is listed at %s: %j', async (path, expected) => {
    const { ids } = await given(placed)
    expect(await ids(path)).toEqual(expected)
  })

  it('is visible with the right to read the job', async () => {
    const { get, ids } = await given(
      {
        ...placed,
        policies: [{ Name: 'p', Rules: 'namespace "prod" { policy = "read" }' }],
        tokens: [{ SecretID: 'p', Type: 'client', Policies: ['p'] }],
      },
      { acl: true },
    )
    const init = { headers: { 'X-Scheduler-Token': 'p' } }
    expect(await ids('/v1/evaluation/e1/allocations', init)).toEqual(['a1', 'a3'])
    expect((await get('/v1/evaluation/e1/allocations')).status).toBe(403)
    expect((await get('/v1/evaluation/none/allocations', init)).status).toBe(403)
  })
})

describe('what is placed for an evaluation that is not there yet', () => {
  it('is waited for until it comes, for any job', async () => {
    const clock = testClock()
    const { newId } = clock.env()
    const env = () => ({
      now: clock.now(),
      newId: (kind: string) => (kind === 'evaluation' ? 'e1' : newId(kind)),
    })
    const { get, send, ids, scheduler } = await given(
      { nodes: [{ ID: 'n1', NodeResources: room }] },
      { place: true, env },
    )
    const waiting = get('/v1/evaluation/e1/allocations?index=1&wait=10m')
    await clock.advance(0)
    expect(scheduler.waiting()).toBe(1)
    await send('PUT', '/v1/jobs', { Job: { ID: 'web', TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] } })
    const first = await waiting
    expect(first.status).toBe(200)
    const next = await ids(`/v1/evaluation/e1/allocations?index=${first.index - 1}`)
    expect(next).toHaveLength(1)
  })
})

describe('what an earlier job of the same ID left behind', () => {
  const left = {
    jobs: [{ ID: 'web', CreateIndex: 50 }],
    deployments: [
      { ID: 'd1', JobID: 'web', JobCreateIndex: 7 },
      { ID: 'd2', JobID: 'web', JobCreateIndex: 50 },
    ],
    allocations: [
      { ID: 'a1', JobID: 'web', JobCreateIndex: 7 },
      { ID: 'a2', JobID: 'web', JobCreateIndex: 50 },
      { ID: 'a3', JobID: 'web' },
    ],
  }
  it.each([
    ['/v1/job/web/allocations', ['a2', 'a3']],
    ['/v1/job/web/allocations?all=true', ['a1', 'a2', 'a3']],
    ['/v1/job/web/deployments', ['d2']],
    ['/v1/job/web/deployments?all=true', ['d1', 'd2']],
  ])('is not listed at %s: %j', async (path, expected) => {
    const { ids } = await given(left)
    expect(await ids(path)).toEqual(expected)
  })

  it('is listed where there is no such job now', async () => {
    const { ids } = await given({ ...left, jobs: [] })
    expect(await ids('/v1/job/web/allocations')).toEqual(['a1', 'a2', 'a3'])
  })
})
