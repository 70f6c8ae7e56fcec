import { writtenWithIt } from '../evaluations/create.ts'
import type { Allocation, AllocationRecord } from './model.ts'
import { presentForm } from './usage.ts'

/** An allocation from its record and the record's indexes. Written out, so that all of them share one hidden class. */
export const assembleAllocation = (
  record: AllocationRecord,
  CreateIndex: number,
  ModifyIndex: number,
): Allocation => ({
  ID: record.ID,
  Namespace: record.Namespace,
  EvalID: record.EvalID,
  Name: record.Name,
  NodeID: record.NodeID,
  NodeName: record.NodeName,
  JobID: record.JobID,
  JobType: record.JobType,
  JobVersion: record.JobVersion,
  JobCreateIndex: record.JobCreateIndex,
  TaskGroup: record.TaskGroup,
  AllocatedResources: presentForm(record.AllocatedResources),
  Metrics: record.Metrics ?? null,
  DesiredStatus: record.DesiredStatus,
  DesiredDescription: record.DesiredDescription,
  DesiredTransition: record.DesiredTransition,
  ClientStatus: record.ClientStatus,
  ClientDescription: record.ClientDescription,
  TaskStates: record.TaskStates,
  DeploymentID: record.DeploymentID,
  DeploymentStatus: judgedAt(record.DeploymentStatus, ModifyIndex),
  PreviousAllocation: record.PreviousAllocation,
  NextAllocation: record.NextAllocation,
  FollowupEvalID: record.FollowupEvalID,
  RescheduleTracker: record.RescheduleTracker ?? null,
  PreemptedAllocations: record.PreemptedAllocations ?? null,
  PreemptedByAllocation: record.PreemptedByAllocation,
  CreateTime: record.CreateTime,
  ModifyTime: record.ModifyTime,
  CreateIndex,
  ModifyIndex,
})

/** The verdict on an allocation with its index: that of the commit which wrote both, if it has none of its own yet. */
export const judgedAt = (
  status: AllocationRecord['DeploymentStatus'],
  index: number,
): AllocationRecord['DeploymentStatus'] =>
  status?.ModifyIndex === writtenWithIt
    ? Object.freeze(Object.assign({}, status, { ModifyIndex: index }))
    : status
