import { describe, it } from 'vitest'
import {
  type Case,
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
