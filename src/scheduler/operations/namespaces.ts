import { argument, aText } from '../../operation/arguments.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import { namespaceCapabilities } from '../acl/capabilities.ts'
import { deleteNamespace } from '../namespaces/delete.ts'
import { Namespace, NamespaceSpec } from '../namespaces/model.ts'
import { upsertNamespace } from '../namespaces/upsert.ts'
import { jobRecords, namespaceRecords, variableRecords } from '../records/collections.ts'
import { withIndexes } from '../records/tables.ts'
import type { ListCall, ReadCall, WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { filtersFor } from '../service/read/filter.ts'
import { beginning, listRefusals } from '../service/read/list.ts'
import { namespaceAt, namespacesAt } from '../service/read/namespaces-at.ts'
import { call } from './arguments.ts'
import { namedMethods } from './named-records.ts'
import { writtenArgument } from './written-argument.ts'

const name = argument<string>('name', aText)
const namespace = writtenArgument('namespace', NamespaceSpec)

const namespaces = namedMethods({
  kind: 'namespaces',
  records: namespaceRecords,
  filters: filtersFor(Namespace),
  all: (_, now) => namespacesAt(now),
  one: namespaceAt,
  withIndexes,
  // Whether a caller may do anything at all in it.
  mayRead: (access, name) => access.namespace(name, ...namespaceCapabilities),
  mayWrite: (access) => access.management,
  missing: ['namespace_not_found', 'Namespace not found'],
  upsert: upsertNamespace,
})

/** The operations on namespaces. */
export const namespaceOperations = {
  /**
   * Lists the namespaces in which the caller has any capability, in the order of their names.
   *
   * @example await scheduler.listNamespaces({ prefix: 'de' })
   */
  listNamespaces: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListCall = {}) => namespaces.list(cluster, call),
  }),

  /**
   * Reads a namespace; requires any capability in it.
   *
   * @example await scheduler.readNamespace('default')
   */
  readNamespace: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'namespace_not_found'],
    run: (cluster: Cluster, name: string, call: ReadCall = {}) => namespaces.read(cluster, name, call),
  }),

  /**
   * Creates or replaces a namespace completely: omitted fields take their defaults; requires management. From the first
   * one on, jobs must be in existing namespaces, unless the option `namespaces` says otherwise.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.upsertNamespace({ Name: 'ops', Description: 'Operations' })
   * const found = await scheduler.listNamespaces()
   * found.ok && found.value.map(({ Name }) => Name) // ['default', 'ops']
   * ```
   */
  upsertNamespace: operation({
    takes: [namespace, call],
    refuses: ['permission_denied', 'invalid_namespace'],
    run: (cluster: Cluster, namespace: NamespaceSpec, call: WriteCall = {}) =>
      namespaces.upsert(cluster, namespace, call),
  }),

  /**
   * Deletes a namespace without variables in which every job is dead; requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const gone = await scheduler.deleteNamespace('default')
   * gone.ok || gone.refusal.message // 'can not delete default namespace'
   * ```
   */
  deleteNamespace: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'default_namespace_kept', 'namespace_not_found', 'namespace_in_use'],
    run: (cluster: Cluster, name: string, call: WriteCall = {}) =>
      namespaces.delete(cluster, name, call, (before, tx, env) => {
        // A job that becomes live in it meanwhile makes this decision run again.
        tx.guard(jobRecords.name, 'namespace', name)
        tx.guard(variableRecords.name, 'namespace', name)
        const liveJobs = hasLiveJobs(cluster, tx.now, name)
        const variables =
          cluster.tables.variables.at(tx.now).scan({ prefix: beginning([name]), limit: 1 }).length > 0
        return deleteNamespace(before, { name, liveJobs, variables, region: cluster.region }, env)
      }),
  }),
}

function hasLiveJobs({ tables }: Cluster, now: Snapshot, namespace: string): boolean {
  for (const run of tables.jobs.at(now).chunks({ prefix: beginning([namespace]) }))
    if (run.some(({ Status }) => Status !== 'dead')) return true
  return false
}
