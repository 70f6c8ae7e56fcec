import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { JobSpec, type NodeRecord, place } from '../../../src/scheduler/index.ts'
import { chosenOn, node, scoresOn } from './scored.ts'

const sized = (ID: string, size: number, kept = 0, more: object = {}) =>
  node(ID, {
    NodeResources: { Cpu: { CpuShares: size }, Memory: { MemoryMB: size }, ...more },
    ReservedResources: { Cpu: { CpuShares: kept }, Memory: { MemoryMB: kept } },
  })
type Given = Parameters<typeof scoresOn>[1]
const task = (Resources: object = {}) => ({
  Name: 't',
  Resources: { CPU: 1024, MemoryMB: 1024, ...Resources },
})
const close = (values: readonly (number | undefined)[]) =>
  values.map((value) => (value === undefined ? undefined : expect.closeTo(value, 3)))
const norms = (...given: Parameters<typeof scoresOn>) => scoresOn(...given).map((each) => each?.NormScore)
const parts = (name: string, ...given: Parameters<typeof scoresOn>) =>
  scoresOn(...given).map((each) => each?.Scores[name] ?? 0)

describe('how well an allocation fits, in the cases of the scheduler whose API this is', () => {
  const half = (20 - 2 * 10 ** (2 / 3)) / 18
  it.each<[string, readonly NodeRecord[], Given, readonly (number | undefined)[]]>([
    [
      'a node that is full then, one that is too small, one that is half full',
      [sized('a', 2048, 1024), sized('b', 1024, 512), sized('c', 4096, 1024)],
      {},
      [1, undefined, half],
    ],
    [
      'networks without ports, of group and task',
      [sized('a', 2048, 1024), sized('c', 4096, 1024)],
      {
        group: {
          Networks: [{ Device: 'eth0', MBits: 500 }],
          Tasks: [task({ Networks: [{ Device: 'eth0', MBits: 300 }] })],
        },
      },
      [1, half],
    ],
    [
      'a node that others fill, one that they half fill',
      [sized('a', 2048), sized('b', 2048)],
      { used: { a: { cpu: 2048, memoryMb: 2048 }, b: { cpu: 1024, memoryMb: 1024 } } },
      [undefined, 1],
    ],
    [
      'a node whose only allocation is told to stop, one that is half full',
      [sized('a', 2048), sized('b', 2048)],
      { used: { b: { cpu: 1024, memoryMb: 1024 } } },
      [(20 - 2 * 10 ** 0.5) / 18, 1],
    ],
  ])('%s', (_what, nodes, given, expected) => {
    expect(norms(nodes, given)).toEqual(close(expected))
  })

  it('prefers the node with the least left over, what nodes keep for themselves left out', () => {
    const nodes = [sized('a', 1100), sized('b', 2000, 800), sized('c', 2000, 500), sized('d', 900)]
    const [a = 0, b = 0, c = 0, d] = norms(nodes, { group: { Tasks: [task({ CPU: 1000, MemoryMB: 1000 })] } })
    expect(a > b && b > c).toBe(true)
    expect(d).toBeUndefined()
  })

  it.each([
    ['nearly full', 2048, 4096, 18],
    ['empty', 0, 0, 0],
    ['in between', 1024, 2048, 13.675],
  ])('a node that is %s scores by both algorithms, 18 together', (_what, CPU, MemoryMB, score) => {
    const subject = node('a', {
      NodeResources: { Cpu: { CpuShares: 4096 }, Memory: { MemoryMB: 8192 } },
      ReservedResources: { Cpu: { CpuShares: 2048 }, Memory: { MemoryMB: 4096 } },
    })
    const group = { Tasks: [task({ CPU, MemoryMB })] }
    expect(parts('binpack', [subject], { group })).toEqual(close([score / 18]))
    expect(parts('binpack', [subject], { group, algorithm: 'spread' })).toEqual(close([(18 - score) / 18]))
  })

  it.each([
    ['1000-2000', 80, [80]],
    ['22,80', 80, undefined],
    ['not-valid-ports', 80, undefined],
  ])('a node that keeps the ports %s gives the port %i: %j', (ReservedHostPorts, Value, expected) => {
    const subject = node('a', { ReservedResources: { Networks: { ReservedHostPorts } } })
    const group = { Networks: [{ ReservedPorts: [{ Label: 'http', Value }] }] }
    const [chosen] = chosenOn([subject], { group })
    expect(chosen?.usage.ports?.map((port) => port.Value)).toEqual(expected)
  })

  it('gives the core that is free', () => {
    const cores = { Cpu: { CpuShares: 2048, TotalCpuCores: 2 } }
    const nodes = [sized('a', 2048, 0, cores), sized('b', 2048, 0, cores)]
    const used = {
      a: { cpu: 2048, memoryMb: 2048, cores: [0, 1] },
      b: { cpu: 1024, memoryMb: 1024, cores: [0] },
    }
    const chosen = chosenOn(nodes, { used, group: { Tasks: [task({ CPU: 1024, Cores: 1 })] } })
    expect(chosen.map((each) => each?.usage.cores)).toEqual([undefined, [1]])
  })
})

