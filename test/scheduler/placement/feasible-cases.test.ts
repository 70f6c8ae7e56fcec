import { describe, expect, it } from 'vitest'
import { JobSpec, meetsConstraints, NodeRecord, place } from '../../../src/scheduler/index.ts'

const node = (ID: string, over: object = {}) =>
  NodeRecord.parse({
    ID,
    Datacenter: 'dc1',
    NodeClass: 'linux-medium-pci',
    Attributes: { 'kernel.name': 'linux' },
    NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } },
    ...over,
  })
const none = '${meta.none}'

describe('whether a node meets a constraint, in the cases of the scheduler whose API this is', () => {
  it.each<[left: string, operand: string, right: string, meets: boolean]>([
    ['foo', '=', 'foo', true],
    ['foo', 'is', 'foo', true],
    ['foo', '==', 'foo', true],
    ['foo', '==', none, false],
    [none, '==', 'foo', false],
    [none, '==', none, false],
    ['foo', '!=', 'foo', false],
    ['foo', '!=', 'bar', true],
    [none, '!=', 'foo', true],
    ['foo', '!=', none, true],
    [none, '!=', none, false],
    ['foo', 'not', 'bar', true],
    ['1.2.3', 'version', '~> 1.0', true],
    [none, 'version', '~> 1.0', false],
    ['foobarbaz', 'regexp', '[\\w]+', true],
    [none, 'regexp', '[\\w]+', false],
    ['foo', '<', 'bar', false],
    [none, '<', 'bar', false],
    ['foo,bar,baz', 'set_contains', 'foo,  bar  ', true],
    ['foo,bar,baz', 'set_contains', 'foo,bam', false],
    ['foo,bar,baz', 'set_contains_all', 'foo,  bar  ', true],
    ['foo,bar,baz', 'set_contains_any', 'foo,bam', true],
    ['foo', 'is_set', '', true],
    [none, 'is_set', '', false],
    [none, 'is_not_set', '', true],
    ['foo', 'is_not_set', '', false],
    ['bar', '<', 'foo', true],
    ['foo', '<=', 'foo', true],
    ['bar', '>', 'foo', false],
    ['bar', '>=', 'bar', true],
    ['1', '>', 'foo', false],
    ['10', '<', '1', false],
    ['1', '<', '10', true],
    ['10.5', '<', '1.5', false],
    ['1.5', '<', '10.5', true],
    ['1.2.3', 'version', '>= 1.0, < 1.4', true],
    ['2.0.1', 'version', '~> 1.0', false],
    ['1.4', 'version', '>= 1.0, < 1.4', false],
    ['1', 'version', '~> 1.0', true],
    ['1.3.0-beta1', 'version', '>= 0.6.1', false],
    ['1.7.0-alpha1', 'version', '>= 1.6.0-beta1', false],
    ['1.3.0-beta1+ent', 'version', '= 1.3.0-beta1', true],
    ['1.2.3', 'semver', '~> 1.0', false],
    ['1.2.3', 'semver', '>= 1.0, < 1.4', true],
    ['2.0.1', 'semver', '~> 1.0', false],
    ['1.4', 'semver', '>= 1.0, < 1.4', false],
    ['1', 'semver', '~> 1.0', false],
    ['1.3.0-beta1', 'semver', '>= 0.6.1', true],
    ['1.7.0-alpha1', 'semver', '>= 1.6.0-beta1', true],
    ['1.7.0-beta', 'semver', '>= 1.7.0', false],
    ['1.7.0', 'semver', '>= 1.7.0-dev', true],
    ['1.7.0-beta.1', 'semver', '>= 1.7.0-a', true],
    ['1.7.0-rc.1', 'semver', '>= 1.7.0-dev', true],
    ['1.3.0-beta1+ent', 'semver', '= 1.3.0-beta1', true],
    ['foobar', 'regexp', 'bar', true],
    ['foobar', 'regexp', '^foo', true],
    ['foobar', 'regexp', '^bar', false],
    ['zipzap', 'regexp', 'foo', false],
    ['1', 'regexp', 'foo', false],
    ['a', 'set_contains_any', 'a', true],
    ['a,b', 'set_contains_any', 'a', true],
    ['  a,b  ', 'set_contains_any', 'a ', true],
    ['b', 'set_contains_any', 'a', false],
  ])('%s %s %s: %s', (left, Operand, RTarget, meets) => {
    const LTarget = left === none ? none : '${meta.left}'
    const subject = node('a', { Meta: { left } })
    expect(meetsConstraints(subject, [{ LTarget, Operand, RTarget }])).toBe(meets)
  })

  it.each<[target: string, value: string | undefined]>([
    ['${node.unique.id}', 'a'],
    ['${node.datacenter}', 'dc1'],
    ['${node.unique.name}', 'one'],
    ['${node.class}', 'linux-medium-pci'],
    ['${node.pool}', 'default'],
    ['${node.foo}', undefined],
    ['${attr.kernel.name}', 'linux'],
    ['${attr.rand}', undefined],
    ['${meta.pci-dss}', 'true'],
    ['${meta.rand}', undefined],
  ])('%s is %s', (LTarget, value) => {
    const subject = node('a', { Name: 'one', NodePool: 'default', Meta: { 'pci-dss': 'true' } })
    const constraint = { LTarget, Operand: value === undefined ? 'is_not_set' : '=', RTarget: value ?? '' }
    expect(meetsConstraints(subject, [constraint])).toBe(true)
  })

  it.each<[string, object, boolean]>([
    ['another kernel', { Attributes: { 'kernel.name': 'freebsd' } }, false],
    ['another datacenter', { Datacenter: 'dc2' }, false],
    ['all of it', { NodeClass: 'large', Attributes: { 'kernel.name': 'linux', foo: 'bar' } }, true],
    ['another pool', { NodePool: 'prod' }, false],
  ])('five constraints on a node with %s', (_what, over, meets) => {
    const constraint = (LTarget: string, Operand: string, RTarget = '') => ({ LTarget, Operand, RTarget })
    const constraints = [
      constraint('${node.datacenter}', '=', 'dc1'),
      constraint('${attr.kernel.name}', 'is', 'linux'),
      constraint('${node.class}', '!=', 'linux-medium-pci'),
      constraint('${node.pool}', '!=', 'prod'),
      constraint('${attr.foo}', 'is_set'),
    ]
    expect(meetsConstraints(node('a', over), constraints)).toBe(meets)
  })
})

