/**
 * Compares two versions of a job.
 *
 * @packageDocumentation
 */
export {
  type DiffType,
  diffJobs,
  type FieldDiff,
  type JobDiff,
  type ObjectDiff,
  type TaskDiff,
  type TaskGroupDiff,
} from '../jobs/diff.ts'
