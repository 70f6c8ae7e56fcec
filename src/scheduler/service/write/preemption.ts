import type { Snapshot } from '../../../store/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { hasEnded, isTerminalAllocation } from '../../allocations/rules.ts'
import { usageIn } from '../../allocations/usage.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { TaskGroup } from '../../jobs/task-group.ts'
import { askOf, type GroupAsk } from '../../placement/ask.ts'
import type { SchedulerConfiguration } from '../../placement/configuration.ts'
import { type DeviceAsk, isAsked } from '../../placement/devices.ts'
import type { NodeScore } from '../../placement/metrics-model.ts'
import type { Placer } from '../../placement/placer.ts'
import type { Site, Usage } from '../../placement/site.ts'
import type { Tables } from '../../records/tables.ts'
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
  readonly score: NodeScore
}

/** How much less important a job must be for its allocations to make room. */
const leastDifference = 10

/** How many allocations make room for one, and of how many jobs: all of it happens in one commit, which has 64 keys. */
const mostVictims = 8
const mostJobs = 2

/** What each allocation of a group beyond its limit of migrations adds to its distance. */
const penalty = 50

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
  endsAtOnce: (nodeId: string) => boolean,
): Preemption | undefined {
  if (!configurationAt(now).PreemptionConfig[settingOf[job.Type]]) return undefined
  const byNode = allocations.at(now).by('node')
  const known = jobs.at(now)
  const gone = new Set<string>()
  const penalties = migrationPenalties(known)
  const priorityOf = ({ Namespace, JobID }: AllocationRecord): number =>
    known.get(Namespace, JobID)?.Priority ?? 50
  const isLeaving = (each: AllocationRecord) => isTerminalAllocation(each) || gone.has(each.ID)
  const victimsOn = (site: Site, as: Specified): readonly AllocationRecord[] | 'coming' | undefined => {
    const ask = askOf(as.job, as.group)
    const here = byNode.scan({ prefix: beginning([site.node.ID]) }).filter((each) => !hasEnded(each))
    const ended = site.copy()
    const isCounted = ({ ID }: AllocationRecord) => !(gone.has(ID) && endsAtOnce(site.node.ID))
    for (const each of here.filter((row) => isLeaving(row) && isCounted(row)))
      ended.give(usageIn(each.AllocatedResources))
    if (ended.lacks(ask) === undefined) return 'coming'
    const candidates = here
      .filter((each) => !isLeaving(each))
      .map((row) => ({ row, priority: priorityOf(row), usage: usageIn(row.AllocatedResources) }))
      .filter(({ priority }) => priority <= job.Priority - leastDifference)
      .filter(({ row }) => !(row.JobID === job.ID && row.Namespace === job.Namespace))
      .sort((a, b) => a.priority - b.priority)
    const found = chooseVictims(site, ask, candidates, penalties.of)?.map(({ row }) => row)
    if (found === undefined) return undefined
    const owners = new Set(found.map(({ Namespace, JobID }) => JSON.stringify([Namespace, JobID])))
    return found.length > mostVictims || owners.size > mostJobs ? undefined : found
  }
  const find = (as: Specified, chooser: Placer): Preempted | undefined => {
    let best: Preempted | undefined
    let looked = 0
    for (const site of chooser.full()) {
      looked += 1
      if (looked > mostSites) break
      const victims = victimsOn(site, as)
      // The allocations that make room were told to stop already.
      if (victims === 'coming') return undefined
      if (victims === undefined || victims.length === 0) continue
      const score = chooser.scoreOf(site, preemptionScore(victims.map(priorityOf)))
      if (best === undefined || score.NormScore > best.score.NormScore) best = { site, victims, score }
    }
    return best
  }
  return {
    find,
    evicted: (victims) => {
      for (const row of victims) {
        gone.add(row.ID)
        penalties.ended(row)
      }
    },
  }
}

/** The penalties for ending more allocations of a group at once than it may migrate. */
function migrationPenalties(jobs: ReturnType<Tables['jobs']['at']>) {
  /** How many allocations of each group were preempted. */
  const preempted = new Map<string, number>()
  const groupKey = ({ Namespace, JobID, TaskGroup }: AllocationRecord) =>
    JSON.stringify([Namespace, JobID, TaskGroup])
  return {
    of: (row: AllocationRecord): number => {
      const group = jobs.get(row.Namespace, row.JobID)?.TaskGroups.find(({ Name }) => Name === row.TaskGroup)
      const maxParallel = group?.Migrate?.MaxParallel ?? 0
      const count = preempted.get(groupKey(row)) ?? 0
      return maxParallel > 0 && count >= maxParallel ? (count + 1 - maxParallel) * penalty : 0
    },
    ended: (row: AllocationRecord): void =>
      void preempted.set(groupKey(row), (preempted.get(groupKey(row)) ?? 0) + 1),
  }
}

/** An allocation that may make room. */
interface Candidate {
  readonly row: AllocationRecord
  readonly priority: number
  readonly usage: Usage
}

type Needed = Readonly<Record<'cpu' | 'memoryMb' | 'diskMb', number>>

