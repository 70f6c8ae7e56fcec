import { describe, expect, it } from 'vitest'
import type { SchedulerOptions } from '../../../src/scheduler/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { testClock } from '../../../src/testing/index.ts'
import { given, type Harness } from '../harness.ts'

const secret = '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a'
const as = (token: string) => ({ headers: { 'X-Scheduler-Token': token } })
const Node = (ID: string) => ({
  ID,
  Name: ID,
  Datacenter: `dc-${ID}`,
  Drivers: { raw_exec: { Detected: true, Healthy: true } },
  NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 4000 }, Disk: { DiskMB: 10_000 } },
})
const job = (ID: string, more: object = {}) => ({
  Job: {
    ID,
    TaskGroups: [
      {
        Name: 'app',
        Tasks: [{ Name: 'main', Driver: 'raw_exec', Config: { command: 'sleep' }, Env: { A: '1' } }],
      },
    ],
    ...more,
  },
})

interface Given {
  readonly ID: string
  readonly ClientStatus: string
  readonly DesiredStatus: string
  readonly Job: { readonly ID: string } | null
  readonly Group: { readonly Name: string; readonly Tasks: readonly { readonly Env: unknown }[] } | null
}

/** A cluster that places, with a runner on each of some nodes. */
async function withRunners(
  nodes: readonly string[],
  options: Partial<SchedulerOptions> = {},
): Promise<Harness & { readonly todo: (node: string, query?: string) => Promise<readonly Given[]> }> {
  const harness = await given({}, { place: true, simulate: true, ...options })
  for (const ID of nodes)
    await harness.send('PUT', '/v1/runner/node', { Node: Node(ID), SecretID: `${secret}-${ID}` })
  const todo = async (node: string, query = '') =>
    (await harness.get(`/v1/runner/node/${node}/allocations${query}`, as(`${secret}-${node}`)))
      .json as readonly Given[]
  return { ...harness, todo }
}

describe('registering a node with its runner', () => {
  it('generates a secret that is returned once, and stored as a hash', async () => {
    const store = memoryStore()
    const { send, get } = await given({}, { store })
    const made = await send('PUT', '/v1/runner/node', { Node: Node('n1') })
    expect(made.json).toMatchObject({ NodeID: 'n1', SecretID: expect.any(String), HeartbeatTTLMs: 30_000 })
    const { SecretID } = made.json as { readonly SecretID: string }
    expect((await get('/v1/node/n1')).json).toMatchObject({ ID: 'n1', Status: 'ready' })
    const kept = JSON.stringify(store.snapshot().scan({ prefix: '' }))
    expect(kept).not.toContain(SecretID)
    expect((await get('/v1/node/n1')).text).not.toContain(SecretID)
    const again = await send('PUT', '/v1/runner/node', { Node: Node('n1') }, as(SecretID))
    expect(again.json).toMatchObject({ NodeID: 'n1', SecretID: null })
  })

  it('takes a secret that the runner brings, and the same one again', async () => {
    const { send, get } = await given()
    const body = { Node: Node('n1'), SecretID: secret }
    for (const Name of ['one', 'two']) {
      const made = await send('PUT', '/v1/runner/node', { ...body, Node: { ...Node('n1'), Name } })
      expect([made.status, made.json]).toEqual([200, expect.objectContaining({ SecretID: null })])
      expect((await get('/v1/node/n1')).json).toMatchObject({ Name })
    }
    const other = await send('PUT', '/v1/runner/node', { ...body, SecretID: secret.replace('2', '3') })
    expect([other.status, other.text]).toEqual([403, 'Permission denied'])
    expect((await send('PUT', '/v1/runner/node', { Node: Node('n1') })).status).toBe(403)
  })

  it.each([
    [{ Node: Node('n1'), SecretID: 'short' }, 'a node secret has 20 to 256'],
    [{ Node: { Name: 'x' } }, 'ID'],
    [{ Node: { ...Node('n1'), NodePool: 'all' } }, 'node pool "all"'],
    [{}, 'Node'],
    [undefined, 'Request body is empty'],
  ])('refuses %j', async (body, text) => {
    const { send, get } = await given()
    const refused = await send('PUT', '/v1/runner/node', body)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(text)])
    expect((await get('/v1/nodes')).json).toEqual([])
  })

  it('asks for node:write where access is controlled, and for nothing but the secret after that', async () => {
    const { send, get } = await given(
      {
        policies: [
          { Name: 'r', Rules: 'node { policy = "read" }' },
          { Name: 'w', Rules: 'node { policy = "write" }' },
        ],
        tokens: ['r', 'w'].map((name) => ({ SecretID: name, Type: 'client', Policies: [name] })),
      },
      { acl: true },
    )
    const body = { Node: Node('n1'), SecretID: secret }
    for (const init of [{}, as('r'), as(secret)])
      expect((await send('PUT', '/v1/runner/node', body, init)).status).toBe(403)
    expect((await send('PUT', '/v1/runner/node', body, as('w'))).status).toBe(200)
    expect((await send('PUT', '/v1/runner/node', body)).status).toBe(403)
    expect((await send('PUT', '/v1/runner/node', body, as(secret))).status).toBe(200)
    const twin = { ...body, Node: Node('n2') }
    const same = await send('PUT', '/v1/runner/node', twin, as('w'))
    expect([same.status, same.text]).toEqual([400, expect.stringContaining('another node has this secret')])
    const [beat, list] = ['/v1/runner/node/n1/heartbeat', '/v1/runner/node/n1/allocations']
    expect((await send('PUT', beat, undefined, as(secret))).status).toBe(200)
    expect((await get(list, as(secret))).json).toEqual([])
    for (const init of [{}, as('w'), as('none')]) {
      expect((await send('PUT', beat, undefined, init)).status).toBe(403)
      expect((await get(list, init)).status).toBe(403)
      expect((await send('PUT', list, { Allocations: [] }, init)).status).toBe(403)
      expect((await send('PUT', '/v1/runner/node/n1/leave', undefined, init)).status).toBe(403)
    }
    // The secret of a node is no token of anything else.
    expect((await get('/v1/nodes', as(secret))).status).toBe(403)
    expect((await send('PUT', '/v1/runner/node/n2/heartbeat', undefined, as(secret))).status).toBe(403)
  })

  it('registers one node for two concurrent calls with different secrets', async () => {
    const { send } = await given()
    const answers = await Promise.all(
      ['a', 'b'].map((more) => send('PUT', '/v1/runner/node', { Node: Node('n1'), SecretID: secret + more })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
  })
})

