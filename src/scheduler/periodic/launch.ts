import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Instant, type Outcome, refuse } from '../../kernel/index.ts'
import { childOf, type JobLaunched, launched } from '../jobs/child.ts'
import type { JobSpec } from '../jobs/model.ts'

/** Why a periodic job cannot be launched manually. */
export type LaunchRefusal = 'not_periodic' | 'job_is_stopped' | 'schedule_is_off'

/**
 * Creates the child job of one launch of a periodic job. The parent does not change; the child is the value.
 *
 * @param input - `at`: the instant the launch is for, now by default
 *
 * @returns the child, named `<parent>/periodic-<seconds>`, or `not_periodic`, `job_is_stopped`, `schedule_is_off`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { JobSpec, launchPeriodicJob } from 'plinth/scheduler'
 *
 * const nightly = JobSpec.parse({ ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' } })
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'unused' }
 * const launch = launchPeriodicJob(nightly, {}, env)
 * unwrap(launch).ID // 'nightly/periodic-1767225600'
 * ```
 */
export function launchPeriodicJob(
  parent: JobSpec,
  input: { readonly at?: Instant | undefined },
  env: Env,
): Outcome<JobSpec, JobSpec, JobLaunched, LaunchRefusal> {
  checkArguments('parent input env', parent, input, env)
  if (parent.Periodic === null)
    return refuse('not_periodic', `Specified job "${parent.ID}" is not a periodic job`)
  if (parent.Stop) return refuse('job_is_stopped', `Specified job "${parent.ID}" is stopped`)
  if (!keepsSchedule(parent))
    return refuse('schedule_is_off', `can't force run non-tracked job "${parent.ID}": its schedule is off`)
  const id = `${parent.ID}/periodic-${Math.floor((input.at ?? env.now) / 1000)}`
  return launched(parent, { ...childOf(parent, id, env), Periodic: null })
}

/** Whether a schedule launches a job. A parameterized one is launched only when it is dispatched. */
export const keepsSchedule = ({
  Periodic,
  ParameterizedJob,
  Stop,
}: Pick<JobSpec, 'Periodic' | 'ParameterizedJob' | 'Stop'>): boolean =>
  Periodic?.Enabled === true && ParameterizedJob === null && !Stop