describe('devices, in the cases of that scheduler', () => {
  const instances = (...ids: readonly string[]) => ids.map((ID) => ({ ID, Healthy: true }))
  const gpu = (Name: string, ids: readonly string[], clock: number, cores: number, bandwidth: number) => ({
    Vendor: 'nvidia',
    Type: 'gpu',
    Name,
    Attributes: {
      memory: { Int: 11, Unit: 'GiB' },
      cuda_cores: { Int: cores },
      graphics_clock: { Int: clock, Unit: 'MHz' },
      memory_bandwidth: { Int: bandwidth, Unit: 'GB/s' },
    },
    Instances: instances(...ids),
  })
  const one = gpu('1080ti', ['a1', 'a2'], 1480, 3584, 11)
  const two = gpu('2080ti', ['b1', 'b2'], 1350, 4352, 14)
  const fpga = {
    Vendor: 'intel',
    Type: 'fpga',
    Name: 'F100',
    Attributes: { memory: { Int: 4, Unit: 'GiB' } },
    Instances: [...instances('f1'), { ID: 'f2', Healthy: false }],
  }
  const host = (...Devices: readonly object[]) => sized('a', 4096, 0, { Devices })
  const offered = (subject: NodeRecord, wanted: object, used: readonly string[] = []) => {
    const [chosen] = chosenOn([subject], {
      group: { Tasks: [task({ Devices: [wanted] })] },
      used:
        used.length === 0
          ? {}
          : {
              a: {
                cpu: 0,
                memoryMb: 0,
                devices: [{ Vendor: 'nvidia', Type: 'gpu', Name: '1080ti', DeviceIDs: used }],
              },
            },
    })
    return chosen?.usage.devices?.map(({ Name, DeviceIDs }) => [Name, ...DeviceIDs])
  }
  const where = (name: string, Operand: string, RTarget: string) => ({
    LTarget: `\${device.${name}}`,
    Operand,
    RTarget,
  })
  const shared = [where('attr.memory_bandwidth', '>', '10 GB/s'), where('attr.memory', 'is', '11264 MiB')]
  it.each<[string, NodeRecord, object, readonly (readonly string[])[] | undefined, (readonly string[])?]>([
    ['one of a type', host(one), { Name: 'nvidia/gpu' }, [['1080ti', 'a1']]],
    ['two of a type', host(one), { Name: 'nvidia/gpu', Count: 2 }, [['1080ti', 'a1', 'a2']]],
    ['too many', host(one), { Name: 'nvidia/gpu', Count: 6 }, undefined],
    ['none of the type', host(one), { Name: 'fpga' }, undefined],
    ['the one that is not in use', host(one), { Name: 'nvidia/gpu' }, [['1080ti', 'a2']], ['a1']],
    ['none, all in use', host(one), { Name: 'nvidia/gpu' }, undefined, ['a1', 'a2']],
    ['a type alone', host(one, fpga), { Name: 'gpu' }, [['1080ti', 'a1']]],
    ['vendor, type and model', host(one, fpga), { Name: 'intel/fpga/F100' }, [['F100', 'f1']]],
    ['more than there are of any kind', host(one, fpga), { Name: 'gpu', Count: 4 }, undefined],
    [
      'more cores than',
      host(one, two),
      { Name: 'gpu', Constraints: [where('attr.cuda_cores', '>', '4000')] },
      [['2080ti', 'b1']],
    ],
    [
      'fewer cores than',
      host(one, two),
      { Name: 'gpu', Constraints: [where('attr.cuda_cores', '<', '4000')] },
      [['1080ti', 'a1']],
    ],
    [
      'several constraints, one of which decides',
      host(one, two),
      { Name: 'nvidia/gpu', Constraints: [...shared, where('attr.graphics_clock', '>', '1.4 GHz')] },
      [['1080ti', 'a1']],
    ],
    ['another vendor', host(one, two), { Name: 'intel/gpu' }, undefined],
    [
      'several constraints, one of which none meets',
      host(one, two),
      { Name: 'nvidia/gpu', Constraints: [...shared, where('attr.graphics_clock', '>', '2.4 GHz')] },
      undefined,
    ],
    [
      'an identifier',
      host(one, two),
      { Name: 'nvidia/gpu', Constraints: [where('ids', 'set_contains', 'a2')] },
      [['1080ti', 'a2']],
    ],
    [
      'affinity to more cores',
      host(one, two),
      { Name: 'gpu', Affinities: [{ ...where('attr.cuda_cores', '>', '4000'), Weight: 60 }] },
      [['2080ti', 'b1']],
    ],
    [
      'affinity to fewer cores',
      host(one, two),
      { Name: 'gpu', Affinities: [{ ...where('attr.cuda_cores', '<', '4000'), Weight: 10 }] },
      [['1080ti', 'a1']],
    ],
    [
      'aversion to more cores',
      host(one, two),
      { Name: 'gpu', Affinities: [{ ...where('attr.cuda_cores', '>', '4000'), Weight: -20 }] },
      [['1080ti', 'a1']],
    ],
    [
      'several affinities, one of which decides',
      host(one, two),
      {
        Name: 'nvidia/gpu',
        Affinities: [
          ...shared.map((each) => ({ ...each, Weight: 20 })),
          { ...where('attr.graphics_clock', '>', '1.4 GHz'), Weight: 90 },
        ],
      },
      [['1080ti', 'a1']],
    ],
  ])('%s', (_what, subject, wanted, expected, used = []) => {
    expect(offered(subject, wanted, used)).toEqual(expected)
  })

  it('an affinity that its device meets scores 1', () => {
    const Affinities = [{ ...where('attr.graphics_clock', '>', '1.4 GHz'), Weight: 90 }]
    const group = { Tasks: [task({ Devices: [{ Name: 'nvidia/gpu', Affinities }] })] }
    expect(parts('devices', [host(one)], { group })).toEqual([1])
  })
})

