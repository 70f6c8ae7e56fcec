import { checkArguments } from '../../kernel/check-arguments.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import type { NodeRecord } from '../nodes/model.ts'
import { askOf } from './ask.ts'
import type { PlacementMetrics } from './metrics-model.ts'
import { placer } from './placer.ts'
import type { ExistingAllocation } from './placer-input.ts'
import { type SchedulerAlgorithm, Site, type Usage } from './site.ts'
import { systemPlacer } from './system-placer.ts'

/**
 * Resources in use on a node.
 */
export interface Taken {
  readonly nodeId: string
  readonly usage: Usage
  /** The task group, if it is a counted allocation of the job. */
  readonly group?: string | undefined
}

/**
 * The nodes, and their allocations.
 */
export interface PlacementState {
  /** The nodes to consider; unsuitable ones are skipped. */
  readonly nodes: readonly NodeRecord[]
  /** By node id, the resources of allocations that have not ended; none by default. */
  readonly used?: ReadonlyMap<string, Usage> | undefined
  /** Nodes that already run the job; a system job is placed once on each of the others. */
  readonly occupied?: ReadonlySet<string> | undefined
  /** The live allocations of the job: spreads and distinct constraints count them; none by default. */
  readonly existing?: readonly ExistingAllocation[] | undefined
}

/**
 * The number of additional allocations per task group.
 */
export interface PlacementInput {
  /** The job whose task groups are placed. */
  readonly job: JobSpec
  /** By task group, the number of allocations to place. */
  readonly wanted: Readonly<Record<string, number>>
  /** Allocations that stop with each placement, in order: their resources are free only from then on. */
  readonly freed?: readonly (Taken | undefined)[] | undefined
  /** Whether nodes are filled one by one or evenly; `binpack` by default. */
  readonly algorithm?: SchedulerAlgorithm | undefined
}

/**
 * A placed allocation.
 */
export interface Placement extends Taken {
  /** Its task group. */
  readonly group: string
  readonly nodeName: string
}

/**
 * The result of one run of placement.
 */
export interface PlacementPlan {
  /** In the order of the decisions: each takes the earlier ones into account. */
  readonly placements: readonly Placement[]
  /** By task group, how many could not be placed; for a system job, the number of nodes without capacity. */
  readonly unplaced: Readonly<Record<string, number>>
  /** By task group, why. */
  readonly failed: Readonly<Record<string, PlacementMetrics>>
}

/**
 * Chooses nodes for a job's allocations.
 *
 * @remarks
 * A node must meet all of this: it is ready, eligible, in the job's pool and datacenters, meets the constraints of job,
 * group and tasks, has their drivers, devices and host volumes, and has enough CPU, memory, disk, cores and ports.
 * Among those nodes the one with the highest mean of its scores wins: the fit by the algorithm, affinities, spreads, and
 * a penalty for allocations of the same group. The result is deterministic: among equals the node with the smaller id
 * wins.
 *
 * @example
 * ```ts
 * import { JobSpec, NodeRecord, place } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
 * const room = { Cpu: { CpuShares: 150 }, Memory: { MemoryMB: 8192 } }
 * const nodes = [NodeRecord.parse({ ID: 'n1', NodeResources: room })]
 * const plan = place({ nodes }, { job, wanted: { app: 2 } })
 * plan.placements.map(({ nodeId }) => nodeId) // ['n1']
 * plan.failed['app']?.DimensionExhausted // { cpu: 1 }
 * ```
 */
export function place(state: PlacementState, input: PlacementInput): PlacementPlan {
  checkArguments('state input', state, input)
  const { nodes, used, occupied = new Set(), existing: live = [] } = state
  const { job, wanted, freed = [], algorithm = 'binpack' } = input
  const sites = new Map(nodes.map((node) => [node.ID, new Site(node)]))
  for (const [id, usage] of used ?? []) sites.get(id)?.take(usage)
  const existing = [...live]
  const isSystem = job.Type.startsWith('sys')
  const placements: Placement[] = []
  const unplaced: (readonly [string, number])[] = []
  const failed: (readonly [string, PlacementMetrics])[] = []
  for (const group of job.TaskGroups) {
    const count = Object.hasOwn(wanted, group.Name) ? (wanted[group.Name] ?? 0) : 0
    if (count <= 0) continue
    const about = { job, group, ask: askOf(job, group), sites, existing, algorithm }
    const system = isSystem ? systemPlacer(about, occupied) : undefined
    const chooser = system ?? placer(about)
    let placed = 0
    for (; placed < count; placed += 1) {
      const gone = freed[placements.length]
      const left = gone && sites.get(gone.nodeId)
      if (gone !== undefined && left !== undefined) {
        left.give(gone.usage)
        if (gone.group === undefined) chooser.changed(left)
        else chooser.left({ nodeId: gone.nodeId, group: gone.group })
      }
      const chosen = chooser.next()
      if (chosen === undefined) break
      const { site, usage } = chosen
      const { ID, Name } = site.node
      placements.push({ group: group.Name, nodeId: ID, nodeName: Name, usage })
      existing.push({ group: group.Name, nodeId: ID })
    }
    const missing = system === undefined ? count - placed : placed < count ? system.exhausted() : 0
    if (missing === 0) continue
    unplaced.push([group.Name, missing])
    failed.push([group.Name, { ...chooser.metrics(), CoalescedFailures: missing - 1 }])
  }
  return { placements, unplaced: Object.fromEntries(unplaced), failed: Object.fromEntries(failed) }
}

/**
 * The resources that one allocation of a task group takes on any node.
 */
export function usageOf(group: TaskGroup): Usage {
  const { cpu, memoryMb } = askOf({ Constraints: null }, group)
  return { cpu, memoryMb }
}
