import type { Env } from '../../../kernel/index.ts'
import type { AllocatedResources, AllocationRecord } from '../../allocations/model.ts'
import { trackerAfter } from '../../allocations/reschedule.ts'
import { startedTasks } from '../../allocations/task-states.ts'
import { writtenWithIt } from '../../evaluations/create.ts'
import { reschedulePolicyOf } from '../../jobs/defaults.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { TaskGroup } from '../../jobs/task-group.ts'
import type { NodeRecord } from '../../nodes/model.ts'
import { descriptions } from '../../placement/group-work.ts'
import type { PlacementMetrics } from '../../placement/metrics-model.ts'
import type { PortUse } from '../../placement/ports.ts'
import type { Usage } from '../../placement/site.ts'
import { nanoseconds, rfc3339 } from '../../values/instants.ts'

/** The purpose of a new allocation. */
export interface Placed {
  readonly job: JobSpec
  readonly jobCreateIndex: number
  readonly group: TaskGroup
  readonly node: NodeRecord
  readonly usage: Usage
  /** Whether its tasks may take more memory than they reserve. */
  readonly oversubscribes: boolean
  readonly metrics: PlacementMetrics
  /** Its number within its group. */
  readonly number: number
  readonly evaluationId: string
  /** Empty without a deployment. */
  readonly deploymentId: string
  readonly canary: boolean
  /** The allocation that it replaces, and why. */
  readonly replaced: { readonly row: AllocationRecord | undefined; readonly description: string } | undefined
  /** The IDs of the allocations that make room for it. */
  readonly preempted: readonly string[]
}

/** A new allocation: waiting for its node, or running and immediately healthy if nodes are simulated. */
export function newAllocation(placed: Placed, simulate: boolean, env: Env): AllocationRecord {
  const { job, group, node, deploymentId, canary, replaced } = placed
  const time = nanoseconds(env.now)
  return {
    ID: env.newId('allocation'),
    Namespace: job.Namespace,
    EvalID: placed.evaluationId,
    Name: `${job.ID}.${group.Name}[${placed.number}]`,
    NodeID: node.ID,
    NodeName: node.Name,
    JobID: job.ID,
    JobType: job.Type,
    JobVersion: job.Version,
    JobCreateIndex: placed.jobCreateIndex,
    TaskGroup: group.Name,
    AllocatedResources: allocatedOf(placed),
    Metrics: placed.metrics,
    DesiredStatus: 'run',
    DesiredDescription: '',
    DesiredTransition: null,
    ClientStatus: simulate ? 'running' : 'pending',
    ClientDescription: '',
    TaskStates: simulate ? startedTasks(group, env.now) : null,
    DeploymentID: deploymentId,
    DeploymentStatus: healthIn(job, deploymentId, { simulate, canary }, env),
    PreviousAllocation: replaced?.row?.ID ?? '',
    NextAllocation: '',
    FollowupEvalID: '',
    RescheduleTracker: trackerOf(placed, env),
    PreemptedAllocations: placed.preempted.length > 0 ? [...placed.preempted] : null,
    PreemptedByAllocation: '',
    CreateTime: time,
    ModifyTime: time,
  }
}

/** The failures before an allocation: an update of its job begins anew. */
function trackerOf({ job, group, replaced }: Placed, { now }: Env): AllocationRecord['RescheduleTracker'] {
  if (replaced?.row === undefined || replaced.description === descriptions.updating) return null
  return replaced.description === descriptions.rescheduled
    ? trackerAfter(replaced.row, reschedulePolicyOf(job, group), now)
    : replaced.row.RescheduleTracker
}