describe('the other parts of a score, in the cases of that scheduler', () => {
  const crowded = [
    { nodeId: 'a', group: 'app' },
    { nodeId: 'a', group: 'app' },
  ]
  const nodes = [node('a'), node('b')]
  it('two of the group on a node, of four: less by three quarters', () => {
    expect(parts('job-anti-affinity', nodes, { existing: crowded, group: { Count: 4 } })).toEqual([-0.75, 0])
  })
  it('a node on which the allocation failed before: less by one', () => {
    expect(parts('node-reschedule-penalty', nodes, { failedOn: ['a'] })).toEqual([-1, 0])
  })
  it('both: their mean with the fit', () => {
    const [a, b] = scoresOn(nodes, { existing: crowded, failedOn: ['a'], group: { Count: 4 } })
    const fit = a?.Scores['binpack'] ?? 0
    expect(a?.NormScore).toBeCloseTo((fit - 0.875 * 2) / 3, 6)
    expect(b?.NormScore).toBeCloseTo(fit, 6)
  })

  const affinity = (LTarget: string, Operand: string, RTarget: string, Weight: number) => ({
    LTarget,
    Operand,
    RTarget,
    Weight,
  })
  const Affinities = [
    affinity('${node.datacenter}', '=', 'dc1', 100),
    affinity('${node.datacenter}', '=', 'dc2', -100),
    affinity('${attr.kernel.version}', 'version', '>4.0', 50),
    affinity('${node.class}', 'is', 'large', 50),
  ]
  const liked = [
    node('a', { Attributes: { 'kernel.version': '4.9' } }),
    node('b', { Datacenter: 'dc2' }),
    node('c', { Datacenter: 'dc2', NodeClass: 'large' }),
    node('d'),
    node('e', { Datacenter: 'dc3', NodeClass: 'weird', Attributes: { 'kernel.version': '2.6' } }),
  ]
  const weights = [1 / 2, -1 / 3, -1 / 6, 1 / 3, 0]
  it('affinities alone', () => {
    expect(parts('node-affinity', liked, { group: { Affinities } })).toEqual(close(weights))
  })
  it('affinities and fit, also where no affinity matches', () => {
    const [fit = 0] = parts('binpack', liked, { group: { Affinities } })
    expect(norms(liked, { group: { Affinities } })).toEqual(close(weights.map((each) => (each + fit) / 2)))
  })
})

