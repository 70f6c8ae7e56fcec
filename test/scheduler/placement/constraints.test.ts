import { describe, expect, it } from 'vitest'
import { JobSpec } from '../../../src/scheduler/jobs/model.ts'
import { jobProblems } from '../../../src/scheduler/jobs/rules.ts'
import { NodeRecord } from '../../../src/scheduler/nodes/model.ts'
import { meetsConstraints } from '../../../src/scheduler/placement/feasible.ts'
import { place } from '../../../src/scheduler/placement/place.ts'

const node = (ID: string, over: object = {}) =>
  NodeRecord.parse({
    ID,
    Name: ID,
    NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } },
    ...over,
  })
const subject = node('n1', {
  Name: 'gpu-1',
  Datacenter: 'eu-1',
  NodeClass: 'large',
  Attributes: {
    'kernel.name': 'linux',
    'os.version': '24.04',
    cores: '10',
    speed: '2.5',
    tags: 'ssd, gpu,fast',
  },
  Meta: { rack: 'r1', release: '1.4.2-beta.1' },
})

/** Every operand with constraints that a node meets, and constraints that it does not. */
const table: readonly (readonly [operand: string, left: string, right: string, meets: boolean])[] = [
  ['=', '${attr.kernel.name}', 'linux', true],
  ['==', '${attr.kernel.name}', 'bsd', false],
  ['is', '${node.datacenter}', 'eu-1', true],
  ['=', '${meta.missing}', '', false],
  ['=', '${meta.rack}', '${meta.missing}', false],
  ['!=', '${attr.kernel.name}', 'bsd', true],
  ['not', '${attr.kernel.name}', 'linux', false],
  ['!=', '${meta.missing}', 'x', true],
  ['<', '${attr.cores}', '9', false],
  ['<', '${attr.cores}', '11', true],
  ['<=', '${attr.cores}', '10', true],
  ['>', '${attr.speed}', '2.4', true],
  ['>', '${attr.cores}', '9007199254740993', false],
  ['>=', '${attr.speed}', '10', false],
  ['<', '${node.class}', 'medium', true],
  ['<', '${meta.missing}', 'z', false],
  ['regexp', '${node.unique.name}', '^gpu-\\d$', true],
  ['regexp', '${node.unique.name}', '^cpu', false],
  ['regexp', '${meta.missing}', '.*', false],
  ['version', '${attr.os.version}', '>= 22.04, < 25', true],
  ['version', '${attr.os.version}', '~> 24.0', true],
  ['version', '${attr.os.version}', '~> 24.4.1', false],
  ['version', '${meta.release}', '> 1.0', false],
  ['version', '${meta.release}', '>= 1.4.2-alpha', true],
  ['version', '${attr.kernel.name}', '> 0', false],
  ['semver', '${meta.release}', '> 1.0.0', true],
  ['semver', '${meta.release}', '>= 1.4.2', false],
  ['semver', '${attr.os.version}', '> 1.0.0', false],
  ['set_contains', '${attr.tags}', 'gpu,ssd', true],
  ['set_contains_all', '${attr.tags}', 'gpu,slow', false],
  ['set_contains_any', '${attr.tags}', 'slow,gpu', true],
  ['set_contains_any', '${attr.tags}', 'slow', false],
  ['set_contains_any', '${meta.missing}', 'gpu', false],
  ['is_set', '${meta.rack}', '', true],
  ['is_set', '${meta.missing}', '', false],
  ['is_not_set', '${meta.missing}', '', true],
  ['is_not_set', '${meta.rack}', '', false],
  ['=', '${node.datacenter}/${meta.rack}', 'eu-1/r1', true],
  ['=', '${node.datacenter}/${meta.missing}', 'eu-1/', false],
  ['=', '${node.pool}', 'default', true],
  ['=', '${node.unique.id}', 'n1', true],
  ['=', '${nothing.known}', 'x', false],
  ['=', '${meta.rack', '${meta.rack', false],
  ['newer', '${attr.os.version}', '1', false],
  ['constructor', '${attr.os.version}', '1', false],
]

