import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import type { NodeRecord } from '../nodes/model.ts'
import { isInReach, meetsConstraints } from './feasible.ts'

/**
 * How nodes are chosen among those with room: fill the fullest, or keep them even.
 *
 * @public
 */
export type SchedulerAlgorithm = 'binpack' | 'spread'

/**
 * What allocations take, in MHz and MB.
 *
 * @public
 */
export interface Usage {
  /** MHz. */
  readonly cpu: number
  /** MB. */
  readonly memoryMb: number
}

/**
 * What something takes on a node.
 *
 * @public
 */
export interface Taken {
  readonly nodeId: string
  readonly usage: Usage
}

/**
 * One run of placement: how many more allocations of each task group a job wants, and what there is.
 *
 * @public
 */
export interface PlacementInput {
  /** What to place. */
  readonly job: JobSpec
  /** By task group, how many allocations to place. */
  readonly wanted: Readonly<Record<string, number>>
  /** Every node that may be considered; those that are not fit are passed over. */
  readonly nodes: readonly NodeRecord[]
  /** By node id, what allocations that are not over take already; nothing by default. */
  readonly used?: ReadonlyMap<string, Usage> | undefined
  /** What goes with each placement, in their order: its room is free from then on, and no sooner. */
  readonly freed?: readonly (Taken | undefined)[] | undefined
  /** Nodes that already run the job; a system job goes once to each other one. */
  readonly occupied?: ReadonlySet<string> | undefined
  /** Whether nodes are filled one by one or evenly; `binpack` by default. */
  readonly algorithm?: SchedulerAlgorithm | undefined
}

/**
 * Where an allocation goes.
 *
 * @public
 */
export interface Placement extends Taken {
  /** The task group it is one of. */
  readonly group: string
  readonly nodeName: string
}

/**
 * What one run of placement came to.
 *
 * @public
 */
export interface PlacementPlan {
  /** In the order in which they were decided: each one sees what those before it take. */
  readonly placements: readonly Placement[]
  /** By task group, how many found no room. */
  readonly unplaced: Readonly<Record<string, number>>
}

/**
 * Chooses nodes for a job's allocations: ready, eligible, in the job's datacenters and pool, meeting its simple
 * constraints, with CPU and memory to spare.
 *
 * @remarks
 * Small on purpose, and the same for the same input: among equals the node with the smaller id wins. It knows
 * neither ports, devices nor preemption.
 *
 * @example
 * ```ts
 * import { JobSpec, NodeRecord, place } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
 * const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }
 * const nodes = [NodeRecord.parse({ ID: 'n1', NodeResources: room })]
 * const plan = place({ job, wanted: { app: 1 }, nodes })
 * plan.placements.map(({ nodeId }) => nodeId) // ['n1']
 * ```
 *
 * @public
 */
export function place(input: PlacementInput): PlacementPlan {
  const { job, nodes, algorithm = 'binpack' } = input
  const candidates = nodes.filter((node) => isCandidate(node, job))
  const used = new Map(input.used)
  const occupied = new Set(input.occupied)
  const placements: Placement[] = []
  const unplaced = new Map<string, number>()
  for (const group of job.TaskGroups) {
    const count = Object.hasOwn(input.wanted, group.Name) ? (input.wanted[group.Name] ?? 0) : 0
    if (count <= 0) continue
    const usage = usageOf(group)
    for (let index = 0; index < count; index += 1) {
      const freed = input.freed?.[placements.length]
      if (freed !== undefined) used.set(freed.nodeId, less(used.get(freed.nodeId), freed.usage))
      const node = best(
        candidates,
        group,
        usage,
        used,
        job.Type.startsWith('sys') ? occupied : none,
        algorithm,
      )
      if (node === undefined) {
        unplaced.set(group.Name, count - index)
        break
      }
      used.set(node.ID, sum(used.get(node.ID), usage))
      occupied.add(node.ID)
      placements.push({ group: group.Name, nodeId: node.ID, nodeName: node.Name, usage })
    }
  }
  return { placements, unplaced: Object.fromEntries(unplaced) }
}

const none: ReadonlySet<string> = new Set()

/**
 * What one allocation of a task group takes.
 *
 * @public
 */
export const usageOf = (group: TaskGroup): Usage =>
  group.Tasks.reduce<Usage>(
    (total, { Resources }) => sum(total, { cpu: Resources.CPU, memoryMb: Resources.MemoryMB }),
    {
      cpu: 0,
      memoryMb: 0,
    },
  )

/** What is taken once something more is. */
export const sum = (left: Usage | undefined, right: Usage): Usage => ({
  cpu: (left?.cpu ?? 0) + right.cpu,
  memoryMb: (left?.memoryMb ?? 0) + right.memoryMb,
})

/** What is taken once something has gone. */
export const less = (left: Usage | undefined, right: Usage): Usage => ({
  cpu: (left?.cpu ?? 0) - right.cpu,
  memoryMb: (left?.memoryMb ?? 0) - right.memoryMb,
})

const isCandidate = (node: NodeRecord, job: JobSpec): boolean =>
  node.Status === 'ready' &&
  node.SchedulingEligibility === 'eligible' &&
  node.DrainStrategy === null &&
  isInReach(node, job)

function best(
  candidates: readonly NodeRecord[],
  group: TaskGroup,
  usage: Usage,
  used: ReadonlyMap<string, Usage>,
  excluded: ReadonlySet<string>,
  algorithm: SchedulerAlgorithm,
): NodeRecord | undefined {
  let winner: { readonly node: NodeRecord; readonly score: number } | undefined
  for (const node of candidates) {
    if (excluded.has(node.ID) || !meetsConstraints(node, group.Constraints)) continue
    const fullness = fullnessWith(node, sum(used.get(node.ID), usage))
    if (fullness === undefined) continue
    const score = algorithm === 'binpack' ? fullness : -fullness
    const wins =
      winner === undefined || score > winner.score || (score === winner.score && node.ID < winner.node.ID)
    if (wins) winner = { node, score }
  }
  return winner?.node
}

/** How full a node would be, from 0 to 1 over CPU and memory together; `undefined` when it cannot hold it. */
function fullnessWith(node: NodeRecord, usage: Usage): number | undefined {
  const { NodeResources: has, ReservedResources: keeps } = node
  const cpu = (has?.Cpu.CpuShares ?? 0) - (keeps?.Cpu.CpuShares ?? 0)
  const memory = (has?.Memory.MemoryMB ?? 0) - (keeps?.Memory.MemoryMB ?? 0)
  if (usage.cpu > cpu || usage.memoryMb > memory) return undefined
  const share = (part: number, whole: number) => (whole > 0 ? part / whole : 0)
  return (share(usage.cpu, cpu) + share(usage.memoryMb, memory)) / 2
}