/** The nodes that can take one allocation of a group. */
const fitting = (
  nodes: readonly NodeRecord[],
  group: object,
  {
    existing = [],
    job = {},
    others = [],
  }: {
    readonly existing?: readonly (readonly [nodeId: string, group: string])[]
    readonly job?: object
    readonly others?: readonly string[]
  } = {},
) =>
  nodes
    .filter(
      ({ ID }) =>
        place(
          {
            nodes: nodes.map((each) => (each.ID === ID ? each : { ...each, Status: 'down' as const })),
            existing: existing.map(([nodeId, of]) => ({ nodeId, group: of })),
          },
          {
            job: JobSpec.parse({
              ID: 'foo',
              Datacenters: ['*'],
              TaskGroups: [
                { Name: 'app', Tasks: [{ Name: 't', Driver: 'exec' }], ...group },
                ...others.map((Name) => ({ Name, Tasks: [{ Name: 't' }] })),
              ],
              ...job,
            }),
            wanted: { app: 1 },
          },
        ).placements.length === 1,
    )
    .map(({ ID }) => ID)

describe('whether a node has what a group needs, in the cases of that scheduler', () => {
  const driver = (Detected: boolean, Healthy: boolean) =>
    node('a', { Drivers: { exec: { Detected, Healthy } } })
  it.each([
    ['detected and healthy', driver(true, true), 1],
    ['detected, but not healthy', driver(true, false), 0],
    ['not detected', driver(false, false), 0],
    ['enabled by an attribute', node('a', { Attributes: { 'driver.exec': '1' } }), 1],
    ['disabled by an attribute', node('a', { Attributes: { 'driver.exec': '0' } }), 0],
    ['enabled by the word True', node('a', { Attributes: { 'driver.exec': 'True' } }), 1],
    ['disabled by the word False', node('a', { Attributes: { 'driver.exec': 'False' } }), 0],
  ])('a driver that is %s', (_what, subject, count) => {
    expect(fitting([subject], {})).toHaveLength(count)
  })

  it.each([
    ['two datacenters of all pools', ['dc1', 'dc2'], 'all', ['a', 'b', 'f', 'g']],
    ['a pattern in all pools', ['dc*'], 'all', ['a', 'b', 'f', 'g']],
    ['two datacenters of the default pool', ['dc1', 'dc2'], 'default', ['a', 'b']],
    ['a pattern in the default pool', ['dc*'], 'default', ['a', 'b']],
  ])('%s: those that are ready', (_what, Datacenters, NodePool, expected) => {
    const nodes = [
      node('a'),
      node('b', { Datacenter: 'dc2' }),
      node('c', { Datacenter: 'dc2', Status: 'down' }),
      node('d', { SchedulingEligibility: 'ineligible' }),
      node('e', { Datacenter: 'not-this-dc' }),
      node('f', { NodePool: 'other' }),
      node('g', { Datacenter: 'dc2', NodePool: 'other' }),
      node('h', { NodePool: 'other', Status: 'down' }),
      node('i', { Datacenter: 'dc2', NodePool: 'other', SchedulingEligibility: 'ineligible' }),
    ]
    expect(fitting(nodes, {}, { job: { Datacenters, NodePool } })).toEqual(expected)
  })

  const host = (...names: readonly string[]) =>
    node('a', { HostVolumes: Object.fromEntries(names.map((name) => [name, { Path: '/' }])) })
  const volumes = {
    foo: { Type: 'host', Source: 'foo' },
    bar: { Type: 'host', Source: 'bar' },
    baz: { Type: 'nothost', Source: 'baz' },
  }
  it.each([
    ['none, all wanted', host(), volumes, 0],
    ['one, all wanted', host('foo'), volumes, 0],
    ['all, all wanted', host('foo', 'bar'), volumes, 1],
    ['some, none wanted', host('foo', 'bar'), {}, 1],
    ['others, none wanted', host('foo', 'baz'), {}, 1],
  ])('host volumes: %s', (_what, subject, Volumes, count) => {
    expect(fitting([subject], { Volumes })).toHaveLength(count)
  })

  const instances = (...ids: readonly string[]) => ids.map((ID) => ({ ID, Healthy: true }))
  const quantities = {
    memory: { Int: 4, Unit: 'GiB' },
    pci_bandwidth: { Int: 995, Unit: 'MiB/s' },
    cores_clock: { Int: 800, Unit: 'MHz' },
  }
  const gpu = (Name: string, Instances: object[], Attributes: object | null = quantities) => ({
    Vendor: 'nvidia',
    Type: 'gpu',
    Name,
    Attributes,
    Instances,
  })
  const a = gpu('1080ti', instances('a1', 'a2'))
  const b = gpu('2080ti', instances('b1', 'b2'))
  const broken = gpu(
    '1080ti',
    instances('a1', 'a2').map((each) => ({ ...each, Healthy: false })),
    null,
  )
  const attribute = (LTarget: string, Operand: string, RTarget: string) => ({ LTarget, Operand, RTarget })
  const matching = [
    attribute('${device.model}', '=', '1080ti'),
    attribute('${device.attr.memory}', '>', '1320.5 MB'),
    attribute('${device.attr.pci_bandwidth}', '<=', '.98   GiB/s'),
    attribute('${device.attr.cores_clock}', '=', '800MHz'),
  ]
  const other = (at: number, ...given: Parameters<typeof attribute>) =>
    matching.map((each, place) => (place === at ? attribute(...given) : each))
  it.each<[string, object[] | null, object | undefined, number]>([
    ['none, one wanted', null, { Name: 'gpu' }, 0],
    ['none, none wanted', null, undefined, 1],
    ['by type', [a], { Name: 'gpu' }, 1],
    ['of another type', [a], { Name: 'fpga' }, 0],
    ['not healthy', [broken], { Name: 'gpu' }, 0],
    ['by vendor and type', [a], { Name: 'nvidia/gpu' }, 1],
    ['of another type of the vendor', [a], { Name: 'nvidia/fpga' }, 0],
    ['by vendor, type and model', [a], { Name: 'nvidia/gpu/1080ti' }, 1],
    ['of another model', [a], { Name: 'nvidia/fpga/F100' }, 0],
    ['too few', [a], { Name: 'gpu', Count: 3 }, 0],
    [
      'that meet constraints, one by its identifier',
      [a],
      { Name: 'nvidia/gpu', Constraints: [...matching, attribute('${device.ids}', 'set_contains', 'a1')] },
      1,
    ],
    [
      'that meet constraints, two by their identifiers',
      [a],
      {
        Name: 'nvidia/gpu',
        Count: 2,
        Constraints: [...matching, attribute('${device.ids}', 'set_contains', 'a2,a1')],
      },
      1,
    ],
    [
      'that meet constraints, but are too few',
      [a],
      { Name: 'nvidia/gpu', Count: 5, Constraints: matching },
      0,
    ],
    [
      'that do not meet the first constraint',
      [a],
      { Name: 'nvidia/gpu', Constraints: other(0, '${device.model}', '=', '2080ti') },
      0,
    ],
    [
      'that do not meet the second constraint',
      [a],
      { Name: 'nvidia/gpu', Constraints: other(1, '${device.attr.memory}', '<', '1320.5 MB') },
      0,
    ],
    [
      'with other identifiers',
      [a],
      { Name: 'nvidia/gpu', Constraints: [attribute('${device.ids}', 'set_contains', 'not_valid')] },
      0,
    ],
    ['of two models', [a, b], { Name: 'nvidia/gpu', Count: 2 }, 1],
  ])('devices: %s', (_what, Devices, wanted, count) => {
    const subject = node('a', {
      NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 }, Devices },
    })
    const Tasks = [{ Name: 't', Resources: { Devices: wanted === undefined ? null : [wanted] } }]
    expect(fitting([subject], { Tasks })).toHaveLength(count)
  })

  const word = '${device.attr.word}'
  const nothing = '${device.attr.nothing}'
  it.each<[left: string, operand: string, right: string, meets: number]>([
    [word, '=', 'foo', 1],
    [word, 'is', 'foo', 1],
    [word, '==', 'foo', 1],
    [nothing, '=', nothing, 0],
    [word, '!=', 'foo', 0],
    [nothing, '!=', 'foo', 1],
    [word, '!=', nothing, 1],
    [word, '!=', 'bar', 1],
    [word, 'not', 'bar', 1],
    ['${device.attr.release}', 'version', '~> 1.0', 1],
    [word, 'regexp', '[\\w]+', 1],
    [word, '<', 'bar', 0],
    ['${device.attr.list}', 'set_contains', 'foo,  bar  ', 1],
    ['${device.attr.list}', 'set_contains_all', 'foo,  bar  ', 1],
    ['${device.attr.list}', 'set_contains', 'foo,bam', 0],
    ['${device.attr.list}', 'set_contains_any', 'foo,bam', 1],
    [word, 'is_set', '', 1],
    [nothing, 'is_set', '', 0],
    [word, 'is_not_set', '', 0],
    [nothing, 'is_not_set', '', 1],
  ])('a device with %s %s %s: %i', (left, operand, right, count) => {
    const attributes = {
      word: { String: 'foo' },
      release: { String: '1.2.3' },
      list: { String: 'foo,bar,baz' },
    }
    const Devices = [gpu('1080ti', instances('a1'), attributes)]
    const subject = node('a', {
      NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 }, Devices },
    })
    const wanted = { Name: 'gpu', Constraints: [attribute(left, operand, right)] }
    expect(fitting([subject], { Tasks: [{ Name: 't', Resources: { Devices: [wanted] } }] })).toHaveLength(
      count,
    )
  })

  const network = (Mode: string, over: object = {}) =>
    node(Mode, {
      NodeResources: {
        Cpu: { CpuShares: 4000 },
        Memory: { MemoryMB: 8192 },
        Networks: [{ Mode: 'host', Device: 'eth0' }, { Mode }],
      },
      ...over,
    })
  it.each([
    ['host', ['bridge', 'cni/mynet']],
    ['bridge', ['bridge']],
    ['cni/mynet', ['cni/mynet']],
    ['cni/nonexistent', []],
  ])('a network of mode %s', (Mode, expected) => {
    expect(fitting([network('bridge'), network('cni/mynet')], { Networks: [{ Mode }] })).toEqual(expected)
  })
  it.each([
    ['does not report it', { Attributes: { 'nomad.version': '0.11.0' } }, 1],
    ['reports only another', { NodeResources: network('host').NodeResources }, 0],
  ])('a bridge on a node that %s', (_what, over, count) => {
    expect(fitting([node('a', over)], { Networks: [{ Mode: 'bridge' }] })).toHaveLength(count)
  })
})

