import { operation } from '../../../operation/operation.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { registerJob } from '../../jobs/register.ts'
import { jobProblems } from '../../jobs/rules.ts'
import { jobWarnings, listWarnings } from '../../jobs/warnings.ts'
import { listProblems } from '../../pools/rules.ts'
import { jobRecords } from '../../records/collections.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { WriteCall } from '../../service/call.ts'
import type { Cluster } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { poolAt } from '../../service/read/pools-at.ts'
import { foundNow } from '../../service/read/read.ts'
import { call, job } from '../arguments.ts'

/**
 * Whether a job could be registered, and its problems if not.
 */
export interface JobValidated {
  /** Whether driver configurations were validated. They are up to the nodes: the configuration may contain anything. */
  readonly DriverConfigValidated: boolean
  /** The problems; empty for a valid job. */
  readonly ValidationErrors: readonly string[]
  /** The problems in one text; empty for a valid job. */
  readonly Error: string
  readonly Warnings: string
}

/** A verdict on problems found before a specification could be parsed. */
export const unreadable = (problems: readonly string[], summary: string): JobValidated => ({
  DriverConfigValidated: true,
  ValidationErrors: problems,
  Error: summary,
  Warnings: '',
})

/** Operations that validate jobs. */
export const validateOperations = {
  /**
   * Validates a job as registering it would; requires `namespace:read-job`. Writes nothing, and an invalid job is not a
   * refusal.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const found = await scheduler.validateJob({ ID: 'web', Datacenters: [] })
   * found.ok && found.value.ValidationErrors // ['Missing job task groups', 'Missing job datacenters']
   * ```
   */
  validateJob: operation({
    takes: [job, call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, job: JobSpec, call: WriteCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.namespace(job.Namespace, 'read-job')) return permissionDenied()
        const problems = [...jobProblems(job, cluster)]
        // Only for a job that the caller may read.
        if (problems.length === 0) {
          const before = jobRecords.get(now, job.Namespace, job.ID)
          const policy = { jobModifyIndex: before?.modified ?? 0, maxCount: cluster.maxCount }
          const outcome = registerJob(before?.value, { job }, cluster.env(), policy)
          if (!outcome.ok) problems.push(outcome.refusal.message)
          if (poolAt(now, job.NodePool) === undefined)
            problems.push(`job "${job.ID}" is in nonexistent node pool "${job.NodePool}"`)
        }
        const value: JobValidated = {
          DriverConfigValidated: true,
          ValidationErrors: problems,
          Error: problems.length === 0 ? '' : listProblems(problems),
          Warnings: listWarnings(jobWarnings(job, cluster.env())),
        }
        return foundNow(cluster, value, Math.max(1, now.rev))
      }),
  }),
}
