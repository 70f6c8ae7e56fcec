import { argument, aText } from '../../operation/arguments.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import type { Access } from '../acl/access.ts'
import { namespaceCapabilities } from '../acl/capabilities.ts'
import { deleteNamespace } from '../namespaces/delete.ts'
import { Namespace, NamespaceSpec } from '../namespaces/model.ts'
import { upsertNamespace } from '../namespaces/upsert.ts'
import { jobRecords, namespaceRecords } from '../records/collections.ts'
import { withIndexes } from '../records/tables.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ListCall, ReadCall, WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { filtersFor } from '../service/read/filter.ts'
import { beginning } from '../service/read/list.ts'
import { namespaceAt, namespacesAt } from '../service/read/namespaces-at.ts'
import { call } from './arguments.ts'
import { listNamed, type NamedRecords, readNamed, upsertNamed } from './named-records.ts'
import { writtenArgument } from './written-argument.ts'

const filters = filtersFor(Namespace)
const name = argument<string>('name', aText)
const namespace = writtenArgument('namespace', NamespaceSpec)

/** Whether a caller may do anything at all in a namespace. */
const mayEnter = (access: Access, name: string) => access.namespace(name, ...namespaceCapabilities)

const namespaces: NamedRecords<NamespaceSpec, Namespace> = {
  kind: 'namespaces',
  records: namespaceRecords,
  all: (_, now) => namespacesAt(now),
  one: namespaceAt,
  withIndexes,
  mayRead: mayEnter,
}

/** The operations on namespaces. */
export const namespaceOperations = {
  /** Lists the namespaces in which the caller has any capability, in the order of their names. */
  listNamespaces: operation({
    takes: [call],
    refuses: ['permission_denied', 'invalid_filter', 'filter_failed'],
    run: (cluster: Cluster, call: ListCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        return listNamed(cluster, namespaces, call, { now, access, filter: filter.value })
      }),
  }),

  /** Reads a namespace; asks for any capability in it. */
  readNamespace: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'namespace_not_found'],
    run: (cluster: Cluster, name: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!mayEnter(access, name)) return permissionDenied()
        const missing = ['namespace_not_found', 'Namespace not found'] as const
        return readNamed(cluster, namespaces, call, { now, name, missing })
      }),
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
      enter(cluster, call, async ({ access }) => {
        if (!access.management) return permissionDenied()
        return upsertNamed(cluster, namespaces, namespace, upsertNamespace)
      }),
  }),

  /**
   * Deletes a namespace in which every job is dead; asks for management.
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
      enter(cluster, call, async ({ access }) => {
        if (!access.management) return permissionDenied()
        const { answer, rev } = await cluster.commitAt((tx, env) => {
          const before = tx.get(namespaceRecords, name)?.value
          // A job that comes alive in it meanwhile must make this decision again.
          tx.guard(jobRecords.name, 'namespace', name)
          const input = { name, liveJobs: hasLiveJobs(cluster, tx.now, name), region: cluster.region }
          const outcome = deleteNamespace(before, input, env)
          if (outcome.ok) tx.delete(namespaceRecords, name)
          return outcome
        })
        return answer.ok ? { ok: true as const, value: null, index: rev } : answer
      }),
  }),
}

function hasLiveJobs({ tables }: Cluster, now: Snapshot, namespace: string): boolean {
  for (const run of tables.jobs.at(now).chunks({ prefix: beginning([namespace]) }))
    if (run.some(({ Status }) => Status !== 'dead')) return true
  return false
}