/** The resources of an allocation, in their stored form: each task gets the cores and devices that it asks for. */
function allocatedOf({ group, usage, node, oversubscribes }: Placed): AllocatedResources {
  const { Tasks, Networks } = group
  const { diskMb, cores = [], ports = [], devices = [] } = usage
  const networks = networksOn(node, ports)
  let [core, device] = [0, 0]
  const take = <Item>(from: readonly Item[], at: number, count: number) =>
    count === 0 ? null : from.slice(at, at + count)
  const tasks = Tasks.map(({ Name, Resources: { CPU, MemoryMB, MemoryMaxMB, Cores, Devices, ...asked } }) => {
    const kinds = Devices?.length ?? 0
    const ReservedCores = take(cores, core, Cores)
    const own = take(devices, device, kinds)
    core += Cores
    device += kinds
    const resources: AllocatedResources['Tasks'][string] = {
      Cpu: { CpuShares: CPU, ReservedCores },
      Memory: { MemoryMB, MemoryMaxMB: oversubscribes ? MemoryMaxMB : 0 },
      Networks: networks(asked.Networks),
      Devices: own === null ? null : own.map((each) => ({ ...each, DeviceIDs: [...each.DeviceIDs] })),
    }
    return [Name, resources] as const
  })
  const lifecycles = Tasks.map(({ Name, Lifecycle }) => [Name, Lifecycle] as const)
  return {
    Tasks: Object.fromEntries(tasks),
    TaskLifecycles: Object.fromEntries(lifecycles),
    Shared: {
      Networks: networks(Networks),
      DiskMB: diskMb ?? 0,
      Ports: ports.length > 0 ? ports.map((port) => Object.assign({}, port, { HostIP: ipOf(node) })) : null,
    },
  }
}

/** The first address of a node; empty if it reports none. */
const ipOf = ({ NodeResources }: NodeRecord): string => NodeResources?.Networks?.[0]?.IP ?? ''

/** Networks that a group or a task asks for, with the chosen ports, which are used in the order of the requests. */
const networksOn = (node: NodeRecord, ports: readonly PortUse[]) => {
  const portOf = new Map(ports.map(({ Label, Value, To }) => [Label, { Value, To }]))
  const chosen = (asks: Network['DynamicPorts']) =>
    asks?.flatMap(({ Label, HostNetwork }) => {
      const port = portOf.get(Label)
      return port === undefined ? [] : [{ Label, Value: port.Value, To: port.To, HostNetwork }]
    }) ?? null
  return (asked: readonly Network[] | null) =>
    asked === null || asked.length === 0
      ? null
      : asked.map(({ Mode, Device, CIDR, IP, MBits, ReservedPorts, DynamicPorts }) => ({
          Mode: Mode || 'host',
          Device: Device || (node.NodeResources?.Networks?.[0]?.Device ?? ''),
          CIDR,
          IP: IP || ipOf(node),
          MBits,
          ReservedPorts: chosen(ReservedPorts),
          DynamicPorts: chosen(DynamicPorts),
        }))
}

type Network = NonNullable<TaskGroup['Networks']>[number]

/** Updates an allocation to the current version in place: it keeps running, and a deployment judges it again. */
export function broughtUpToDate(
  allocation: AllocationRecord,
  { job, evaluationId, deploymentId }: Pick<Placed, 'job' | 'evaluationId' | 'deploymentId'>,
  simulate: boolean,
  env: Env,
): AllocationRecord {
  return {
    ...allocation,
    EvalID: evaluationId,
    JobVersion: job.Version,
    DeploymentID: deploymentId,
    DeploymentStatus: healthIn(job, deploymentId, { simulate, canary: false }, env),
    ModifyTime: nanoseconds(env.now),
  }
}

/** Without a deployment only the node reports health; if nodes are simulated, services count as healthy. */
const healthIn = (
  { Type }: Pick<JobSpec, 'Type'>,
  deploymentId: string,
  { simulate, canary }: { readonly simulate: boolean; readonly canary: boolean },
  env: Env,
): AllocationRecord['DeploymentStatus'] =>
  deploymentId === '' && !(simulate && Type === 'service')
    ? null
    : {
        Healthy: simulate ? true : null,
        Timestamp: simulate ? rfc3339(env.now) : null,
        Canary: canary,
        ModifyIndex: simulate ? writtenWithIt : 0,
      }
