import { refuse } from '../../kernel/index.ts'
import { argument, aText } from '../../operation/arguments.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import type { Access } from '../acl/access.ts'
import type { Job } from '../jobs/model.ts'
import { jobRecords } from '../records/collections.ts'
import {
  ScalingPolicy,
  type ScalingPolicyStub,
  scalingPoliciesOf,
  scalingPolicyStub,
} from '../scaling/policy.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ListCall, ReadCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { filtersFor } from '../service/read/filter.ts'
import { answerList, beginning, listRefusals } from '../service/read/list.ts'
import { answerRead } from '../service/read/read.ts'
import { everyNamespace } from '../service/read/visibility.ts'
import { call } from './arguments.ts'

const filters = filtersFor(ScalingPolicy)
const id = argument<string>('id', aText)

const mayList = (access: Access, namespace: string) =>
  access.namespace(namespace, 'list-scaling-policies') ||
  (access.namespace(namespace, 'list-jobs') && access.namespace(namespace, 'read-job'))
const mayRead = (access: Access, namespace: string) =>
  access.namespace(namespace, 'read-scaling-policy') ||
  (access.namespace(namespace, 'list-jobs') && access.namespace(namespace, 'read-job'))

/** The policies of jobs whose keys have this prefix, by their IDs. */
function policiesAt({ tables }: Cluster, now: Snapshot, prefix: string): readonly ScalingPolicy[] {
  const found: ScalingPolicy[] = []
  for (const rows of tables.jobs.at(now).chunks({ prefix }))
    for (const job of rows as readonly Job[]) if (!job.Stop) found.push(...scalingPoliciesOf(job))
  return found.sort((a, b) => (a.ID < b.ID ? -1 : 1))
}

/** The operations on scaling policies, which are parts of jobs. */
export const scalingPolicyOperations = {
  /**
   * Lists the scaling policies of the jobs that are not stopped; requires `namespace:list-scaling-policies`, or for
   * `list-jobs` and `read-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Scaling: { Min: 1, Max: 5 }, Tasks: [{ Name: 'server' }] }] })
   * const found = await scheduler.listScalingPolicies({ job: 'web' })
   * found.ok && found.value[0]?.Target['Group'] // 'app'
   * ```
   */
  listScalingPolicies: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListCall & { readonly job?: string | undefined } = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default', prefix = '', job } = call
        if (!mayList(access, namespace)) return permissionDenied()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const isEvery = namespace === everyNamespace
        return answerList<ScalingPolicy, ScalingPolicyStub>(cluster, call, now, {
          question: ['scaling-policies', namespace, job, isEvery && access.id],
          marks: [isEvery ? jobRecords.markOf() : jobRecords.markOf('namespace', namespace)],
          within: beginning([], prefix),
          rows: (at, { reverse }) => {
            const rows = policiesAt(cluster, at, isEvery ? beginning([]) : beginning([namespace])).filter(
              ({ ID, Target }) => ID.startsWith(prefix) && (job === undefined || Target.Job === job),
            )
            return [reverse ? rows.toReversed() : rows]
          },
          shape: ['text'],
          keyOf: ({ ID }) => [ID],
          visible: isEvery ? ({ Namespace }) => mayList(access, Namespace) : undefined,
          filter: filter.value,
          show: (rows) => {
            const list = () => rows.map(scalingPolicyStub)
            return { list, text: () => JSON.stringify(list()) }
          },
        })
      }),
  }),

  /**
   * Reads a scaling policy; requires `namespace:read-scaling-policy`, or `list-jobs` and `read-job`, in its namespace.
   *
   * @example await scheduler.readScalingPolicy(policyID)
   */
  readScalingPolicy: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'scaling_policy_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!mayRead(access, everyNamespace)) return permissionDenied()
        const mark = jobRecords.markOf()
        return answerRead(cluster, call, now, ['scaling-policy', id, access.id], (at) => {
          const value = policiesAt(cluster, at, beginning([])).find(
            (policy) => policy.ID === id && mayRead(access, policy.Namespace),
          )
          const index = indexOf(at, [mark])
          return value === undefined
            ? { ...refuse('scaling_policy_not_found', 'policy not found', { index }), index, keys: [mark] }
            : { value, index, keys: [mark] }
        })
      }),
  }),
}
