import { describe, expect, it } from 'vitest'
import { given, type Harness } from '../harness.ts'

const room = (CpuShares: number) => ({ Cpu: { CpuShares }, Memory: { MemoryMB: 8192 } })
const node = (ID: string, over: object = {}) => ({ ID, Name: ID, NodeResources: room(1000), ...over })
const job = (over: object = {}, group: object = {}) => ({
  ID: 'web',
  TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 't', Resources: { CPU: 400 } }], ...group }],
  ...over,
})
const placing = { place: true, simulate: true }
const put = async ({ send, scheduler }: Harness, Job: object) => {
  const answer = await send('PUT', '/v1/jobs', { Job })
  expect(answer.status, answer.text).toBe(200)
  await scheduler.settled()
  return answer.json as { EvalID: string; Warnings: string }
}
interface Evaluation {
  readonly ID: string
  readonly Status: string
  readonly BlockedEval: string
  readonly FailedTGAllocs: Readonly<Record<string, object>> | null
  readonly RelatedEvals?: readonly { readonly ID: string; readonly Status: string }[]
}
const read = async <Value>({ get }: Harness, path: string) => (await get(path)).json as Value

describe('an evaluation that places too little', () => {
  it('says what was looked at, filtered and exhausted, as the plan does', async () => {
    const linux = { LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' }
    const harness = await given(
      {
        nodes: [
          node('n1', { Attributes: { 'kernel.name': 'linux' }, NodeClass: 'big' }),
          node('n2', { Attributes: { 'kernel.name': 'bsd' }, NodeClass: 'small' }),
          node('n3', { Attributes: { 'kernel.name': 'linux' }, Datacenter: 'dc2' }),
          node('n4', { Status: 'down' }),
          node('n5', { Datacenter: 'far' }),
        ],
      },
      placing,
    )
    const Job = job({ Constraints: [linux], Datacenters: ['dc*'] }, { Count: 9 })
    const plan = (await harness.send('PUT', '/v1/job/web/plan', { Job, Diff: true })).json as {
      FailedTGAllocs: object
    }
    const { EvalID } = await put(harness, Job)
    const expected = {
      app: {
        NodesEvaluated: 3,
        NodesFiltered: 1,
        NodesExhausted: 2,
        NodesInPool: 5,
        NodePool: 'default',
        NodesAvailable: { dc1: 2, dc2: 1 },
        ClassFiltered: { small: 1 },
        ConstraintFiltered: { '${attr.kernel.name} = linux': 1 },
        ClassExhausted: { big: 1 },
        DimensionExhausted: { cpu: 2 },
        CoalescedFailures: 4,
        ScoreMetaData: expect.arrayContaining([expect.objectContaining({ NodeID: 'n1' })]),
      },
    }
    expect(plan.FailedTGAllocs).toEqual(expected)
    const evaluation = await read<Evaluation>(harness, `/v1/evaluation/${EvalID}`)
    expect(evaluation).toMatchObject({
      Status: 'complete',
      QueuedAllocations: { app: 5 },
      FailedTGAllocs: expected,
    })
    const related = await read<Evaluation>(harness, `/v1/evaluation/${EvalID}?related=true`)
    expect(related.RelatedEvals).toMatchObject([
      { ID: evaluation.BlockedEval, Status: 'blocked', PreviousEval: EvalID },
    ])
    expect(evaluation).not.toHaveProperty('RelatedEvals')
    const back = await read<Evaluation>(harness, `/v1/evaluation/${evaluation.BlockedEval}?related=true`)
    expect(back.RelatedEvals?.map(({ ID }) => ID)).toEqual([EvalID])
  })

  it.each(['system', 'sysbatch'])('waits for room, of a %s job too', async (Type) => {
    const harness = await given({ nodes: [node('n1'), node('n2')] }, placing)
    await put(harness, { ...job({}, { Count: 4 }), ID: 'full' })
    await put(harness, job({ ID: 'agent', Type }, { Count: 1 }))
    const [blocked] = await read<Evaluation[]>(harness, '/v1/evaluations?status=blocked')
    expect(blocked).toMatchObject({
      JobID: 'agent',
      QueuedAllocations: { app: 2 },
      FailedTGAllocs: { app: { NodesExhausted: 2, DimensionExhausted: { cpu: 2 }, CoalescedFailures: 1 } },
    })
    await harness.send('DELETE', '/v1/job/full')
    await harness.scheduler.settled()
    expect(await read<unknown[]>(harness, '/v1/job/agent/allocations')).toHaveLength(2)
    expect(await read<unknown[]>(harness, '/v1/evaluations?status=blocked')).toEqual([])
  })

  it('waits where a system job matches no node, until one matches', async () => {
    const gpu = { LTarget: '${meta.gpu}', Operand: 'is_set' }
    const harness = await given({ nodes: [node('n1')] }, placing)
    await put(harness, job({ ID: 'agent', Type: 'system', Constraints: [gpu] }, { Count: 1 }))
    expect(await read<Evaluation[]>(harness, '/v1/evaluations?status=blocked')).toMatchObject([
      { FailedTGAllocs: { app: { NodesFiltered: 1, ConstraintFiltered: { '${meta.gpu} is_set': 1 } } } },
    ])
    await harness.scheduler.registerNode(node('n1', { Meta: { gpu: 'yes' } }))
    await harness.scheduler.settled()
    expect(await read<unknown[]>(harness, '/v1/job/agent/allocations')).toHaveLength(1)
    expect(await read<unknown[]>(harness, '/v1/evaluations?status=blocked')).toEqual([])
  })

  it.each([
    ['a node has more room', { n1: { NodeResources: room(4000) } }],
    ['a node meets the constraint', { n2: { Meta: { rack: 'r1' } } }],
    ['another node comes', { n9: { Meta: { rack: 'r1' } } }],
  ])('places the rest once %s', async (_what, changes) => {
    const rack = { LTarget: '${meta.rack}', Operand: '=', RTarget: 'r1' }
    const n1 = { Meta: { rack: 'r1' } }
    const harness = await given({ nodes: [node('n1', n1), node('n2')] }, placing)
    await put(harness, job({ Constraints: [rack] }, { Count: 3 }))
    const running = async () => (await read<unknown[]>(harness, '/v1/job/web/allocations')).length
    expect(await running()).toBe(2)
    for (const [ID, over] of Object.entries(changes))
      await harness.scheduler.registerNode(node(ID, ID === 'n1' ? { ...n1, ...over } : over))
    await harness.scheduler.settled()
    expect(await running()).toBe(3)
  })
})

describe('a deployment', () => {
  it('exists once its version was evaluated, though nothing can be placed', async () => {
    const harness = await given({}, placing)
    await put(harness, job())
    expect(await read(harness, '/v1/job/web/deployment')).toMatchObject({
      Status: 'running',
      JobVersion: 0,
      TaskGroups: { app: { DesiredTotal: 2, PlacedAllocs: 0, RequireProgressBy: null } },
    })
    expect(await read(harness, '/v1/job/web')).toMatchObject({ Status: 'pending' })
    await harness.scheduler.registerNode(node('n1'))
    await harness.scheduler.settled()
    expect(await read(harness, '/v1/job/web/deployment')).toMatchObject({
      Status: 'successful',
      JobVersion: 0,
    })
    expect(await read<unknown[]>(harness, '/v1/job/web/deployments')).toHaveLength(1)
  })

  it('of an earlier version does not pass for that of a new one', async () => {
    const harness = await given({ nodes: [node('n1')] }, placing)
    await put(harness, job())
    const before = await harness.get('/v1/job/web/deployment')
    expect(before.json).toMatchObject({ Status: 'successful' })
    await harness.send('PUT', '/v1/operator/scheduler/configuration', { PauseEvalBroker: true })
    await put(harness, job({ Meta: { build: '2' } }))
    expect(await read(harness, '/v1/job/web/deployment')).toBeNull()
    const woken = await harness.get(`/v1/job/web/deployment?index=${before.index}&wait=1s`)
    expect(woken.json).toBeNull()
    await harness.send('PUT', '/v1/operator/scheduler/configuration', {})
    await harness.scheduler.settled()
    expect(await read(harness, '/v1/job/web/deployment')).toMatchObject({
      JobVersion: 1,
      Status: 'successful',
    })
    await harness.send('DELETE', '/v1/job/web')
    expect(await read(harness, '/v1/job/web/deployment')).toMatchObject({ JobVersion: 1 })
  })
})

describe('preemption', () => {
  const important = job({ ID: 'agent', Type: 'system', Priority: 80 }, { Count: 1 })
  const full = { ...job({ Priority: 30 }, { Count: 2 }), ID: 'low' }
  const setting = (over: object) => ({ PreemptionConfig: over })

  it('is off, and the configuration says so', async () => {
    const harness = await given({ nodes: [node('n1')] }, placing)
    const { SchedulerConfig } = await read<{ SchedulerConfig: { PreemptionConfig: object } }>(
      harness,
      '/v1/operator/scheduler/configuration',
    )
    expect(SchedulerConfig.PreemptionConfig).toEqual({
      SystemSchedulerEnabled: false,
      SysBatchSchedulerEnabled: false,
      BatchSchedulerEnabled: false,
      ServiceSchedulerEnabled: false,
    })
    await put(harness, full)
    await put(harness, important)
    expect(await read<unknown[]>(harness, '/v1/job/agent/allocations')).toEqual([])
  })

  it.each([
    ['system', 'SystemSchedulerEnabled'],
    ['service', 'ServiceSchedulerEnabled'],
  ])('lets a %s job take the room of a less important one, where it is set', async (Type, name) => {
    const harness = await given({ nodes: [node('n1'), node('n2', { NodePool: 'other' })] }, placing)
    await harness.send('PUT', '/v1/operator/scheduler/configuration', setting({ [name]: true }))
    await put(harness, full)
    const plan = (await harness.send('PUT', '/v1/job/agent/plan', { Job: { ...important, Type } })).json
    expect(plan).toMatchObject({
      FailedTGAllocs: null,
      Annotations: {
        DesiredTGUpdates: { app: { Place: 1, Preemptions: 1 } },
        PreemptedAllocs: [{ JobID: 'low', NodeID: 'n1' }],
      },
    })
    await put(harness, { ...important, Type })
    const [placed] = await read<{ ID: string; NodeID: string }[]>(harness, '/v1/job/agent/allocations')
    expect(placed).toMatchObject({ NodeID: 'n1' })
    const low = await read<{ DesiredStatus: string }[]>(harness, '/v1/job/low/allocations')
    expect(low.filter(({ DesiredStatus }) => DesiredStatus === 'evict')).toMatchObject([
      { PreemptedByAllocation: placed?.ID, DesiredDescription: `Preempted by alloc ID ${placed?.ID}` },
    ])
    expect(await read<unknown[]>(harness, '/v1/job/low/evaluations')).toContainEqual(
      expect.objectContaining({ TriggeredBy: 'preemption' }),
    )
    expect(await read<unknown[]>(harness, '/v1/evaluations?status=blocked')).toMatchObject([{ JobID: 'low' }])
    expect(await read(harness, '/v1/job/low/summary')).toMatchObject({
      Summary: { app: { Running: 1, Queued: 1 } },
    })
  })

  it('spares what is nearly as important', async () => {
    const harness = await given({ nodes: [node('n1')] }, placing)
    await harness.send(
      'PUT',
      '/v1/operator/scheduler/configuration',
      setting({ SystemSchedulerEnabled: true }),
    )
    await put(harness, { ...full, Priority: 71 })
    await put(harness, important)
    expect(await read<unknown[]>(harness, '/v1/job/agent/allocations')).toEqual([])
    expect(await read<unknown[]>(harness, '/v1/job/low/allocations')).toHaveLength(2)
  })
})

describe('what a job asks for', () => {
  it.each(['/v1/jobs', '/v1/job/web/plan'])('is refused at %s with an unknown operand', async (path) => {
    const { send } = await given({}, placing)
    const Job = job({}, { Constraints: [{ LTarget: '${attr.a}', Operand: 'nearly', RTarget: 'x' }] })
    const answer = await send('PUT', path, { Job })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(
      'Task group app: constraint 1 has the unknown operand "nearly"; use one of =, ==',
    )
    expect((await send('PUT', '/v1/validate/job', { Job })).json).toMatchObject({
      ValidationErrors: [expect.stringContaining('unknown operand "nearly"')],
    })
  })

  it.each([
    [1e15, undefined],
    [50_001, undefined],
    [11, 10],
  ])('is refused with a count of %s where %s are allowed', async (Count, maxCount) => {
    const { send, get } = await given({}, { ...placing, maxCount })
    for (const path of ['/v1/jobs', '/v1/job/web/plan']) {
      const answer = await send('PUT', path, { Job: job({}, { Count }) })
      expect(answer.status).toBe(400)
      expect(answer.text).toContain(`asks for ${Count} allocations`)
    }
    await send('PUT', '/v1/jobs', { Job: job() })
    const scaled = await send('PUT', '/v1/job/web/scale', { Count, Target: { Group: 'app' } })
    expect(scaled.status).toBe(400)
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 0 })
  })

  it('is counted over all task groups', async () => {
    const { send } = await given({}, { maxCount: 4 })
    const groups = ['a', 'b'].map((Name) => ({ Name, Count: 3, Tasks: [{ Name: 't' }] }))
    expect((await send('PUT', '/v1/jobs', { Job: { ID: 'web', TaskGroups: groups } })).status).toBe(400)
  })

  it('is warned of where it has no effect', async () => {
    const { send } = await given({}, placing)
    const Tasks = [
      { Name: 't', Resources: { MemoryMaxMB: 900, Devices: [{ Name: 'gpu', Affinities: [{}] }] } },
    ]
    const group = {
      EphemeralDisk: { Sticky: true },
      Volumes: { db: { Type: 'csi', Source: 'x' } },
      Networks: [{ Mode: 'bridge', MBits: 10, DynamicPorts: [{ Label: 'http', HostNetwork: 'public' }] }],
      Tasks,
    }
    const { Warnings } = (await send('PUT', '/v1/jobs', { Job: job({ AllAtOnce: true }, group) })).json as {
      Warnings: string
    }
    for (const what of ['AllAtOnce', 'sticky', 'csi', 'bridge', 'mbits', 'public', 'memory_max'])
      expect(Warnings).toContain(what)
    expect(Warnings).toMatch(/^7 warnings:/)
  })
})

