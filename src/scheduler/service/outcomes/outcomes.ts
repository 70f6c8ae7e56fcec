import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import { Allocation } from '../../allocations/model.ts'
import { type AllocationStub, type AllocationStubFields, allocationStub } from '../../allocations/stub.ts'
import { Deployment } from '../../deployments/model.ts'
import { Evaluation } from '../../evaluations/model.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
} from '../../records/collections.ts'
import { readAllocation, readDeployment, readEvaluation } from '../../records/tables.ts'
import { permissionDenied, seenBy } from '../acl/authenticate.ts'
import type { Found, ListCall, ReadCall } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { type Entered, enter } from '../enter.ts'
import { filtersFor } from '../read/filter.ts'
import type { ListRefusal } from '../read/list.ts'
import { stubsOf } from '../read/stubs.ts'
import { type CreatedScope, listByCreation, listWithin, readById } from './creation-order-lists.ts'

/**
 * A call for a list of allocations.
 *
 * @public
 */
export interface ListAllocationsCall extends ListCall, AllocationStubFields {}

/**
 * A call for a list of evaluations.
 *
 * @public
 */
export interface ListEvaluationsCall extends ListCall {
  /** Only those of this job. */
  readonly job?: string | undefined
  /** Only those of this status. */
  readonly status?: string | undefined
}

const deploymentFilters = filtersFor(Deployment)
const allocationFilters = filtersFor(Allocation)
const evaluationFilters = filtersFor(Evaluation)

/**
 * A job that was purged and registered again is another one: what the former left behind is not listed.
 *
 * @public
 */
export interface OfEveryIncarnation {
  /** Lists that as well. */
  readonly all?: boolean | undefined
}