describe('the allocations of a runner', () => {
  it('come with what there is to run, and wait for their runner even where nodes are simulated', async () => {
    const { send, todo, scheduler } = await withRunners(['n1'])
    expect(await todo('n1')).toEqual([])
    await send('PUT', '/v1/jobs', job('web'))
    await scheduler.settled()
    const [allocation, ...rest] = await todo('n1')
    expect(rest).toEqual([])
    expect(allocation).toMatchObject({
      DesiredStatus: 'run',
      ClientStatus: 'pending',
      JobID: 'web',
      Job: { ID: 'web', Type: 'service' },
      Group: { Name: 'app', Tasks: [{ Name: 'main', Config: { command: 'sleep' }, Env: { A: '1' } }] },
    })
  })

  it('are waited for', async () => {
    const { get, send, scheduler } = await withRunners(['n1'])
    const path = '/v1/runner/node/n1/allocations'
    const { index } = await get(path, as(`${secret}-n1`))
    const waiting = get(`${path}?index=${index}&wait=60s`, as(`${secret}-n1`))
    await expect.poll(() => scheduler.waiting()).toBe(1)
    await send('PUT', '/v1/jobs', job('web'))
    expect((await waiting).json).toHaveLength(1)
  })

  it('keep what was to run before the job changed', async () => {
    const { send, todo, scheduler } = await withRunners(['n1'])
    await send('PUT', '/v1/jobs', job('web'))
    await scheduler.settled()
    await send('DELETE', '/v1/job/web')
    await scheduler.settled()
    const [allocation] = await todo('n1')
    expect(allocation).toMatchObject({ DesiredStatus: 'stop', Group: { Name: 'app' } })
  })
})

