import { type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import { Allocation } from '../allocations/model.ts'
import type { AllocationStub, AllocationStubFields } from '../allocations/stub.ts'
import { Deployment } from '../deployments/model.ts'
import { Evaluation } from '../evaluations/model.ts'
import { type EvaluationWithRelated, relatedTo } from '../evaluations/related.ts'
import { type AllocationWithJob, withJob } from '../jobs/allocation-with-job.ts'
import { ofIncarnation } from '../jobs/work.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
} from '../records/collections.ts'
import {
  jobOfAllocation,
  readAllocation,
  readDeployment,
  readEvaluation,
  type Tables,
} from '../records/tables.ts'
import { permissionDenied, seenBy } from '../service/authenticate.ts'
import type { Found, ListCall, ReadCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { type Entered, enter } from '../service/enter.ts'
import {
  type CreatedScope,
  listByCreation,
  listWithin,
  readById,
} from '../service/read/creation-order-lists.ts'
import { filtersFor } from '../service/read/filter.ts'
import { type ListRefusal, listRefusals } from '../service/read/list.ts'
import { call, id } from './arguments.ts'
import type { ListAllocationsCall, ListEvaluationsCall, OfEveryIncarnation } from './calls.ts'

/** Nanoseconds since 1970, which filters compare with times. */
const madeAndChanged = { CreateTime: 'unix-ns', ModifyTime: 'unix-ns' } as const

const deployments = {
  table: ({ deployments }: Tables) => deployments,
  records: deploymentRecords,
  filters: filtersFor(Deployment),
  missing: { code: 'deployment_not_found', text: 'deployment not found' },
} as const
const allocations = {
  table: ({ allocations }: Tables) => allocations,
  records: allocationRecords,
  filters: filtersFor(Allocation, madeAndChanged),
  missing: { code: 'allocation_not_found', text: 'alloc not found' },
  orders: ['job', 'node'],
} as const
const evaluations = {
  table: ({ evaluations }: Tables) => evaluations,
  records: evaluationRecords,
  filters: filtersFor(Evaluation, { ...madeAndChanged, WaitUntil: { optional: 'time' } }),
  missing: { code: 'evaluation_not_found', text: 'eval not found' },
} as const
const stubs = ({ lists }: Cluster, { resources, taskStates }: AllocationStubFields) => ({
  show: lists.allocations({ resources, taskStates }),
  fields: [resources, taskStates],
})

/** Starts a list that belongs to one job of one namespace. */
const ofJob = <Answer>(
  cluster: Cluster,
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
/** Lists the allocations of one evaluation, or of one deployment; all of them belong to its job. */
const placedFor = (
  cluster: Cluster,
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
      ...stubs(cluster, call),
      fields: [field, id, found === undefined, call.resources, call.taskStates],
      asked: () => (row: Allocation) => row[field] === id,
      // A missing object has no job: it may appear with any write.
      mark: found === undefined ? kind.mark : undefined,
    })
    if (found !== undefined || find(cluster.view.stale()) === undefined) return answer
    // It was created while the caller waited.
    return placedFor(cluster, field, kind, id, { ...call, index: 0 })
  })
/** Omits the objects of earlier jobs with that ID; lists all of them if the job does not exist. */
const incarnation =
  (job: string, { namespace = 'default', all = false }: ListCall & OfEveryIncarnation) =>
  (now: Snapshot) => {
    const created = all ? undefined : jobRecords.get(now, namespace, job)?.created
    if (created === undefined) return undefined
    return (row: { readonly JobCreateIndex: number }) => ofIncarnation(row, created)
  }

