import { writtenWithIt } from './create.ts'
import type { Evaluation, EvaluationRecord } from './model.ts'

/** An evaluation from its record and the record's indexes. Written out, so that all of them share one hidden class. */
export const assembleEvaluation = (
  record: EvaluationRecord,
  CreateIndex: number,
  ModifyIndex: number,
): Evaluation => ({
  ID: record.ID,
  Namespace: record.Namespace,
  Priority: record.Priority,
  Type: record.Type,
  TriggeredBy: record.TriggeredBy,
  JobID: record.JobID,
  JobModifyIndex: record.JobModifyIndex === writtenWithIt ? CreateIndex : record.JobModifyIndex,
  NodeID: record.NodeID,
  NodeModifyIndex: record.NodeModifyIndex,
  DeploymentID: record.DeploymentID,
  Status: record.Status,
  StatusDescription: record.StatusDescription,
  WaitUntil: record.WaitUntil,
  NextEval: record.NextEval,
  PreviousEval: record.PreviousEval,
  BlockedEval: record.BlockedEval,
  FailedTGAllocs: record.FailedTGAllocs,
  QueuedAllocations: record.QueuedAllocations,
  SnapshotIndex: record.SnapshotIndex,
  CreateTime: record.CreateTime,
  ModifyTime: record.ModifyTime,
  CreateIndex,
  ModifyIndex,
})
