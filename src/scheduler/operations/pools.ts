import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import { deletePool } from '../pools/delete.ts'
import { NodePool, type PoolSpec } from '../pools/model.ts'
import { isBuiltIn } from '../pools/rules.ts'
import { upsertPool } from '../pools/upsert.ts'
import { jobRecords, nodeRecords, poolRecords } from '../records/collections.ts'
import { withIndexes } from '../records/tables.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ListCall, ReadCall, WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { filtersFor } from '../service/read/filter.ts'
import { beginning } from '../service/read/list.ts'
import { poolAt } from '../service/read/pools-at.ts'
import { call, name, pool } from './arguments.ts'
import { listNamed, type NamedRecords, readNamed, upsertNamed } from './named-records.ts'

const filters = filtersFor(NodePool)

const pools: NamedRecords<PoolSpec, NodePool> = {
  kind: 'pools',
  records: poolRecords,
  all: (cluster, now) => cluster.pools(now),
  one: poolAt,
  withIndexes,
  mayRead: (access, name) => access.pool(name, 'read'),
}

/** The operations on node pools. */
export const poolOperations = {
  /** Lists the pools the caller may read, in the order of their names. */
  listPools: operation({
    takes: [call],
    refuses: ['permission_denied', 'invalid_filter', 'filter_failed'],
    run: (cluster: Cluster, call: ListCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        return listNamed(cluster, pools, call, { now, access, filter: filter.value })
      }),
  }),

  /** Reads one pool; asks for `node_pool:read`. */
  readPool: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'pool_not_found'],
    run: (cluster: Cluster, name: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.pool(name, 'read')) return permissionDenied()
        const missing = ['pool_not_found', 'node pool not found'] as const
        return readNamed(cluster, pools, call, { now, name, missing })
      }),
  }),

  /**
   * Creates or replaces a pool completely: omitted fields take their defaults; requires `node_pool:write`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const written = await scheduler.upsertPool({ Name: 'gpu', Description: 'Cards' })
   * written.ok && written.index // 2
   * ```
   */
  upsertPool: operation({
    takes: [pool, call],
    refuses: ['permission_denied', 'invalid_pool', 'built_in_pool'],
    run: (cluster: Cluster, pool: PoolSpec, call: WriteCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        if (!access.pool(pool.Name, 'write')) return permissionDenied()
        return upsertNamed(cluster, pools, pool, upsertPool)
      }),
  }),

  /**
   * Deletes a pool that nothing uses; asks for a management token.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const gone = await scheduler.deletePool('default')
   * gone.ok || gone.refusal.message // 'deleting node pool "default" is not allowed'
   * ```
   */
  deletePool: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'pool_name_empty', 'pool_in_use', 'built_in_pool_kept', 'pool_unknown'],
    run: (cluster: Cluster, name: string, call: WriteCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        if (!access.management) return permissionDenied()
        const { answer, rev } = await cluster.commitAt((tx, env) => {
          const before = isBuiltIn(name) ? undefined : tx.get(poolRecords, name)?.value
          // A node or job that enters the pool meanwhile must make this decision again.
          tx.guard(nodeRecords.name, 'pool', name)
          tx.guard(jobRecords.name, 'pool', name)
          const use = { ...poolUse(cluster, tx.now, name), region: cluster.region }
          const outcome = deletePool(before, { name, use }, env)
          if (outcome.ok) tx.delete(poolRecords, name)
          return outcome
        })
        return answer.ok ? { ok: true as const, value: null, index: rev } : answer
      }),
  }),
}

/** Whether nodes or live jobs name a pool. */
function poolUse(
  { tables }: Cluster,
  now: Snapshot,
  name: string,
): { readonly nodes: boolean; readonly liveJobs: boolean } {
  const range = { prefix: beginning([name]) }
  const nodes =
    tables.nodes
      .at(now)
      .by('pool')
      .scan({ ...range, limit: 1 }).length > 0
  let liveJobs = false
  for (const run of tables.jobs.at(now).by('pool').chunks(range))
    liveJobs ||= run.some(({ Status }) => Status !== 'dead')
  return { nodes, liveJobs }
}