describe('a report', () => {
  it('moves an allocation to its end, and the job with it', async () => {
    const { send, get, todo, scheduler } = await withRunners(['n1'])
    await send('PUT', '/v1/jobs', job('once', { Type: 'batch' }))
    await scheduler.settled()
    const [{ ID } = { ID: '' }] = await todo('n1')
    const report = (more: object) =>
      send('PUT', '/v1/runner/node/n1/allocations', { Allocations: [{ ID, ...more }] }, as(`${secret}-n1`))
    const TaskStates = { main: { State: 'running', StartedAt: '1970-01-01T00:00:00Z' } }
    expect((await report({ ClientStatus: 'running', TaskStates })).json).toMatchObject({ Updated: 1 })
    expect((await get(`/v1/allocation/${ID}`)).json).toMatchObject({
      ClientStatus: 'running',
      TaskStates: { main: { State: 'running', Restarts: 0, Failed: false } },
    })
    await report({ ClientStatus: 'complete' })
    expect(await todo('n1')).toEqual([])
    await scheduler.settled()
    expect((await get('/v1/job/once')).json).toMatchObject({ Status: 'dead' })
    const late = await report({ ClientStatus: 'running' })
    expect(late.status).toBe(400)
    expect((await get(`/v1/allocation/${ID}`)).json).toMatchObject({ ClientStatus: 'complete' })
  })

  it('that says the same again changes nothing', async () => {
    const { send, get, todo, scheduler } = await withRunners(['n1'])
    await send('PUT', '/v1/jobs', job('web'))
    await scheduler.settled()
    const [{ ID } = { ID: '' }] = await todo('n1')
    const Allocations = [
      { ID, ClientStatus: 'running', TaskStates: { main: { State: 'running' } }, Healthy: true },
    ]
    const path = '/v1/runner/node/n1/allocations'
    expect((await send('PUT', path, { Allocations }, as(`${secret}-n1`))).json).toMatchObject({ Updated: 1 })
    await scheduler.settled()
    const before = (await get(`/v1/allocation/${ID}`)).json
    expect((await send('PUT', path, { Allocations }, as(`${secret}-n1`))).json).toMatchObject({ Updated: 0 })
    expect((await get(`/v1/allocation/${ID}`)).json).toEqual(before)
  })

  it.each([
    ['an unknown allocation', 'none', 404],
    ['one of another node', 'foreign', 404],
    ['an unknown status', 'status', 400],
    ['what a runner does not decide', 'lost', 400],
    ['no list', 'list', 400],
  ])('about %s is refused, and what comes with it', async (_, what, status) => {
    const { send, get, todo, scheduler } = await withRunners(['n1', 'n2'])
    for (const node of ['n1', 'n2'])
      await send('PUT', '/v1/jobs', job(`on-${node}`, { Datacenters: [`dc-${node}`] }))
    await scheduler.settled()
    const [mine] = await todo('n1')
    const [other] = await todo('n2')
    const own = { ID: mine?.ID, ClientStatus: 'running' }
    const bodies: Readonly<Record<string, object>> = {
      none: { Allocations: [own, { ID: 'none', ClientStatus: 'running' }] },
      foreign: { Allocations: [own, { ID: other?.ID, ClientStatus: 'running' }] },
      status: { Allocations: [own, { ID: mine?.ID, ClientStatus: 'fine' }] },
      lost: { Allocations: [{ ID: mine?.ID, ClientStatus: 'lost' }] },
      list: { Allocations: 7 },
    }
    const refused = await send('PUT', '/v1/runner/node/n1/allocations', bodies[what], as(`${secret}-n1`))
    expect(refused.status).toBe(status)
    for (const each of [mine, other])
      if (each !== undefined)
        expect((await get(`/v1/allocation/${each.ID}`)).json).toMatchObject({ ClientStatus: 'pending' })
  })
})

describe('a runner', () => {
  const report = async (Allocations: unknown, node = 'n1') => {
    const harness = await withRunners(['n1', 'n2'])
    await harness.send('PUT', '/v1/jobs', job('web', { Datacenters: ['dc-n1'] }))
    await harness.scheduler.settled()
    const [{ ID } = { ID: '' }] = await harness.todo('n1')
    const text = JSON.stringify({ Allocations }).replaceAll('"own"', JSON.stringify(ID))
    const path = `/v1/runner/node/${node}/allocations`
    const got = await harness.send('PUT', path, JSON.parse(text), as(`${secret}-${node}`))
    return { ...harness, ID, got, found: (await harness.get(`/v1/allocation/${ID}`)).json }
  }
  it.each([
    ['task states that are no object', [{ ID: 'own', TaskStates: 7 }]],
    ['a task state that is none', [{ ID: 'own', TaskStates: { main: { State: 'flying' } } }]],
    ['a verdict that is no boolean', [{ ID: 'own', Healthy: 'yes' }]],
    ['no ID', [{ ClientStatus: 'running' }]],
    ['an ID that is a number', [{ ID: 7, ClientStatus: 'running' }]],
    ['a time that is none', [{ ID: 'own', TaskStates: { main: { State: 'running', StartedAt: 'noon' } } }]],
    ['a list of lists', [[{ ID: 'own' }]]],
  ])('that reports %s is refused', async (_what, allocations) => {
    const { got, found } = await report(allocations)
    expect(got.status).toBe(400)
    expect(found).toMatchObject({ ClientStatus: 'pending', TaskStates: null })
  })

  it('whose clock is years off changes no time of the cluster', async () => {
    const StartedAt = '2199-12-31T23:59:59Z'
    const Events = [{ Type: 'Started', Time: 7_258_118_399_000_000_000, DisplayMessage: 'started' }]
    const TaskStates = { main: { State: 'running', StartedAt, Events } }
    const { got, found, clock } = await report([{ ID: 'own', ClientStatus: 'running', TaskStates }])
    expect(got.json).toMatchObject({ Updated: 1 })
    expect(found).toMatchObject({
      ClientStatus: 'running',
      TaskStates: { main: { StartedAt } },
      ModifyTime: clock.env().now * 1e6,
    })
  })
})

