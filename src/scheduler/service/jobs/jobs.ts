import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Access } from '../../acl/access.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'
import { Job } from '../../jobs/model.ts'
import { type JobStub, type JobStubFields, jobStub, type PoolJobStub, poolJobStub } from '../../jobs/stub.ts'
import type { JobSummary } from '../../jobs/summary-model.ts'
import { jobRecords, jobStatusRecords, jobSummaryRecords } from '../../records/collections.ts'
import { type JobRow, readJob, readSummary } from '../../records/tables.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { Found, ListCall, ReadCall } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { enter } from '../enter.ts'
import { filtersFor } from '../read/filter.ts'
import { answerList, beginning, type ListRefusal } from '../read/list.ts'
import { answerRead } from '../read/read.ts'
import { stubsOf } from '../read/stubs.ts'

/**
 * A call for a list of jobs.
 *
 * @public
 */
export interface ListJobsCall extends ListCall, JobStubFields {}

const filters = filtersFor(Job)

/** Every namespace. */
export const everyNamespace = '*'

/** Whether rows of a namespace may be seen; asked once per namespace. */
export function namespaceSight(
  access: Access,
  ...anyOf: readonly NamespaceCapability[]
): ((row: { readonly Namespace: string }) => boolean) | undefined {
  if (access.management) return undefined
  const seen = new Map<string, boolean>()
  return ({ Namespace }) => {
    const known = seen.get(Namespace)
    if (known !== undefined) return known
    const may = access.namespace(Namespace, ...anyOf)
    seen.set(Namespace, may)
    return may
  }
}

/** Both must hold, where both are asked. */
export const both = <Row>(
  first: ((row: Row) => boolean) | undefined,
  second: ((row: Row) => boolean) | undefined,
): ((row: Row) => boolean) | undefined =>
  first && second ? (row) => first(row) && second(row) : (first ?? second)

export function jobMethods(cluster: Cluster) {
  const { tables } = cluster
  const keyOf = ({ Namespace, ID }: Job) => [Namespace, ID]
  const stubs = stubsOf((job: JobRow, fields: JobStubFields) => jobStub(job, job.JobSummary, fields))
  const poolStubs = stubsOf((job: JobRow, fields: JobStubFields) => poolJobStub(job, job.JobSummary, fields))
  return {
    /**
     * Lists jobs in the order of namespace and ID; asks for `namespace:list-jobs`.
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
    listJobs: (call: ListJobsCall = {}): Promise<Found<readonly JobStub[]> | Refused<ListRefusal>> =>
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
          rows: (at, range) => tables.jobs.at(at).chunks(range),
          shape: ['text', 'text'],
          keyOf,
          visible: every ? both<JobRow>(namespaceSight(access, 'list-jobs'), begins) : undefined,
          filter: filter.value,
          show: stubs({ meta }),
        })
      }),

    /** Lists the jobs that name a pool; asks for `node_pool:read`, and shows namespaces with `read-job`. */
    listPoolJobs: (
      pool: string,
      call: ListJobsCall = {},
    ): Promise<Found<readonly PoolJobStub[]> | Refused<ListRefusal>> =>
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
          rows: (at, range) => tables.jobs.at(at).by('pool').chunks(range),
          shape: ['text', 'text'],
          keyOf,
          // A namespace out of sight is empty here, not forbidden.
          visible: namespaceSight(access, 'read-job'),
          filter: filter.value,
          show: poolStubs({ meta }),
        })
      }),

    /** Reads one job; asks for `namespace:read-job`. */
    readJob: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<Job> | Refused<'permission_denied' | 'job_not_found'>> =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default' } = call
        if (!access.namespace(namespace, 'read-job')) return permissionDenied()
        const keys = [jobRecords.keyOf(namespace, id), jobStatusRecords.keyOf(namespace, id)]
        const mark = jobRecords.markOf('namespace', namespace)
        return answerRead(cluster, call, now, ['job', namespace, id], (at) => {
          const value = readJob(at, namespace, id)
          if (value !== undefined) return { value, index: value.ModifyIndex, keys }
          const index = indexOf(at, [mark])
          return { ...refuse('job_not_found', 'job not found', { index }), index, keys: [mark] }
        })
      }),

    /** Reads one job's summary; asks for `namespace:read-job`. */
    readJobSummary: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<JobSummary> | Refused<'permission_denied' | 'job_not_found'>> =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default' } = call
        if (!access.namespace(namespace, 'read-job')) return permissionDenied()
        const key = jobSummaryRecords.keyOf(namespace, id)
        const mark = jobRecords.markOf('namespace', namespace)
        return answerRead(cluster, call, now, ['job-summary', namespace, id], (at) => {
          const value = readSummary(at, namespace, id)
          if (value !== null) return { value, index: value.ModifyIndex, keys: [key] }
          const index = indexOf(at, [mark])
          return { ...refuse('job_not_found', 'job not found', { index }), index, keys: [mark] }
        })
      }),
  }
}
