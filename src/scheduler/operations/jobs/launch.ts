import { operation } from '../../../operation/operation.ts'
import { launchPeriodicJob } from '../../periodic/launch.ts'
import { noteLaunch } from '../../records/collections.ts'
import type { Cluster } from '../../service/cluster.ts'
import { call, id } from '../arguments.ts'
import type { JobCall } from '../calls.ts'
import { actOnJob } from './act-on-job.ts'
import { jobWritten } from './job-written.ts'
import { registerChild } from './register-child.ts'

export const launchOperations = {
  /**
   * Launches a periodic job now, beside its schedule; requires `namespace:submit-job` or
   * `dispatch-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' }, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] })
   * await scheduler.forcePeriodicJob('nightly')
   * const jobs = await scheduler.listJobs({ prefix: 'nightly/periodic-' })
   * jobs.ok && jobs.value.length // 1
   * ```
   */
  forcePeriodicJob: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_not_found', 'not_periodic', 'job_is_stopped', 'schedule_is_off'],
    run: (cluster: Cluster, id: string, call: JobCall = {}) =>
      actOnJob(cluster, id, call, { may: ['submit-job', 'dispatch-job'] }, (ledger, job, env) => {
        const outcome = launchPeriodicJob(job.value, {}, env)
        if (!outcome.ok) return outcome
        noteLaunch(ledger.tx, job.value, env.now)
        const { evaluation, known } = registerChild(ledger, outcome.value, 'periodic-job', env)
        return { ok: true, value: (rev) => jobWritten(evaluation, rev, known), events: outcome.events }
      }),
  }),
}
