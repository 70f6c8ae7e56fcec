import { operation } from '../../../operation/operation.ts'
import { Job } from '../../jobs/model.ts'
import { jobRecords, jobStatusRecords, jobSummaryRecords } from '../../records/collections.ts'
import { type JobRow, readJob, readSummary } from '../../records/tables.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { ReadCall } from '../../service/call.ts'
import type { Cluster } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { filtersFor } from '../../service/read/filter.ts'
import { answerList, beginning, listRefusals } from '../../service/read/list.ts'
import { both, everyNamespace, visibleNamespaces } from '../../service/read/visibility.ts'
import { call, id, name } from '../arguments.ts'
import type { ListJobsCall } from '../calls.ts'
import { readOfJob } from './read-of-job.ts'

const filters = filtersFor(Job, { SubmitTime: 'unix-ns' })

const keyOf = ({ Namespace, ID }: Job) => [Namespace, ID]

/** The operations that list and read jobs. */
export const jobReadOperations = {
  /**
   * Lists jobs in the order of namespace and ID; requires `namespace:list-jobs`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   *
   * const scheduler = createScheduler()
   * const app = { Name: 'app', Tasks: [{ Name: 'server' }] }
   * for (const [ID, Priority] of [['web', 70], ['api', 50], ['report', 20]] as const)
   *   await scheduler.registerJob({ ID, Priority, TaskGroups: [app] })
   *
   * const urgent = await scheduler.listJobs({ filter: 'Priority >= 50', perPage: 1 })
   * urgent.ok && urgent.value.map(({ ID }) => ID) // ['api']
   * const rest = urgent.ok && (await scheduler.listJobs({ filter: 'Priority >= 50', nextToken: urgent.nextToken }))
   * rest && rest.ok && rest.value.map(({ ID }) => ID) // ['web']
   * await scheduler.close()
   * ```
   */
  listJobs: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListJobsCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default', prefix = '', meta } = call
        if (!access.namespace(namespace, 'list-jobs')) return permissionDenied()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const every = namespace === everyNamespace
        const begins = every && prefix !== '' ? ({ ID }: JobRow) => ID.startsWith(prefix) : undefined
        return answerList(cluster, call, now, {
          question: ['jobs', namespace, meta, every && access.id],
          marks: [every ? jobRecords.markOf() : jobRecords.markOf('namespace', namespace)],
          within: every ? beginning([]) : beginning([namespace], prefix),
          rows: (at, range) => cluster.tables.jobs.at(at).chunks(range),
          shape: ['text', 'text'],
          keyOf,
          visible: every ? both<JobRow>(visibleNamespaces(access, 'list-jobs'), begins) : undefined,
          filter: filter.value,
          show: cluster.lists.jobs({ meta }),
        })
      }),
  }),

  /**
   * Lists the jobs that name a pool; requires `node_pool:read`, and shows namespaces with `read-job`.
   *
   * @example await scheduler.listPoolJobs('default')
   */
  listPoolJobs: operation({
    takes: [name, call],
    refuses: listRefusals,
    run: (cluster: Cluster, pool: string, call: ListJobsCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.pool(pool, 'read')) return permissionDenied()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const { namespace = 'default', meta } = call
        const every = namespace === everyNamespace
        return answerList(cluster, call, now, {
          question: ['pool-jobs', pool, namespace, meta, access.id],
          marks: [every ? jobRecords.markOf('pool', pool) : jobRecords.markOf('pool', pool, namespace)],
          within: every ? beginning([pool]) : beginning([pool, namespace]),
          before: [pool],
          rows: (at, range) => cluster.tables.jobs.at(at).by('pool').chunks(range),
          shape: ['text', 'text'],
          keyOf,
          // A namespace out of sight is empty here, not forbidden.
          visible: visibleNamespaces(access, 'read-job'),
          filter: filter.value,
          show: cluster.lists.poolJobs({ meta }),
        })
      }),
  }),

  /**
   * Reads one job; requires `namespace:read-job`.
   *
   * @example await scheduler.readJob('web')
   */
  readJob: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      readOfJob(cluster, ['job', id], call, ['read-job'], (at, namespace) => {
        const value = readJob(at, namespace, id)
        const keys = [jobRecords.keyOf(namespace, id), jobStatusRecords.keyOf(namespace, id)]
        return value && { value, index: value.ModifyIndex, keys }
      }),
  }),

  /**
   * Reads one job's summary; requires `namespace:read-job`.
   *
   * @example await scheduler.readJobSummary('web')
   */
  readJobSummary: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'job_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      readOfJob(cluster, ['job-summary', id], call, ['read-job'], (at, namespace) => {
        const value = readSummary(at, namespace, id)
        if (value === null) return undefined
        return { value, index: value.ModifyIndex, keys: [jobSummaryRecords.keyOf(namespace, id)] }
      }),
  }),
}