/** Chooses which allocations of a site make room for a group; `undefined` if all of them are not enough. */
function chooseVictims(
  site: Site,
  ask: GroupAsk,
  candidates: Candidate[],
  penaltyOf: (row: AllocationRecord) => number,
): readonly Candidate[] | undefined {
  const trial = site.copy()
  const ports = new Set(ask.ports.flatMap(({ value }) => value ?? []))
  const holds = ({ usage }: Candidate) => usage.ports?.some(({ Value }) => ports.has(Value)) === true
  const chosen: Candidate[] = []
  const needed = { cpu: ask.cpu, memoryMb: ask.memoryMb, diskMb: ask.diskMb }
  const choose = (next: Candidate) => {
    trial.give(next.usage)
    chosen.push(next)
    candidates.splice(candidates.indexOf(next), 1)
    needed.cpu -= next.usage.cpu
    needed.memoryMb -= next.usage.memoryMb
    needed.diskMb -= next.usage.diskMb ?? 0
  }
  for (const each of candidates.filter(holds)) choose(each)
  if (trial.lacks({ ...ask, cpu: 0, memoryMb: 0, diskMb: 0, cores: 0, ports: [] }) !== undefined) {
    const holders = victimsWithDevices(trial, ask.devices, candidates)
    if (holders === undefined) return undefined
    for (const each of holders) choose(each)
  }
  const required = chosen.slice()
  while (trial.lacks(ask) !== undefined) {
    const next = closest(candidates, needed, penaltyOf)
    if (next === undefined) return undefined
    choose(next)
  }
  return enoughOf(site, ask, required, chosen.slice(required.length))
}

/** Among the least important ones, the closest to what is missing. */
function closest(
  candidates: readonly Candidate[],
  needed: Needed,
  penaltyOf: (row: AllocationRecord) => number,
): Candidate | undefined {
  let best: Candidate | undefined
  let least = Number.POSITIVE_INFINITY
  for (const each of candidates) {
    if (best !== undefined && each.priority > best.priority) break
    const distance = distanceTo(needed, each.usage) + penaltyOf(each.row)
    if (distance < least) [best, least] = [each, distance]
  }
  return best
}

/** The required ones, and as few of the others as are enough: the largest of them first. */
function enoughOf(
  site: Site,
  ask: GroupAsk,
  required: readonly Candidate[],
  others: readonly Candidate[],
): readonly Candidate[] {
  const largestFirst = others.toSorted((a, b) => distanceTo(ask, b.usage) - distanceTo(ask, a.usage))
  const kept = site.copy()
  const victims = [...required]
  for (const { usage } of victims) kept.give(usage)
  for (const each of largestFirst) {
    if (kept.lacks(ask) === undefined) break
    kept.give(each.usage)
    victims.push(each)
  }
  return victims
}

/**
 * The allocations that give up devices of one model, for all requests that this model serves: of the model whose users are
 * the least important, those with the most devices; `undefined` if no model has enough.
 */
function victimsWithDevices(
  site: Site,
  asks: readonly DeviceAsk[],
  candidates: readonly Candidate[],
): readonly Candidate[] | undefined {
  let best: { readonly victims: readonly Candidate[]; readonly importance: number } | undefined
  for (const model of site.node.NodeResources?.Devices ?? []) {
    const wanted = asks.filter((each) => isAsked(model, each)).reduce((sum, { count }) => sum + count, 0)
    const missing = wanted - site.freeInstances(model)
    if (missing <= 0) continue
    const heldBy = ({ usage }: Candidate) =>
      (usage.devices ?? [])
        .filter(
          (each) => each.Vendor === model.Vendor && each.Type === model.Type && each.Name === model.Name,
        )
        .reduce((sum, { DeviceIDs }) => sum + DeviceIDs.length, 0)
    const byCount = (a: Candidate, b: Candidate) => heldBy(b) - heldBy(a)
    /** The first of them that have enough together. */
    const enough = (of: readonly Candidate[]): readonly Candidate[] | undefined => {
      let found = 0
      for (const [at, each] of of.entries()) {
        found += heldBy(each)
        if (found >= missing) return of.slice(0, at + 1)
      }
      return undefined
    }
    const users = candidates
      .filter((each) => heldBy(each) > 0)
      .sort((a, b) => a.priority - b.priority || byCount(a, b))
    const victims = enough([...(enough(users) ?? [])].sort(byCount))
    if (victims === undefined) continue
    const importance = [...new Set(victims.map(({ priority }) => priority))].reduce(
      (sum, each) => sum + each,
      0,
    )
    if (best === undefined || importance < best.importance) best = { victims, importance }
  }
  return best?.victims
}

/** How far an allocation's resources are from those that are missing, each in relation to what is missing of it. */
function distanceTo(needed: Needed, { cpu, memoryMb, diskMb = 0 }: Usage): number {
  const away = (of: number, has: number) => (of > 0 ? (of - has) / of : 0)
  return Math.hypot(away(needed.cpu, cpu), away(needed.memoryMb, memoryMb), away(needed.diskMb, diskMb))
}

/** From 1 down to 0: the better, the less important the victims are, and the fewer. */
function preemptionScore(priorities: readonly number[]): number {
  const most = Math.max(...priorities)
  const net = most + priorities.reduce((sum, each) => sum + each, 0) / most
  return 1 / (1 + Math.exp(0.0048 * (net - 2048)))
}