/** What the scheduling process leaves behind: deployments, allocations, evaluations. */
export function outcomeMethods(cluster: Cluster) {
  const { tables } = cluster
  const deployments = {
    table: tables.deployments,
    records: deploymentRecords,
    filters: deploymentFilters,
    missing: { code: 'deployment_not_found', text: 'deployment not found' },
  } as const
  const allocations = {
    table: tables.allocations,
    records: allocationRecords,
    filters: allocationFilters,
    missing: { code: 'allocation_not_found', text: 'alloc not found' },
  } as const
  const evaluations = {
    table: tables.evaluations,
    records: evaluationRecords,
    filters: evaluationFilters,
    missing: { code: 'evaluation_not_found', text: 'eval not found' },
  } as const
  const wholeDeployment = { show: stubsOf((row: Deployment) => row)({}) }
  const wholeEvaluation = { show: stubsOf((row: Evaluation) => row)({}) }
  const stubsWith = stubsOf<Allocation, AllocationStubFields, AllocationStub>(allocationStub)
  const stubs = ({ resources, taskStates }: AllocationStubFields) => ({
    show: stubsWith({ resources, taskStates }),
    fields: [resources, taskStates],
  })
  /** Enters a list that belongs to one job of one namespace. */
  const ofJob = <Answer>(
    job: string,
    call: ListCall,
    list: (entered: Entered, scope: CreatedScope) => Answer | Promise<Answer>,
  ) =>
    enter<Answer | Refused<'permission_denied'>>(cluster, call, (entered) => {
      const { namespace = 'default' } = call
      if (!entered.access.namespace(namespace, 'read-job')) return permissionDenied()
      return list(entered, { order: 'job', parts: [namespace, job] })
    })
  const ofEvaluation = { mark: evaluationRecords.markOf(), read: readEvaluation } as const
  const ofDeployment = { mark: deploymentRecords.markOf(), read: readDeployment } as const
  /** Lists the allocations that name one evaluation, or one deployment; all of them belong to its job. */
  const placedFor = (
    field: 'EvalID' | 'DeploymentID',
    kind: typeof ofEvaluation | typeof ofDeployment,
    id: string,
    call: ListAllocationsCall,
  ): Promise<Found<readonly AllocationStub[]> | Refused<ListRefusal>> =>
    enter<Found<readonly AllocationStub[]> | Refused<ListRefusal>>(cluster, call, async (entered) => {
      const find = (now: Snapshot) => seenBy(entered.access, kind.read(now, id))
      const found = find(entered.now)
      const namespace = found?.Namespace ?? call.namespace ?? 'default'
      if (!entered.access.namespace(namespace, 'read-job')) return permissionDenied()
      const scope = { order: 'job', parts: [namespace, found?.JobID ?? ''] } as const
      const answer = await listWithin(cluster, allocations, call, entered, scope, {
        ...stubs(call),
        fields: [field, id, found === undefined, call.resources, call.taskStates],
        asked: () => (row: Allocation) => row[field] === id,
        // What is not there yet has no job: it may come with any that is written.
        mark: found === undefined ? kind.mark : undefined,
      })
      if (found !== undefined || find(cluster.view.stale()) === undefined) return answer
      // It came while the caller waited.
      return placedFor(field, kind, id, { ...call, index: 0 })
    })
  /** Leaves out what an earlier job of that ID left behind; all of it shows where there is none now. */
  const incarnation =
    (job: string, { namespace = 'default', all = false }: ListCall & OfEveryIncarnation) =>
    (now: Snapshot) => {
      const created = all ? undefined : jobRecords.get(now, namespace, job)?.created
      if (created === undefined) return undefined
      return (row: { readonly JobCreateIndex: number }) => ofIncarnation(row, created)
    }
  return {
    /** Lists deployments, oldest first; asks for `namespace:read-job` or `list-jobs`. */
    listDeployments: (call: ListCall = {}): Promise<Found<readonly Deployment[]> | Refused<ListRefusal>> =>
      listByCreation(cluster, deployments, call, wholeDeployment),
    /** Reads one deployment; asks for `namespace:read-job` where it is. */
    readDeployment: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<Deployment> | Refused<'permission_denied' | 'deployment_not_found'>> =>
      readById(cluster, deployments, id, call, readDeployment),
    /** Lists allocations, oldest first; asks for `namespace:read-job` or `list-jobs`. */
    listAllocations: (
      call: ListAllocationsCall = {},
    ): Promise<Found<readonly AllocationStub[]> | Refused<ListRefusal>> =>
      listByCreation(cluster, allocations, call, stubs(call)),
    /** Reads one allocation; asks for `namespace:read-job` where it is. */
    readAllocation: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<Allocation> | Refused<'permission_denied' | 'allocation_not_found'>> =>
      readById(cluster, allocations, id, call, readAllocation),
    /**
     * Lists evaluations, oldest first; asks for `namespace:read-job` or `list-jobs`. A filter is refused beside
     * the older ways to choose, `job` and `status`.
     */
    listEvaluations: async (
      call: ListEvaluationsCall = {},
    ): Promise<Found<readonly Evaluation[]> | Refused<ListRefusal | 'filter_conflict'>> => {
      const { job, status, ...list } = call
      if (job === undefined && status === undefined)
        return listByCreation(cluster, evaluations, list, wholeEvaluation)
      if (list.filter !== undefined && list.filter.trim() !== '')
        return refuse('filter_conflict', 'Filter expression cannot be used with other filter parameters')
      const asked = ({ JobID, Status }: Evaluation) =>
        (job === undefined || JobID === job) && (status === undefined || Status === status)
      return listByCreation(cluster, evaluations, list, { ...wholeEvaluation, asked, fields: [job, status] })
    },
    /** Reads one evaluation; asks for `namespace:read-job` where it is. */
    readEvaluation: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<Evaluation> | Refused<'permission_denied' | 'evaluation_not_found'>> =>
      readById(cluster, evaluations, id, call, readEvaluation),

    /** Lists what was placed for a job, oldest first; asks for `namespace:read-job`. */
    listJobAllocations: (
      job: string,
      call: ListAllocationsCall & OfEveryIncarnation = {},
    ): Promise<Found<readonly AllocationStub[]> | Refused<ListRefusal>> =>
      ofJob(job, call, (entered, scope) =>
        listWithin(cluster, allocations, call, entered, scope, {
          ...stubs(call),
          fields: [call.resources, call.taskStates, call.all],
          asked: incarnation(job, call),
        }),
      ),
    /**
     * Lists what an evaluation placed, or brought up to date, oldest first; asks for `namespace:read-job`. Nothing
     * for an evaluation that nobody knows.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load({ evaluations: [{ ID: 'e1', JobID: 'web' }], allocations: [{ ID: 'a1', JobID: 'web', EvalID: 'e1' }] })
     * const placed = await scheduler.listEvaluationAllocations('e1')
     * placed.ok && placed.value.map(({ ID }) => ID) // ['a1']
     * ```
     */
    listEvaluationAllocations: (
      id: string,
      call: ListAllocationsCall = {},
    ): Promise<Found<readonly AllocationStub[]> | Refused<ListRefusal>> =>
      placedFor('EvalID', ofEvaluation, id, call),
    /**
     * Lists what was placed in a deployment, oldest first; asks for `namespace:read-job`. Nothing for a deployment
     * that nobody knows.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load({ deployments: [{ ID: 'd1', JobID: 'web' }], allocations: [{ ID: 'a1', JobID: 'web', DeploymentID: 'd1' }] })
     * const placed = await scheduler.listDeploymentAllocations('d1')
     * placed.ok && placed.value.map(({ ID }) => ID) // ['a1']
     * ```
     */
    listDeploymentAllocations: (
      id: string,
      call: ListAllocationsCall = {},
    ): Promise<Found<readonly AllocationStub[]> | Refused<ListRefusal>> =>
      placedFor('DeploymentID', ofDeployment, id, call),
    /** Lists a job's evaluations, oldest first; asks for `namespace:read-job`. */
    listJobEvaluations: (
      job: string,
      call: ListCall = {},
    ): Promise<Found<readonly Evaluation[]> | Refused<ListRefusal>> =>
      ofJob(job, call, (entered, scope) =>
        listWithin(cluster, evaluations, call, entered, scope, wholeEvaluation),
      ),
    /** Lists a job's deployments, oldest first; asks for `namespace:read-job`. */
    listJobDeployments: (
      job: string,
      call: ListCall & OfEveryIncarnation = {},
    ): Promise<Found<readonly Deployment[]> | Refused<ListRefusal>> =>
      ofJob(job, call, (entered, scope) =>
        listWithin(cluster, deployments, call, entered, scope, {
          ...wholeDeployment,
          fields: [call.all],
          asked: incarnation(job, call),
        }),
      ),
    /** Lists what was placed on a node, oldest first; asks for `node:read`, and shows namespaces with `read-job`. */
    listNodeAllocations: (
      node: string,
      call: ListAllocationsCall = {},
    ): Promise<Found<readonly AllocationStub[]> | Refused<ListRefusal>> =>
      enter(cluster, call, (entered) =>
        entered.access.coarse('node', 'read')
          ? listWithin(cluster, allocations, call, entered, { order: 'node', parts: [node] }, stubs(call))
          : permissionDenied(),
      ),
  }
}