describe('constraints over several nodes, in the cases of that scheduler', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e'].map((ID, rack) => node(ID, { Meta: { rack: String(rack) } }))
  const hosts = (RTarget = '') => ({ Operand: 'distinct_hosts', RTarget })
  const racks = (RTarget = '') => ({ Operand: 'distinct_property', LTarget: '${meta.rack}', RTarget })
  const both = [
    ['a', 'app'],
    ['b', 'other'],
  ] as const
  it.each<[string, number, object, object, readonly (readonly [string, string])[], readonly string[]]>([
    ['hosts of a job', 3, { Constraints: [hosts()] }, {}, both, ['c']],
    ['hosts of a job, said with true', 3, { Constraints: [hosts('true')] }, {}, both, ['c']],
    ['hosts of a job, turned off', 3, { Constraints: [hosts('false')] }, {}, both, ['a', 'b', 'c']],
    ['hosts of a job, not a boolean', 3, { Constraints: [hosts('not_a_bool')] }, {}, both, ['c']],
    ['hosts of a job, all taken', 2, { Constraints: [hosts()] }, {}, both, []],
    ['hosts of a group', 2, {}, { Constraints: [hosts()] }, [['a', 'app']], ['b']],
    ['hosts of another group', 2, {}, {}, [['a', 'other']], ['a', 'b']],
    [
      'racks of a job',
      5,
      { Constraints: [racks()] },
      {},
      [
        ['a', 'app'],
        ['b', 'app'],
        ['c', 'other'],
        ['d', 'other'],
      ],
      ['e'],
    ],
    [
      'racks of a job, each twice',
      3,
      { Constraints: [racks('2')] },
      {},
      [...both, ['a', 'other'], ['b', 'app'], ['c', 'app']],
      ['c'],
    ],
    ['racks of a job, one replaced by another', 1, { Constraints: [racks()] }, {}, [['a', 'app']], []],
    ['racks of a job, all taken', 2, { Constraints: [racks()] }, {}, both, []],
    [
      'racks of a job, all taken twice',
      2,
      { Constraints: [racks('2')] },
      {},
      [...both, ['a', 'other'], ['b', 'app']],
      [],
    ],
    [
      'racks of a group',
      3,
      {},
      { Constraints: [racks()] },
      [
        ['a', 'app'],
        ['b', 'app'],
      ],
      ['c'],
    ],
    [
      'racks of another group',
      3,
      {},
      {},
      [
        ['a', 'other'],
        ['b', 'other'],
      ],
      ['a', 'b', 'c'],
    ],
  ])('%s', (_what, count, job, group, existing, expected) => {
    expect(fitting(nodes.slice(0, count), group, { existing, job, others: ['other'] })).toEqual(expected)
  })
})
