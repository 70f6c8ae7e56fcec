import { checkArguments } from '../../kernel/check-arguments.ts'
import type { AllocationRecord } from '../allocations/model.ts'
import { isTerminalAllocation } from '../allocations/rules.ts'
import type { DeploymentRecord } from '../deployments/model.ts'
import { isTerminalDeployment } from '../deployments/rules.ts'
import type { EvaluationRecord } from '../evaluations/model.ts'
import { isTerminalEvaluation } from '../evaluations/rules.ts'
import type { JobSpec, JobStatus } from './model.ts'

/**
 * Everything that belongs to one job.
 */
export interface JobWork {
  readonly deployments: readonly (Pick<DeploymentRecord, 'Status'> &
    Partial<Pick<DeploymentRecord, 'TaskGroups'>>)[]
  readonly allocations: readonly Pick<AllocationRecord, 'DesiredStatus' | 'ClientStatus'>[]
  readonly evaluations: readonly Pick<EvaluationRecord, 'Status'>[]
}

/**
 * A job's status. It is derived from the job and its evaluations and allocations, and never set.
 *
 * @example
 * ```ts
 * import { jobStatusOf } from 'plinth/scheduler'
 *
 * const job = { Type: 'service', Stop: false, Periodic: null, ParameterizedJob: null } as const
 * jobStatusOf(job, { deployments: [], allocations: [], evaluations: [{ Status: 'pending' }] }) // 'pending'
 * ```
 */
export function jobStatusOf(
  job: Pick<JobSpec, 'Type' | 'Stop' | 'Periodic' | 'ParameterizedJob'>,
  work: JobWork,
): JobStatus['Status'] {
  checkArguments('job work', job, work)
  const { deployments, allocations, evaluations } = work
  if (job.Type === 'system' || job.Periodic !== null || job.ParameterizedJob !== null)
    return job.Stop ? 'dead' : 'running'
  const active = deployments.filter((deployment) => !isTerminalDeployment(deployment))
  if (active.some(hasBegun)) return 'running'
  if (allocations.some((allocation) => !isTerminalAllocation(allocation))) return 'running'
  if (evaluations.some((evaluation) => !isTerminalEvaluation(evaluation))) return 'pending'
  if (active.length > 0) return 'running'
  return evaluations.length > 0 || job.Stop ? 'dead' : 'pending'
}

/** Whether a deployment has placed anything according to its counts: until then its job waits for resources. */
function hasBegun({ TaskGroups }: JobWork['deployments'][number]): boolean {
  const groups = TaskGroups === undefined ? [] : Object.values(TaskGroups)
  return groups.length === 0 || groups.some(({ PlacedAllocs }) => PlacedAllocs > 0)
}
