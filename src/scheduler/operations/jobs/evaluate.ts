import { refuse } from '../../../kernel/index.ts'
import { operation } from '../../../operation/operation.ts'
import type { Cluster } from '../../service/cluster.ts'
import { evaluate } from '../../service/write/specification.ts'
import { call, id } from '../arguments.ts'
import type { JobCall } from '../calls.ts'
import { actOnJob } from './act-on-job.ts'
import { jobWritten } from './job-written.ts'

export const evaluateOperations = {
  /**
   * Creates an evaluation of a job; requires `namespace:read-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * await scheduler.evaluateJob('web')
   * const evaluations = await scheduler.listJobEvaluations('web')
   * evaluations.ok && evaluations.value.length // 2
   * ```
   */
  evaluateJob: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_not_found', 'not_evaluated'],
    run: (cluster: Cluster, id: string, call: JobCall = {}) =>
      actOnJob(cluster, id, call, { may: ['read-job'] }, (ledger, { value: job, modified }, env) => {
        const evaluation = evaluate(ledger, job, 'job-register', env, { jobModifyIndex: modified })
        if (evaluation !== undefined)
          return { ok: true, value: (rev) => jobWritten(evaluation, rev, modified), events: [] }
        const kind = job.Periodic === null ? 'parameterized' : 'periodic'
        return refuse('not_evaluated', `can't evaluate ${kind} job`)
      }),
  }),
}
