import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JobSpec } from '../../../src/scheduler/jobs/model.ts'
import { NodeRecord } from '../../../src/scheduler/nodes/model.ts'
import { matchesDatacenter } from '../../../src/scheduler/placement/feasible.ts'
import { place } from '../../../src/scheduler/placement/place.ts'

const node = (ID: string, cpu = 1000, memory = 1000, over: object = {}) =>
  NodeRecord.parse({
    ID,
    Name: ID,
    NodeResources: { Cpu: { CpuShares: cpu }, Memory: { MemoryMB: memory } },
    ...over,
  })
const job = (over: object = {}, resources: object = { CPU: 300, MemoryMB: 300 }) =>
  JobSpec.parse({
    ID: 'web',
    TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't', Resources: resources }] }],
    ...over,
  })
const placed = (
  spec: JobSpec,
  nodes: readonly NodeRecord[],
  count: number,
  algorithm: 'binpack' | 'spread' = 'binpack',
) => place({ nodes, used: new Map() }, { job: spec, wanted: { app: count }, algorithm })
const nodeIds = (plan: ReturnType<typeof place>) => plan.placements.map(({ nodeId }) => nodeId)

describe('placing allocations', () => {
  it('fills the fullest node with binpack, and keeps nodes even with spread', () => {
    const nodes = [node('a'), node('b')]
    const on = (algorithm: 'binpack' | 'spread') =>
      place(
        { nodes, used: new Map([['b', { cpu: 300, memoryMb: 300 }]]) },
        { job: job(), wanted: { app: 1 }, algorithm },
      )
    expect(nodeIds(on('binpack'))).toEqual(['b'])
    expect(nodeIds(on('spread'))).toEqual(['a'])
  })

  it.each(['binpack', 'spread'] as const)(
    'uses four equal nodes for a count of four with %s',
    (algorithm) => {
      const TaskGroups = [{ Name: 'app', Count: 4, Tasks: [{ Name: 't', Resources: { CPU: 100 } }] }]
      const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id))
      expect(nodeIds(placed(job({ TaskGroups }), nodes, 4, algorithm))).toEqual(['a', 'b', 'c', 'd'])
    },
  )

  it('says how many found no room', () => {
    expect(placed(job(), [node('a')], 5)).toMatchObject({ unplaced: { app: 2 } })
    expect(placed(job(), [node('a')], 3).unplaced).toEqual({})
  })

  it.each([
    ['is down', { Status: 'down' }],
    ['is ineligible', { SchedulingEligibility: 'ineligible' }],
    ['is draining', { DrainStrategy: {} }],
    ['is in another datacenter', { Datacenter: 'dc9' }],
    ['is in another pool', { NodePool: 'gpu' }],
  ])('passes over a node that %s', (_what, over) => {
    expect(
      nodeIds(placed(job({ Datacenters: ['dc1'] }), [node('a', 1000, 1000, over), node('b')], 1)),
    ).toEqual(['b'])
  })

  it('reaches every pool for a job in the pool of all', () => {
    expect(
      nodeIds(placed(job({ NodePool: 'all' }), [node('a', 1000, 1000, { NodePool: 'gpu' })], 1)),
    ).toEqual(['a'])
  })

  it('puts a system job once on each node', () => {
    const system = job({ Type: 'system' })
    expect(nodeIds(placed(system, [node('a'), node('b')], 5)).sort()).toEqual(['a', 'b'])
  })

  it.each([
    ['=', '${attr.kernel.name}', 'linux', ['b']],
    ['!=', '${attr.kernel.name}', 'linux', ['a']],
    ['is_set', '${meta.rack}', '', ['b']],
    ['regexp', '${node.class}', '^big', ['b']],
    ['regexp', '${node.class}', '(', []],
  ])('keeps to a constraint: %s', (Operand, LTarget, RTarget, expected) => {
    const nodes = [
      node('a', 1000, 1000, { Attributes: { 'kernel.name': 'bsd' }, NodeClass: 'small' }),
      node('b', 1000, 1000, {
        Attributes: { 'kernel.name': 'linux' },
        NodeClass: 'bigger',
        Meta: { rack: '1' },
      }),
    ]
    expect(nodeIds(placed(job({ Constraints: [{ Operand, LTarget, RTarget }] }), nodes, 1))).toEqual(expected)
  })

  it.each([
    ['dc1', ['dc1'], true],
    ['dc1', ['*'], true],
    ['eu-west-1', ['eu-*-1'], true],
    ['eu-west-2', ['eu-*-1'], false],
    ['ab', ['a*b*b'], false],
    ['dc1', [], false],
  ])('knows datacenters by pattern: %s in %j', (datacenter, patterns, expected) => {
    expect(matchesDatacenter(datacenter, patterns)).toBe(expected)
  })

  it('never gives a node more than it has, and places or counts everything', () => {
    const size = fc.integer({ min: 0, max: 2000 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(size, size), { maxLength: 6 }),
        fc.tuple(size, size),
        fc.integer({ min: 0, max: 12 }),
        fc.constantFrom('binpack' as const, 'spread' as const),
        (sizes, [CPU, MemoryMB], count, algorithm) => {
          const nodes = sizes.map(([cpu, memory], index) => node(`n${index}`, cpu, memory))
          const plan = placed(job({}, { CPU, MemoryMB }), nodes, count, algorithm)
          for (const { ID, NodeResources } of nodes) {
            const here = plan.placements.filter(({ nodeId }) => nodeId === ID)
            const cpu = here.reduce((sum, { usage }) => sum + usage.cpu, 0)
            const memory = here.reduce((sum, { usage }) => sum + usage.memoryMb, 0)
            expect(cpu).toBeLessThanOrEqual(NodeResources?.Cpu.CpuShares ?? 0)
            expect(memory).toBeLessThanOrEqual(NodeResources?.Memory.MemoryMB ?? 0)
          }
          expect(plan.placements.length + (plan.unplaced['app'] ?? 0)).toBe(count)
        },
      ),
    )
  })
})
