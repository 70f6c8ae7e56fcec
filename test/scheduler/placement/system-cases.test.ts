import { describe, expect, it } from 'vitest'
import { AllocationRecord, createScheduler, JobSpec, systemWork } from '../../../src/scheduler/index.ts'
import {
  type Case,
  type Cluster,
  changed,
  classes,
  holds,
  job,
  node,
  nodes,
  ofClass,
  sysbatch,
  system,
  task,
} from './cases.ts'

describe('the allocations of a system job', () => {
  it.each(['system', 'sysbatch'] as const)('are the first ones of their nodes: %s', async (Type) => {
    const scheduler = createScheduler({ place: true })
    const NodeResources = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
    for (const ID of ['n1', 'n2', 'n3']) await scheduler.registerNode({ ID, Name: ID, NodeResources })
    await scheduler.registerJob({
      ID: 'logs',
      Type,
      TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'main' }] }],
    })
    await scheduler.settled()
    const found = await scheduler.listJobAllocations('logs')
    expect(found.ok && found.value.map(({ Name }) => Name)).toEqual(Array(3).fill('logs.app[0]'))
    await scheduler.close()
  })
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
      async ({ put, report, move }) => {
        await put(system())
        await report('running')
        await move('n0', 'lose')
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
      async ({ put, report, move }) => {
        await put(sysbatch())
        await report('running')
        await move('n0', 'lose')
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

describe('system and sysbatch jobs on a node that leaves, in the cases of that scheduler', () => {
  const kinds = { system, sysbatch }
  const brief = { Disconnect: { LostAfter: 5e9 } }
  const away = async ({ report, move }: Cluster) => {
    await report('running')
    await move('n0', 'disconnect')
  }
  const back = async (world: Cluster) => {
    await away(world)
    await world.move('n0', 'ready')
  }
  type Steps = (world: Cluster) => Promise<unknown>
  it.each<[string, readonly (keyof typeof kinds)[], Steps, readonly string[]]>([
    ['is out of touch', ['system', 'sysbatch'], away, ['unknown run']],
    [
      'is looked at while it is out of touch',
      ['system', 'sysbatch'],
      async (world) => {
        await away(world)
        await world.look()
      },
      ['unknown run'],
    ],
    [
      'was complete before it was out of touch',
      ['sysbatch'],
      async ({ report, move }) => {
        await report('complete')
        await move('n0', 'disconnect')
      },
      ['complete run'],
    ],
    [
      'was complete before it was lost',
      ['sysbatch'],
      async ({ report, move }) => {
        await report('complete')
        await move('n0', 'lose')
      },
      ['complete run'],
    ],
    [
      'had not begun, and is out of touch',
      ['system', 'sysbatch'],
      ({ move }) => move('n0', 'disconnect'),
      ['pending run'],
    ],
    [
      'returns in time',
      ['system', 'sysbatch'],
      async (world) => {
        await back(world)
        await world.turn('unknown', 'running')
      },
      ['running run'],
    ],
    [
      'returns, and has failed meanwhile',
      ['sysbatch'],
      async (world) => {
        await back(world)
        await world.turn('unknown', 'failed')
      },
      ['failed run'],
    ],
    [
      'returns, and is complete meanwhile',
      ['sysbatch'],
      async (world) => {
        await back(world)
        await world.turn('unknown', 'complete')
      },
      ['complete run'],
    ],
    [
      'does not return in time',
      ['system', 'sysbatch'],
      async (world) => {
        await away(world)
        await world.wait(5_000)
      },
      ['lost stop'],
    ],
    [
      'is lost',
      ['system', 'sysbatch'],
      async ({ report, move }) => {
        await report('running')
        await move('n0', 'lose')
      },
      ['lost stop'],
    ],
    [
      'is lost, and the job removed',
      ['system', 'sysbatch'],
      async ({ report, move, remove }) => {
        await report('running')
        await remove()
        await move('n0', 'lose')
      },
      ['lost stop'],
    ],
    [
      'takes no more',
      ['system', 'sysbatch'],
      async ({ report, ban, look }) => {
        await report('running')
        await ban('n0')
        await look()
      },
      ['running run'],
    ],
    [
      'drains, by force',
      ['system', 'sysbatch'],
      async ({ report, drain }) => {
        await report('running')
        await drain('n0')
      },
      ['running stop'],
    ],
  ])('a node with one that %s', async (_what, of, steps, states) => {
    for (const kind of of)
      await holds([
        kind,
        nodes(1),
        async (world) => {
          await world.put(kinds[kind]({}, brief))
          await steps(world)
        },
        { states },
      ])
  })

  it.each<Case>([
    [
      'a datacenter that is not wanted any more',
      nodes(1),
      async ({ put, report }) => {
        await put(sysbatch())
        await report('running')
        await put(sysbatch({ Datacenters: ['elsewhere'] }))
      },
      { states: ['running stop'] },
    ],
    [
      'a sysbatch that is changed once it is complete',
      nodes(1),
      async ({ put, report }) => {
        await put(sysbatch())
        await report('complete')
        await put(sysbatch({}, changed))
      },
      { states: ['complete run', 'pending run'], version: { 1: 1 } },
    ],
    [
      'a sysbatch that is told to stop is not placed again',
      nodes(1),
      async ({ put, report, remove, evaluate }) => {
        await put(sysbatch())
        await report('running')
        await remove()
        await evaluate('n0')
      },
      { states: ['running stop'] },
    ],
    [
      'nodes with a tag, but for one that takes no more',
      [node('n0', { Meta: { tag: 'bar' } }), ...nodes(4, () => ({ Meta: { tag: 'foo' } })).slice(1)],
      async ({ ban, put }) => {
        await ban('n3')
        await put(system({ Constraints: [{ LTarget: '${meta.tag}', Operand: '=', RTarget: 'foo' }] }))
      },
      { live: 2, on: { n0: 0, n1: 1, n2: 1, n3: 0 }, queued: 0 },
    ],
    [
      'twice the same job, of sysbatch, with a tag',
      [node('n0', { Meta: { tag: 'bar' } }), ...nodes(4, () => ({ Meta: { tag: 'foo' } })).slice(1)],
      async ({ ban, put }) => {
        await ban('n3')
        await put(sysbatch({ Constraints: [{ LTarget: '${meta.tag}', Operand: '=', RTarget: 'foo' }] }))
      },
      { live: 2, on: { n0: 0, n1: 1, n2: 1, n3: 0 }, queued: 0 },
    ],
    [
      'each names the one whose place it takes',
      nodes(10),
      async ({ put, add }) => {
        await put(system())
        await add(node('n10'))
        await put(system({}, changed))
      },
      { live: 11, version: { 0: 0, 1: 11 }, chained: 11 },
    ],
    [
      'each of a sysbatch names the one whose place it takes',
      nodes(10),
      async ({ put, report }) => {
        await put(sysbatch())
        await report('running')
        await put(sysbatch({}, changed))
      },
      { live: 10, version: { 0: 0, 1: 10 }, chained: 10 },
    ],
    [
      'sysbatch: a change in place',
      nodes(10),
      async ({ put, report }) => {
        await put(sysbatch())
        await report('running')
        await put(sysbatch({ Priority: 60 }))
      },
      { live: 10, all: 10, version: { 1: 10 } },
    ],
    [
      'sysbatch: two groups, each for a class of nodes',
      nodes(2, classes),
      ({ put }) => put(sysbatch({ TaskGroups: [ofClass('app', 'class-0'), ofClass('other', 'class-1')] })),
      { on: { n0: 1, n1: 1 }, groups: { app: 1, other: 1 }, queued: 0 },
    ],
    [
      'sysbatch: two groups, and a node more for one, and one of whose nodes is not eligible any more',
      nodes(2, classes),
      async ({ put, ban, add }) => {
        await put(sysbatch({ TaskGroups: [ofClass('app', 'class-0'), ofClass('other', 'class-1')] }))
        await ban('n0')
        await add(node('n2', { NodeClass: 'class-1' }))
      },
      { all: 3, on: { n0: 1, n1: 1, n2: 1 } },
    ],
    [
      'sysbatch: the only node, no longer eligible, keeps what it runs',
      nodes(1),
      async ({ put, report, ban }) => {
        await put(sysbatch())
        await report('running')
        await ban('n0')
      },
      { live: 1, all: 1 },
    ],
    [
      'sysbatch: a batch in the way',
      nodes(1),
      async ({ put, preempts }) => {
        await preempts({ SysBatchSchedulerEnabled: true })
        await put(
          job({ ID: 'batch', Type: 'batch', Priority: 20 }, { Count: 1, Tasks: [task({ CPU: 3600 })] }),
        )
        await put(sysbatch({ Priority: 100 }))
      },
      { jobs: { batch: 0, web: 1 }, evicted: ['batch'], queued: 0 },
    ],
    [
      'five of a system job with a static port, and as many nodes',
      nodes(5),
      ({ put }) => put(system({}, { Networks: [{ ReservedPorts: [{ Label: 'a', Value: 8080 }] }] })),
      { live: 5, queued: 0 },
    ],
    [
      'nothing to do where some nodes do not fit',
      [...nodes(2), node('n2', { Attributes: { 'kernel.name': 'darwin' } })],
      async ({ put, report, look }) => {
        await put(
          system({ Constraints: [{ LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' }] }),
        )
        await report('running')
        await look()
        await look()
      },
      { live: 2, all: 2, blocked: 0, queued: 0 },
    ],
  ])('%s', async (...given) => holds(given))
})

describe('how many of a system job are replaced at once, in the cases of that scheduler', () => {
  type Counts = Readonly<Record<string, number>>
  const now = Date.UTC(2026, 0, 1)
  it.each<[string, { existing: Counts; fresh?: Counts; groups?: Counts; job: number }, replaced: number]>([
    ['fewer than there are', { existing: { a: 4 }, job: 2 }, 2],
    ['as many as there are', { existing: { a: 4 }, job: 4 }, 4],
    ['more than there are', { existing: { a: 2 }, job: 4 }, 2],
    ['the group says how many', { existing: { a: 4 }, groups: { a: 2 }, job: 1 }, 2],
    ['two groups, one limited', { existing: { a: 4, b: 4 }, groups: { a: 2, b: 4 }, job: 0 }, 6],
    ['two groups, none limited', { existing: { a: 2, b: 2 }, groups: { a: 4, b: 4 }, job: 0 }, 4],
    ['two groups, one says how many', { existing: { a: 4, b: 4 }, groups: { a: 4 }, job: 2 }, 6],
    ['two groups, the job says how many', { existing: { a: 4, b: 4 }, job: 2 }, 4],
    ['two groups, one with two just replaced', { existing: { a: 4, b: 4 }, fresh: { a: 2 }, job: 2 }, 2],
  ])('%s', (_what, { existing, fresh = {}, groups = {}, job: MaxParallel }, replaced) => {
    const spec = JobSpec.parse({
      ID: 'web',
      Type: 'system',
      Version: 1,
      Update: { MaxParallel },
      TaskGroups: Object.keys(existing).map((Name) => ({
        Name,
        Update: Name in groups ? { MaxParallel: groups[Name] } : null,
      })),
    })
    const rows = (counts: Counts, JobVersion: number) =>
      Object.entries(counts).flatMap(([TaskGroup, count]) =>
        Array.from({ length: count }, (_, at) =>
          AllocationRecord.parse({
            ID: `${TaskGroup}${JobVersion}${at}`,
            TaskGroup,
            NodeID: `${TaskGroup}${JobVersion}${at}`,
            JobVersion,
            ClientStatus: 'running',
            CreateTime: now * 1e6,
            PreviousAllocation: JobVersion === 1 ? 'before' : '',
          }),
        ),
      )
    const allocations = [...rows(existing, 0), ...rows(fresh, 1)]
    const works = systemWork(
      { job: spec, allocations },
      { nodes: allocations.map(({ NodeID }) => ({ ID: NodeID })) },
      { now },
    )
    expect(works.flatMap(({ stop }) => stop)).toHaveLength(replaced)
  })
})
