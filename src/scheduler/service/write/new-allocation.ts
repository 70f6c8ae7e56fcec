import type { Env } from '../../../kernel/index.ts'
import type { AllocatedResources, AllocationRecord } from '../../allocations/model.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { TaskGroup } from '../../jobs/task-group.ts'
import type { Placement } from '../../placement/place.ts'
import type { Usage } from '../../placement/site.ts'
import { nanoseconds, rfc3339 } from '../../values/instants.ts'

/** The purpose of a new allocation. */
export interface Placed {
  readonly job: JobSpec
  readonly jobCreateIndex: number
  readonly group: TaskGroup
  readonly placement: Placement
  /** Its number within its group. */
  readonly number: number
  readonly evaluationId: string
  /** Empty without a deployment. */
  readonly deploymentId: string
  readonly canary: boolean
  /** The allocation that it replaces; empty for none. */
  readonly previous: string
}

/** A new allocation: waiting for its node, or running and immediately healthy if nodes are simulated. */
export function newAllocation(placed: Placed, simulate: boolean, env: Env): AllocationRecord {
  const { job, group, placement, deploymentId, canary } = placed
  const time = nanoseconds(env.now)
  return {
    ID: env.newId('allocation'),
    Namespace: job.Namespace,
    EvalID: placed.evaluationId,
    Name: `${job.ID}.${group.Name}[${placed.number}]`,
    NodeID: placement.nodeId,
    NodeName: placement.nodeName,
    JobID: job.ID,
    JobType: job.Type,
    JobVersion: job.Version,
    JobCreateIndex: placed.jobCreateIndex,
    TaskGroup: group.Name,
    AllocatedResources: allocatedOf(group, placement.usage),
    DesiredStatus: 'run',
    DesiredDescription: '',
    DesiredTransition: null,
    ClientStatus: simulate ? 'running' : 'pending',
    ClientDescription: '',
    TaskStates: simulate ? runningTasks(group, env) : null,
    DeploymentID: deploymentId,
    DeploymentStatus: healthIn(job, deploymentId, { simulate, canary }, env),
    PreviousAllocation: placed.previous,
    NextAllocation: '',
    FollowupEvalID: '',
    PreemptedByAllocation: '',
    CreateTime: time,
    ModifyTime: time,
  }
}

/** The resources of an allocation, in their stored form: each task gets the cores and devices that it asks for. */
function allocatedOf(
  { Tasks }: TaskGroup,
  { diskMb, cores = [], ports, devices = [] }: Usage,
): AllocatedResources {
  let [core, device] = [0, 0]
  const take = <Item>(from: readonly Item[], at: number, count: number) =>
    count === 0 ? null : from.slice(at, at + count)
  const tasks = Tasks.map(({ Name, Resources: { CPU, MemoryMB, MemoryMaxMB, Cores, Devices } }) => {
    const kinds = Devices?.length ?? 0
    const ReservedCores = take(cores, core, Cores)
    const own = take(devices, device, kinds)
    core += Cores
    device += kinds
    const resources: AllocatedResources['Tasks'][string] = {
      Cpu: { CpuShares: CPU, ReservedCores },
      Memory: { MemoryMB, MemoryMaxMB },
      Networks: null,
      Devices: own === null ? null : own.map((each) => ({ ...each, DeviceIDs: [...each.DeviceIDs] })),
    }
    return [Name, resources] as const
  })
  const lifecycles = Tasks.map(({ Name, Lifecycle }) => [Name, Lifecycle] as const)
  return {
    Tasks: Object.fromEntries(tasks),
    TaskLifecycles: Object.fromEntries(lifecycles),
    Shared: { Networks: null, DiskMB: diskMb ?? 0, Ports: ports === undefined ? null : [...ports] },
  }
}

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
        ModifyIndex: 0,
      }

const runningTasks = (group: TaskGroup, env: Env): AllocationRecord['TaskStates'] =>
  Object.fromEntries(
    group.Tasks.map(({ Name }) => [
      Name,
      {
        State: 'running',
        Failed: false,
        Restarts: 0,
        StartedAt: rfc3339(env.now),
        FinishedAt: null,
        Events: null,
      },
    ]),
  )