/** The list and read operations of evaluations, allocations and deployments. */
export const outcomeOperations = {
  /**
   * Lists deployments, oldest first; requires `namespace:read-job` or `list-jobs`.
   *
   * @example await scheduler.listDeployments({ namespace: 'default' })
   */
  listDeployments: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListCall = {}) =>
      listByCreation(cluster, deployments, call, { show: cluster.lists.deployments({}) }),
  }),
  /**
   * Reads a deployment; requires `namespace:read-job` in its namespace.
   *
   * @example await scheduler.readDeployment(deploymentID)
   */
  readDeployment: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'deployment_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      readById(cluster, deployments, id, call, readDeployment),
  }),
  /**
   * Lists allocations, oldest first; requires `namespace:read-job` or `list-jobs`.
   *
   * @example await scheduler.listAllocations({ filter: 'ClientStatus == "running"' })
   */
  listAllocations: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListAllocationsCall = {}) =>
      listByCreation(cluster, allocations, call, stubs(cluster, call)),
  }),
  /**
   * Reads an allocation with the version of the job that it runs; requires `namespace:read-job` in its namespace.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   *
   * const scheduler = createScheduler()
   * await scheduler.load({ jobs: [{ ID: 'web', Priority: 70 }], allocations: [{ ID: 'a1', JobID: 'web' }] })
   * const found = await scheduler.readAllocation('a1')
   * found.ok && found.value.Job?.Priority // 70
   * ```
   */
  readAllocation: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'allocation_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      readById(cluster, allocations, id, call, (now, asked): AllocationWithJob | undefined => {
        const found = readAllocation(now, asked)
        return found && Object.freeze(withJob(found, jobOfAllocation(now, found)))
      }),
  }),
  /**
   * Lists evaluations, oldest first; requires `namespace:read-job` or `list-jobs`. A filter is refused beside
   * the older ways to choose, `job` and `status`.
   *
   * @example await scheduler.listEvaluations({ perPage: 20 })
   */
  listEvaluations: operation({
    takes: [call],
    refuses: [...listRefusals, 'filter_conflict'],
    run: async (cluster: Cluster, call: ListEvaluationsCall = {}) => {
      const { job, status, ...list } = call
      if (job === undefined && status === undefined)
        return listByCreation(cluster, evaluations, list, { show: cluster.lists.evaluations({}) })
      if (list.filter !== undefined && list.filter.trim() !== '')
        return refuse('filter_conflict', 'Filter expression cannot be used with other filter parameters')
      const asked = ({ JobID, Status }: Evaluation) =>
        (job === undefined || JobID === job) && (status === undefined || Status === status)
      return listByCreation(cluster, evaluations, list, {
        show: cluster.lists.evaluations({}),
        asked,
        job,
        fields: [job, status],
      })
    },
  }),
  /**
   * Reads an evaluation; requires `namespace:read-job` in its namespace.
   *
   * @example await scheduler.readEvaluation(evaluationID)
   */
  readEvaluation: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'evaluation_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      readById(cluster, evaluations, id, call, readEvaluation),
  }),
  /**
   * Reads an evaluation with its related ones: its predecessor, its successor, and the blocked one in its place.
   * Requires `namespace:read-job` in its namespace.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   *
   * const scheduler = createScheduler()
   * await scheduler.load({ evaluations: [{ ID: 'e1', BlockedEval: 'e2' }, { ID: 'e2', PreviousEval: 'e1', Status: 'blocked' }] })
   * const found = await scheduler.readRelatedEvaluations('e1')
   * found.ok && found.value.RelatedEvals.map(({ ID }) => ID) // ['e2']
   * ```
   */
  readRelatedEvaluations: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'evaluation_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      readById(cluster, evaluations, id, call, (now, asked): EvaluationWithRelated | undefined => {
        const found = readEvaluation(now, asked)
        return found && { ...found, RelatedEvals: relatedTo(found, (each) => readEvaluation(now, each)) }
      }),
  }),

  /**
   * Lists the allocations of a job, oldest first; requires `namespace:read-job`.
   *
   * @example await scheduler.listJobAllocations('web')
   */
  listJobAllocations: operation({
    takes: [id, call],
    refuses: listRefusals,
    run: (cluster: Cluster, id: string, call: ListAllocationsCall & OfEveryIncarnation = {}) =>
      ofJob(cluster, id, call, (entered, scope) =>
        listWithin(cluster, allocations, call, entered, scope, {
          ...stubs(cluster, call),
          fields: [call.resources, call.taskStates, call.all],
          asked: incarnation(id, call),
        }),
      ),
  }),
  /**
   * Lists the allocations that an evaluation placed or updated, oldest first; requires `namespace:read-job`. Empty for
   * an unknown evaluation.
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
  listEvaluationAllocations: operation({
    takes: [id, call],
    refuses: listRefusals,
    run: (cluster: Cluster, id: string, call: ListAllocationsCall = {}) =>
      placedFor(cluster, 'EvalID', ofEvaluation, id, call),
  }),
  /**
   * Lists the allocations of a deployment, oldest first; requires `namespace:read-job`. Empty for an unknown
   * deployment.
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
  listDeploymentAllocations: operation({
    takes: [id, call],
    refuses: listRefusals,
    run: (cluster: Cluster, id: string, call: ListAllocationsCall = {}) =>
      placedFor(cluster, 'DeploymentID', ofDeployment, id, call),
  }),
  /**
   * Lists a job's evaluations, oldest first; requires `namespace:read-job`.
   *
   * @example await scheduler.listJobEvaluations('web')
   */
  listJobEvaluations: operation({
    takes: [id, call],
    refuses: listRefusals,
    run: (cluster: Cluster, id: string, call: ListCall = {}) =>
      ofJob(cluster, id, call, (entered, scope) =>
        listWithin(cluster, evaluations, call, entered, scope, { show: cluster.lists.evaluations({}) }),
      ),
  }),
  /**
   * Lists a job's deployments, oldest first; requires `namespace:read-job`.
   *
   * @example await scheduler.listJobDeployments('web')
   */
  listJobDeployments: operation({
    takes: [id, call],
    refuses: listRefusals,
    run: (cluster: Cluster, id: string, call: ListCall & OfEveryIncarnation = {}) =>
      ofJob(cluster, id, call, (entered, scope) =>
        listWithin(cluster, deployments, call, entered, scope, {
          show: cluster.lists.deployments({}),
          fields: [call.all],
          asked: incarnation(id, call),
        }),
      ),
  }),
  /**
   * Lists the allocations on a node, oldest first; requires `node:read`, and shows namespaces with `read-job`.
   *
   * @example await scheduler.listNodeAllocations('n1')
   */
  listNodeAllocations: operation({
    takes: [id, call],
    refuses: listRefusals,
    run: (cluster: Cluster, node: string, call: ListAllocationsCall = {}) =>
      enter(cluster, call, (entered) =>
        entered.access.coarse('node', 'read')
          ? listWithin(
              cluster,
              allocations,
              call,
              entered,
              { order: 'node', parts: [node] },
              stubs(cluster, call),
            )
          : permissionDenied(),
      ),
  }),
}
