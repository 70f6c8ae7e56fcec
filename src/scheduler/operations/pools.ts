import { operation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import { deletePool } from '../pools/delete.ts'
import { NodePool, type PoolSpec } from '../pools/model.ts'
import { upsertPool } from '../pools/upsert.ts'
import { jobRecords, nodeRecords, poolRecords } from '../records/collections.ts'
import { withIndexes } from '../records/tables.ts'
import type { ListCall, ReadCall, WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { filtersFor } from '../service/read/filter.ts'
import { beginning, listRefusals } from '../service/read/list.ts'
import { poolAt } from '../service/read/pools-at.ts'
import { call, name, pool } from './arguments.ts'
import { namedMethods } from './named-records.ts'

const pools = namedMethods({
  kind: 'pools',
  records: poolRecords,
  filters: filtersFor(NodePool),
  all: (cluster, now) => cluster.pools(now),
  one: poolAt,
  withIndexes,
  mayRead: (access, name) => access.pool(name, 'read'),
  mayWrite: (access, name) => access.pool(name, 'write'),
  missing: ['pool_not_found', 'node pool not found'],
  upsert: upsertPool,
})

/** The operations on node pools. */
export const poolOperations = {
  /**
   * Lists the pools the caller may read, in the order of their names.
   *
   * @example await scheduler.listPools({ filter: 'Name != "all"' })
   */
  listPools: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListCall = {}) => pools.list(cluster, call),
  }),

  /**
   * Reads one pool; requires `node_pool:read`.
   *
   * @example await scheduler.readPool('default')
   */
  readPool: operation({
    takes: [name, call],
    refuses: ['permission_denied', 'pool_not_found'],
    run: (cluster: Cluster, name: string, call: ReadCall = {}) => pools.read(cluster, name, call),
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
    run: (cluster: Cluster, pool: PoolSpec, call: WriteCall = {}) => pools.upsert(cluster, pool, call),
  }),

  /**
   * Deletes a pool that nothing uses; requires a management token.
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
      pools.delete(cluster, name, call, (before, tx, env) => {
        // A node or job that enters the pool meanwhile makes this decision run again.
        tx.guard(nodeRecords.name, 'pool', name)
        tx.guard(jobRecords.name, 'pool', name)
        return deletePool(
          before,
          { name, use: { ...poolUse(cluster, tx.now, name), region: cluster.region } },
          env,
        )
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
