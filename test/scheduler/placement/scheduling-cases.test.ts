import { describe, expect, it } from 'vitest'
import { trackerAfter } from '../../../src/scheduler/allocations/reschedule.ts'
import { AllocationRecord, drainPace, MigrateStrategy } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'

const node = (ID: string, over: object = {}) => ({
  ID,
  Name: ID,
  Attributes: { 'kernel.name': 'linux' },
  NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 }, Disk: { DiskMB: 100 * 1024 } },
  ReservedResources: { Cpu: { CpuShares: 100 }, Memory: { MemoryMB: 256 }, Disk: { DiskMB: 4 * 1024 } },
  ...over,
})
const nodes = (count: number, over: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => node(`n${at}`, over(at)))
const task = (Resources: object = {}, more: object = {}) => ({
  Name: 't',
  Config: { command: '/bin/date' },
  Resources: { CPU: 500, MemoryMB: 256, ...Resources },
  ...more,
})
const job = (over: object = {}, group: object = {}) => ({
  ID: 'web',
  Datacenters: ['dc1', 'dc2'],
  TaskGroups: [
    {
      Name: 'app',
      Count: 10,
      EphemeralDisk: { SizeMB: 150 },
      RestartPolicy: { Attempts: 0, Mode: 'fail' },
      Tasks: [task()],
      ...group,
    },
  ],
  ...over,
})
const system = (over: object = {}, group: object = {}) =>
  job({ Type: 'system', Priority: 100, ...over }, { Count: 1, ...group })
const sysbatch = (over: object = {}, group: object = {}) =>
  system({ Type: 'sysbatch', Priority: 50, ...over }, group)
const unpaced = { MaxParallel: 0 }
const changed = { Tasks: [task({}, { Config: { command: '/bin/other' } })] }

interface Row {
  readonly ID: string
  readonly JobID: string
  readonly TaskGroup: string
  readonly NodeID: string
  readonly JobVersion: number
  readonly DesiredStatus: string
  readonly ClientStatus: string
}
interface Evaluation {
  readonly ID: string
  readonly JobID: string
  readonly Status: string
  readonly QueuedAllocations: Readonly<Record<string, number>> | null
  readonly FailedTGAllocs: Readonly<Record<string, { readonly CoalescedFailures: number }>> | null
}

/** A cluster whose steps are those of the cases. */
async function cluster(known: readonly object[]) {
  const { scheduler, send, get } = await given({ nodes: known }, { place: true })
  const all = async () => (await get('/v1/allocations')).json as readonly Row[]
  const act = async (method: string, path: string, body?: object) => {
    const answer = await send(method, path, body)
    expect(answer.status, answer.text).toBe(200)
    await scheduler.settled()
  }
  const live = async () =>
    (await all()).filter(
      ({ DesiredStatus, ClientStatus }) => DesiredStatus === 'run' && /pending|running/.test(ClientStatus),
    )
  return {
    put: (given: object) => act('PUT', '/v1/jobs', { Job: given }),
    add: async (one: object) => {
      await scheduler.registerNode(one as Parameters<typeof scheduler.registerNode>[0])
      await scheduler.settled()
    },
    drain: (id: string, Deadline = -1) => act('PUT', `/v1/node/${id}/drain`, { DrainSpec: { Deadline } }),
    ban: (id: string) => act('PUT', `/v1/node/${id}/eligibility`, { Eligibility: 'ineligible' }),
    lose: async (id: string) => {
      await scheduler.moveNode(id, 'lose')
      await scheduler.settled()
    },
    evaluate: (id: string) => act('PUT', `/v1/node/${id}/evaluate`, {}),
    look: () => act('PUT', '/v1/job/web/evaluate', {}),
    remove: (purge = false) => act('DELETE', `/v1/job/web${purge ? '?purge=true' : ''}`),
    preempts: (over: object) =>
      act('PUT', '/v1/operator/scheduler/configuration', { PreemptionConfig: over }),
    /** Allocations that are pending run, or end as they are told to. */
    report: async (ClientStatus: string, count = 100) => {
      for (const { ID } of (await live()).slice(0, count))
        await scheduler.updateAllocations([{ ID, ClientStatus: ClientStatus as 'running' }])
      await scheduler.settled()
    },
    /** How many are wanted and have not ended, in all and by node. */
    live: async () => (await live()).length,
    on: async (id: string) => (await live()).filter(({ NodeID }) => NodeID === id).length,
    of: async (id: string) => (await live()).filter(({ JobID }) => JobID === id).length,
    version: async (version: number) =>
      (await live()).filter(({ JobVersion }) => JobVersion === version).length,
    inGroup: async (name: string) => (await live()).filter(({ TaskGroup }) => TaskGroup === name).length,
    all: async () => (await all()).length,
    evicted: async () =>
      (await all())
        .filter(({ DesiredStatus }) => DesiredStatus === 'evict')
        .map(({ JobID }) => JobID)
        .sort(),
    /** What waits for room: by blocked evaluations, the queued allocations of the group. */
    blocked: async () => ((await get('/v1/evaluations?status=blocked')).json as readonly Evaluation[]).length,
    queued: async () => {
      const { Summary } = (await get('/v1/job/web/summary')).json as {
        Summary: Record<string, { Queued: number }>
      }
      return Object.values(Summary).reduce((sum, { Queued }) => sum + Queued, 0)
    },
  }
}
type Cluster = Awaited<ReturnType<typeof cluster>>
type Observed = Readonly<Partial<Record<'live' | 'blocked' | 'queued' | 'all', number>>> & {
  readonly evicted?: readonly string[]
  readonly on?: Readonly<Record<string, number>>
  readonly version?: Readonly<Record<number, number>>
  readonly groups?: Readonly<Record<string, number>>
  readonly jobs?: Readonly<Record<string, number>>
}
type Case = readonly [string, readonly object[], (world: Cluster) => Promise<unknown>, Observed]

