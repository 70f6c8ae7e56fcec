import { diffJobs, type JobDiff } from './diff.ts'
import type { Job } from './model.ts'

/** Compares two versions of a registered job, without the fields that only the service sets. */
export const diffVersions = (before: Job, after: Job): JobDiff => diffJobs(specOf(before), specOf(after))

const specOf = ({
  Status: _,
  StatusDescription: _d,
  Stable: _s,
  CreateIndex: _c,
  ModifyIndex: _m,
  JobModifyIndex: _j,
  ...spec
}: Job) => spec
