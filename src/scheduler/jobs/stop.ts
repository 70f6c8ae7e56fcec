import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, step } from '../../kernel/index.ts'
import { nanoseconds } from '../values/instants.ts'
import type { JobSpec } from './model.ts'

/**
 * A job was stopped.
 */
export interface JobStopped {
  readonly type: 'job.stopped'
  readonly job: string
  readonly namespace: string
}

/**
 * Stops a job. It stays readable, as one more version that is stopped; the service purges it if requested.
 *
 * @returns whether it was running
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { JobSpec, stopJob } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const stopped = unwrapStep(stopJob(job, {}, env)).state
 * stopped.Stop // true
 * stopped.Version // 1
 * ```
 */
export function stopJob(
  job: JobSpec,
  _input: Readonly<Record<never, never>>,
  env: Env,
): Outcome<JobSpec, { readonly stopped: boolean }, JobStopped> {
  checkArguments('job env', job, env)
  if (job.Stop) return answer(job, { stopped: false })
  return step(job, (draft, emit: (event: JobStopped) => void) => {
    draft.Stop = true
    draft.Version += 1
    draft.VersionTag = null
    draft.SubmitTime = nanoseconds(env.now)
    emit({ type: 'job.stopped', job: job.ID, namespace: job.Namespace })
    return { stopped: true }
  })
}
