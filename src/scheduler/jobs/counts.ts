import type { JobSpec } from './model.ts'

/** How many allocations a job may ask for, where nothing else is said. */
export const usualMaxCount = 50_000

/** What is wrong with the number of allocations that all task groups of a job ask for together. */
export function countProblem(
  { TaskGroups }: Pick<JobSpec, 'TaskGroups'>,
  maxCount: number,
): string | undefined {
  const count = TaskGroups.reduce((sum, { Count }) => sum + Count, 0)
  return count > maxCount
    ? `the job asks for ${count} allocations (the counts of its task groups together), more than the ${maxCount} that one job may have`
    : undefined
}
