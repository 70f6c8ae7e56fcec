import { ownValue } from '../../kernel/objects.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import type { NodeRecord } from '../nodes/model.ts'
import { type Constraint, constraintTest, constraintText } from './constraints.ts'
import { matchesDatacenter } from './datacenters.ts'
import { type DeviceAsk, deviceAsks, hasDevices } from './devices.ts'
import { nodeLookup } from './interpolate.ts'
import { isOverNodes } from './operands.ts'
import type { PortAsk } from './ports.ts'
import { together } from './together.ts'

/** The requirements of an allocation on its node: all must hold. */
export interface GroupAsk {
  readonly cpu: number
  readonly memoryMb: number
  readonly diskMb: number
  readonly cores: number
  readonly ports: readonly PortAsk[]
  readonly devices: readonly DeviceAsk[]
  readonly distinctHosts: DistinctScope | undefined
  readonly distinctProperties: readonly DistinctProperty[]
  /** Identifies the requirements on the kind of node: groups with the same key fit on the same nodes. */
  readonly kind: readonly unknown[]
  /** Whether a node meets the constraints of job, group and tasks. */
  readonly meets: (node: NodeRecord) => boolean
  /** Why a node can never take the group, even when it is empty; `undefined` if it can. */
  readonly refused: (node: NodeRecord) => string | undefined
}

/** Which allocations count: those of the whole job, or of the group. */
export type DistinctScope = 'job' | 'group'

/** How many allocations may be on nodes that share a value. */
export interface DistinctProperty {
  readonly scope: DistinctScope
  readonly constraint: Constraint
  readonly limit: number
}

/** Compiles the requirements of an allocation of a group. */
export function askOf(job: Pick<JobSpec, 'Constraints'>, group: TaskGroup): GroupAsk {
  let [diskMb, cores] = [group.EphemeralDisk?.SizeMB ?? 0, 0]
  const { cpu, memoryMb } = together(
    group.Tasks.map(({ Resources, Lifecycle }) => ({
      cpu: Resources.CPU,
      memoryMb: Resources.MemoryMB,
      cores: Resources.Cores,
      lifecycle: Lifecycle,
    })),
  )
  const ports: PortAsk[] = [...portsOf(group.Networks)]
  const devices: DeviceAsk[] = []
  for (const { Resources } of group.Tasks) {
    diskMb += Resources.DiskMB
    cores += Resources.Cores
    if (Resources.Networks !== null) ports.push(...portsOf(Resources.Networks))
    if (Resources.Devices !== null) devices.push(...deviceAsks(Resources))
  }
  const ofJob = job.Constraints ?? []
  const ofGroup = [
    ...(group.Constraints ?? []),
    ...group.Tasks.flatMap(({ Constraints }) => Constraints ?? []),
  ]
  return {
    cpu,
    memoryMb,
    diskMb,
    cores,
    ports,
    devices,
    distinctHosts: ofJob.some(isDistinctHosts) ? 'job' : ofGroup.some(isDistinctHosts) ? 'group' : undefined,
    distinctProperties: [
      ...ofJob.flatMap((each) => distinctProperty(each, 'job')),
      ...ofGroup.flatMap((each) => distinctProperty(each, 'group')),
    ],
    ...judging([...ofJob, ...ofGroup], group, devices),
  }
}

const isDistinctHosts = ({ Operand, RTarget }: Constraint): boolean =>
  Operand === 'distinct_hosts' && RTarget.toLowerCase() !== 'false'

const distinctProperty = (constraint: Constraint, scope: DistinctScope): readonly DistinctProperty[] =>
  constraint.Operand === 'distinct_property'
    ? [{ scope, constraint, limit: constraint.RTarget === '' ? 1 : Number(constraint.RTarget) }]
    : []

function portsOf(networks: TaskGroup['Networks']): readonly PortAsk[] {
  return (networks ?? []).flatMap(({ ReservedPorts, DynamicPorts }) => [
    ...(ReservedPorts ?? []).map(({ Label, Value, To }) => ({ label: Label, value: Value, to: To })),
    ...(DynamicPorts ?? []).map(({ Label, To }) => ({ label: Label, value: undefined, to: To })),
  ])
}

