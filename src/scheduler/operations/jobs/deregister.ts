import { refuse } from '../../../kernel/index.ts'
import { operation } from '../../../operation/operation.ts'
import { stopJob } from '../../jobs/stop.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { Cluster } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { sweepPurged } from '../../service/write/purge.ts'
import { record } from '../../service/write/record.ts'
import { evaluate, writeVersion } from '../../service/write/specification.ts'
import { removeJob, workOffStop } from '../../service/write/stop-job.ts'
import { call, id } from '../arguments.ts'
import type { DeregisterJobCall } from '../calls.ts'
import { jobWritten, priorityProblem } from './job-written.ts'

export const deregisterOperations = {
  /**
   * Stops a job, or removes it; requires `namespace:submit-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * await scheduler.deregisterJob('web', { purge: true })
   * const found = await scheduler.readJob('web')
   * found.ok // false
   * ```
   */
  deregisterJob: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_not_found', 'invalid_priority'],
    run: (cluster: Cluster, id: string, call: DeregisterJobCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        const name = { Namespace: call.namespace ?? 'default', ID: id }
        if (!access.namespace(name.Namespace, 'submit-job')) return permissionDenied()
        const { purge = false, evalPriority } = call
        const priority = priorityProblem(evalPriority)
        if (priority !== undefined) return priority
        const { answer, rev } = await record(cluster, (ledger, env) => {
          const before = ledger.job(name)
          if (before === undefined) return refuse('job_not_found', 'job not found')
          const outcome = stopJob(before.value, {}, env)
          if (!outcome.ok) return outcome
          const more = { priority: evalPriority }
          if (purge) {
            const evaluation = evaluate(ledger, before.value, 'job-deregister', env, more)
            // Nothing is left to decide: the purge record makes sure that everything is removed.
            if (evaluation !== undefined)
              ledger.putEvaluation(Object.assign({}, evaluation, { Status: 'complete' as const }))
            removeJob(ledger, name, before.created)
            return { ok: true, value: { evaluation, known: undefined }, events: outcome.events }
          }
          const { stopped } = outcome.value
          const moved = stopped ? writeVersion(ledger, outcome.state, env, 'stopped') : []
          const known = stopped ? undefined : before.modified
          const evaluation = evaluate(ledger, before.value, 'job-deregister', env, {
            ...more,
            jobModifyIndex: known,
          })
          return { ok: true, value: { evaluation, known }, events: [...outcome.events, ...moved] }
        })
        if (!answer.ok) return answer
        if (purge) await sweepPurged(cluster)
        else await workOffStop(cluster, name)
        return jobWritten(answer.value.evaluation, rev, answer.value.known)
      }),
  }),
}