const each = async <Key extends string | number>(
  wanted: Readonly<Record<Key, number>> | undefined,
  ask: (key: string) => Promise<number>,
) =>
  wanted &&
  Object.fromEntries(
    await Promise.all(Object.keys(wanted).map(async (key) => [key, await ask(key)] as const)),
  )
async function holds([, known, steps, wanted]: Case) {
  const world = await cluster(known)
  await steps(world)
  const found = {
    live: wanted.live === undefined ? undefined : await world.live(),
    blocked: wanted.blocked === undefined ? undefined : await world.blocked(),
    queued: wanted.queued === undefined ? undefined : await world.queued(),
    all: wanted.all === undefined ? undefined : await world.all(),
    evicted: wanted.evicted === undefined ? undefined : await world.evicted(),
    on: await each(wanted.on, world.on),
    version: await each(wanted.version, (key) => world.version(Number(key))),
    groups: await each(wanted.groups, world.inGroup),
    jobs: await each(wanted.jobs, world.of),
  }
  expect(found).toEqual({
    ...Object.fromEntries(Object.keys(found).map((key) => [key, undefined])),
    ...wanted,
  })
}

const distinct = (Operand: string, more: object = {}) => ({ Constraints: [{ Operand, ...more }] })
const racks = (at: number) => ({ Meta: { rack: `r${at % 2}` } })
const classes = (at: number) => ({ NodeClass: `class-${at}` })
const ofClass = (Name: string, RTarget: string, over: object = {}) => ({
  Name,
  Count: 1,
  Constraints: [{ LTarget: '${node.class}', Operand: '=', RTarget }],
  Tasks: [task()],
  ...over,
})
const lifecycle = (cpu: number, main: number, init: number, side: number) => ({
  Count: 1,
  Tasks: [
    ...Array.from({ length: init }, (_, at) =>
      task({ CPU: cpu }, { Name: `init-${at}`, Lifecycle: { Hook: 'prestart', Sidecar: false } }),
    ),
    ...Array.from({ length: side }, (_, at) =>
      task({ CPU: cpu }, { Name: `side-${at}`, Lifecycle: { Hook: 'prestart', Sidecar: true } }),
    ),
    ...Array.from({ length: main }, (_, at) => task({ CPU: cpu }, { Name: `main-${at}` })),
  ],
})
const small = node('n0', {
  NodeResources: { Cpu: { CpuShares: 1200 }, Memory: { MemoryMB: 8192 }, Disk: { DiskMB: 100 * 1024 } },
  ReservedResources: { Cpu: { CpuShares: 100 } },
})

