import type { Instant } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import { newDeployment } from '../../deployments/create.ts'
import type { DeploymentRecord } from '../../deployments/model.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { groupsByName, sameTasksIn } from '../../jobs/same-tasks.ts'
import type { NodeRecord } from '../../nodes/model.ts'
import { askOf, type GroupAsk, isWithin } from '../../placement/ask.ts'
import type { GroupWork, ReconcileFacts, SeenAllocation } from '../../placement/group-work.ts'
import { reconcile } from '../../placement/reconcile.ts'
import { systemWork } from '../../placement/system-work.ts'
import { jobVersionRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { nodesOf } from './capacity.ts'

/** A job and its records in one snapshot. */
export interface SchedulingInput {
  readonly facts: Omit<ReconcileFacts, 'deployment'>
  /** The nodes of its pool, of a system job only. */
  readonly nodes: readonly NodeRecord[]
  /** The relevant allocations: those that ended before the job was stopped and started again are not. */
  readonly allocations: readonly AllocationRecord[]
}

/** Reads the input of a decision: the allocations of a job that can continue unchanged, and the nodes it can run on. */
export function schedulingInput(
  cluster: Cluster,
  at: Snapshot,
  {
    job,
    before,
    allocations: all,
    now,
  }: {
    readonly job: JobSpec
    /** The specification that the current one replaces, if it is not stored as a version yet. */
    readonly before?: JobSpec | undefined
    readonly allocations: readonly AllocationRecord[]
    readonly now: Instant
  },
): SchedulingInput {
  // Only jobs that run once on every node are compared with all nodes.
  const nodes = job.Type.startsWith('sys') ? nodesOf(cluster, at, job.NodePool) : []
  const rows = cluster.tables.nodes.at(at)
  const versions = jobVersionRecords.list(at, job.Namespace, job.ID)
  const stable = versions.findLast(({ value }) => value.Stable)?.value.Version
  const earlier = new Map(versions.map(({ value }) => [value.Version, value as JobSpec]))
  if (before !== undefined) earlier.set(before.Version, before)
  const stopped = Math.max(-1, ...[...earlier.values()].flatMap((each) => (each.Stop ? each.Version : [])))
  const allocations = all.filter((each) => each.JobVersion > stopped || !isTerminalAllocation(each))
  const drains = draining(cluster, at, allocations)
  const same = new Map<string, boolean>()
  const comparisons = new Map<number, (group: string) => boolean>()
  const comparedWith = (version: number) => {
    const known = comparisons.get(version)
    if (known !== undefined) return known
    const spec = earlier.get(version)
    const compared = spec === undefined ? () => false : sameTasksIn(spec, job)
    comparisons.set(version, compared)
    return compared
  }
  const groups = groupsByName(job)
  const unchanged = ({ JobVersion, TaskGroup }: SeenAllocation): boolean => {
    if (JobVersion === job.Version) return true
    const key = `${JobVersion} ${TaskGroup}`
    const known = same.get(key)
    if (known !== undefined) return known
    const isSame = comparedWith(JobVersion)(TaskGroup)
    same.set(key, isSame)
    return isSame
  }
  const asks = new Map<string, GroupAsk>()
  const fits = ({ NodeID, TaskGroup }: SeenAllocation): boolean => {
    const node = rows.get(NodeID)
    const group = groups.get(TaskGroup)
    if (node === undefined || group === undefined || !isWithin(node, job)) return false
    let ask = asks.get(TaskGroup)
    if (ask === undefined) {
      ask = askOf(job, group)
      asks.set(TaskGroup, ask)
    }
    return ask.meets(node)
  }
  // Services leave a draining node. Batches may end there during the drain, and system jobs leave last: the drain itself
  // stops them.
  const leaves = (id: string) => job.Type === 'service' && drains.has(id)
  return { facts: { job, allocations, leaves, unchanged, fits, stable, now }, nodes, allocations }
}

/** The draining nodes among those of some allocations. */
function draining(
  { tables }: Cluster,
  at: Snapshot,
  allocations: readonly AllocationRecord[],
): ReadonlySet<string> {
  const ids = new Set(allocations.filter((each) => !isTerminalAllocation(each)).map(({ NodeID }) => NodeID))
  const rows = tables.nodes.at(at)
  return new Set([...ids].filter((id) => (rows.get(id)?.DrainStrategy ?? null) !== null))
}

/** The work that the task groups of a job need now. */
export const worksOf = (
  { facts: { job, allocations, stable, now, ...known }, nodes }: SchedulingInput,
  deployment: ReconcileFacts['deployment'],
): readonly GroupWork[] => {
  const state = { job, allocations, stable, deployment }
  return job.Type.startsWith('sys')
    ? systemWork(state, { ...known, nodes }, { now })
    : reconcile(state, known, { now })
}

/**
 * A deployment of the current version, with canaries for the groups whose tasks are replaced. Canaries that were not
 * promoted do not count as such: they are only stopped.
 *
 * @param before - the deployments of earlier versions
 */
export function deploymentFor(
  { facts: { job, allocations, unchanged, fits } }: SchedulingInput,
  before: readonly DeploymentRecord[],
  indexes: { readonly jobCreateIndex: number; readonly jobModifyIndex: number },
  env: Parameters<typeof newDeployment>[1],
): DeploymentRecord | undefined {
  const unpromoted = before.flatMap(({ TaskGroups }) =>
    Object.values(TaskGroups).filter(({ Promoted }) => !Promoted),
  )
  const tried = new Set(unpromoted.flatMap(({ PlacedCanaries }) => PlacedCanaries ?? []))
  const live = (allocations as readonly SeenAllocation[]).filter(
    (each) => !isTerminalAllocation(each) && !tried.has(each.ID),
  )
  const replaced = live.filter((each) => !(unchanged(each) && fits(each)))
  const previous = new Set(replaced.map(({ TaskGroup }) => TaskGroup))
  return newDeployment({ job, ...indexes, previous }, env)
}
