import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { TaskGroup } from '../../jobs/task-group.ts'
import { askOf } from '../../placement/ask.ts'
import type { SchedulerConfiguration } from '../../placement/configuration.ts'
import type { Placer } from '../../placement/placer.ts'
import type { Site } from '../../placement/site.ts'
import type { Tables } from '../../records/tables.ts'
import { usageIn } from '../fleet.ts'
import { configurationAt } from '../read/configuration-at.ts'
import { beginning } from '../read/list.ts'

/** A task group of a version of its job. */
export interface Specified {
  readonly job: JobSpec
  readonly group: TaskGroup
}

/** Allocations on one node that make room for a more important one. */
export interface Preempted {
  readonly site: Site
  readonly victims: readonly AllocationRecord[]
}

/** How much less important a job must be for its allocations to make room. */
const leastDifference = 10

/** How many allocations make room for one, and of how many jobs: all of it happens in one commit, which has 64 keys. */
const mostVictims = 8
const mostJobs = 2

/** How many nodes are looked at for one allocation. */
const mostSites = 100

const settingOf: Readonly<Record<JobSpec['Type'], keyof SchedulerConfiguration['PreemptionConfig']>> = {
  system: 'SystemSchedulerEnabled',
  sysbatch: 'SysBatchSchedulerEnabled',
  batch: 'BatchSchedulerEnabled',
  service: 'ServiceSchedulerEnabled',
}

/** Finds allocations to preempt. */
export interface Preemption {
  readonly find: (as: Specified, chooser: Placer) => Preempted | undefined
  /** Records that they were preempted, so that they are not found again. */
  readonly evicted: (victims: readonly AllocationRecord[]) => void
}

/** Finds allocations to preempt for a job, if the cluster allows its type of job to preempt. */
export function preemption(
  { allocations, jobs }: Pick<Tables, 'allocations' | 'jobs'>,
  now: Snapshot,
  job: JobSpec,
): Preemption | undefined {
  if (!configurationAt(now).PreemptionConfig[settingOf[job.Type]]) return undefined
  const byNode = allocations.at(now).by('node')
  const known = jobs.at(now)
  const gone = new Set<string>()
  const priorityOf = ({ Namespace, JobID }: AllocationRecord): number =>
    known.get(Namespace, JobID)?.Priority ?? 50
  const victimsOn = (site: Site, as: Specified): readonly AllocationRecord[] | undefined => {
    const least = byNode
      .scan({ prefix: beginning([site.node.ID]) })
      .filter((each) => !isTerminalAllocation(each) && !gone.has(each.ID))
      .map((row) => ({ row, priority: priorityOf(row) }))
      .filter(({ priority }) => priority <= job.Priority - leastDifference)
      .sort(
        (a, b) =>
          a.priority - b.priority || sizeOf(b.row) - sizeOf(a.row) || a.row.CreateIndex - b.row.CreateIndex,
      )
      .map(({ row }) => row)
    const ask = askOf(as.job, as.group)
    const trial = site.copy()
    const victims: AllocationRecord[] = []
    for (const row of least) {
      if (trial.lacks(ask) === undefined) break
      trial.give(usageIn(row.AllocatedResources))
      victims.push(row)
    }
    if (trial.lacks(ask) !== undefined) return undefined
    // Victims that are not needed after all stay, the most important ones first.
    for (const row of [...victims].reverse()) {
      const usage = usageIn(row.AllocatedResources)
      trial.take(usage)
      if (trial.lacks(ask) === undefined) victims.splice(victims.indexOf(row), 1)
      else trial.give(usage)
    }
    const owners = new Set(victims.map(({ Namespace, JobID }) => JSON.stringify([Namespace, JobID])))
    return victims.length > mostVictims || owners.size > mostJobs ? undefined : victims
  }
  const find = (as: Specified, chooser: Placer): Preempted | undefined => {
    let best: (Preempted & { readonly cost: number }) | undefined
    let looked = 0
    for (const site of chooser.full()) {
      looked += 1
      if (looked > mostSites) break
      const victims = victimsOn(site, as)
      if (victims === undefined || victims.length === 0) continue
      const cost = victims.reduce((sum, row) => sum + priorityOf(row), 0)
      if (best === undefined || cost < best.cost) best = { site, victims, cost }
    }
    return best
  }
  return {
    find,
    evicted: (victims) => {
      for (const { ID } of victims) gone.add(ID)
    },
  }
}

const sizeOf = ({ AllocatedResources: { CpuShares, MemoryMB } }: AllocationRecord): number =>
  CpuShares + MemoryMB
