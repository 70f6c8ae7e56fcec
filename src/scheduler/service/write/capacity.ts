import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { NodeRecord } from '../../nodes/model.ts'
import type { GroupWork } from '../../placement/group-work.ts'
import {
  less,
  type Placement,
  type SchedulerAlgorithm,
  sum,
  type Taken,
  type Usage,
} from '../../placement/place.ts'
import type { Cluster } from '../cluster.ts'
import { configurationAt } from '../read/configuration-at.ts'
import { beginning } from '../read/list.ts'
import { poolAt } from '../read/pools-at.ts'

/** The nodes of a pool; `all` is every node. */
export function nodesOf({ tables }: Cluster, now: Snapshot, pool: string): readonly NodeRecord[] {
  const rows = tables.nodes.at(now)
  return pool === 'all' ? rows.scan() : rows.by('pool').scan({ prefix: beginning([pool]) })
}

/** How nodes of a pool are chosen: as the pool says, else as the cluster does. */
export function algorithmOf(now: Snapshot, pool: string): SchedulerAlgorithm {
  const own = poolAt(now, pool)?.SchedulerConfiguration?.SchedulerAlgorithm ?? ''
  const algorithm = own === '' ? configurationAt(now).SchedulerAlgorithm : own
  return algorithm === 'spread' ? 'spread' : 'binpack'
}

/** By node, what runs there already, without what goes beforehand. */
export function usedOn(
  { tables }: Cluster,
  now: Snapshot,
  nodes: readonly NodeRecord[],
  gone: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Usage> {
  const rows = tables.allocations.at(now).by('node')
  const used = new Map<string, Usage>()
  for (const { ID } of nodes) {
    let [cpu, memoryMb] = [0, 0]
    for (const run of rows.chunks({ prefix: beginning([ID]) }))
      for (const row of run) {
        if (isTerminalAllocation(row) || gone.has(row.ID)) continue
        cpu += row.AllocatedResources.CpuShares
        memoryMb += row.AllocatedResources.MemoryMB
      }
    if (cpu > 0 || memoryMb > 0) used.set(ID, { cpu, memoryMb })
  }
  return used
}

/** What is used once some more are placed, each of which may have made something go. */
export function withPlacements(
  used: ReadonlyMap<string, Usage>,
  placements: readonly Placement[],
  freed: readonly (Taken | undefined)[],
): ReadonlyMap<string, Usage> {
  const next = new Map(used)
  for (const [at, { nodeId, usage }] of placements.entries()) {
    const gone = freed[at]
    if (gone !== undefined) next.set(gone.nodeId, less(next.get(gone.nodeId), gone.usage))
    next.set(nodeId, sum(next.get(nodeId), usage))
  }
  return next
}

/** What each of some that are replaced gives back when it goes, unless it has gone before. */
export function freedBy(
  replaced: GroupWork['replace'],
  rows: { readonly get: (id: string) => AllocationRecord | undefined },
): readonly (Taken | undefined)[] {
  return replaced.map(({ id }) => {
    const found = rows.get(id)
    if (found === undefined || isTerminalAllocation(found)) return undefined
    const { CpuShares, MemoryMB } = found.AllocatedResources
    return { nodeId: found.NodeID, usage: { cpu: CpuShares, memoryMb: MemoryMB } }
  })
}

/** The nodes that a group of a system job has been to: it runs once on each, and `sysbatch` does not come again. */
export const occupiedBy = (
  group: string,
  allocations: readonly Pick<
    AllocationRecord,
    'TaskGroup' | 'NodeID' | 'ClientStatus' | 'DesiredStatus' | 'JobType'
  >[],
): ReadonlySet<string> =>
  new Set(
    allocations
      .filter((each) => each.TaskGroup === group)
      .filter((each) => !isTerminalAllocation(each) || (each.JobType === 'sysbatch' && isOver(each)))
      .map(({ NodeID }) => NodeID),
  )

const isOver = ({ ClientStatus, DesiredStatus }: Pick<AllocationRecord, 'ClientStatus' | 'DesiredStatus'>) =>
  DesiredStatus === 'run' && (ClientStatus === 'complete' || ClientStatus === 'failed')
