import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import { usageIn } from '../../allocations/usage.ts'
import { askOf } from '../../placement/ask.ts'
import type { Eligible } from '../../placement/eligible.ts'
import { descriptions, type GroupWork } from '../../placement/group-work.ts'
import type { NodeScore, PlacementMetrics } from '../../placement/metrics-model.ts'
import { type Placer, placer } from '../../placement/placer.ts'
import type { ExistingAllocation } from '../../placement/placer-input.ts'
import { byGroup } from '../../placement/reconcile.ts'
import type { SchedulerAlgorithm, Site, Usage } from '../../placement/site.ts'
import { type SystemPlacer, systemPlacer } from '../../placement/system-placer.ts'
import { isVacated } from '../../placement/vacancies.ts'
import type { Cluster } from '../cluster.ts'
import { algorithmOf, occupiedBy } from './capacity.ts'
import { preemption, type Specified } from './preemption.ts'
import type { SchedulingInput } from './scheduling-input.ts'

/** Allocations of a group that found no place, and why. */
export interface Unplaced {
  readonly count: number
  readonly metrics: PlacementMetrics
}

/** One allocation's place, and what it replaces. */
export interface NextPlacement {
  readonly site: Site
  readonly usage: Usage
  /** How the node was chosen. */
  readonly metrics: PlacementMetrics
  readonly replaced: { readonly row: AllocationRecord | undefined; readonly description: string } | undefined
  /** The allocations of less important jobs that make room. */
  readonly preempted: readonly AllocationRecord[]
}

/** An allocation to stop: its replacement can be placed only in the room that it leaves when it has ended. */
export interface MakesRoom {
  readonly makesRoom: AllocationRecord
  readonly description: string
}

/** The progress of a job's placement: the allocations placed by the current work, and those without a place. */
export interface PlacementRun {
  /**
   * Places one more of a work, as the given version specifies it; `undefined` once it is done, and `later` where others
   * would have to make room, which a commit has to begin with.
   */
  readonly next: (
    work: GroupWork,
    as: Specified,
    mayPreempt: boolean,
  ) => NextPlacement | MakesRoom | 'later' | undefined
  /** Records that an allocation of the job was stopped. */
  readonly stopped: (row: AllocationRecord) => void
  /** Records that another allocation came to a site or left it. */
  readonly changed: (site: Site) => void
  readonly unplaced: ReadonlyMap<string, Unplaced>
}

/** The input of a placement. */
interface PlacementRunInput {
  readonly input: SchedulingInput
  readonly works: readonly GroupWork[]
  readonly sites: ReadonlyMap<string, Site>
  /** The fleet's cached searches, if the sites are its own. */
  readonly eligible?: Eligible | undefined
  /** Whether allocations on a node end when they are told to: the others keep their resources until they have ended. */
  readonly endsAtOnce: (nodeId: string) => boolean
  /** By task group, the newest scores; kept up to date. */
  readonly rated?: Map<string, readonly NodeScore[]>
}

/** The work that is being placed. */
interface OpenWork {
  readonly work: GroupWork
  readonly chooser: Placer
  readonly system: SystemPlacer | undefined
  /** By node, the allocations of a system job that an update stopped, and that are not replaced yet. */
  readonly vacated: ReadonlyMap<string, AllocationRecord>
  placed: number
  /** How many wait until others have ended. */
  waiting: number
}

