import { describe, expect, it } from 'vitest'
import { demoCluster } from '../../../src/scheduler/demo/index.ts'
import { createScheduler } from '../../../src/scheduler/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { filter, given } from '../harness.ts'

const load = async (records: unknown) => {
  const store = memoryStore()
  const scheduler = createScheduler({ store })
  return { outcome: await scheduler.load(records), head: await store.head(), scheduler }
}

describe('loading records', () => {
  it('without keeping them says what it would say', async () => {
    const store = memoryStore()
    const scheduler = createScheduler({ store })
    const jobs = [{ ID: 'web' }]
    const would = await scheduler.load({ jobs }, { dryRun: true })
    expect(would).toMatchObject({ ok: true, value: { counts: { jobs: 1, nodes: 0 } } })
    expect(await scheduler.load({ jobs: [{ ID: 'a b' }] }, { dryRun: true })).toMatchObject({ ok: false })
    expect(await store.head()).toBe(0)
    expect(await scheduler.load({ jobs })).toEqual(would)
    expect(await scheduler.load({ jobs }, { dryRun: true })).toMatchObject({ refusal: { code: 'not_empty' } })
    await scheduler.close()
  })

  it.each([
    [{ jobs: [{ ID: 'a' }, { ID: 'b', Namespace: 'a.b' }] }, 'scheduler.jobs[1].Namespace: a namespace has'],
    [{ jobs: [{ ID: 'a b' }] }, 'scheduler.jobs[0].ID: Job ID contains a space'],
    [{ jobs: [{ Name: 'x' }] }, 'scheduler.jobs[0].ID:'],
    [{ jobs: [{ ID: '\ud800' }] }, 'scheduler.jobs[0].ID: is not valid Unicode'],
    [{ jobs: [{ ID: 'x', ParentID: '\ud800' }] }, 'scheduler.jobs[0].ParentID: is not valid Unicode'],
    [{ nodes: [{ ID: 'x' }, { ID: 'x'.repeat(513) }] }, 'scheduler.nodes[1].ID: is longer than 512 bytes'],
    [
      { allocations: [{ ID: 'a', NodeID: '\ud800' }] },
      'scheduler.allocations[0].NodeID: is not valid Unicode',
    ],
    [{ deployments: [{ ID: 'd', JobID: 'é'.repeat(257) }] }, 'scheduler.deployments[0].JobID: is longer'],
    [{ evaluations: [{ ID: 'e', Namespace: '\ud800' }] }, 'scheduler.evaluations[0].Namespace: is not valid'],
    [{ jobs: [{ ID: 'x', Periodic: true }] }, 'scheduler.jobs[0].Periodic:'],
    [{ jobs: [{ ID: 'x', Status: 'asleep' }] }, 'scheduler.jobs[0].Status:'],
    [{ jobs: [{ ID: 'x', Priority: '50' }] }, 'scheduler.jobs[0].Priority:'],
    [
      { jobs: [{ ID: 'x', TaskGroups: [{ Name: 'g', Tasks: [{}] }] }] },
      'scheduler.jobs[0].TaskGroups[0].Tasks[0].Name:',
    ],
    [{ jobs: [{ ID: 'x' }, { ID: 'x' }] }, 'scheduler.jobs[1].ID: is the same as in jobs[0]'],
    [
      {
        tokens: [
          { AccessorID: 'a', SecretID: 'one', Type: 'client', Policies: ['p'] },
          { AccessorID: 'a', SecretID: 'two', Type: 'management' },
        ],
      },
      'scheduler.tokens[1].AccessorID: is the same as in tokens[0]',
    ],
    [
      { jobs: [{ ID: 'x', NodePool: 'gpu' }] },
      'scheduler.jobs[0].NodePool: job "x" is in nonexistent node pool "gpu"',
    ],
    [{ jobs: [{ ID: 'x', CreateIndex: 9, ModifyIndex: 3 }] }, 'scheduler.jobs[0].ModifyIndex: is 3, before'],
    [
      { jobs: [{ ID: 'x', CreateIndex: 1, ModifyIndex: 3, JobModifyIndex: 4 }] },
      'scheduler.jobs[0].JobModifyIndex:',
    ],
    [{ jobs: [{ ID: 'x', CreateIndex: 0 }] }, 'scheduler.jobs[0].CreateIndex:'],
    [{ nodes: [{ ID: 'n', NodePool: 'all' }] }, 'scheduler.nodes[0].NodePool: every node is in "all"'],
    [{ nodes: [{ ID: 'n', NodePool: 'a b' }] }, 'scheduler.nodes[0].NodePool: invalid name "a b"'],
    [{ nodes: [{ ID: 'n', Attributes: { a: 1 } }] }, 'scheduler.nodes[0].Attributes.a:'],
    [{ namespaces: [{ Name: 'a b' }] }, 'scheduler.namespaces[0]: invalid name "a b"'],
    [
      { namespaces: [{ Name: 'ops' }, { Name: 'ops' }] },
      'scheduler.namespaces[1].Name: is the same as in namespaces[0]',
    ],
    [
      { namespaces: [{ Name: 'ops' }], jobs: [{ ID: 'x', Namespace: 'opps' }] },
      'scheduler.jobs[0].Namespace: job "x" is in nonexistent namespace "opps"',
    ],
    [{ pools: [{ Name: 'x'.repeat(128) }] }, 'scheduler.pools[0]: invalid name'],
    [{ pools: [{ Name: 'default', Description: 'mine' }] }, 'scheduler.pools[0].Name: "default" is built in'],
    [{ deployments: [{ ID: 'd', Status: 'canceled' }] }, 'scheduler.deployments[0].Status:'],
    [{ allocations: [{ ID: 'a', ClientStatus: 'up' }] }, 'scheduler.allocations[0].ClientStatus:'],
    [
      { policies: [{ Name: 'p', Rules: 'x {' }] },
      'scheduler.policies[0].Rules: Failed to parse ACL Policy: line 1',
    ],
    [{ tokens: [{ SecretID: 's', Type: 'client' }] }, 'scheduler.tokens[0].Policies: a client token needs'],
    [{ tokens: [{ SecretID: 's', Type: 'root' }] }, 'scheduler.tokens[0].Type:'],
    [{ job: [] }, 'scheduler.job: there is no such field; did you mean jobs?'],
    [{ jobs: {} }, 'scheduler.jobs:'],
    ['text', 'scheduler:'],
  ])('names the bad one in %j and stores nothing', async (records, message) => {
    const { outcome, head } = await load(records)
    expect(outcome.ok ? '' : outcome.refusal.message).toContain(message)
    expect(outcome.ok ? '' : outcome.refusal.code).toBe('bad_record')
    expect(head).toBe(0)
  })

  it('keeps the indexes given; the rest count up from the largest in file order', async () => {
    const { get } = await given({
      pools: [{ Name: 'p' }],
      jobs: [{ ID: 'a', CreateIndex: 7, ModifyIndex: 40, JobModifyIndex: 30 }, { ID: 'b' }],
      deployments: [{ ID: 'd' }],
    })
    const jobs = (await get('/v1/jobs')).json as Record<string, unknown>[]
    expect(
      jobs.map(({ CreateIndex, ModifyIndex, JobModifyIndex }) => [CreateIndex, ModifyIndex, JobModifyIndex]),
    ).toEqual([
      [7, 40, 30],
      [42, 42, 42],
    ])
    expect((await get('/v1/node/pool/p')).index).toBe(41)
    expect((await get('/v1/deployments')).index).toBe(43)
    const written = await get('/v1/node/pool', { method: 'POST', body: '{"Name":"q"}' })
    expect(written.index).toBe(44)
  })

  it('keeps a status and a summary that are given, and derives those that are not', async () => {
    const { get } = await given({
      jobs: [
        { ID: 'reported', Status: 'dead', JobSummary: { Summary: { g: { Failed: 3 } } } },
        { ID: 'runs', TaskGroups: [{ Name: 'g' }] },
        { ID: 'waits' },
        { ID: 'parent', Periodic: {} },
        { ID: 'child', ParentID: 'parent', Status: 'dead' },
      ],
      allocations: [
        { ID: 'a1', JobID: 'runs', TaskGroup: 'g', ClientStatus: 'running' },
        { ID: 'a2', JobID: 'runs', TaskGroup: 'g', ClientStatus: 'failed' },
        { ID: 'a3', JobID: 'runs', TaskGroup: 'g', Namespace: 'elsewhere' },
      ],
      evaluations: [{ ID: 'e1', JobID: 'waits', Status: 'pending' }],
    })
    const jobs = (await get('/v1/jobs')).json as Record<string, { Summary: object; Children: object }>[]
    const shown = Object.fromEntries(jobs.map(({ ID, Status, JobSummary }) => [ID, [Status, JobSummary]]))
    expect(shown).toMatchObject({
      reported: ['dead', { Summary: { g: { Failed: 3, Running: 0 } } }],
      runs: ['running', { Summary: { g: { Running: 1, Failed: 1, Starting: 0 } } }],
      waits: ['pending', {}],
      parent: ['running', { Children: { Dead: 1, Running: 0, Pending: 0 } }],
    })
  })

  it('declares namespaces, after which jobs are registered in these only', async () => {
    const { get, send, ids } = await given({
      namespaces: [{ Name: 'ops', Description: 'Operations', CreateIndex: 5 }],
      jobs: [
        { ID: 'web', Namespace: 'ops' },
        { ID: 'old', Namespace: 'gone', Status: 'dead' },
      ],
    })
    expect((await get('/v1/namespace/ops')).json).toMatchObject({ Description: 'Operations', CreateIndex: 5 })
    const listed = (await get('/v1/namespaces')).json as readonly { readonly Name: string }[]
    expect(listed.map(({ Name }) => Name)).toEqual(['default', 'ops'])
    expect(await ids('/v1/jobs?namespace=ops')).toEqual(['web'])
    const TaskGroups = [{ Name: 'app', Tasks: [{ Name: 't', Driver: 'exec' }] }]
    const refused = await send('PUT', '/v1/jobs', { Job: { ID: 'x', Namespace: 'dev', TaskGroups } })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('nonexistent namespace "dev"'),
    ])
  })

  it('brings the pools of nodes into being', async () => {
    const { get } = await given({
      nodes: [{ ID: 'n', NodePool: 'edge', CreateIndex: 9 }],
      jobs: [{ ID: 'j', NodePool: 'edge' }],
    })
    expect((await get('/v1/node/pool/edge')).json).toMatchObject({ Description: '', CreateIndex: 9 })
  })

  it('takes the built-in pools of another cluster for what they are', async () => {
    const { ids, get } = await given()
    const pools = (await get('/v1/node/pools')).json
    const copy = await given({ pools: pools as object[] })
    expect(await copy.ids('/v1/node/pools')).toEqual(await ids('/v1/node/pools'))
  })

  it('is refused over data that exists', async () => {
    const { scheduler } = await given({ pools: [{ Name: 'p' }] })
    const again = await scheduler.load({ pools: [{ Name: 'q' }] })
    expect(again).toMatchObject({ ok: false, refusal: { code: 'not_empty' } })
  })

  it('still works when the cluster was looked at before', async () => {
    const scheduler = createScheduler({ store: memoryStore() })
    await scheduler.listJobs()
    expect((await scheduler.load({ jobs: [{ ID: 'a' }] })).ok).toBe(true)
    const jobs = await scheduler.listJobs()
    expect(jobs.ok && jobs.value.map(({ ID }) => ID)).toEqual(['a'])
  })
})

