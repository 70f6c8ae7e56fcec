import { type Refused, refuse } from '../../../kernel/index.ts'
import { compareText } from '../../../paging/index.ts'
import { type Snapshot, transact } from '../../../store/index.ts'
import { deletePool } from '../../pools/delete.ts'
import { NodePool, type PoolInput } from '../../pools/model.ts'
import { builtInPools, isBuiltIn } from '../../pools/rules.ts'
import { upsertPool } from '../../pools/upsert.ts'
import { jobRecords, nodeRecords, poolRecords } from '../../records/collections.ts'
import { indexed, withIndexes } from '../../records/tables.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { Found, ListCall, ReadCall, WriteCall, Written } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { enter } from '../enter.ts'
import { writtenPool } from '../parsed-arguments.ts'
import { filtersFor } from '../read/filter.ts'
import { answerList, beginning, type ListRefusal } from '../read/list.ts'
import { answerRead } from '../read/read.ts'
import { asTheyAre } from '../read/stubs.ts'

const filters = filtersFor(NodePool)

/** All pools in order of their names, the built-in ones among them; kept while no pool changes. */
function poolsAt() {
  let kept: { readonly index: number; readonly pools: readonly NodePool[] } | undefined
  return (now: Snapshot): readonly NodePool[] => {
    const index = now.get(poolRecords.markOf())?.modified ?? 0
    if (kept?.index !== index) {
      const made = poolRecords
        .list(now)
        .map(({ value, created, modified }) => Object.freeze(withIndexes(value, created, modified)))
      const pools = [...builtInPools, ...made].sort((a, b) => compareText(a.Name, b.Name))
      kept = { index, pools }
    }
    return kept.pools
  }
}

/** One pool. */
export const poolAt = (now: Snapshot, name: string): NodePool | undefined =>
  builtInPools.find(({ Name }) => Name === name) ?? indexed(poolRecords, now, name)

export function poolMethods(cluster: Cluster) {
  const all = poolsAt()
  return {
    /** Lists the pools the caller may read, in the order of their names. */
    listPools: (call: ListCall = {}): Promise<Found<readonly NodePool[]> | Refused<ListRefusal>> =>
      enter(cluster, call, ({ now, access }) => {
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const { prefix = '' } = call
        return answerList(cluster, call, now, {
          question: ['pools', access.id],
          marks: [poolRecords.markOf()],
          within: beginning([], prefix),
          rows: (at, { reverse }) => {
            const pools = all(at).filter(({ Name }) => Name.startsWith(prefix))
            return [reverse ? pools.reverse() : pools]
          },
          shape: ['text'],
          keyOf: ({ Name }) => [Name],
          visible: access.management ? undefined : ({ Name }) => access.pool(Name, 'read'),
          filter: filter.value,
          show: asTheyAre,
        })
      }),

    /** Reads one pool; asks for `node_pool:read`. */
    readPool: (
      name: string,
      call: ReadCall = {},
    ): Promise<Found<NodePool> | Refused<'permission_denied' | 'pool_not_found'>> =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.pool(name, 'read')) return permissionDenied()
        const key = poolRecords.keyOf(name)
        const mark = poolRecords.markOf()
        return answerRead(cluster, call, now, ['pool', name], (at) => {
          const value = poolAt(at, name)
          if (value !== undefined) return { value, index: value.ModifyIndex, keys: [key] }
          const index = indexOf(at, [mark])
          return { ...refuse('pool_not_found', 'node pool not found', { index }), index, keys: [mark] }
        })
      }),

    /** Whether the caller may write the pool of this name. */
    mayWritePool: (
      name: string,
      call: WriteCall = {},
    ): Promise<{ readonly ok: true } | Refused<'permission_denied'>> =>
      enter(cluster, call, ({ access }) => (access.pool(name, 'write') ? { ok: true } : permissionDenied())),

    /**
     * Creates or replaces a pool, whole: what is left out takes its default; asks for `node_pool:write`.
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
    upsertPool: (
      given: PoolInput,
      call: WriteCall = {},
    ): Promise<Written<NodePool> | Refused<'permission_denied' | 'invalid_pool' | 'built_in_pool'>> =>
      enter(cluster, call, async ({ access }) => {
        const pool = writtenPool.take(given)
        if (!access.pool(pool.Name, 'write')) return permissionDenied()
        const env = cluster.env()
        // Names that could not even be looked up are refused before anything is.
        const checked = upsertPool(undefined, pool, env)
        if (!checked.ok) return checked
        await cluster.born()
        const { result, rev } = await transact(
          cluster.view,
          () => env.newId('commit'),
          (tx) => {
            const before = tx.get(poolRecords, pool.Name)
            const outcome = upsertPool(before?.value, pool, env)
            if (outcome.ok && outcome.state) tx.put(poolRecords, outcome.state)
            return { outcome, created: before?.created }
          },
        )
        const { outcome, created } = result
        if (!outcome.ok) return outcome
        cluster.emit(outcome.events)
        return { ok: true, value: withIndexes(pool, created ?? rev, rev), index: rev }
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
    deletePool: (
      name: string,
      call: WriteCall = {},
    ): Promise<
      | Written<null>
      | Refused<
          'permission_denied' | 'pool_name_empty' | 'pool_in_use' | 'built_in_pool_kept' | 'pool_unknown'
        >
    > =>
      enter(cluster, call, async ({ access }) => {
        if (!access.management) return permissionDenied()
        const env = cluster.env()
        await cluster.born()
        const { result, rev } = await transact(
          cluster.view,
          () => env.newId('commit'),
          (tx) => {
            const before = isBuiltIn(name) ? undefined : tx.get(poolRecords, name)?.value
            // A node or job that enters the pool meanwhile must make this decision again.
            tx.guard(nodeRecords.name, 'pool', name)
            tx.guard(jobRecords.name, 'pool', name)
            const use = { ...poolUse(cluster, tx.now, name), region: cluster.region }
            const outcome = deletePool(before, { name, use }, env)
            if (outcome.ok) tx.delete(poolRecords, name)
            return outcome
          },
        )
        if (!result.ok) return result
        cluster.emit(result.events)
        return { ok: true, value: null, index: rev }
      }),
  }
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