describe('spreads, in the cases of that scheduler', () => {
  const sited = (...sites: readonly (readonly [datacenter: string, rack?: string])[]) =>
    sites.map(([Datacenter, rack = ''], at) => node(`n${at}`, { Datacenter, Meta: { rack } }))
  const on = (...indexes: readonly number[]) => indexes.map((at) => ({ nodeId: `n${at}`, group: 'app' }))
  const over = (Attribute: string, targets: Readonly<Record<string, number>> = {}, Weight = 100) => ({
    Attribute,
    Weight,
    SpreadTarget: Object.entries(targets).map(([Value, Percent]) => ({ Value, Percent })),
  })
  const boosts = (nodes: readonly NodeRecord[], existing: Given['existing'], Spreads: object[], Count = 10) =>
    parts('allocation-spread', nodes, { ...(existing && { existing }), group: { Spreads, Count } })

  const four = sited(['dc1'], ['dc2'], ['dc1'], ['dc2'])
  const most = [over('${node.datacenter}', { dc1: 80 })]
  it('one target of 80 %, of which two of eight are placed', () => {
    expect(boosts(four, on(0, 2), most)).toEqual(close([0.625, 0.5, 0.625, 0.5]))
  })
  const ten = sited(['dc1'], ['dc2'], ['dc1'], ['dc1'], ['dc1'])
  it('one target of 80 %, of which seven of eight are placed', () => {
    expect(boosts(ten, on(0, 2, 0, 0, 3, 3, 3), most)).toEqual(close([0, 0.5, 0, 0, 0]))
  })
  it('two attributes', () => {
    const nodes = sited(['dc1', 'r1'], ['dc2', 'r1'], ['dc1', 'r2'], ['dc1', 'r2'])
    const Spreads = [
      over('${node.datacenter}', { dc1: 60, dc2: 40 }),
      over('${meta.rack}', { r1: 40, r2: 60 }, 50),
    ]
    expect(boosts(nodes, on(0, 2), Spreads)).toEqual(close([0.5, 0.667, 0.556, 0.556]))
  })

  const even = [over('${node.datacenter}')]
  const sites = sited(['dc1'], ['dc2'], ['dc1'], ['dc2'], ['dc1'], ['dc3'])
  it.each([
    ['nothing is placed', [], [0, 0, 0]],
    ['two in one value', [0, 2], [-1, 1, undefined]],
    ['two in one value, three in another', [0, 2, 1, 1, 3], [0.5, -0.5, undefined]],
    ['three in each of two, none in a third', [0, 2, 4, 1, 1, 3], [-1, -1, 1]],
  ] as const)('evenly: %s', (_what, existing, [dc1, dc2, dc3]) => {
    const found = boosts(sites, on(...existing), even)
    expect(found.slice(0, 5)).toEqual(close([dc1, dc2, dc1, dc2, dc1]))
    if (dc3 !== undefined) expect(found[5]).toBeCloseTo(dc3, 6)
  })
  it('evenly: those that are told to stop do not count', () => {
    expect(boosts(sites, on(0), even)[1]).toBe(1)
  })
  it.each([
    ['a value without a share', over('${node.datacenter}', { dc1: 80, dc2: 20 })],
    ['an attribute that the node lacks', over('${meta.foo}', { bar: 80, baz: 20 })],
  ])('%s: -1', (_what, spread) => {
    expect(boosts(sited(['dc3'], ['dc3']), [], [spread], 5)).toEqual([-1, -1])
  })
  it.each([
    ['evenly, with none for others', { dc1: 50, dc2: 50, '*': 0 }, [0.75, 0.75]],
    ['nearly all in one, with none for others', { dc1: 99, dc2: 1, '*': 0 }, [6.92 / 7.92, -11.5]],
  ])('%s: finite', (_what, targets, expected) => {
    const nodes = sited(['dc1'], ['dc2'], ['dc3'])
    const Spreads = [over('${node.datacenter}', targets)]
    const scores = boosts(nodes, [], Spreads, 8)
    expect(scores.slice(0, 2)).toEqual(close(expected))
    expect(Number.isFinite(scores[2])).toBe(true)
    expect(scores[2]).toBeLessThanOrEqual(-1)
  })

  it.each([
    [100, 500, 'even'],
    [100, 50, 'even'],
    [10, 500, 'even'],
    [10, 50, 'even'],
    [50, 500, 'uneven'],
    [50, 50, 'uneven'],
    [500, 500, 'uneven'],
    [500, 50, 'uneven'],
  ] as const)('over %i racks of 10,000 nodes, %i allocations are even; racks are %s', (racks, count, how) => {
    const template = node('n', {
      NodeResources: { Cpu: { CpuShares: 14_000 }, Memory: { MemoryMB: 32_000 } },
    })
    const nodes = Array.from({ length: 10_000 }, (_, at): NodeRecord => {
      const rack =
        how === 'even' ? at % racks : createHash('md5').update(String(at)).digest().readUInt16LE() % racks
      return { ...template, ID: `n${at}`, Meta: { rack: String(rack) } }
    })
    const job = JobSpec.parse({
      ID: 'web',
      Datacenters: ['*'],
      Spreads: [over('${meta.rack}')],
      TaskGroups: [{ Name: 'app', Count: count, Tasks: [task({ CPU: 6000, MemoryMB: 6000 })] }],
    })
    const { placements } = place({ nodes }, { job, wanted: { app: count } })
    const perRack = new Map(Array.from({ length: racks }, (_, rack) => [String(rack), 0]))
    const rackOf = new Map(nodes.map(({ ID, Meta }) => [ID, Meta?.['rack'] ?? '']))
    for (const { nodeId } of placements) {
      const rack = rackOf.get(nodeId) ?? ''
      perRack.set(rack, (perRack.get(rack) ?? 0) + 1)
    }
    const counts = [...perRack.values()]
    expect(placements).toHaveLength(count)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2)
  })
})