describe('services and batches, in the cases of the scheduler whose API this is', () => {
  it.each<Case>([
    ['ten on ten nodes', nodes(10), ({ put }) => put(job()), { live: 10, blocked: 0, queued: 0 }],
    [
      'disk for one of two',
      nodes(1),
      ({ put }) => put(job({}, { Count: 2, EphemeralDisk: { SizeMB: 88 * 1024 } })),
      { live: 1, blocked: 1, queued: 1 },
    ],
    [
      'eleven on distinct hosts, of which there are ten',
      nodes(10),
      ({ put }) => put(job(distinct('distinct_hosts'), { Count: 11 })),
      { live: 10, blocked: 1, queued: 1 },
    ],
    [
      'eight in two racks, each at most twice',
      nodes(10, racks),
      ({ put }) =>
        put(job(distinct('distinct_property', { LTarget: '${meta.rack}', RTarget: '2' }), { Count: 8 })),
      { live: 4, blocked: 1, queued: 4 },
    ],
    [
      'two in two racks, each once, by group',
      nodes(2, racks),
      ({ put }) => put(job({}, { ...distinct('distinct_property', { LTarget: '${meta.rack}' }), Count: 2 })),
      { live: 2, blocked: 0, queued: 0 },
    ],
    [
      'one more in a rack of its own, once the count grows',
      nodes(6, (at) => ({ Meta: { rack: `r${at}` } })),
      async ({ put }) => {
        const of = (Count: number) =>
          job({}, { ...distinct('distinct_property', { LTarget: '${meta.rack}' }), Count })
        await put(of(5))
        await put(of(6))
      },
      { live: 6, on: { n0: 1, n1: 1, n2: 1, n3: 1, n4: 1, n5: 1 } },
    ],
    ['none wanted', nodes(10), ({ put }) => put(job({}, { Count: 0 })), { live: 0, blocked: 0, all: 0 }],
    ['no node', [], ({ put }) => put(job()), { live: 0, blocked: 1, queued: 10 }],
    [
      'no node that is eligible',
      nodes(2),
      async ({ ban, put }) => {
        await ban('n0')
        await ban('n1')
        await put(job())
      },
      { live: 0, blocked: 1, queued: 10 },
    ],
    [
      'a group that fits, and one that does not',
      [node('n0', { NodeClass: 'class-0' })],
      ({ put }) =>
        put(
          job({
            TaskGroups: [ofClass('app', 'class-0', { Count: 2 }), ofClass('other', 'class-9', { Count: 2 })],
          }),
        ),
      { live: 2, groups: { app: 2, other: 0 }, blocked: 1, queued: 2 },
    ],
    [
      'room that comes later',
      [],
      async ({ put, add }) => {
        await put(job({}, { Count: 2 }))
        await add(node('n0'))
      },
      { live: 2, blocked: 0, queued: 0 },
    ],
    [
      'all changed',
      nodes(10),
      async ({ put }) => {
        await put(job())
        await put(job({}, { ...changed, Update: unpaced }))
      },
      { live: 10, version: { 0: 0, 1: 10 } },
    ],
    [
      'a datacenter less',
      [node('n0'), node('n1'), node('n2', { Datacenter: 'dc2' })],
      async ({ put }) => {
        await put(job({}, { Count: 3 }))
        await put(job({ Datacenters: ['dc1'] }, { Count: 3, Update: unpaced }))
      },
      { on: { n2: 0 }, live: 3 },
    ],
    [
      'none wanted any more',
      nodes(10),
      async ({ put }) => {
        await put(job())
        await put(job({}, { Count: 0 }))
      },
      { live: 0, blocked: 0 },
    ],
    [
      'four at a time',
      nodes(10),
      async ({ put, report }) => {
        await put(job())
        await report('running')
        await put(job({}, { ...changed, Update: { MaxParallel: 4, HealthCheck: 'manual' } }))
      },
      { live: 10, version: { 0: 6, 1: 4 } },
    ],
    [
      'two canaries first',
      nodes(10),
      async ({ put, report }) => {
        await put(job())
        await report('running')
        await put(job({}, { ...changed, Update: { MaxParallel: 2, Canary: 2, HealthCheck: 'manual' } }))
      },
      { live: 12, version: { 0: 10, 1: 2 } },
    ],
    [
      'a change in place',
      nodes(10),
      async ({ put }) => {
        await put(job())
        await put(job({ Priority: 60 }))
      },
      { live: 10, all: 10, version: { 1: 10 } },
    ],
    [
      'a removed job',
      nodes(10),
      async ({ put, remove }) => {
        await put(job())
        await remove()
      },
      { live: 0 },
    ],
    [
      'a purged job',
      nodes(10),
      async ({ put, remove }) => {
        await put(job())
        await remove(true)
      },
      { live: 0 },
    ],
    [
      'a node that is lost',
      nodes(2),
      async ({ put, report, ban, lose }) => {
        await ban('n1')
        await put(job({}, { Count: 1 }))
        await report('running')
        await lose('n0')
      },
      { live: 0, blocked: 1, queued: 1 },
    ],
    [
      'a node of which nothing changed',
      nodes(1),
      async ({ put, evaluate }) => {
        await put(job({}, { Count: 2 }))
        await evaluate('n0')
      },
      { live: 2, all: 2 },
    ],
    [
      'a node that drains',
      nodes(2),
      async ({ put, report, ban, drain, add }) => {
        await ban('n1')
        await put(job({}, { Count: 3 }))
        await report('running')
        await add(node('n2'))
        await drain('n0')
      },
      { live: 3, on: { n0: 0, n2: 3 } },
    ],
    [
      'a node that drains, with no other',
      nodes(1),
      async ({ put, report, drain }) => {
        await put(job({}, { Count: 2 }))
        await report('running')
        await drain('n0')
      },
      { live: 0, queued: 2, blocked: 1 },
    ],
    [
      'a batch that is complete',
      nodes(2),
      async ({ put, report, evaluate }) => {
        await put(job({ Type: 'batch' }, { Count: 1 }))
        await report('complete')
        await evaluate('n0')
      },
      { live: 0, all: 1 },
    ],
    [
      'a batch that failed, with attempts left',
      nodes(1),
      async ({ put, report }) => {
        await put(
          job(
            { Type: 'batch' },
            {
              Count: 1,
              ReschedulePolicy: { Attempts: 1, Interval: 3600e9, Delay: 0, DelayFunction: 'constant' },
            },
          ),
        )
        await report('failed')
      },
      { live: 1, all: 2 },
    ],
    [
      'a batch that was lost',
      nodes(2),
      async ({ put, report, lose, add, ban }) => {
        await ban('n1')
        await put(job({ Type: 'batch' }, { Count: 1 }))
        await report('running')
        await add(node('n2'))
        await lose('n0')
      },
      { live: 1, on: { n2: 1 } },
    ],
    [
      'a complete batch on a node that drains',
      nodes(2),
      async ({ put, report, ban, drain }) => {
        await ban('n1')
        await put(job({ Type: 'batch' }, { Count: 1 }))
        await report('complete')
        await drain('n0')
      },
      { live: 0, all: 1 },
    ],
    [
      'a complete batch that is changed runs again',
      nodes(1),
      async ({ put, report }) => {
        await put(job({ Type: 'batch' }, { Count: 1 }))
        await report('complete')
        await put(job({ Type: 'batch' }, { Count: 1, ...changed }))
      },
      { live: 1, version: { 1: 1 } },
    ],
    [
      'a complete batch that is changed in place does not',
      nodes(1),
      async ({ put, report }) => {
        await put(job({ Type: 'batch' }, { Count: 1 }))
        await report('complete')
        await put(job({ Type: 'batch', Priority: 60 }, { Count: 1 }))
      },
      { live: 0, all: 1 },
    ],
    ['an init task and a sidecar', [small], ({ put }) => put(job({}, lifecycle(500, 1, 1, 1))), { live: 1 }],
    ['both too large', [small], ({ put }) => put(job({}, lifecycle(700, 1, 1, 1))), { live: 0 }],
    ['many of them', [small], ({ put }) => put(job({}, lifecycle(100, 3, 5, 5))), { live: 1 }],
    ['too many of them', [small], ({ put }) => put(job({}, lifecycle(100, 10, 10, 10))), { live: 0 }],
    [
      'too many that are too large',
      [small],
      ({ put }) => put(job({}, lifecycle(1000, 10, 10, 10))),
      { live: 0 },
    ],
    [
      'a service that preempts two others',
      [
        node('n0', {
          NodeResources: {
            Cpu: { CpuShares: 1000 },
            Memory: { MemoryMB: 2048 },
            Disk: { DiskMB: 100 * 1024 },
          },
          ReservedResources: { Cpu: { CpuShares: 50 }, Memory: { MemoryMB: 256 }, Disk: { DiskMB: 4096 } },
        }),
      ],
      async ({ put, preempts }) => {
        await preempts({ ServiceSchedulerEnabled: true })
        const of = (ID: string, Priority: number, CPU: number, MemoryMB: number) =>
          job({ ID, Priority }, { Count: 1, Tasks: [task({ CPU, MemoryMB })] })
        await put(of('one', 30, 500, 1024))
        await put(of('two', 50, 350, 512))
        await put(of('web', 100, 900, 1700))
      },
      { jobs: { one: 0, two: 0, web: 1 }, evicted: ['one', 'two'] },
    ],
    ...Array.from(
      { length: 11 },
      (_, tenth): Case =>
        [
          `a spread of ${tenth * 10} % to one of two datacenters`,
          nodes(10, (at) => ({ Datacenter: at % 2 === 0 ? 'dc1' : 'dc2' })),
          ({ put }) =>
            put(
              job(
                {
                  Spreads: [
                    {
                      Attribute: '${node.datacenter}',
                      Weight: 100,
                      SpreadTarget: [
                        { Value: 'dc1', Percent: tenth * 10 },
                        { Value: 'dc2', Percent: 100 - tenth * 10 },
                      ],
                    },
                  ],
                },
                { Tasks: [task({ CPU: 100 })] },
              ),
            ),
          {
            live: 10,
            on: Object.fromEntries(
              Array.from({ length: 10 }, (_, at) => [`n${at}`, (at % 2 === 0 ? tenth : 10 - tenth) / 5]),
            ),
          },
        ] as const,
    ).filter((_, tenth) => tenth % 5 === 0),
  ])('%s', async (...given) => holds(given))
})

