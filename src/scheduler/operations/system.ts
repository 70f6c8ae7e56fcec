import { operation } from '../../operation/operation.ts'
import { anyAge } from '../gc/ages.ts'
import { sameJson } from '../jobs/rules.ts'
import { queuedOf, summariseChildren, summariseGroups } from '../jobs/summary.ts'
import { ofIncarnation } from '../jobs/work.ts'
import { jobRecords } from '../records/collections.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { WriteCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { beginning } from '../service/read/list.ts'
import { foundNow } from '../service/read/read.ts'
import { collectGarbage } from '../service/watch/collect.ts'
import { call } from './arguments.ts'

/**
 * The result of recounting the summaries.
 */
export interface SummariesChecked {
  readonly Checked: number
  /** The jobs whose summary differs. */
  readonly Differing: readonly { readonly Namespace: string; readonly JobID: string }[]
}

/** The maintenance operations of the whole cluster. */
export const systemOperations = {
  /**
   * Collects everything that is finished, whatever its age: dead jobs, evaluations, allocations, deployments, nodes
   * that are down, expired tokens. Requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * await scheduler.deregisterJob('web')
   * const done = await scheduler.collectGarbage()
   * done.ok && done.value.jobs // 1
   * ```
   */
  collectGarbage: operation({
    takes: [call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, call: WriteCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        if (!access.management) return permissionDenied()
        const value = await collectGarbage(cluster, anyAge(now.rev))
        const { rev } = await cluster.view.fresh()
        return { ok: true as const, value, index: Math.max(1, rev) }
      }),
  }),

  /**
   * Recounts every job's allocations and children, and lists the summaries that differ. Changes nothing: each commit
   * writes the summary with the allocations, and only a loaded one may differ. Requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { demoCluster } from 'plinth/scheduler/demo'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.load(demoCluster())
   * const checked = await scheduler.checkSummaries()
   * checked.ok && checked.value // { Checked: 40, Differing: [] }
   * ```
   */
  checkSummaries: operation({
    takes: [call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, call: WriteCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.management) return permissionDenied()
        const { tables } = cluster
        const [jobs, allocations, evaluations] = [
          tables.jobs.at(now),
          tables.allocations.at(now).by('job'),
          tables.evaluations.at(now).by('job'),
        ]
        const Differing: SummariesChecked['Differing'][number][] = []
        for (const rows of jobs.chunks({}))
          for (const job of rows) {
            const range = { prefix: beginning([job.Namespace, job.ID]) }
            const own = allocations.scan(range).filter((row) => ofIncarnation(row, job.CreateIndex))
            const Summary = summariseGroups(job, own, queuedOf(evaluations.scan(range)))
            const Children = summariseChildren(jobs.by('parent').scan(range))
            const { JobSummary } = job
            const isSame =
              JobSummary !== null &&
              sameJson(JobSummary.Summary, Summary) &&
              sameJson(JobSummary.Children, Children)
            if (!isSame) Differing.push({ Namespace: job.Namespace, JobID: job.ID })
          }
        const value: SummariesChecked = { Checked: jobs.size, Differing }
        return foundNow(cluster, value, indexOf(now, [jobRecords.markOf()]))
      }),
  }),
}