describe('constraints', () => {
  it.each(table)('%s with %s and %j is met: %s', (Operand, LTarget, RTarget, meets) => {
    expect(meetsConstraints(subject, [{ Operand, LTarget, RTarget }])).toBe(meets)
  })

  const levels = {
    job: (constraint: object) => ({ Constraints: [constraint] }),
    group: (constraint: object) => ({ group: { Constraints: [constraint] } }),
    task: (constraint: object) => ({ task: { Constraints: [constraint] } }),
  }
  const jobOf = ({
    group = {},
    task = {},
    ...job
  }: {
    readonly group?: object
    readonly task?: object
    readonly [field: string]: unknown
  }) =>
    JobSpec.parse({
      ID: 'web',
      TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't', ...task }], ...group }],
      ...job,
    })

  it.each(Object.entries(levels).flatMap(([level, at]) => table.map((row) => [level, at, row] as const)))(
    'decide on the %s where an allocation goes',
    (_level, at, [Operand, LTarget, RTarget, meets]) => {
      const job = jobOf({ ...at({ Operand, LTarget, RTarget }), Datacenters: ['*'] })
      const plan = place({ nodes: [subject] }, { job, wanted: { app: 1 } })
      expect(plan.placements).toHaveLength(meets ? 1 : 0)
      expect(plan.failed['app']?.NodesFiltered ?? 0).toBe(meets ? 0 : 1)
    },
  )

  it.each([
    ['drivers that are not detected', { Drivers: { exec: { Detected: false, Healthy: true } } }],
    ['drivers that are not healthy', { Drivers: { exec: { Detected: true, Healthy: false } } }],
    ['other drivers only', { Drivers: { docker: { Detected: true, Healthy: true } } }],
    ['drivers that an attribute denies', { Attributes: { 'driver.exec': '0' } }],
  ])('pass over nodes with %s', (_what, over) => {
    const plan = place({ nodes: [node('n1', over)] }, { job: jobOf({}), wanted: { app: 1 } })
    expect(plan.failed['app']?.ConstraintFiltered).toEqual({ 'missing drivers': 1 })
  })

  it.each([
    ['a healthy driver', { Drivers: { exec: { Detected: true, Healthy: true } } }],
    ['an attribute of the driver', { Attributes: { 'driver.exec': '1' } }],
    ['nothing said of any driver', {}],
  ])('take nodes with %s', (_what, over) => {
    expect(
      place({ nodes: [node('n1', over)] }, { job: jobOf({}), wanted: { app: 1 } }).placements,
    ).toHaveLength(1)
  })

  it('give a static port once on each node, and dynamic ports of the range that is free', () => {
    const Networks = [
      {
        ReservedPorts: [{ Label: 'http', Value: 80 }],
        DynamicPorts: [{ Label: 'admin' }, { Label: 'rpc', To: -1 }],
      },
    ]
    const nodes = ['a', 'b'].map((ID) =>
      node(ID, { ReservedResources: { Networks: { ReservedHostPorts: '22,20000-20001' } } }),
    )
    const plan = place({ nodes }, { job: jobOf({ group: { Networks } }), wanted: { app: 3 } })
    expect(plan.placements.map(({ nodeId }) => nodeId)).toEqual(['a', 'b'])
    expect(plan.placements[0]?.usage.ports).toEqual([
      { Label: 'http', Value: 80, To: 0 },
      { Label: 'admin', Value: 20_002, To: 0 },
      { Label: 'rpc', Value: 20_003, To: 20_003 },
    ])
    expect(plan.failed['app']).toMatchObject({
      NodesExhausted: 2,
      DimensionExhausted: { 'network: reserved port collision http=80': 2 },
    })
  })

  it('refuse a port that the node keeps for itself', () => {
    const Networks = [{ ReservedPorts: [{ Label: 'ssh', Value: 22 }] }]
    const nodes = [node('a', { ReservedResources: { Networks: { ReservedHostPorts: '22' } } })]
    expect(place({ nodes }, { job: jobOf({ group: { Networks } }), wanted: { app: 1 } }).placements).toEqual(
      [],
    )
  })

  it.each([
    ['disk', { group: { EphemeralDisk: { SizeMB: 600 } } }, { Disk: { DiskMB: 1000 } }, 1, 'disk'],
    [
      'cores',
      { task: { Resources: { Cores: 2 } } },
      { Cpu: { CpuShares: 4000, TotalCpuCores: 3 } },
      1,
      'cores',
    ],
    ['memory', { task: { Resources: { MemoryMB: 5000 } } }, {}, 1, 'memory'],
    ['cpu', { task: { Resources: { CPU: 1500 } } }, {}, 2, 'cpu'],
  ])('count %s', (_what, ask, has, fits, dimension) => {
    const NodeResources = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 }, ...has }
    const plan = place({ nodes: [node('a', { NodeResources })] }, { job: jobOf(ask), wanted: { app: 4 } })
    expect(plan.placements).toHaveLength(fits)
    expect(plan.failed['app']?.DimensionExhausted).toEqual({ [dimension]: 1 })
  })

  describe('on devices', () => {
    const gpu = {
      Vendor: 'nvidia',
      Type: 'gpu',
      Name: '1080ti',
      Attributes: { memory: { Int: 11, Unit: 'GiB' } },
      Instances: [{ ID: 'g1' }, { ID: 'g2' }, { ID: 'g3', Healthy: false }],
    }
    const withGpus = node('a', {
      NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 }, Devices: [gpu] },
    })
    const placed = (device: object, count = 1) =>
      place(
        { nodes: [node('without'), withGpus] },
        {
          job: jobOf({ task: { Resources: { CPU: 1, MemoryMB: 1, Devices: [device] } } }),
          wanted: { app: count },
        },
      )

    it.each([{ Name: 'gpu' }, { Name: 'nvidia/gpu' }, { Name: 'nvidia/gpu/1080ti', Count: 2 }])(
      'go where they are: %j',
      (device) => {
        expect(placed(device).placements.map(({ nodeId }) => nodeId)).toEqual(['a'])
      },
    )
    it.each([{ Name: 'fpga' }, { Name: 'amd/gpu' }, { Name: 'gpu', Count: 3 }])(
      'go nowhere else: %j',
      (device) => {
        expect(placed(device).failed['app']?.ConstraintFiltered).toEqual({ 'missing devices': 2 })
      },
    )
    it('are given once', () => {
      const plan = placed({ Name: 'gpu' }, 3)
      expect(plan.placements.map(({ usage }) => usage.devices?.[0]?.DeviceIDs)).toEqual([['g1'], ['g2']])
      expect(plan.failed['app']?.DimensionExhausted).toEqual({ 'devices: no devices match request': 1 })
    })
    it.each([
      ['>=', '10 GiB', 1],
      ['>=', '12 GiB', 0],
      // A number without a unit is none of these.
      ['>=', '10', 0],
    ])('are chosen by what they are: memory %s %s', (Operand, RTarget, count) => {
      const Constraints = [{ LTarget: '${device.attr.memory}', Operand, RTarget }]
      expect(placed({ Name: 'gpu', Constraints }).placements).toHaveLength(count)
    })
  })

  it.each([
    ['is there', { Source: 'certs' }, 1],
    ['is read-only, for reading', { Source: 'models', ReadOnly: true }, 1],
    ['is read-only, for writing', { Source: 'models' }, 0],
    ['is missing', { Source: 'none' }, 0],
  ])('look for a host volume that %s', (_what, volume, count) => {
    const HostVolumes = { certs: { Path: '/c' }, models: { Path: '/m', ReadOnly: true } }
    const job = jobOf({ group: { Volumes: { data: { Type: 'host', ...volume } } } })
    expect(
      place({ nodes: [node('a', { HostVolumes })] }, { job, wanted: { app: 1 } }).placements,
    ).toHaveLength(count)
  })

  describe('over several nodes', () => {
    const racks = ['r1', 'r1', 'r2', 'r3'].map((rack, at) => node(`n${at}`, { Meta: { rack } }))
    const distinct = { Operand: 'distinct_hosts', RTarget: 'true' }
    const ids = (plan: ReturnType<typeof place>) => plan.placements.map(({ nodeId }) => nodeId)

    it('keep allocations on distinct hosts', () => {
      const plan = place({ nodes: racks }, { job: jobOf({ Constraints: [distinct] }), wanted: { app: 6 } })
      expect(new Set(ids(plan)).size).toBe(4)
      expect(plan.unplaced).toEqual({ app: 2 })
      expect(plan.failed['app']?.ConstraintFiltered).toEqual({ distinct_hosts: 4 })
    })
    it('count the whole job on the job, and the group on the group', () => {
      const groups = (Constraints: object[] | null) => [
        { Name: 'a', Tasks: [{ Name: 't' }], Constraints },
        { Name: 'b', Tasks: [{ Name: 't' }], Constraints },
      ]
      const wanted = { a: 4, b: 4 }
      const ofJob = JobSpec.parse({ ID: 'w', Constraints: [distinct], TaskGroups: groups(null) })
      expect(place({ nodes: racks }, { job: ofJob, wanted }).unplaced).toEqual({ b: 4 })
      const ofGroup = JobSpec.parse({ ID: 'w', TaskGroups: groups([distinct]) })
      expect(place({ nodes: racks }, { job: ofGroup, wanted }).unplaced).toEqual({})
    })
    it('are off where they say false', () => {
      const job = jobOf({ Constraints: [{ Operand: 'distinct_hosts', RTarget: 'false' }] })
      expect(place({ nodes: racks }, { job, wanted: { app: 6 } }).unplaced).toEqual({})
    })
    it('count the allocations that stand', () => {
      const job = jobOf({ Constraints: [distinct] })
      const existing = [
        { nodeId: 'n0', group: 'app' },
        { nodeId: 'n2', group: 'app' },
      ]
      expect(ids(place({ nodes: racks, existing }, { job, wanted: { app: 4 } })).sort()).toEqual(['n1', 'n3'])
    })
    it.each([
      ['', 3],
      ['2', 6],
    ])('share a value at most %j times', (RTarget, count) => {
      const Constraints = [{ LTarget: '${meta.rack}', Operand: 'distinct_property', RTarget }]
      const plan = place(
        { nodes: [...racks, node('bare')] },
        { job: jobOf({ Constraints }), wanted: { app: 9 } },
      )
      expect(plan.placements).toHaveLength(count)
      expect(ids(plan)).not.toContain('bare')
    })
  })

  describe('that no job may have', () => {
    it.each([
      [{ Operand: '~=', LTarget: '${attr.a}', RTarget: 'x' }, /constraint 1 has the unknown operand "~="/],
      [{ Operand: '', LTarget: '${attr.a}', RTarget: 'x' }, /unknown operand ""/],
      [{ Operand: 'toString', LTarget: '${attr.a}', RTarget: 'x' }, /unknown operand/],
      [{ Operand: '=', RTarget: 'x' }, /needs an LTarget/],
      [{ Operand: '>', LTarget: '${attr.a}' }, /needs an RTarget/],
      [{ Operand: 'is_set', LTarget: '${attr.a}', RTarget: 'x' }, /takes no RTarget/],
      [{ Operand: 'regexp', LTarget: '${attr.a}', RTarget: '(' }, /invalid regular expression/],
      [{ Operand: 'version', LTarget: '${attr.a}', RTarget: 'new' }, /not a list of versions/],
      [{ Operand: 'semver', LTarget: '${attr.a}', RTarget: '~> 1.2.3' }, /not a list of semantic versions/],
      [{ Operand: 'distinct_property', LTarget: '${attr.a}', RTarget: '0' }, /at least 1/],
      [{ Operand: 'distinct_hosts', RTarget: 'maybe' }, /neither true nor false/],
      [
        { Operand: '=', LTarget: '${attr.a}', RTarget: 'x'.repeat(1_000_000) },
        /1000000 characters, more than/,
      ],
      [{ Operand: 'regexp', LTarget: '${attr.a}', RTarget: '(a'.repeat(500_000) }, /characters, more than/],
    ])('%j', (constraint, message) => {
      for (const at of Object.values(levels))
        expect(jobProblems(jobOf(at(constraint))).join('\n')).toMatch(message)
    })
    it('are affinities with an unknown operand or no weight', () => {
      const Affinities = [
        { LTarget: '${attr.a}', Operand: 'near', RTarget: 'x' },
        { LTarget: '${attr.a}', RTarget: 'x', Weight: 0 },
      ]
      expect(jobProblems(jobOf({ Affinities }))).toEqual([
        expect.stringMatching(/affinity 1 has the unknown operand "near"/),
        expect.stringMatching(/affinity 2 has Weight 0/),
      ])
    })
    it('are distinct_hosts on a task', () => {
      const job = jobOf({ task: { Constraints: [{ Operand: 'distinct_hosts' }] } })
      expect(jobProblems(job).join()).toMatch(/belongs to a job or a task group/)
    })
    it('take texts that name a value of the node as they are', () => {
      const Constraints = [{ Operand: 'regexp', LTarget: '${attr.a}', RTarget: '${meta.pattern}(' }]
      expect(jobProblems(jobOf({ Constraints }))).toEqual([])
    })
  })
})