describe('how long a failed allocation waits for its replacement, in the cases of that scheduler', () => {
  const now = Date.UTC(2026, 0, 1)
  const second = 1e9
  const hour = 3600 * second
  it.each([
    ['the first', [], { Interval: 24 * hour, Attempts: 2, DelayFunction: 'constant' }, 5],
    ['the second, constant', [60], { Interval: 24 * hour, Attempts: 2, DelayFunction: 'constant' }, 5],
    ['the second, fibonacci', [60], { Interval: 24 * hour, Attempts: 2, DelayFunction: 'fibonacci' }, 5],
    ['the ninth, fibonacci', Array(8).fill(60), { Unlimited: true, DelayFunction: 'fibonacci' }, 170],
    [
      'the fifth, exponential, the first two before the interval',
      [120, 70, 30, 10],
      { Interval: hour, Attempts: 5, DelayFunction: 'exponential' },
      80,
    ],
  ] as const)('%s', (_what, minutesAgo, policy, seconds) => {
    const failed = AllocationRecord.parse({
      ID: 'a',
      ClientStatus: 'failed',
      ModifyTime: now * 1e6,
      RescheduleTracker: {
        Events: minutesAgo.map((minutes: number) => ({
          RescheduleTime: (now - minutes * 60_000) * 1e6,
          PrevAllocID: 'b',
          PrevNodeID: 'n1',
          Delay: 5 * second,
        })),
      },
    })
    const complete = {
      Delay: 5 * second,
      MaxDelay: 240 * second,
      Interval: 0,
      Attempts: 0,
      Unlimited: false,
      ...policy,
    }
    expect(trackerAfter(failed, complete, now).Events.at(-1)).toMatchObject({
      PrevAllocID: 'a',
      Delay: seconds * second,
    })
  })
})