function judging(
  constraints: readonly Constraint[],
  group: TaskGroup,
  devices: readonly DeviceAsk[],
): Pick<GroupAsk, 'kind' | 'meets' | 'refused'> {
  const tests = constraints
    .filter(({ Operand }) => !isOverNodes(Operand))
    .map((constraint) => [constraintTest(constraint), constraint] as const)
  const drivers = [...new Set(group.Tasks.map(({ Driver }) => Driver))]
  const volumes = Object.values(group.Volumes ?? {}).filter(({ Type }) => Type === 'host')
  const modes = [...new Set((group.Networks ?? []).map(({ Mode }) => Mode))].filter(
    (mode) => !everywhere.has(mode),
  )
  const kind = [constraints, drivers, volumes, devices, modes]
  const unmet = (node: NodeRecord): Constraint | undefined => {
    if (tests.length === 0) return undefined
    const lookup = nodeLookup(node)
    for (const [test, constraint] of tests) if (!test(lookup)) return constraint
    return undefined
  }
  const refused = (node: NodeRecord): string | undefined => {
    const constraint = unmet(node)
    if (constraint !== undefined) return constraintText(constraint)
    if (!modes.every((mode) => hasNetwork(node, mode))) return 'missing network'
    if (!drivers.every((driver) => hasDriver(node, driver))) return 'missing drivers'
    if (!volumes.every((volume) => hasVolume(node, volume))) return 'missing compatible host volumes'
    if (devices.length > 0 && !hasDevices(node, devices)) return 'missing devices'
    return undefined
  }
  return { kind, meets: (node) => unmet(node) === undefined, refused }
}

/** The modes of networks that every node has. */
const everywhere: ReadonlySet<string> = new Set(['', 'host', 'none'])

/** Whether a node has a network of a mode. A node that reports no network leaves this to its agent. */
const hasNetwork = ({ NodeResources }: NodeRecord, mode: string): boolean => {
  const networks = NodeResources?.Networks ?? []
  return networks.length === 0 || networks.some(({ Mode }) => Mode === mode)
}

/**
 * Whether a node supports a driver: it detected the driver and reports it as healthy. A node that reports no driver at
 * all leaves this to its agent, and is not excluded.
 */
function hasDriver({ Drivers, Attributes }: NodeRecord, driver: string): boolean {
  if (Object.hasOwn(Drivers, driver)) {
    const found = Drivers[driver]
    return found?.Detected === true && found.Healthy
  }
  const attribute = `driver.${driver}`
  if (Object.hasOwn(Attributes, attribute))
    return /^(?:1|t|T|true|TRUE|True)$/.test(Attributes[attribute] ?? '')
  if (Object.keys(Drivers).length > 0) return false
  return !Object.keys(Attributes).some((name) => name.startsWith('driver.'))
}

function hasVolume(
  { HostVolumes }: NodeRecord,
  { Source, ReadOnly }: Readonly<Record<string, unknown>>,
): boolean {
  const volumes = HostVolumes ?? {}
  const found = typeof Source === 'string' ? ownValue(volumes, Source) : undefined
  return found !== undefined && (ReadOnly === true || !found.ReadOnly)
}

/** Whether allocations may be placed on a node at all: it is ready, eligible and not being drained. */
export const isOpen = ({ Status, SchedulingEligibility, DrainStrategy }: NodeRecord): boolean =>
  Status === 'ready' && SchedulingEligibility === 'eligible' && DrainStrategy === null

/** Whether a node is in a job's pool and datacenters. */
export const isWithin = (
  { NodePool, Datacenter }: NodeRecord,
  job: Pick<JobSpec, 'NodePool' | 'Datacenters'>,
): boolean =>
  (job.NodePool === 'all' || NodePool === job.NodePool) && matchesDatacenter(Datacenter, job.Datacenters)