/** Places the allocations of a job's works, one after the other. Their resources stay reserved on the sites. */
export function placementRun(
  { tables }: Pick<Cluster, 'tables'>,
  now: Snapshot,
  { input, works, sites, eligible, endsAtOnce, rated = new Map() }: PlacementRunInput,
): PlacementRun {
  const { job, unchanged } = input.facts
  const isSystem = job.Type.startsWith('sys')
  const algorithm: SchedulerAlgorithm = algorithmOf(now, job.NodePool)
  const rows = tables.allocations.at(now)
  const own = byGroup(input.allocations)
  const stopping = new Set(works.flatMap(({ stop }) => stop.map(({ id }) => id)))
  const gone = new Set<string>()
  const come: ExistingAllocation[] = []
  const stays = (row: AllocationRecord) =>
    !isTerminalAllocation(row) && !stopping.has(row.ID) && !gone.has(row.ID)
  const existing: Iterable<ExistingAllocation> = {
    *[Symbol.iterator]() {
      for (const row of input.allocations) if (stays(row)) yield { nodeId: row.NodeID, group: row.TaskGroup }
      yield* come
    },
  }
  const preempts = preemption(tables, now, job, endsAtOnce)
  const { unplaced, fail, rate } = failures(rated)
  let present: OpenWork | undefined
  let done: GroupWork | undefined

  const open = (work: GroupWork, { job: placed, group }: Specified) => {
    const about = { job: placed, group, ask: askOf(placed, group), sites, existing, algorithm, eligible }
    const earlier = isSystem ? own(group.Name) : []
    const system = isSystem ? systemPlacer(about, occupiedBy(group.Name, unchanged, earlier)) : undefined
    const vacated = new Map(earlier.filter(isVacated).map((row) => [row.NodeID, row]))
    return { work, chooser: system ?? placer(about), system, vacated, placed: 0, waiting: 0 }
  }
  /** Ends a work, and records how many of it found no place. */
  const finish = ({ work, chooser, system }: OpenWork, missing: number) => {
    rate(work.group.Name, chooser)
    if (missing > 0 || (system !== undefined && isNowhere(input, work, system)))
      fail(work.group.Name, missing, chooser)
    done = work
  }

  return {
    unplaced,
    stopped: (row) => {
      const site = sites.get(row.NodeID)
      if (site === undefined || isTerminalAllocation(row)) return
      if (endsAtOnce(row.NodeID)) site.give(usageIn(row.AllocatedResources))
      present?.chooser.changed(site)
    },
    changed: (site) => present?.chooser.changed(site),
    next: (work, as, mayPreempt) => {
      if (done === work) return undefined
      if (present?.work !== work) present = open(work, as)
      const { chooser, system, placed } = present
      if (placed + present.waiting >= work.place) {
        finish(present, present.waiting)
        return undefined
      }
      const replacing = work.replace[placed + present.waiting]
      const row = replacing && rows.get(replacing.id)
      const isLeft =
        row !== undefined && !isTerminalAllocation(row) && replacing?.description !== descriptions.unknown
      const left = isLeft ? sites.get(row.NodeID) : undefined
      const given = row === undefined ? undefined : usageIn(row.AllocatedResources)
      if (row !== undefined && left !== undefined && given !== undefined) {
        if (endsAtOnce(row.NodeID)) left.give(given)
        gone.add(row.ID)
        chooser.left({ nodeId: row.NodeID, group: row.TaskGroup })
      }
      const found = chooser.next(failedOn(row))
      if (found === undefined && row !== undefined && left !== undefined && given !== undefined) {
        const ended = left.copy()
        ended.give(given)
        if (!endsAtOnce(row.NodeID) && chooser.takes(left, ended)) {
          present.waiting += 1
          return { makesRoom: row, description: replacing?.description ?? '' }
        }
      }
      const others = found === undefined && preempts !== undefined ? preempts.find(as, chooser) : undefined
      if (others !== undefined && mayPreempt) {
        for (const each of others.victims) others.site.give(usageIn(each.AllocatedResources))
        preempts?.evicted(others.victims)
      }
      const chosen = others !== undefined && mayPreempt ? chooser.claim(others.site, others.score) : found
      // It starts when they have ended; until then nothing else gets what they leave.
      if (others !== undefined && mayPreempt && !endsAtOnce(others.site.node.ID))
        for (const each of others.victims) others.site.take(usageIn(each.AllocatedResources))
      if (chosen === undefined) {
        if (left !== undefined && given !== undefined && row !== undefined) {
          if (endsAtOnce(row.NodeID)) left.take(given)
          gone.delete(row.ID)
          chooser.came({ nodeId: row.NodeID, group: row.TaskGroup })
        }
        if (others !== undefined) return 'later'
        finish(present, system === undefined ? work.place - placed : system.exhausted())
        return undefined
      }
      present.placed += 1
      const vacated = present.vacated.get(chosen.site.node.ID)
      come.push({ nodeId: chosen.site.node.ID, group: as.group.Name })
      return {
        site: chosen.site,
        usage: chosen.usage,
        metrics: Object.assign({}, chooser.searched, { ScoreMetaData: [chosen.score] }),
        replaced: replacing
          ? { row, description: replacing.description }
          : vacated && { row: vacated, description: descriptions.updating },
        preempted: others?.victims ?? [],
      }
    },
  }
}

/** The nodes on which an allocation and those that it replaced failed. */
const failedOn = (replaced: AllocationRecord | undefined): ReadonlySet<string> =>
  replaced !== undefined &&
  (replaced.ClientStatus === 'failed' || replaced.DeploymentStatus?.Healthy === false)
    ? new Set([
        replaced.NodeID,
        ...(replaced.RescheduleTracker?.Events ?? []).map(({ PrevNodeID }) => PrevNodeID),
      ])
    : nowhere

const nowhere: ReadonlySet<string> = new Set()

/** The allocations without a place, by task group. */
function failures(rated: Map<string, readonly NodeScore[]>) {
  const unplaced = new Map<string, Unplaced>()
  return {
    unplaced,
    fail: (group: string, more: number, chooser: Placer) => {
      const metrics = chooser.metrics()
      const count = (unplaced.get(group)?.count ?? 0) + more
      const ScoreMetaData =
        metrics.ScoreMetaData.length > 0 ? metrics.ScoreMetaData : (rated.get(group) ?? [])
      unplaced.set(group, {
        count,
        metrics: { ...metrics, ScoreMetaData: [...ScoreMetaData], CoalescedFailures: Math.max(0, count - 1) },
      })
    },
    /** Keeps the newest scores of a group. */
    rate: (group: string, chooser: Placer) => {
      if (chooser.recent().length > 0) rated.set(group, chooser.recent())
    },
  }
}

/** Whether a system job that should run somewhere runs nowhere, and never did. */
const isNowhere = (
  { allocations, facts }: SchedulingInput,
  { group }: GroupWork,
  system: SystemPlacer,
): boolean =>
  group.Count > 0 &&
  system.candidates === 0 &&
  occupiedBy(group.Name, facts.unchanged, allocations).size === 0