describe('the algorithm that chooses nodes, in the cases of that scheduler', () => {
  const pool = (algorithm: string | null) => ({
    Name: 'mine',
    SchedulerConfiguration: algorithm === null ? null : { SchedulerAlgorithm: algorithm },
  })
  const rules = [
    ['of the cluster', null, 'binpack', 1],
    ['of the cluster', null, 'spread', 2],
    ['of the pool, not of the cluster', 'binpack', 'spread', 1],
    ['of the pool, not of the cluster', 'spread', 'binpack', 2],
  ] as const
  it.each(['service', 'batch'].flatMap((Type) => rules.map((rule) => [Type, ...rule] as const)))(
    '%s: %s (pool %s, cluster %s)',
    async (Type, _what, ofPool, SchedulerAlgorithm, used) => {
      const { scheduler, send, get } = await given(
        { pools: [pool(ofPool)], nodes: nodes(2, () => ({ NodePool: 'mine' })) },
        { place: true },
      )
      await send('PUT', '/v1/operator/scheduler/configuration', { SchedulerAlgorithm })
      for (const ID of ['one', 'two']) {
        const answer = await send('PUT', '/v1/jobs', {
          Job: job({ ID, Type, NodePool: 'mine' }, { Count: 1 }),
        })
        expect(answer.status, answer.text).toBe(200)
        await scheduler.settled()
      }
      const placed = (await get('/v1/allocations')).json as readonly Row[]
      expect(placed).toHaveLength(2)
      expect(new Set(placed.map(({ NodeID }) => NodeID)).size).toBe(used)
    },
  )
})

