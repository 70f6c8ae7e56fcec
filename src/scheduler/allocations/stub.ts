import type { Mutable } from '../values/mutable.ts'
import type { Allocation } from './model.ts'

/**
 * An allocation as lists show it.
 */
export type AllocationStub = Omit<
  Allocation,
  'AllocatedResources' | 'Metrics' | 'JobCreateIndex' | 'PreviousAllocation' | 'DesiredTransition'
> & {
  readonly AllocatedResources?: Allocation['AllocatedResources']
}

/**
 * Optional fields of a list of allocations.
 */
export interface AllocationStubFields {
  /** Adds `AllocatedResources`. */
  readonly resources?: boolean | undefined
  /** `false` omits `TaskStates`. */
  readonly taskStates?: boolean | undefined
}

/** Every stub begins as a copy of this one: see `jobs/stub.ts` for the reason. */
const blank: AllocationStub = {
  ID: '',
  Namespace: '',
  EvalID: '',
  Name: '',
  NodeID: '',
  NodeName: '',
  JobID: '',
  JobType: '',
  JobVersion: 0,
  TaskGroup: '',
  DesiredStatus: 'run',
  DesiredDescription: '',
  ClientStatus: 'pending',
  ClientDescription: '',
  TaskStates: null,
  DeploymentID: '',
  DeploymentStatus: null,
  NextAllocation: '',
  FollowupEvalID: '',
  RescheduleTracker: null,
  PreemptedAllocations: null,
  PreemptedByAllocation: '',
  CreateTime: 0,
  ModifyTime: 0,
  CreateIndex: 0,
  ModifyIndex: 0,
}
const blankWithResources: AllocationStub = {
  ...blank,
  AllocatedResources: {
    Tasks: {},
    TaskLifecycles: {},
    Shared: { Networks: null, DiskMB: 0, Ports: null },
  },
}

/**
 * The list form of an allocation.
 */
export function allocationStub(
  allocation: Allocation,
  { resources = false, taskStates = true }: AllocationStubFields = {},
): AllocationStub {
  const stub: Mutable<AllocationStub> = {
    ...(resources ? blankWithResources : blank),
    ID: allocation.ID,
    Namespace: allocation.Namespace,
    EvalID: allocation.EvalID,
    Name: allocation.Name,
    NodeID: allocation.NodeID,
    NodeName: allocation.NodeName,
    JobID: allocation.JobID,
    JobType: allocation.JobType,
    JobVersion: allocation.JobVersion,
    TaskGroup: allocation.TaskGroup,
    DesiredStatus: allocation.DesiredStatus,
    DesiredDescription: allocation.DesiredDescription,
    ClientStatus: allocation.ClientStatus,
    ClientDescription: allocation.ClientDescription,
    TaskStates: taskStates ? allocation.TaskStates : null,
    DeploymentID: allocation.DeploymentID,
    DeploymentStatus: allocation.DeploymentStatus,
    NextAllocation: allocation.NextAllocation,
    FollowupEvalID: allocation.FollowupEvalID,
    RescheduleTracker: allocation.RescheduleTracker,
    PreemptedAllocations: allocation.PreemptedAllocations,
    PreemptedByAllocation: allocation.PreemptedByAllocation,
    CreateTime: allocation.CreateTime,
    ModifyTime: allocation.ModifyTime,
    CreateIndex: allocation.CreateIndex,
    ModifyIndex: allocation.ModifyIndex,
  }
  if (resources) stub.AllocatedResources = allocation.AllocatedResources
  return stub
}
