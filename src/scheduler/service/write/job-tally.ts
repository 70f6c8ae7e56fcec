import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { GroupCounts } from '../../deployments/progress.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { bucketOf, counted } from '../../jobs/summary.ts'
import type { GroupSummary } from '../../jobs/summary-model.ts'

/**
 * What a job's summary, its status and its deployments follow from, counted once: a change of one allocation changes the
 * counts by one, however many there are.
 */
export class JobTally {
  readonly #groups = new Map<string, GroupSummary>()
  readonly #deployments = new Map<string, Map<string, Deployed>>()
  #live = 0

  /** Whether any allocation is to run and has not ended. */
  get isLive(): boolean {
    return this.#live > 0
  }

  /** Counts what one allocation was no more, and what it is now. */
  change(before: AllocationRecord | undefined, after: AllocationRecord | undefined): void {
    if (before !== undefined) this.#add(before, -1)
    if (after !== undefined) this.#add(after, 1)
    // The order in which canaries were placed stays theirs.
    const [was, is] = [before && this.#canariesOf(before), after && this.#canariesOf(after)]
    if (was === is) return
    if (before !== undefined) was?.delete(before.ID)
    if (after !== undefined) is?.add(after.ID)
  }

  #add(row: AllocationRecord, sign: 1 | -1): void {
    let counts = this.#groups.get(row.TaskGroup)
    if (counts === undefined) {
      counts = counted(0)
      this.#groups.set(row.TaskGroup, counts)
    }
    counts[bucketOf(row)] += sign
    if (!isTerminalAllocation(row)) this.#live += sign
    const deployed = this.#deployedOf(row)
    if (deployed === undefined) return
    const health = healthOf(row)
    deployed.placed += sign
    if (health === true) deployed.healthy += sign
    if (health === false) deployed.unhealthy += sign
    if (health === true && isCanary(row)) deployed.healthyCanaries += sign
  }

  #deployedOf({ DeploymentID, DesiredStatus, TaskGroup }: AllocationRecord): Deployed | undefined {
    if (DeploymentID === '' || DesiredStatus !== 'run') return undefined
    let groups = this.#deployments.get(DeploymentID)
    if (groups === undefined) {
      groups = new Map()
      this.#deployments.set(DeploymentID, groups)
    }
    let deployed = groups.get(TaskGroup)
    if (deployed === undefined) {
      deployed = { placed: 0, healthy: 0, unhealthy: 0, healthyCanaries: 0, canaries: new Set() }
      groups.set(TaskGroup, deployed)
    }
    return deployed
  }

  #canariesOf(row: AllocationRecord): Set<string> | undefined {
    return isCanary(row) ? this.#deployedOf(row)?.canaries : undefined
  }

  /** The counts of every group of the job, and of every group that an allocation still names. */
  summary(
    { TaskGroups }: Pick<JobSpec, 'TaskGroups'>,
    queued: Readonly<Record<string, number>>,
  ): Record<string, GroupSummary> {
    const groups = new Map<string, GroupSummary>()
    for (const { Name } of TaskGroups) {
      const Queued = Object.hasOwn(queued, Name) ? (queued[Name] ?? 0) : 0
      groups.set(Name, { ...(this.#groups.get(Name) ?? counted(0)), Queued })
    }
    for (const [name, counts] of this.#groups)
      if (!groups.has(name) && isCounted(counts)) groups.set(name, { ...counts })
    return Object.fromEntries(groups)
  }

  /** By task group, what a deployment has placed. */
  deployed(id: string): ReadonlyMap<string, GroupCounts> {
    const found = new Map<string, GroupCounts>()
    for (const [group, { canaries, ...counts }] of this.#deployments.get(id) ?? [])
      if (counts.placed > 0) found.set(group, { ...counts, canaries: [...canaries] })
    return found
  }
}

interface Deployed {
  placed: number
  healthy: number
  unhealthy: number
  healthyCanaries: number
  readonly canaries: Set<string>
}

const isCounted = ({ Starting, Running, Failed, Complete, Lost }: GroupSummary): boolean =>
  Starting + Running + Failed + Complete + Lost > 0

const isCanary = ({ DeploymentStatus }: AllocationRecord): boolean => DeploymentStatus?.Canary === true

/** What ended without a verdict will not become healthy any more. */
const healthOf = ({ ClientStatus, DeploymentStatus }: AllocationRecord): boolean | null =>
  ClientStatus === 'failed' ? false : (DeploymentStatus?.Healthy ?? null)

/** The tallies of the jobs that were written to last. One is taken to be changed, and kept again once that is stored. */
export class JobTallies {
  readonly #kept = new Map<
    string,
    { readonly tally: JobTally; readonly created: number; readonly mark: number }
  >()
  readonly #most: number

  constructor(most = 1024) {
    this.#most = most
  }

  /** Takes the tally of a job's incarnation, as of the mark of its allocations; `undefined` where it is not known. */
  take(job: string, created: number, mark: number): JobTally | undefined {
    const found = this.#kept.get(job)
    this.#kept.delete(job)
    return found?.created === created && found.mark === mark ? found.tally : undefined
  }

  keep(job: string, created: number, mark: number, tally: JobTally): void {
    this.#kept.set(job, { tally, created, mark })
    if (this.#kept.size <= this.#most) return
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest)
      return
    }
  }
}
