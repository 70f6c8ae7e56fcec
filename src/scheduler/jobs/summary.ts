import type { AllocationRecord } from '../allocations/model.ts'
import type { EvaluationRecord } from '../evaluations/model.ts'
import { isTerminalEvaluation } from '../evaluations/rules.ts'
import type { JobSpec, JobStatus } from './model.ts'
import type { ChildrenSummary, GroupSummary } from './summary-model.ts'

/** The counts of a group with only queued allocations. */
export const counted = (Queued: number): GroupSummary => ({
  Queued,
  Starting: 0,
  Running: 0,
  Failed: 0,
  Complete: 0,
  Lost: 0,
})

const bucket = {
  pending: 'Starting',
  running: 'Running',
  complete: 'Complete',
  failed: 'Failed',
  lost: 'Lost',
  // A disconnected node may still run its allocations.
  unknown: 'Running',
} as const satisfies Record<AllocationRecord['ClientStatus'], keyof GroupSummary>

/** The count that an allocation belongs to. */
export const bucketOf = ({ ClientStatus }: Pick<AllocationRecord, 'ClientStatus'>) => bucket[ClientStatus]

/**
 * Recomputes a job's counts from its allocations: for every group of the job, and every group that an allocation still
 * refers to.
 *
 * @param queued - by group, how many allocations could not be placed yet
 *
 * @example
 * ```ts
 * import { JobSpec, summariseGroups } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app' }] })
 * const counts = summariseGroups(job, [
 *   { TaskGroup: 'app', ClientStatus: 'running' },
 *   { TaskGroup: 'app', ClientStatus: 'failed' },
 * ])
 * counts['app']?.Running // 1
 * ```
 */
export function summariseGroups(
  job: Pick<JobSpec, 'TaskGroups'>,
  allocations: readonly Pick<AllocationRecord, 'TaskGroup' | 'ClientStatus'>[],
  queued: Readonly<Record<string, number>> = {},
): Record<string, GroupSummary> {
  const groups = new Map<string, GroupSummary>()
  for (const { Name } of job.TaskGroups)
    groups.set(Name, counted(Object.hasOwn(queued, Name) ? (queued[Name] ?? 0) : 0))
  for (const { TaskGroup, ClientStatus } of allocations) {
    const counts = groups.get(TaskGroup) ?? counted(0)
    counts[bucket[ClientStatus]] += 1
    groups.set(TaskGroup, counts)
  }
  return Object.fromEntries(groups)
}

/**
 * Recomputes the counts of a job's children from their statuses.
 *
 * @example
 * ```ts
 * import { summariseChildren } from 'plinth/scheduler'
 *
 * summariseChildren([{ Status: 'running' }, { Status: 'dead' }]) // { Pending: 0, Running: 1, Dead: 1 }
 * ```
 */
export function summariseChildren(children: readonly Pick<JobStatus, 'Status'>[]): ChildrenSummary {
  const counts = { Pending: 0, Running: 0, Dead: 0 }
  for (const { Status } of children) counts[childBucket[Status]] += 1
  return counts
}

const childBucket = { pending: 'Pending', running: 'Running', dead: 'Dead' } as const

/**
 * The number of queued allocations of each group, from the newest evaluation that is not over.
 *
 * @param evaluations - a job's, oldest first
 */
export const queuedOf = (
  evaluations: readonly Pick<EvaluationRecord, 'Status' | 'QueuedAllocations'>[],
): Readonly<Record<string, number>> =>
  evaluations.findLast((each) => !isTerminalEvaluation(each) && each.QueuedAllocations !== null)
    ?.QueuedAllocations ?? {}