describe('evaluations', () => {
  it.each([
    ['that are over', { ...placing, maxEvaluations: 10 }, 10],
    ['that nothing works off', { maxEvaluations: 10 }, 10],
    ['by default', placing, 100],
  ])('%s are bounded by job', async (_what, options, most) => {
    const harness = await given({ nodes: [node('n1')] }, options)
    for (let at = 0; at < most + 15; at += 1) await put(harness, job())
    const rows = await read<Evaluation[]>(harness, '/v1/job/web/evaluations')
    expect(rows).toHaveLength(most)
    expect(rows.at(-1)?.Status).toBe('place' in options ? 'complete' : 'pending')
    const checked = await harness.send('PUT', '/v1/system/reconcile/summaries')
    expect(checked.json).toMatchObject({ Differing: [] })
  })
})

describe('lists', () => {
  it('give the same through an index as without one', async () => {
    const harness = await given({ nodes: [node('n1'), node('n2'), node('n3')] }, placing)
    for (const ID of ['web', 'api', 'db']) await put(harness, { ...job(), ID })
    const all = await read<{ ID: string; NodeID: string; JobID: string }[]>(harness, '/v1/allocations')
    for (const field of ['NodeID', 'JobID'] as const)
      for (const value of ['n1', 'n2', 'web', 'db', 'none']) {
        const filter = encodeURIComponent(`${field} == "${value}"`)
        const ids = all.filter((each) => each[field] === value).map(({ ID }) => ID)
        for (const namespace of ['default', '*'])
          for (const reverse of [false, true]) {
            const paged: string[] = []
            let token = ''
            do {
              const page = await harness.get(
                `/v1/allocations?namespace=${namespace}&filter=${filter}&per_page=1&reverse=${reverse}&next_token=${token}`,
              )
              paged.push(...(page.json as { ID: string }[]).map(({ ID }) => ID))
              token = page.nextToken ?? ''
            } while (token !== '')
            expect(paged).toEqual(reverse ? ids.toReversed() : ids)
          }
      }
    const evaluations = await read<{ ID: string; JobID: string }[]>(harness, '/v1/evaluations')
    const ofWeb = evaluations.filter(({ JobID }) => JobID === 'web')
    expect(await read(harness, '/v1/evaluations?job=web')).toEqual(ofWeb)
  })
})
