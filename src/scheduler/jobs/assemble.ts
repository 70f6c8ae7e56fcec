import type { Job, JobSpec, JobStatus } from './model.ts'

/**
 * A job from its two records and their indexes.
 *
 * @remarks
 * Written out field by field: objects of one literal share one hidden class, which makes filters over many of them
 * fast. Spread copies of frozen records do not.
 */
export const assembleJob = (
  spec: JobSpec,
  status: JobStatus,
  indexes: Pick<Job, 'CreateIndex' | 'ModifyIndex' | 'JobModifyIndex'>,
): Job => {
  const job: Job = {
    ID: spec.ID,
    Name: spec.Name,
    ParentID: spec.ParentID,
    Namespace: spec.Namespace,
    Region: spec.Region,
    Type: spec.Type,
    Priority: spec.Priority,
    AllAtOnce: spec.AllAtOnce,
    Datacenters: spec.Datacenters,
    NodePool: spec.NodePool,
    Constraints: spec.Constraints,
    Affinities: spec.Affinities,
    Spreads: spec.Spreads,
    TaskGroups: spec.TaskGroups,
    Update: spec.Update,
    Multiregion: spec.Multiregion,
    Periodic: spec.Periodic,
    ParameterizedJob: spec.ParameterizedJob,
    Dispatched: spec.Dispatched,
    DispatchIdempotencyToken: spec.DispatchIdempotencyToken,
    Payload: spec.Payload,
    Meta: spec.Meta,
    Stop: spec.Stop,
    Version: spec.Version,
    VersionTag: spec.VersionTag,
    SubmitTime: spec.SubmitTime,
    Status: status.Status,
    StatusDescription: status.StatusDescription,
    Stable: status.Stable,
    CreateIndex: indexes.CreateIndex,
    ModifyIndex: indexes.ModifyIndex,
    JobModifyIndex: indexes.JobModifyIndex,
  }
  // Left out where there is none, not undefined: what was read is JSON, and can be registered again.
  return spec.UI === undefined ? job : Object.assign(job, { UI: spec.UI })
}
