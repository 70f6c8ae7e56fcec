import { describe, expect, it } from 'vitest'
import { node, scoresOn } from './scored.ts'

const part = (name: string, scores: ReturnType<typeof scoresOn>) => scores.map((each) => each?.Scores[name])
const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 4))

describe('the parts of a score', () => {
  it.each([
    // What one half-full node is worth: 20 less ten to the power of what stays free, twice.
    ['an empty node', {}, 'binpack', (20 - 2 * 10 ** 0.5) / 18],
    ['a node that is full then', { a: { cpu: 1024, memoryMb: 1024 } }, 'binpack', 1],
    ['an empty node', {}, 'spread', (2 * 10 ** 0.5 - 2) / 18],
    ['a node that is full then', { a: { cpu: 1024, memoryMb: 1024 } }, 'spread', 0],
  ] as const)('fit: %s (%s, %s)', (_what, used, algorithm, expected) => {
    const scores = scoresOn([node('a')], { used, algorithm })
    expect(part('binpack', scores)).toEqual(close([expected]))
    expect(scores[0]?.NormScore).toBeCloseTo(expected, 6)
  })

  it('job-anti-affinity: grows with the allocations of the group on the node, by its count', () => {
    const existing = [
      ...['a', 'a', 'b'].map((nodeId) => ({ nodeId, group: 'app' })),
      { nodeId: 'c', group: 'another' },
    ]
    const scores = scoresOn([node('a'), node('b'), node('c')], { existing, group: { Count: 4 } })
    expect(part('job-anti-affinity', scores)).toEqual(close([-3 / 4, -2 / 4, 0]))
    const fit = (20 - 2 * 10 ** 0.5) / 18
    expect(scores.map((each) => each?.NormScore)).toEqual(close([(fit - 0.75) / 2, (fit - 0.5) / 2, fit]))
  })

  it('node-reschedule-penalty: where the allocation failed before', () => {
    const existing = [{ nodeId: 'b', group: 'app' }]
    const scores = scoresOn([node('a'), node('b')], { existing, failedOn: ['b'], group: { Count: 4 } })
    expect(part('node-reschedule-penalty', scores)).toEqual([0, -1])
    const fit = (20 - 2 * 10 ** 0.5) / 18
    expect(scores.map((each) => each?.NormScore)).toEqual(close([fit, (fit - 0.5 - 1) / 3]))
  })

  it('node-affinity: the weights that match, divided by all weights', () => {
    const affinity = (LTarget: string, RTarget: string, Weight: number) => ({
      LTarget,
      Operand: '=',
      RTarget,
      Weight,
    })
    const nodes = [
      node('a', { Datacenter: 'dc1', Attributes: { 'kernel.version': '4.9' } }),
      node('b', { Datacenter: 'dc2' }),
      node('c', { Datacenter: 'dc2', NodeClass: 'large' }),
      node('d', { Datacenter: 'dc1' }),
    ]
    const scores = scoresOn(nodes, {
      job: { Affinities: [affinity('${node.datacenter}', 'dc1', 100)] },
      group: {
        Affinities: [
          affinity('${node.datacenter}', 'dc2', -100),
          affinity('${attr.kernel.version}', '4.9', 50),
          affinity('${node.class}', 'large', 50),
        ],
      },
    })
    expect(part('node-affinity', scores)).toEqual(close([150 / 300, -100 / 300, -50 / 300, 100 / 300]))
  })

  it('devices: the kind whose affinities match best is taken', () => {
    const gpu = (Name: string, memory: string) => ({
      Vendor: 'nvidia',
      Type: 'gpu',
      Name,
      Instances: [{ ID: `${Name}-0`, Healthy: true }],
      Attributes: { memory: { String: memory } },
    })
    const host = node('a', {
      NodeResources: {
        Cpu: { CpuShares: 2048 },
        Memory: { MemoryMB: 2048 },
        Devices: [gpu('small', '4'), gpu('large', '16')],
      },
    })
    const wants = (weights: readonly number[]) => ({
      Tasks: [
        {
          Name: 't',
          Resources: {
            Devices: [
              {
                Name: 'nvidia/gpu',
                Count: 1,
                Affinities: ['small', 'large'].map((RTarget, at) => ({
                  LTarget: '${device.model}',
                  Operand: '=',
                  RTarget,
                  Weight: weights[at],
                })),
              },
            ],
          },
        },
      ],
    })
    expect(part('devices', scoresOn([host], { group: wants([20, 60]) }))).toEqual(close([60 / 80]))
    expect(part('devices', scoresOn([host], { group: wants([60, -20]) }))).toEqual(close([60 / 80]))
  })

  describe('allocation-spread', () => {
    const nodes = ['dc1', 'dc2', 'dc3'].map((Datacenter) => node(Datacenter, { Datacenter }))
    const existing = (counts: readonly number[]) =>
      counts.flatMap((count, at) =>
        Array.from({ length: count }, () => ({ nodeId: nodes[at]?.ID ?? '', group: 'app' })),
      )
    const over = (SpreadTarget: readonly (readonly [string, number])[] | null, Weight = 100) => ({
      Attribute: '${node.datacenter}',
      Weight,
      SpreadTarget: SpreadTarget?.map(([Value, Percent]) => ({ Value, Percent })),
    })

    it.each([
      [
        'nothing placed: the share that one more leaves open',
        [0, 0, 0],
        [
          ['dc1', 70],
          ['dc2', 30],
        ],
        [6 / 7, 2 / 3, -1],
      ],
      [
        'some placed',
        [3, 2, 0],
        [
          ['dc1', 70],
          ['dc2', 30],
        ],
        [3 / 7, 0, -1],
      ],
      [
        'more than its share: below -1 without limit',
        [0, 9, 0],
        [
          ['dc1', 70],
          ['dc2', 30],
        ],
        [6 / 7, -7 / 3, -1],
      ],
      ['values without a target share what remains, as one', [1, 3, 1], [['dc1', 50]], [3 / 5, 0, 0]],
      [
        'a target of 0 percent: the lowest there is',
        [0, 0, 0],
        [
          ['dc1', 100],
          ['dc2', 0],
        ],
        [9 / 10, -1, -1],
      ],
    ] as const)('targets: %s', (_what, counts, targets, expected) => {
      const scores = scoresOn(nodes, { existing: existing(counts), group: { Spreads: [over(targets)] } })
      expect(part('allocation-spread', scores).map((each) => each ?? 0)).toEqual(close(expected))
    })

    it.each([
      ['nothing placed: decides nothing', [0, 0, 0], [0, 0, 0]],
      ['an unused value is best', [1, 1, 0], [-1, -1, 1]],
      ['equal counts', [2, 2, 2], [-1, -1, -1]],
      ['the lowest gains what the highest has more', [1, 3, 1], [2, -2, 2]],
      ['by the lowest count', [2, 3, 4], [1, -0.5, -1]],
    ] as const)('without targets: %s', (_what, counts, expected) => {
      const scores = scoresOn(nodes, { existing: existing(counts), group: { Spreads: [over(null)] } })
      expect(part('allocation-spread', scores).map((each) => each ?? 0)).toEqual(close(expected))
    })

    it('several: targets count by their weight, a missing attribute is -1', () => {
      const Spreads = [
        over([['dc1', 50]], 75),
        { Attribute: '${meta.rack}', Weight: 25, SpreadTarget: [{ Value: 'r1', Percent: 40 }] },
      ]
      const racked = [
        node('a', { Datacenter: 'dc1', Meta: { rack: 'r1' } }),
        node('b', { Datacenter: 'dc1' }),
      ]
      const scores = scoresOn(racked, { group: { Spreads } })
      expect(part('allocation-spread', scores)).toEqual(
        close([(4 / 5) * 0.75 + (3 / 4) * 0.25, (4 / 5) * 0.75 - 1]),
      )
    })
  })

  it('are averaged over those that apply', () => {
    const existing = [{ nodeId: 'a', group: 'app' }]
    const [score] = scoresOn([node('a', { Datacenter: 'dc1' })], {
      existing,
      group: {
        Count: 4,
        Affinities: [{ LTarget: '${node.datacenter}', Operand: '=', RTarget: 'dc1', Weight: 50 }],
        Spreads: [{ Attribute: '${node.datacenter}', Weight: 50, SpreadTarget: null }],
      },
    })
    const fit = (20 - 2 * 10 ** 0.5) / 18
    expect(score?.NormScore).toBeCloseTo((fit - 0.5 + 1 - 1) / 4, 6)
    expect(Object.keys(score?.Scores ?? {})).toEqual([
      'binpack',
      'job-anti-affinity',
      'node-reschedule-penalty',
      'node-affinity',
      'allocation-spread',
    ])
  })
})
