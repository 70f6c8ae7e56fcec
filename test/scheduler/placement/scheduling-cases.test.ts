import { describe, expect, it } from 'vitest'
import { trackerAfter } from '../../../src/scheduler/allocations/reschedule.ts'
import { AllocationRecord, drainPace, MigrateStrategy } from '../../../src/scheduler/index.ts'
import { given } from '../harness.ts'
import { type Case, changed, distinct, holds, job, node, nodes, ofClass, type Row, task } from './cases.ts'

const unpaced = { MaxParallel: 0 }
const attempts = (Attempts: number) => ({
  Attempts,
  Interval: 1800e9,
  Delay: 5e9,
  MaxDelay: 60e9,
  DelayFunction: 'constant',
})
const racks = (at: number) => ({ Meta: { rack: `r${at % 2}` } })
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
      async ({ put, report, ban, move }) => {
        await ban('n1')
        await put(job({}, { Count: 1 }))
        await report('running')
        await move('n0', 'lose')
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
      async ({ put, report, move, add, ban }) => {
        await ban('n1')
        await put(job({ Type: 'batch' }, { Count: 1 }))
        await report('running')
        await add(node('n2'))
        await move('n0', 'lose')
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
    [
      'of three large ones the one that fits',
      nodes(1),
      ({ put }) => put(job({}, { Count: 3, Tasks: [task({ CPU: 3600 })] })),
      { live: 1, blocked: 1, queued: 2 },
    ],
    [
      'two more on the only node, which they fill',
      [small],
      async ({ put }) => {
        await put(job({}, { Count: 1, Tasks: [task({ CPU: 256 })] }))
        await put(job({}, { Count: 3, Tasks: [task({ CPU: 256 })] }))
      },
      { live: 3, all: 3, blocked: 0 },
    ],
    [
      'five in place of one that filled the node, once it has ended',
      nodes(1),
      async ({ put, report, end }) => {
        await put(job({}, { Count: 1, Tasks: [task({ CPU: 3900, MemoryMB: 7936 })] }))
        await report('running')
        await put(job({}, { ...changed, Count: 5, Update: { MaxParallel: 5 } }))
        await end()
      },
      { live: 5, version: { 0: 0, 1: 5 } },
    ],
    [
      'a batch that may run for longer goes on',
      nodes(1),
      async ({ put }) => {
        await put(job({ Type: 'batch' }, { Count: 1, MaxRunDuration: 3600e9 }))
        await put(job({ Type: 'batch' }, { Count: 1, MaxRunDuration: 4 * 3600e9 }))
      },
      { live: 1, all: 1, version: { 1: 1 } },
    ],
    [
      'eleven in ten racks, each once, of which four are there',
      nodes(10, (at) => ({ Meta: { rack: `r${at}` } })),
      async ({ put }) => {
        const of = (Count: number) =>
          job(distinct('distinct_property', { LTarget: '${meta.rack}' }), { Count })
        await put(of(4))
        await put(of(11))
      },
      {
        live: 10,
        all: 10,
        queued: 1,
        blocked: 1,
        on: Object.fromEntries(nodes(10).map(({ ID }) => [ID, 1])),
      },
    ],
    [
      'one that failed is replaced after its delay, and not again after the only attempt',
      nodes(10),
      async ({ put, fail, wait }) => {
        await put(job({}, { Count: 1, ReschedulePolicy: attempts(1) }))
        await fail()
        await wait(5_000)
        await fail()
        await wait(60_000)
      },
      { live: 0, all: 2 },
    ],
    [
      'one that failed waits for its delay',
      nodes(10),
      async ({ put, report, wait }) => {
        await put(job({}, { Count: 2, ReschedulePolicy: attempts(1) }))
        await report('failed', 1)
        await wait(4_999)
      },
      { live: 1, all: 2, queued: 0 },
    ],
    [
      'one that fails again and again is replaced three times, as its policy says',
      nodes(10),
      async ({ put, fail, wait }) => {
        await put(job({}, { Count: 1, ReschedulePolicy: attempts(3) }))
        for (let time = 0; time < 5; time += 1) {
          await fail()
          await wait(10_000)
        }
      },
      { live: 0, all: 4 },
    ],
    [
      'each replacement knows of those before',
      nodes(10),
      async ({ put, fail, wait }) => {
        await put(job({}, { Count: 1, ReschedulePolicy: attempts(3) }))
        for (let time = 0; time < 3; time += 1) {
          await fail()
          await wait(10_000)
        }
      },
      { live: 1, all: 4, replaced: [3], chained: 3 },
    ],
    [
      'a version that replaces a replacement knows of no failure',
      nodes(10),
      async ({ put, fail, wait }) => {
        const policy = { Count: 2, ReschedulePolicy: attempts(1) }
        await put(job({}, policy))
        await fail()
        await wait(10_000)
        await put(job({}, { ...policy, ...changed, Update: unpaced }))
      },
      { live: 2, version: { 1: 2 }, replaced: [0, 0] },
    ],
    [
      'a replacement that finds no room waits for it, and then knows of its failures',
      nodes(1),
      async ({ put, fail, wait, add, ban }) => {
        await put(job({}, { Count: 1, ReschedulePolicy: attempts(3) }))
        await fail()
        await wait(5_000)
        await ban('n0')
        await fail()
        await wait(10_000)
        await add(node('n1'))
      },
      { live: 1, on: { n1: 1 }, all: 3, replaced: [2], blocked: 0 },
    ],
    [
      'a batch that failed on a node that takes no more',
      nodes(1),
      async ({ put, report, ban, wait }) => {
        await put(job({ Type: 'batch' }, { Count: 1, ReschedulePolicy: attempts(1) }))
        await ban('n0')
        await report('failed')
        await wait(5_000)
      },
      { live: 0, queued: 1, blocked: 1 },
    ],
    [
      'a batch on a node that drains, of another version',
      nodes(1),
      async ({ put, report, add, drain }) => {
        await put(job({ Type: 'batch' }, { Count: 1 }))
        await report('running')
        await add(node('n1'))
        await drain('n0', 3600e9)
        await put(job({ Type: 'batch' }, { Count: 1, ...changed }))
      },
      { live: 1, on: { n0: 0, n1: 1 } },
    ],
    [
      'as many as fit by the memory they ask for, not by the most they may take',
      [
        node('n0', {
          NodeResources: {
            Cpu: { CpuShares: 10_000 },
            Memory: { MemoryMB: 1224 },
            Disk: { DiskMB: 100 * 1024 },
          },
          ReservedResources: { Memory: { MemoryMB: 60 } },
        }),
      ],
      ({ put }) => put(job({}, { Tasks: [task({ CPU: 100, MemoryMB: 200, MemoryMaxMB: 500 })] })),
      { live: 5, queued: 5 },
    ],
    [
      'twelve in place of ten, which they name',
      nodes(10),
      async ({ put }) => {
        await put(job())
        await put(job({}, { ...changed, Count: 12, Update: unpaced }))
      },
      { live: 12, chained: 10, version: { 1: 12 } },
    ],
    [
      'a disk that moves along has nowhere to go from the only node',
      nodes(1),
      async ({ put, report, drain }) => {
        await put(job({}, { Count: 1, EphemeralDisk: { SizeMB: 150, Sticky: true } }))
        await report('running')
        await drain('n0')
      },
      { live: 0, all: 1, queued: 1, blocked: 1 },
    ],
    [
      'one with a disk that moves along stays on its node when it is changed',
      nodes(10),
      async ({ put, report, wait, end }) => {
        const sticky = { Count: 1, EphemeralDisk: { SizeMB: 150, Sticky: true }, Update: unpaced }
        await put(job({ ID: 'other' }, { Count: 9 }))
        await put(job({}, sticky))
        await report('running')
        await put(job({}, { ...sticky, ...changed }))
        await end()
        await wait(0)
      },
      { jobs: { other: 9, web: 1 }, version: { 0: 9, 1: 1 } },
    ],
    [
      'three of the version before and no canary follow a lost node, while one is tried',
      nodes(1),
      async ({ put, report, move, add }) => {
        const trying = { Count: 3, Update: { MaxParallel: 1, Canary: 1, HealthCheck: 'manual' } }
        await put(job({}, trying))
        await report('running')
        await put(job({}, { ...trying, ...changed }))
        await report('running')
        await add(node('n1'))
        await move('n0', 'lose')
      },
      { on: { n0: 0, n1: 4 }, version: { 0: 3, 1: 1 } },
    ],
    ...(['replaced now', 'replaced when its agent has ended it'] as const).map(
      (what, after): Case => [
        `one on a lost node, with none to go to: ${what}`,
        nodes(1),
        async ({ put, report, move, add, wait }) => {
          const Disconnect = after === 1 ? { StopOnClientAfter: 1e9 } : null
          await put(job({}, { Count: 1, Disconnect }))
          await report('running')
          await move('n0', 'lose')
          await wait(1_000)
          await add(node('n1'))
        },
        { live: 1, all: 2, on: { n1: 1 }, states: ['lost stop', 'pending run'] },
      ],
    ),
    [
      'one whose agent has not ended it yet is not replaced',
      nodes(2),
      async ({ put, report, move, wait, ban }) => {
        await ban('n1')
        await put(job({}, { Count: 1, Disconnect: { StopOnClientAfter: 1e9 } }))
        await report('running')
        await move('n0', 'lose')
        await wait(999)
      },
      { live: 0, all: 1, states: ['lost stop'], blocked: 0 },
    ],
    [
      'what is out of touch is replaced at once if there is room, else once there is',
      nodes(1),
      async ({ put, report, move, add }) => {
        await put(job({}, { Count: 1, Disconnect: { LostAfter: 3600e9, Replace: true } }))
        await report('running')
        await move('n0', 'disconnect')
        await add(node('n1'))
      },
      { on: { n1: 1 }, states: ['pending run', 'unknown run'] },
    ],
    [
      'what is out of touch before it began is lost, and replaced',
      nodes(1),
      async ({ put, move, add }) => {
        await put(job({}, { Count: 1, Disconnect: { LostAfter: 3600e9, Replace: false } }))
        await move('n0', 'disconnect')
        await add(node('n1'))
      },
      { on: { n1: 1 }, states: ['lost stop', 'pending run'] },
    ],
    [
      'what is out of touch and may not be replaced is not',
      nodes(2),
      async ({ put, report, move, ban }) => {
        await ban('n1')
        await put(job({}, { Count: 1, Disconnect: { LostAfter: 3600e9, Replace: false } }))
        await report('running')
        await move('n0', 'disconnect')
      },
      { live: 0, states: ['unknown run'], blocked: 0 },
    ],
    [
      'one of the version before that failed stays in its pool, canaries go to that of theirs',
      [
        ...nodes(3, () => ({ NodePool: 'old' })),
        node('m0', { NodePool: 'new' }),
        node('m1', { NodePool: 'new' }),
      ],
      async ({ put, report, fail, wait }) => {
        const of = (NodePool: string, group: object = {}) =>
          job(
            { NodePool },
            {
              Count: 3,
              ReschedulePolicy: attempts(3),
              Update: { MaxParallel: 1, Canary: 1, HealthCheck: 'manual' },
              ...group,
            },
          )
        await put(of('old'))
        await report('running')
        await put(of('new', changed))
        await fail(0)
        await wait(5_000)
      },
      { live: 4, version: { 0: 3, 1: 1 }, on: { m0: 1, m1: 0 } },
    ],
    [
      'two that need two of four devices each, all of which four less important ones have',
      [
        node('n0', {
          NodeResources: {
            Cpu: { CpuShares: 14_000 },
            Memory: { MemoryMB: 8192 },
            Disk: { DiskMB: 100 * 1024 },
            Devices: [
              {
                Vendor: 'v',
                Type: 'gpu',
                Name: 'm',
                Instances: ['a', 'b', 'c', 'd'].map((ID) => ({ ID, Healthy: true })),
              },
            ],
          },
        }),
      ],
      async ({ put, preempts }) => {
        await preempts({ ServiceSchedulerEnabled: true })
        const of = (ID: string, Priority: number, Count: number, gpus: number) =>
          job({ ID, Priority }, { Count, Tasks: [task({ Devices: [{ Name: 'gpu', Count: gpus }] })] })
        await put(of('low', 5, 4, 1))
        await put(of('web', 100, 2, 2))
      },
      { jobs: { low: 0, web: 2 }, evicted: ['low', 'low', 'low', 'low'] },
    ],
    ...(
      [
        ['half to one, the others where there is room', [['dc1', 50]], { dc1: 6 }],
        [
          'half to one, half to all others',
          [
            ['dc1', 50],
            ['*', 50],
          ],
          { dc1: 6 },
        ],
        [
          'a share to each of three',
          [
            ['dc1', 50],
            ['dc2', 25],
            ['dc3', 25],
          ],
          { dc1: 6, dc2: 3, dc3: 3 },
        ],
      ] as const
    ).map(
      ([what, targets, datacenters]): Case => [
        `a spread over three datacenters: ${what}`,
        nodes(12, (at) => ({ Datacenter: `dc${1 + (at % 3)}` })),
        ({ put }) =>
          put(
            job(
              { Datacenters: ['*'] },
              {
                Count: 12,
                Spreads: [
                  {
                    Attribute: '${node.datacenter}',
                    Weight: 100,
                    SpreadTarget: targets.map(([Value, Percent]) => ({ Value, Percent })),
                  },
                ],
                Tasks: [task({ CPU: 100, MemoryMB: 100 })],
              },
            ),
          ),
        { datacenters },
      ],
    ),
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
