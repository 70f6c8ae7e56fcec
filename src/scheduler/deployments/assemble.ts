import type { Deployment, DeploymentRecord } from './model.ts'

/** A deployment from its record and the record's indexes. Written out, so that all of them share one hidden class. */
export const assembleDeployment = (
  record: DeploymentRecord,
  CreateIndex: number,
  ModifyIndex: number,
): Deployment => ({
  ID: record.ID,
  JobID: record.JobID,
  Namespace: record.Namespace,
  JobVersion: record.JobVersion,
  JobModifyIndex: record.JobModifyIndex,
  JobSpecModifyIndex: record.JobSpecModifyIndex,
  JobCreateIndex: record.JobCreateIndex,
  IsMultiregion: record.IsMultiregion,
  TaskGroups: record.TaskGroups,
  Status: record.Status,
  StatusDescription: record.StatusDescription,
  EvalPriority: record.EvalPriority,
  CreateIndex,
  ModifyIndex,
})