describe('a node whose runner', () => {
  const placed = async (harness: Awaited<ReturnType<typeof withRunners>>) => {
    await harness.send('PUT', '/v1/jobs', job('web'))
    await harness.scheduler.settled()
    const [node = '', other = ''] = (await harness.todo('n1')).length > 0 ? ['n1', 'n2'] : ['n2', 'n1']
    return { node, other }
  }

  it('stays silent is lost, and its work is placed elsewhere', async () => {
    const harness = await withRunners(['n1', 'n2'])
    const { node, other } = await placed(harness)
    const { clock, send, get, todo, scheduler } = harness
    for (let beat = 0; beat < 4; beat += 1) {
      await send('PUT', `/v1/runner/node/${other}/heartbeat`, undefined, as(`${secret}-${other}`))
      await clock.advance(10_000)
    }
    await scheduler.settled()
    expect((await get(`/v1/node/${node}`)).json).toMatchObject({ Status: 'down' })
    expect(await todo(node)).toEqual([])
    expect(await todo(other)).toHaveLength(1)
    const back = await send('PUT', `/v1/runner/node/${node}/heartbeat`, undefined, as(`${secret}-${node}`))
    expect(back.json).toMatchObject({ Status: 'ready' })
    expect(await todo(node)).toEqual([])
  })

  it('deregisters is down immediately', async () => {
    const harness = await withRunners(['n1', 'n2'])
    const { node, other } = await placed(harness)
    const { send, get, todo, scheduler } = harness
    const left = await send('PUT', `/v1/runner/node/${node}/leave`, undefined, as(`${secret}-${node}`))
    expect(left.status).toBe(200)
    await scheduler.settled()
    expect((await get(`/v1/node/${node}`)).json).toMatchObject({ Status: 'down' })
    expect(await todo(other)).toHaveLength(1)
  })

  it('was watched by a server that is gone is watched by the next one', async () => {
    const store = memoryStore()
    const first = await withRunners(['n1'], { store })
    await first.scheduler.close()
    // Identifiers of its own: a commit that the store has seen before is not made again.
    const clock = testClock({ seed: 2 })
    const { env, timers } = clock
    const { get, scheduler } = await given({}, { store, place: true, env, timers })
    await get('/v1/nodes')
    await clock.advance(31_000)
    await scheduler.settled()
    expect((await get('/v1/node/n1')).json).toMatchObject({ Status: 'down' })
  })
})

it('stands in the OpenAPI document with its schemas', async () => {
  const { scheduler } = await given()
  const { paths = {} } = scheduler.openapi() as {
    paths?: Record<string, Record<string, { operationId?: string; summary?: string }>>
  }
  const found = Object.entries(paths).filter(([path]) => path.startsWith('/v1/runner/'))
  expect(found.map(([path]) => path).sort()).toEqual([
    '/v1/runner/node',
    '/v1/runner/node/{node_id}/allocations',
    '/v1/runner/node/{node_id}/call/{call_id}',
    '/v1/runner/node/{node_id}/calls',
    '/v1/runner/node/{node_id}/heartbeat',
    '/v1/runner/node/{node_id}/leave',
  ])
  for (const [, methods] of found)
    for (const each of Object.values(methods)) {
      expect(each.operationId).toMatch(/^runner/)
      expect(each.summary).toBeTruthy()
      expect(JSON.stringify(each)).toContain('"200"')
    }
})
