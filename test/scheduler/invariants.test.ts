import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/kernel/seeded-random.ts'
import { usageIn } from '../../src/scheduler/allocations/usage.ts'
import {
  type Allocation,
  isTerminalAllocation,
  type JobInput,
  type NodeInput,
} from '../../src/scheduler/index.ts'
import { given } from './harness.ts'

/** How many clusters are tried: 200, or as many as `PLINTH_SEEDS` says. */
const seeds = Number(process.env['PLINTH_SEEDS'] ?? 200)

/** Wishes with an oracle of their own: which nodes may take what asks for them. */
const wishes: readonly {
  readonly constraint: { LTarget: string; Operand: string; RTarget?: string }
  readonly holds: (node: NodeInput) => boolean
}[] = [
  {
    constraint: { LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' },
    holds: ({ Attributes }) => Attributes?.['kernel.name'] === 'linux',
  },
  {
    constraint: { LTarget: '${meta.rack}', Operand: '!=', RTarget: 'r1' },
    holds: ({ Meta }) => Meta?.['rack'] !== 'r1',
  },
  {
    constraint: { LTarget: '${attr.os.version}', Operand: 'version', RTarget: '>= 12, < 20' },
    holds: ({ Attributes }) => ['12.4', '18.0.1'].includes(Attributes?.['os.version'] ?? ''),
  },
  {
    constraint: { LTarget: '${attr.features}', Operand: 'set_contains_any', RTarget: 'avx,sse' },
    holds: ({ Attributes }) => /avx|sse/.test(Attributes?.['features'] ?? ''),
  },
  {
    constraint: { LTarget: '${node.class}', Operand: 'regexp', RTarget: '^big' },
    holds: ({ NodeClass }) => NodeClass === 'bigger',
  },
  {
    constraint: { LTarget: '${meta.gpu}', Operand: 'is_not_set' },
    holds: ({ Meta }) => !Object.hasOwn(Meta ?? {}, 'gpu'),
  },
  {
    constraint: { LTarget: '${attr.cores}', Operand: '>', RTarget: '8' },
    holds: ({ Attributes }) => Number(Attributes?.['cores'] ?? 0) > 8,
  },
]

/** A cluster and its jobs, the same for the same seed. */
function drawn(seed: number) {
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const one = <Value>(...values: readonly [Value, ...Value[]]): Value =>
    values[below(values.length)] ?? values[0]
  const nodes: NodeInput[] = Array.from({ length: 1 + below(8) }, (_, at) => ({
    ID: `n${at}`,
    Datacenter: one('dc1', 'dc2'),
    NodeClass: one('', 'bigger', 'small'),
    Attributes: {
      'kernel.name': one('linux', 'bsd'),
      'os.version': one('12.4', '18.0.1', '22', 'none'),
      cores: one('4', '16'),
      ...(below(2) === 0 ? { features: one('avx, x', 'sse', 'y') } : {}),
    },
    Meta: { rack: one('r1', 'r2', 'r3'), ...(below(3) === 0 ? { gpu: 'yes' } : {}) },
    Drivers: one<NodeInput['Drivers']>(
      {},
      { exec: { Detected: true, Healthy: true } },
      { exec: { Detected: true, Healthy: false } },
      { docker: { Detected: true, Healthy: true } },
    ),
    NodeResources: {
      Cpu: { CpuShares: one(500, 1000, 3000), TotalCpuCores: one(0, 4) },
      Memory: { MemoryMB: one(1000, 4000) },
      Disk: { DiskMB: one(0, 1000, 2000) },
      Devices:
        below(3) === 0
          ? [{ Vendor: 'v', Type: 'gpu', Name: 'm', Instances: [{ ID: 'd1' }, { ID: 'd2' }] }]
          : null,
    },
  }))
  const jobs = Array.from({ length: 1 + below(5) }, (_, at) => {
    const chosen = wishes.filter(() => below(5) === 0)
    const distinct = below(5) === 0 ? [{ Operand: 'distinct_hosts' }] : []
    const racks =
      below(6) === 0 ? [{ LTarget: '${meta.rack}', Operand: 'distinct_property', RTarget: '2' }] : []
    const Type = one('service', 'batch', 'system', 'sysbatch')
    const job = {
      ID: `j${at}`,
      Type,
      Priority: one(30, 50, 90),
      Datacenters: one(['*'], ['dc1']),
      Constraints: [...chosen.map(({ constraint }) => constraint), ...distinct, ...racks],
      Spreads: below(4) === 0 && !Type.startsWith('sys') ? [{ Attribute: '${meta.rack}' }] : null,
      TaskGroups: [
        {
          Name: 'app',
          Count: Type.startsWith('sys') ? 1 : 1 + below(6),
          EphemeralDisk: { SizeMB: one(100, 400) },
          Networks:
            below(3) === 0
              ? [{ ReservedPorts: [{ Label: 'p', Value: 80 }], DynamicPorts: [{ Label: 'd' }] }]
              : null,
          Tasks: [
            {
              Name: 't',
              Driver: one('exec', 'docker'),
              Resources: {
                CPU: one(100, 400),
                MemoryMB: one(100, 900),
                Cores: one(0, 0, 0, 1),
                Devices: below(5) === 0 ? [{ Name: 'gpu' }] : null,
              },
            },
          ],
        },
      ],
    } satisfies JobInput
    return { job, chosen, isApart: distinct.length > 0, sharesRacks: racks.length > 0 }
  })
  return { nodes, jobs, below, preempts: below(2) === 0 }
}

const takes = (drivers: NodeInput['Drivers'], driver: string) =>
  Object.keys(drivers ?? {}).length === 0 ||
  (drivers?.[driver]?.Detected === true && drivers[driver].Healthy === true)

describe('for any nodes and any jobs', () => {
  it.each(Array.from({ length: Math.ceil(seeds / 20) }, (_, at) => at * 20))(
    'nothing runs where it must not, and what waits is explained: seeds from %i on',
    async (first) => {
      for (let seed = first; seed < Math.min(first + 20, seeds); seed += 1) await checkSeed(seed)
    },
  )
})

async function checkSeed(seed: number): Promise<void> {
  const { nodes, jobs, below, preempts } = drawn(seed)
  const errors: unknown[] = []
  const { scheduler, send } = await given(
    {},
    { place: true, simulate: true, onError: (error) => errors.push(error) },
  )
  if (preempts)
    await scheduler.writeSchedulerConfiguration({ PreemptionConfig: { SystemSchedulerEnabled: true } })
  // Half of them are there from the start, the others come while jobs wait.
  const late = nodes.filter(() => below(2) === 0)
  for (const node of nodes) if (!late.includes(node)) await scheduler.registerNode(node)
  for (const { job } of jobs) {
    const answer = await scheduler.registerJob(job)
    expect(answer.ok, `seed ${seed}`).toBe(true)
  }
  await scheduler.settled()
  for (const node of late) await scheduler.registerNode(node)
  await scheduler.settled()
  const gone = jobs.filter(() => below(4) === 0)
  for (const { job } of gone) await scheduler.deregisterJob(job.ID)
  await scheduler.settled()

  const what = `seed ${seed}`
  expect(errors, what).toEqual([])
  const listed = await scheduler.listAllocations()
  if (!listed.ok) throw new Error(listed.refusal.message)
  const live: Allocation[] = []
  for (const { ID } of listed.value) {
    const found = await scheduler.readAllocation(ID)
    if (found.ok && !isTerminalAllocation(found.value)) live.push(found.value)
  }
  for (const node of nodes) {
    const here = live.filter(({ NodeID }) => NodeID === node.ID)
    const sum = (of: (row: Allocation) => number) => here.reduce((total, row) => total + of(row), 0)
    const { Cpu, Memory, Disk } = node.NodeResources ?? {}
    const where = `${what}: ${node.ID}`
    expect(
      sum((row) => usageIn(row.AllocatedResources).cpu),
      where,
    ).toBeLessThanOrEqual(Cpu?.CpuShares ?? 0)
    expect(
      sum((row) => usageIn(row.AllocatedResources).memoryMb),
      where,
    ).toBeLessThanOrEqual(Memory?.MemoryMB ?? 0)
    expect(
      sum((row) => usageIn(row.AllocatedResources).cores?.length ?? 0),
      where,
    ).toBeLessThanOrEqual(Cpu?.TotalCpuCores ?? 0)
    if ((Disk?.DiskMB ?? 0) > 0)
      expect(
        sum((row) => row.AllocatedResources.Shared.DiskMB),
        where,
      ).toBeLessThanOrEqual(Disk?.DiskMB ?? 0)
    const ports = here.flatMap((row) => row.AllocatedResources.Shared.Ports ?? []).map(({ Value }) => Value)
    expect(new Set(ports).size, `${where}: ports`).toBe(ports.length)
    const devices = here
      .flatMap((row) => usageIn(row.AllocatedResources).devices ?? [])
      .flatMap(({ DeviceIDs }) => DeviceIDs)
    expect(new Set(devices).size, `${where}: devices`).toBe(devices.length)
  }
  for (const { job, chosen, isApart, sharesRacks } of jobs) {
    const where = `${what}: ${job.ID}`
    const own = live.filter(({ JobID }) => JobID === job.ID)
    if (gone.some((each) => each.job === job)) {
      expect(own, where).toEqual([])
      continue
    }
    const [group] = job.TaskGroups
    const [task] = group?.Tasks ?? []
    if (group === undefined || task === undefined) throw new Error('every job has a task')
    const may = (node: NodeInput) =>
      chosen.every(({ holds }) => holds(node)) &&
      takes(node.Drivers, task.Driver) &&
      (job.Datacenters[0] === '*' || node.Datacenter === 'dc1') &&
      (task.Resources.Devices === null || (node.NodeResources?.Devices ?? []).length > 0)
    for (const row of own) {
      const node = nodes.find(({ ID }) => ID === row.NodeID)
      expect(node && may(node), `${where} on ${row.NodeID}`).toBe(true)
      expect(row.AllocatedResources.Shared.Ports?.length ?? 0, where).toBe(group.Networks === null ? 0 : 2)
    }
    const isSystem = job.Type.startsWith('sys')
    const hosts = new Set(own.map(({ NodeID }) => NodeID))
    if (isApart || isSystem) expect(hosts.size, where).toBe(own.length)
    if (sharesRacks && !isSystem) {
      const racks = own.map(({ NodeID }) => nodes.find(({ ID }) => ID === NodeID)?.Meta?.['rack'])
      for (const rack of new Set(racks))
        expect(racks.filter((each) => each === rack).length, where).toBeLessThanOrEqual(2)
    }
    const possible = nodes.filter(may)
    const wanted = isSystem ? possible.length : group.Count
    expect(own.length, where).toBeLessThanOrEqual(wanted)
    const blocked = await scheduler.listEvaluations({ job: job.ID, status: 'blocked' })
    const [waiting] = blocked.ok ? blocked.value : []
    expect(blocked.ok && blocked.value.length, where).toBe(waiting === undefined ? 0 : 1)
    if (own.length < wanted) expect(waiting, `${where} waits`).toBeDefined()
    const why = waiting?.FailedTGAllocs?.['app'] as Record<string, number> | undefined
    if (waiting !== undefined) {
      expect(why, where).toBeDefined()
      const { NodesEvaluated = 0, NodesFiltered = 0, NodesExhausted = 0 } = why ?? {}
      expect(NodesFiltered + NodesExhausted, where).toBeLessThanOrEqual(NodesEvaluated)
    }
  }
  const checked = await send('PUT', '/v1/system/reconcile/summaries')
  expect(checked.json, what).toMatchObject({ Differing: [] })
  await scheduler.close()
}
