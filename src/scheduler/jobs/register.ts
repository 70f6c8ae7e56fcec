import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { listProblems } from '../pools/rules.ts'
import { nanoseconds } from '../values/instants.ts'
import { withDefaults } from './defaults.ts'
import type { JobSpec } from './model.ts'
import { type Preserving, preserved } from './preserve.ts'
import { jobProblems, sameSpec } from './rules.ts'

/**
 * The input of a registration.
 */
export interface RegisterInput extends Preserving {
  readonly job: JobSpec
  /**
   * The JobModifyIndex that the job must have; 0 = the job must not exist. No check by default.
   */
  readonly enforceIndex?: number | undefined
}

/**
 * The state of the existing job that a registration needs besides its specification.
 */
export interface RegisterPolicy {
  /** The JobModifyIndex of the existing job; 0, the default, if there is none. */
  readonly jobModifyIndex?: number | undefined
  /** The maximum number of allocations of a job; 50,000 by default. */
  readonly maxCount?: number | undefined
}

/**
 * A job's specification was written.
 */
export interface JobRegistered {
  readonly type: 'job.registered'
  readonly job: string
  readonly namespace: string
  readonly version: number
}

/** Why a job cannot be registered. */
export type RegisterRefusal = 'invalid_job' | 'job_type_changed' | 'job_index_mismatch'

/**
 * Registers a job: its first version, or the next one.
 *
 * @remarks
 * A stopped job starts again. Registering an unchanged job writes no new version. The version, the time of submission
 * and `Stop` are set by the service; those of the input are ignored. A service job without an `update` block is rolled
 * out one allocation at a time.
 *
 * @param job - the current specification, stopped or not, if there is one
 *
 * @returns whether a new version was written, or `invalid_job` (every problem), `job_type_changed`,
 * `job_index_mismatch`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { JobSpec, registerJob } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const first = registerJob(undefined, { job }, env)
 * unwrapStep(first).state?.Version // 0
 * ```
 */
export function registerJob(
  job: JobSpec | undefined,
  input: RegisterInput,
  env: Env,
  policy: RegisterPolicy = {},
): Outcome<JobSpec | undefined, { readonly written: boolean }, JobRegistered, RegisterRefusal> {
  checkArguments('input env', input, env)
  return invalidJob(input.job, policy) ?? registerSound(job, input, env, policy)
}

/** Returns the refusal of an invalid specification, independent of existing jobs. */
export function invalidJob(
  job: JobSpec,
  limits: Pick<RegisterPolicy, 'maxCount'> = {},
): Refused<'invalid_job'> | undefined {
  const problems = jobProblems(job, limits)
  return problems.length > 0 ? refuse('invalid_job', listProblems(problems)) : undefined
}

/** The second part of {@link registerJob}, for a specification that {@link invalidJob} accepts. */
export function registerSound(
  job: JobSpec | undefined,
  input: RegisterInput,
  env: Env,
  policy: RegisterPolicy,
): Outcome<
  JobSpec | undefined,
  { readonly written: boolean },
  JobRegistered,
  Exclude<RegisterRefusal, 'invalid_job'>
> {
  const mismatch = enforce(input.enforceIndex, job !== undefined, policy.jobModifyIndex ?? 0)
  if (mismatch !== undefined) return refuse('job_index_mismatch', mismatch)
  const wanted = withDefaults(job === undefined ? input.job : preserved(job, input.job, input))
  if (job !== undefined) {
    const change = forbiddenChange(job, input.job)
    if (change !== undefined) return refuse('job_type_changed', change)
    if (!job.Stop && sameSpec(withDefaults(job), wanted)) return answer(job, { written: false })
  }
  const version = job === undefined ? 0 : job.Version + 1
  const next: JobSpec = Object.assign({}, wanted, {
    Stop: false,
    Version: version,
    VersionTag: null,
    SubmitTime: nanoseconds(env.now),
  })
  const event: JobRegistered = { type: 'job.registered', job: next.ID, namespace: next.Namespace, version }
  return { ok: true, state: next, value: { written: true }, events: [event] }
}

function enforce(wanted: number | undefined, exists: boolean, actual: number): string | undefined {
  if (wanted === undefined) return undefined
  if (wanted === 0) return exists ? 'Enforcing job modify index 0: job already exists' : undefined
  if (!exists) return `Enforcing job modify index ${wanted}: job does not exist`
  if (wanted === actual) return undefined
  return `Enforcing job modify index ${wanted}: job exists with conflicting job modify index: ${actual}`
}

/** A job keeps its type, and stays periodic or parameterized, for as long as it exists. */
function forbiddenChange(from: JobSpec, to: JobSpec): string | undefined {
  if (from.Type !== to.Type) return `cannot update job from type "${from.Type}" to "${to.Type}"`
  if ((from.Periodic !== null) !== (to.Periodic !== null))
    return from.Periodic === null
      ? 'cannot update non-periodic job to being periodic'
      : 'cannot update periodic job to being non-periodic'
  if ((from.ParameterizedJob !== null) !== (to.ParameterizedJob !== null))
    return from.ParameterizedJob === null
      ? 'cannot update non-parameterized job to being parameterized'
      : 'cannot update parameterized job to being non-parameterized'
  return undefined
}
