import { operation } from '../../../operation/operation.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { inRegion } from '../../jobs/region.ts'
import { invalidJob, registerSound } from '../../jobs/register.ts'
import { jobWarnings, listWarnings } from '../../jobs/warnings.ts'
import { jobSubmissionRecords } from '../../records/collections.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { Cluster } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { record } from '../../service/write/record.ts'
import { evaluate, namespaceProblem, poolProblem, writeVersion } from '../../service/write/specification.ts'
import { JobSubmissionSpec, submissionProblem } from '../../submissions/model.ts'
import { call, job } from '../arguments.ts'
import type { RegisterJobCall } from '../calls.ts'
import { registrationsClosed } from './act-on-job.ts'
import { jobWritten, priorityProblem } from './job-written.ts'

export const registerOperations = {
  /**
   * Registers a job, or a new version of it; requires `namespace:submit-job`. Placement follows a moment later:
   * `settled` waits for it. Omitted fields take their defaults, at any depth.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] }
   * const done = await scheduler.registerJob(job, { enforceIndex: 0 })
   * done.ok && done.value.JobModifyIndex // 2
   * ```
   */
  registerJob: operation({
    takes: [job, call],
    refuses: [
      'permission_denied',
      'registration_disabled',
      'invalid_priority',
      'invalid_job',
      'job_index_mismatch',
      'job_type_changed',
      'unknown_job_pool',
      'unknown_job_namespace',
    ],
    run: (cluster: Cluster, written: JobSpec, call: RegisterJobCall = {}) =>
      enter(cluster, call, async (entered) => {
        const job = inRegion(written, cluster.region)
        if (!entered.access.namespace(job.Namespace, 'submit-job')) return permissionDenied()
        const closed = registrationsClosed(entered)
        if (closed !== undefined) return closed
        const { enforceIndex, evalPriority, preserveCounts, preserveResources } = call
        const submission = call.submission && JobSubmissionSpec.parse(call.submission)
        const dropped = submission && submissionProblem(submission)
        const priority = priorityProblem(evalPriority)
        if (priority !== undefined) return priority
        // An invalid job, including its identifier, is refused before any look-up.
        const invalid = invalidJob(job, cluster)
        if (invalid !== undefined) return invalid
        const { answer, rev } = await record(cluster, (ledger, env) => {
          const before = ledger.job(job)
          const jobModifyIndex = before?.modified ?? 0
          const input = { job, enforceIndex, preserveCounts, preserveResources }
          const outcome = registerSound(before?.value, input, env, { jobModifyIndex })
          if (!outcome.ok) return outcome
          const strayed = poolProblem(ledger, job) ?? namespaceProblem(cluster, ledger, job)
          if (strayed !== undefined) return strayed
          const next = outcome.state ?? job
          const moved = outcome.value.written ? writeVersion(ledger, next, env) : []
          if (submission !== undefined && dropped === undefined)
            ledger.tx.put(jobSubmissionRecords, {
              ...submission,
              Namespace: next.Namespace,
              JobID: next.ID,
              Version: next.Version,
            })
          const known = outcome.value.written ? undefined : jobModifyIndex
          const evaluation = evaluate(ledger, next, 'job-register', env, {
            priority: evalPriority,
            jobModifyIndex: known,
          })
          return { ok: true, value: { evaluation, known }, events: [...outcome.events, ...moved] }
        })
        if (!answer.ok) return answer
        const { evaluation, known } = answer.value
        return jobWritten(
          evaluation,
          rev,
          known,
          listWarnings([...jobWarnings(job, cluster.env()), ...(dropped === undefined ? [] : [dropped])]),
        )
      }),
  }),
}
