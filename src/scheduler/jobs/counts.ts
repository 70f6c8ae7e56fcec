import type { JobSpec } from './model.ts'

/** The default maximum number of allocations of a job. */
export const usualMaxCount = 50_000

/**
 * The maximum number of task groups of a job: its deployment and its summary are one record each, with a row per group.
 */
const mostGroups = 2000

/** Returns what is wrong with the number of task groups; more groups are not checked one by one. */
export const groupsProblem = (count: number): string | undefined =>
  count > mostGroups
    ? `the job has ${count} task groups, more than the ${mostGroups} that one job may have`
    : undefined

/** Returns what is wrong with the total number of allocations of all task groups of a job. */
export function countProblem(
  { TaskGroups }: Pick<JobSpec, 'TaskGroups'>,
  maxCount: number,
): string | undefined {
  const count = TaskGroups.reduce((sum, { Count }) => sum + Count, 0)
  return count > maxCount
    ? `the job asks for ${count} allocations (the counts of its task groups together), more than the ${maxCount} that one job may have`
    : undefined
}
