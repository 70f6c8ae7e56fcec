import { type Refused, refuse } from '../../../kernel/index.ts'
import type { JobInput } from '../../jobs/model.ts'
import type { Preserving } from '../../jobs/preserve.ts'
import { inRegion } from '../../jobs/region.ts'
import { invalidJob, type RegisterRefusal, registerSound } from '../../jobs/register.ts'
import { jobWarnings, listWarnings } from '../../jobs/warnings.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { WriteCall, Written } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { enter } from '../enter.ts'
import { registrationsClosed } from '../jobs/act-on-job.ts'
import { writtenJob } from '../parsed-arguments.ts'
import { record } from './record.ts'
import { evaluate, poolProblem, writeVersion } from './specification.ts'

/**
 * What one registers a job with.
 *
 * @public
 */
export interface RegisterJobCall extends WriteCall, Preserving {
  /** The JobModifyIndex the writer believes the job has; 0 = there is none. Left out: whatever is there. */
  readonly enforceIndex?: number | undefined
  /** The priority of the evaluation, 1 to 100; the job's own by default. */
  readonly evalPriority?: number | undefined
}

/**
 * What became of a job that was written: the evaluation that looks at it.
 *
 * @public
 */
export interface JobWritten {
  /** Empty for jobs that only have children, which are not evaluated. */
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobModifyIndex: number
  /** What the writer should know though nothing was refused; empty for nothing. */
  readonly Warnings: string
}

export const jobWritten = (
  evaluation: { readonly ID: string } | undefined,
  rev: number,
  jobModifyIndex: number | undefined,
  warnings = '',
): Written<JobWritten> => ({
  ok: true,
  value: {
    EvalID: evaluation?.ID ?? '',
    EvalCreateIndex: evaluation === undefined ? 0 : rev,
    JobModifyIndex: jobModifyIndex ?? rev,
    Warnings: warnings,
  },
  index: rev,
})

export const priorityProblem = (priority: number | undefined): Refused<'invalid_priority'> | undefined =>
  priority === undefined || (Number.isInteger(priority) && priority >= 1 && priority <= 100)
    ? undefined
    : refuse('invalid_priority', 'Eval priority must be between 1 and 100 inclusively')

/** Registers jobs: first versions and next ones. */
export const registerMethod =
  (cluster: Cluster) =>
  (
    given: JobInput,
    call: RegisterJobCall = {},
  ): Promise<
    | Written<JobWritten>
    | Refused<
        | RegisterRefusal
        | 'permission_denied'
        | 'registration_disabled'
        | 'invalid_priority'
        | 'unknown_job_pool'
      >
  > =>
    enter(cluster, call, async (entered) => {
      const job = inRegion(writtenJob.take(given), cluster.region)
      if (!entered.access.namespace(job.Namespace, 'submit-job')) return permissionDenied()
      const closed = registrationsClosed(entered)
      if (closed !== undefined) return closed
      const priority = priorityProblem(call.evalPriority)
      if (priority !== undefined) return priority
      const env = cluster.env()
      const { enforceIndex, evalPriority, preserveCounts, preserveResources } = call
      // What no job can be, its identifier included, is refused before anything is looked up.
      const invalid = invalidJob(job)
      if (invalid !== undefined) return invalid
      const { result, rev } = await record(cluster, (ledger) => {
        const before = ledger.job(job)
        const jobModifyIndex = before?.modified ?? 0
        const input = { job, enforceIndex, preserveCounts, preserveResources }
        const outcome = registerSound(before?.value, input, env, { jobModifyIndex })
        if (!outcome.ok) return outcome
        const strayed = poolProblem(ledger, job)
        if (strayed !== undefined) return strayed
        const next = outcome.state ?? job
        const moved = outcome.value.written ? writeVersion(ledger, next, env) : []
        const known = outcome.value.written ? undefined : jobModifyIndex
        const evaluation = evaluate(ledger, next, 'job-register', env, {
          priority: evalPriority,
          jobModifyIndex: known,
        })
        return { ok: true as const, evaluation, known, events: [...outcome.events, ...moved] }
      })
      if (!result.ok) return result
      cluster.emit(result.events)
      return jobWritten(result.evaluation, rev, result.known, listWarnings(jobWarnings(job)))
    })
