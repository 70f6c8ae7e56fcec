import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { NodeRecord } from '../../nodes/model.ts'
import type { SchedulerAlgorithm } from '../../placement/site.ts'
import type { Cluster } from '../cluster.ts'
import { configurationAt } from '../read/configuration-at.ts'
import { beginning } from '../read/list.ts'
import { poolAt } from '../read/pools-at.ts'

/** The nodes of a pool; `all` is every node. */
export function nodesOf({ tables }: Cluster, now: Snapshot, pool: string): readonly NodeRecord[] {
  const rows = tables.nodes.at(now)
  return pool === 'all' ? rows.scan() : rows.by('pool').scan({ prefix: beginning([pool]) })
}

/** How nodes of a pool are chosen: by the pool's setting, or else by the cluster's. */
export function algorithmOf(now: Snapshot, pool: string): SchedulerAlgorithm {
  const own = poolAt(now, pool)?.SchedulerConfiguration?.SchedulerAlgorithm ?? ''
  const algorithm = own === '' ? configurationAt(now).SchedulerAlgorithm : own
  return algorithm === 'spread' ? 'spread' : 'binpack'
}

/** Whether tasks may take more memory than they reserve on nodes of a pool: by the pool's setting, or else the cluster's. */
export const oversubscribesMemory = (now: Snapshot, pool: string): boolean =>
  poolAt(now, pool)?.SchedulerConfiguration?.MemoryOversubscriptionEnabled ??
  configurationAt(now).MemoryOversubscriptionEnabled

/**
 * The nodes on which a group of a system job runs, or has run if its job is a `sysbatch` whose tasks did not change: it
 * runs once on each.
 */
export const occupiedBy = (
  group: string,
  unchanged: (allocation: AllocationRecord) => boolean,
  allocations: readonly AllocationRecord[],
): ReadonlySet<string> =>
  new Set(
    allocations
      .filter((each) => each.TaskGroup === group)
      .filter(
        (each) =>
          !isTerminalAllocation(each) || (each.JobType === 'sysbatch' && isOver(each) && unchanged(each)),
      )
      .map(({ NodeID }) => NodeID),
  )

const isOver = ({ ClientStatus, DesiredStatus }: Pick<AllocationRecord, 'ClientStatus' | 'DesiredStatus'>) =>
  DesiredStatus === 'run' && (ClientStatus === 'complete' || ClientStatus === 'failed')