describe('the demo cluster', () => {
  it('is the same for the same seed', () => {
    expect(demoCluster()).toEqual(demoCluster(1))
    expect(demoCluster(2)).not.toEqual(demoCluster(1))
  })

  it('has 200 nodes and 40 jobs in three namespaces', async () => {
    const { get } = await given(demoCluster())
    const [nodes, jobs] = [await get('/v1/nodes'), await get('/v1/jobs?namespace=*')]
    expect((nodes.json as unknown[]).length).toBe(200)
    const listed = jobs.json as { Namespace: string }[]
    expect(listed.length).toBe(40)
    expect([...new Set(listed.map(({ Namespace }) => Namespace))]).toEqual(['data', 'default', 'platform'])
  })

  it('can be asked real questions', async () => {
    const { ids } = await given(demoCluster())
    const gpu = await ids(`/v1/nodes?${filter('NodePool == "gpu" and Attributes["cpu.arch"] == "amd64"')}`)
    expect(gpu.length).toBe(16)
    const critical = await ids(
      `/v1/jobs?namespace=*&${filter('Meta.tier == "critical" and Status == "running"')}`,
    )
    expect(critical).toContain('web')
    const replaced = await ids(
      `/v1/deployments?namespace=*&${filter('StatusDescription contains "newer version"')}`,
    )
    expect(replaced.length).toBeGreaterThan(0)
  })
})

describe('what is loaded without a summary', () => {
  it('is counted as it would be written: what waits for room, and nothing of a job that was purged', async () => {
    const { send, get } = await given({
      jobs: [{ ID: 'web', CreateIndex: 50, TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] }],
      evaluations: [{ ID: 'e1', JobID: 'web', Status: 'blocked', QueuedAllocations: { app: 2 } }],
      allocations: [
        { ID: 'a1', JobID: 'web', TaskGroup: 'app', JobCreateIndex: 50, ClientStatus: 'failed' },
        { ID: 'a2', JobID: 'web', TaskGroup: 'app', JobCreateIndex: 7, ClientStatus: 'running' },
      ],
    })
    expect((await get('/v1/job/web')).json).toMatchObject({ Status: 'pending' })
    expect((await get('/v1/job/web/summary')).json).toMatchObject({
      Summary: { app: { Queued: 2, Running: 0, Failed: 1 } },
    })
    const checked = await send('PUT', '/v1/system/reconcile/summaries')
    expect(checked.json).toMatchObject({ Differing: [] })
  })
})