describe('system jobs, in the cases of that scheduler', () => {
  it.each<Case>([
    [
      'one on each of ten nodes',
      nodes(10),
      ({ put }) => put(system()),
      { live: 10, on: { n0: 1, n9: 1 }, queued: 0 },
    ],
    [
      'disk for one of two jobs',
      nodes(1),
      async ({ put }) => {
        await put(system({}, { EphemeralDisk: { SizeMB: 60 * 1024 } }))
        await put(system({ ID: 'two' }, { EphemeralDisk: { SizeMB: 60 * 1024 } }))
      },
      { jobs: { web: 1, two: 0 } },
    ],
    [
      'a service in the way',
      nodes(1),
      async ({ put, preempts }) => {
        await preempts({ SystemSchedulerEnabled: true })
        await put(job({ ID: 'service' }, { Count: 1, Tasks: [task({ CPU: 3600 })] }))
        await put(system())
      },
      { jobs: { service: 0, web: 1 }, evicted: ['service'], queued: 0 },
    ],
    [
      'a node more',
      nodes(10),
      async ({ put, add }) => {
        await put(system())
        await add(node('n10'))
      },
      { live: 11, all: 11, on: { n10: 1 } },
    ],
    ['no node', [], ({ put }) => put(system()), { live: 0, all: 0, queued: 0 }],
    [
      'all changed',
      nodes(10),
      async ({ put }) => {
        await put(system())
        await put(system({}, changed))
      },
      { live: 10, version: { 0: 0, 1: 10 } },
    ],
    [
      'a change in place',
      nodes(10),
      async ({ put }) => {
        await put(system())
        await put(system({ Priority: 90 }))
      },
      { live: 10, all: 10, version: { 1: 10 } },
    ],
    [
      'a datacenter less',
      [node('n0'), node('n1', { Datacenter: 'dc2' })],
      async ({ put }) => {
        await put(system())
        await put(system({ Datacenters: ['dc1'] }))
      },
      { on: { n0: 1, n1: 0 } },
    ],
    [
      'a removed job',
      nodes(10),
      async ({ put, remove }) => {
        await put(system())
        await remove()
      },
      { live: 0 },
    ],
    [
      'a purged job',
      nodes(10),
      async ({ put, remove }) => {
        await put(system())
        await remove(true)
      },
      { live: 0 },
    ],
    [
      'a node that is lost',
      nodes(1),
      async ({ put, report, lose }) => {
        await put(system())
        await report('running')
        await lose('n0')
      },
      { live: 0, queued: 0 },
    ],
    [
      'a node that drains',
      nodes(1),
      async ({ put, report, drain }) => {
        await put(system())
        await report('running')
        await drain('n0')
      },
      { live: 0, queued: 0 },
    ],
    [
      'a node of which nothing changed',
      nodes(1),
      async ({ put, evaluate }) => {
        await put(system())
        await evaluate('n0')
      },
      { live: 1, all: 1 },
    ],
    [
      'a node that constraints exclude',
      [node('n0', { Attributes: { 'kernel.name': 'darwin' } })],
      ({ put }) =>
        put(system({ Constraints: [{ LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' }] })),
      { live: 0, queued: 0 },
    ],
    [
      'two groups, each for a class of nodes',
      nodes(2, classes),
      ({ put }) => put(system({ TaskGroups: [ofClass('app', 'class-0'), ofClass('other', 'class-1')] })),
      { on: { n0: 1, n1: 1 }, groups: { app: 1, other: 1 }, queued: 0 },
    ],
    [
      'two groups, one of whose nodes is not eligible any more, and a node more for the other',
      nodes(2, classes),
      async ({ put, ban, add }) => {
        await put(system({ TaskGroups: [ofClass('app', 'class-0'), ofClass('other', 'class-1')] }))
        await ban('n0')
        await add(node('n2', { NodeClass: 'class-1' }))
      },
      { all: 3, on: { n0: 1, n1: 1, n2: 1 } },
    ],
    [
      'a group for a class that no node has',
      nodes(2, classes),
      ({ put }) => put(system({ TaskGroups: [ofClass('app', 'class-9')] })),
      { live: 0, queued: 0 },
    ],
    [
      'the only node, no longer eligible, keeps what it runs',
      nodes(1),
      async ({ put, ban }) => {
        await put(system())
        await ban('n0')
      },
      { live: 1, all: 1 },
    ],
    [
      'the same job again',
      nodes(3),
      async ({ put, evaluate }) => {
        await put(system())
        await put(system())
        for (const id of ['n0', 'n1', 'n2']) await evaluate(id)
      },
      { live: 3, all: 3 },
    ],
    [
      'a node that drains, and one that does not',
      nodes(2),
      async ({ put, drain }) => {
        await drain('n0')
        await put(system())
      },
      { on: { n0: 0, n1: 1 } },
    ],
    [
      'one of a batch in the way, none of a service',
      [
        node('n0', {
          NodeResources: {
            Cpu: { CpuShares: 3072 },
            Memory: { MemoryMB: 5034 },
            Disk: { DiskMB: 20 * 1024 },
          },
          ReservedResources: null,
        }),
      ],
      async ({ put, preempts }) => {
        const of = (ID: string, Type: string, Priority: number, CPU: number, MemoryMB: number) =>
          job({ ID, Type, Priority }, { Count: 1, Tasks: [task({ CPU, MemoryMB })] })
        await put(of('batch', 'batch', 20, 512, 1024))
        await put(of('large', 'batch', 40, 1024, 2048))
        await put(of('service', 'service', 100, 1024, 1536))
        await preempts({ SystemSchedulerEnabled: true })
        await put(system({}, { Tasks: [task({ CPU: 1024, MemoryMB: 1024 })] }))
      },
      { jobs: { service: 1, large: 1, batch: 0, web: 1 }, evicted: ['batch'] },
    ],
  ])('%s', async (...given) => holds(given))
})

describe('sysbatch jobs, in the cases of that scheduler', () => {
  it.each<Case>([
    ['one on each of ten nodes', nodes(10), ({ put }) => put(sysbatch()), { live: 10, queued: 0 }],
    [
      'a node more, while the others run',
      nodes(10),
      async ({ put, report, add }) => {
        await put(sysbatch())
        await report('running')
        await add(node('n10'))
      },
      { live: 11, all: 11 },
    ],
    [
      'a node more, once the others are complete',
      nodes(10),
      async ({ put, report, add, look }) => {
        await put(sysbatch())
        await report('complete')
        await add(node('n10'))
        await look()
      },
      { live: 1, all: 11, on: { n10: 1 } },
    ],
    [
      'all changed while they run',
      nodes(10),
      async ({ put, report }) => {
        await put(sysbatch())
        await report('running')
        await put(sysbatch({}, changed))
      },
      { live: 10, version: { 1: 10 } },
    ],
    [
      'a removed job',
      nodes(10),
      async ({ put, remove }) => {
        await put(sysbatch())
        await remove()
      },
      { live: 0 },
    ],
    [
      'a purged job',
      nodes(10),
      async ({ put, remove }) => {
        await put(sysbatch())
        await remove(true)
      },
      { live: 0 },
    ],
    [
      'a node that is lost',
      nodes(1),
      async ({ put, report, lose }) => {
        await put(sysbatch())
        await report('running')
        await lose('n0')
      },
      { live: 0, queued: 0 },
    ],
    [
      'a node that drains by force',
      nodes(1),
      async ({ put, report, drain }) => {
        await put(sysbatch())
        await report('running')
        await drain('n0')
      },
      { live: 0, queued: 0 },
    ],
    [
      'a node of which nothing changed',
      nodes(1),
      async ({ put, report, evaluate }) => {
        await put(sysbatch())
        await report('complete')
        await evaluate('n0')
      },
      { live: 0, all: 1 },
    ],
    [
      'a node that constraints exclude, and one that they do not',
      [node('n0', { Attributes: { 'kernel.name': 'darwin' } }), node('n1')],
      ({ put }) =>
        put(sysbatch({ Constraints: [{ LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' }] })),
      { live: 1, on: { n1: 1 }, queued: 0 },
    ],
    [
      'a group for a class that no node has',
      nodes(2, classes),
      ({ put }) => put(sysbatch({ TaskGroups: [ofClass('app', 'class-9')] })),
      { live: 0, queued: 0 },
    ],
    [
      'the same job again, while it runs',
      nodes(3),
      async ({ put, report }) => {
        await put(sysbatch())
        await report('running')
        await put(sysbatch())
      },
      { live: 3, all: 3 },
    ],
    [
      'a node that drains, and one that does not',
      nodes(2),
      async ({ put, drain }) => {
        await drain('n0')
        await put(sysbatch())
      },
      { on: { n0: 0, n1: 1 } },
    ],
  ])('%s', async (...given) => holds(given))
})

describe('how many leave a node that drains, in the cases of that scheduler', () => {
  const kinds = {
    here: {},
    'told to leave': { DesiredStatus: 'stop' },
    there: { NodeID: 'other' },
    'there, not judged yet': { NodeID: 'other', DeploymentStatus: null },
    gone: { DesiredStatus: 'stop', ClientStatus: 'complete' },
  } as const
  it.each<
    [string, Readonly<Partial<Record<keyof typeof kinds, number>>>, maxParallel: number, expected: number]
  >([
    ['all are here', { here: 10 }, 1, 1],
    ['one leaves already', { here: 9, 'told to leave': 1 }, 1, 0],
    ['four leave already', { here: 6, 'told to leave': 4 }, 5, 1],
    ['none is here', { there: 10 }, 1, 0],
    ['half are there, not judged yet', { here: 5, 'there, not judged yet': 5 }, 1, 0],
    ['one is here', { here: 1, there: 9 }, 1, 1],
    ['the only one leaves already', { 'told to leave': 1, there: 9 }, 1, 0],
    ['the only one is gone', { gone: 1, there: 9 }, 1, 0],
    ['all are gone', { gone: 10 }, 1, 0],
    ['half are gone, half leave', { gone: 5, 'told to leave': 5 }, 1, 0],
    ['ten at once', { here: 10 }, 10, 10],
    ['two at once', { here: 10 }, 2, 2],
    ['one is there, one is gone', { there: 1, gone: 1, here: 8 }, 2, 1],
    ['eight are there, one is gone', { there: 8, gone: 1, here: 1 }, 2, 1],
    ['five are there, two are gone', { there: 5, gone: 2, here: 3 }, 5, 3],
    ['one there is not judged yet', { 'there, not judged yet': 1, there: 4, here: 4, gone: 1 }, 3, 1],
    ['two there are not judged yet', { 'there, not judged yet': 2, there: 3, here: 4, gone: 1 }, 5, 2],
  ])('%s', (_what, counts, MaxParallel, expected) => {
    const now = Date.UTC(2026, 0, 1)
    const allocations = Object.entries(counts).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, at) =>
        AllocationRecord.parse({
          ID: `${kind} ${at}`,
          NodeID: 'draining',
          ClientStatus: 'running',
          CreateTime: now * 1e6,
          DeploymentStatus: { Healthy: true },
          ...kinds[kind as keyof typeof kinds],
        }),
      ),
    )
    const existing = allocations.filter(({ DesiredStatus }) => DesiredStatus === 'run')
    const away = existing.filter(({ NodeID }) => NodeID === 'draining')
    const strategy = MigrateStrategy.parse({ MaxParallel })
    expect(drainPace({ away, existing }, { strategy, count: 10 }, { now }).now.size).toBe(expected)
  })
})
