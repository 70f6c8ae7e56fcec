import { refuse } from '../../../kernel/index.ts'
import { operation } from '../../../operation/operation.ts'
import { isUnhealthy } from '../../allocations/rules.ts'
import type { Cluster } from '../../service/cluster.ts'
import { evaluate } from '../../service/write/specification.ts'
import { call, id } from '../arguments.ts'
import type { EvaluateJobCall } from '../calls.ts'
import { actOnJob } from './act-on-job.ts'
import { jobWritten } from './job-written.ts'

/** A commit has 64 keys. */
const mostForced = 16

export const evaluateOperations = {
  /**
   * Creates an evaluation of a job; requires `namespace:read-job`, and `submit-job` with `forceReschedule`.
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
    run: (cluster: Cluster, id: string, call: EvaluateJobCall = {}) => {
      const may = call.forceReschedule === true ? (['submit-job'] as const) : (['read-job'] as const)
      return actOnJob(cluster, id, call, { may }, (ledger, { value: job, modified }, env) => {
        if (call.forceReschedule === true)
          for (const each of ledger.openAllocations(job).filter(isUnhealthy).slice(0, mostForced)) {
            const allocation = ledger.allocation(each.ID)
            const DesiredTransition = {
              Migrate: false,
              ForceReschedule: true,
              MigrateDisablePlacement: false,
            }
            if (allocation !== undefined)
              ledger.putAllocation(Object.assign({}, allocation, { DesiredTransition }))
          }
        const evaluation = evaluate(ledger, job, 'job-register', env, { jobModifyIndex: modified })
        if (evaluation !== undefined)
          return { ok: true, value: (rev) => jobWritten(evaluation, rev, modified), events: [] }
        const kind = job.Periodic === null ? 'parameterized' : 'periodic'
        return refuse('not_evaluated', `can't evaluate ${kind} job`)
      })
    },
  }),
}
