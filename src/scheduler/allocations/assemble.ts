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
  DesiredStatus: record.DesiredStatus,
  DesiredDescription: record.DesiredDescription,
  DesiredTransition: record.DesiredTransition,
  ClientStatus: record.ClientStatus,
  ClientDescription: record.ClientDescription,
  TaskStates: record.TaskStates,
  DeploymentID: record.DeploymentID,
  DeploymentStatus: record.DeploymentStatus,
  PreviousAllocation: record.PreviousAllocation,
  NextAllocation: record.NextAllocation,
  FollowupEvalID: record.FollowupEvalID,
  PreemptedByAllocation: record.PreemptedByAllocation,
  CreateTime: record.CreateTime,
  ModifyTime: record.ModifyTime,
  CreateIndex,
  ModifyIndex,
})
