import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JobSpec } from '../../../src/scheduler/jobs/model.ts'
import { NodeRecord } from '../../../src/scheduler/nodes/model.ts'
import { place } from '../../../src/scheduler/placement/place.ts'

const node = (ID: string, Datacenter: string, over: object = {}) =>
  NodeRecord.parse({
    ID,
    Datacenter,
    NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } },
    ...over,
  })
const nodes = ['dc1', 'dc1', 'dc2', 'dc2', 'dc3'].map((dc, at) =>
  node(`n${at}`, dc, { Meta: { rack: `r${at}` } }),
)
const jobOf = (over: object, Count = 10) =>
  JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Count, Tasks: [{ Name: 't' }] }], ...over })
const byDatacenter = (plan: ReturnType<typeof place>) => {
  const counts: Record<string, number> = {}
  for (const { nodeId } of plan.placements) {
    const dc = nodes.find(({ ID }) => ID === nodeId)?.Datacenter ?? ''
    counts[dc] = (counts[dc] ?? 0) + 1
  }
  return counts
}

describe('spreading allocations', () => {
  const over = (SpreadTarget: object[] | null, Weight = 100) => ({
    Spreads: [{ Attribute: '${node.datacenter}', Weight, SpreadTarget }],
  })

  it.each([
    ['evenly where nothing is aimed at', null, { dc1: 4, dc2: 3, dc3: 3 }],
    [
      'as aimed at',
      [
        { Value: 'dc1', Percent: 70 },
        { Value: 'dc2', Percent: 30 },
      ],
      { dc1: 7, dc2: 3 },
    ],
    ['what no target names shares the rest', [{ Value: 'dc1', Percent: 40 }], { dc1: 4, dc2: 4, dc3: 2 }],
  ])('%s', (_what, targets, expected) => {
    expect(byDatacenter(place({ nodes }, { job: jobOf(over(targets)), wanted: { app: 10 } }))).toEqual(
      expected,
    )
  })

  it('counts the allocations that stand', () => {
    const existing = Array.from({ length: 4 }, () => ({ nodeId: 'n0', group: 'app' }))
    expect(byDatacenter(place({ nodes, existing }, { job: jobOf(over(null)), wanted: { app: 6 } }))).toEqual({
      dc2: 3,
      dc3: 3,
    })
  })

  it('goes elsewhere rather than nowhere', () => {
    const small = [
      node('a', 'dc1', { NodeResources: { Cpu: { CpuShares: 100 }, Memory: { MemoryMB: 400 } } }),
      node('b', 'dc2'),
    ]
    const plan = place(
      { nodes: small },
      { job: jobOf(over([{ Value: 'dc1', Percent: 100 }])), wanted: { app: 3 } },
    )
    expect(plan.placements.map(({ nodeId }) => nodeId)).toEqual(['a', 'b', 'b'])
  })

  it('leaves no value more than one ahead of another, on equal nodes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('binpack' as const, 'spread' as const),
        (count, algorithm) => {
          const equal = nodes.filter(({ ID }) => ['n0', 'n2', 'n4'].includes(ID))
          const counts = Object.values(
            byDatacenter(
              place({ nodes: equal }, { job: jobOf(over(null), count), wanted: { app: count }, algorithm }),
            ),
          )
          if (count >= 3) expect(counts).toHaveLength(3)
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        },
      ),
    )
  })
})

describe('affinities', () => {
  const towards = (RTarget: string, Weight: number) => ({
    LTarget: '${meta.rack}',
    Operand: '=',
    RTarget,
    Weight,
  })
  const first = (job: JobSpec) => place({ nodes }, { job, wanted: { app: 1 } }).placements[0]?.nodeId

  it('draw allocations to nodes, and drive them away', () => {
    expect(first(jobOf({ Affinities: [towards('r3', 10)] }))).toBe('n3')
    expect(first(jobOf({ Affinities: [towards('r0', -10)] }))).toBe('n1')
    expect(first(jobOf({ Affinities: [towards('r3', 10), towards('r4', 60)] }))).toBe('n4')
  })

  it('exclude no node', () => {
    const plan = place({ nodes }, { job: jobOf({ Affinities: [towards('r9', 100)] }), wanted: { app: 10 } })
    expect(plan.placements).toHaveLength(10)
  })
})

describe('what is rated', () => {
  it('is told with why others found no place', () => {
    const Affinities = [{ LTarget: '${meta.rack}', Operand: '=', RTarget: 'r3', Weight: 50 }]
    const job = jobOf({
      Affinities,
      TaskGroups: [{ Name: 'app', Count: 99, Tasks: [{ Name: 't', Resources: { CPU: 2000 } }] }],
    })
    const { failed } = place({ nodes }, { job, wanted: { app: 11 } })
    const scores = failed['app']?.ScoreMetaData ?? []
    expect(scores).toHaveLength(5)
    expect(scores.find(({ NodeID }) => NodeID === 'n3')?.Scores).toMatchObject({ 'node-affinity': 1 })
    for (const { NormScore, Scores } of scores) {
      expect(NormScore).toBeGreaterThanOrEqual(-1)
      expect(NormScore).toBeLessThanOrEqual(1)
      expect(Scores['binpack']).toBeGreaterThan(0)
    }
    expect(failed['app']).toMatchObject({
      CoalescedFailures: 0,
      NodesExhausted: 5,
      NodesAvailable: { dc1: 2, dc2: 2, dc3: 1 },
    })
  })
})
