import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { GroupCounts } from '../../deployments/progress.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { bucketOf, counted } from '../../jobs/summary.ts'
import type { GroupSummary } from '../../jobs/summary-model.ts'

/**
 * The counts behind a job's summary, status and deployments: a change of one allocation updates them without reading the
 * others.
 */
export class JobTally {
  readonly #groups = new Map<string, GroupSummary>()
  readonly #deployments = new Map<string, Map<string, Deployed>>()
  #live = 0

  /** Whether any allocation that should run has not ended. */
  get isLive(): boolean {
    return this.#live > 0
  }

  /** Replaces the old state of an allocation by its new one in the counts. */
  change(before: AllocationRecord | undefined, after: AllocationRecord | undefined): void {
    if (before !== undefined) this.#add(before, -1)
    if (after !== undefined) this.#add(after, 1)
    // Canaries keep the order in which they were placed.
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
      groups.set(Name, Object.assign({}, this.#groups.get(Name) ?? counted(0), { Queued }))
    }
    for (const [name, counts] of this.#groups)
      if (!groups.has(name) && isCounted(counts)) groups.set(name, { ...counts })
    return Object.fromEntries(groups)
  }

  /** The placed allocations of a deployment, by task group. */
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

/** An allocation that ended without a health verdict never becomes healthy. */
const healthOf = ({ ClientStatus, DeploymentStatus }: AllocationRecord): boolean | null =>
  ClientStatus === 'failed' ? false : (DeploymentStatus?.Healthy ?? null)

/** The tallies of recently written jobs. A commit takes one out to change it, and puts it back once it is stored. */
export class JobTallies {
  readonly #kept = new Map<
    string,
    { readonly tally: JobTally; readonly created: number; readonly mark: number }
  >()
  readonly #most: number

  constructor(most = 1024) {
    this.#most = most
  }

  /** Takes the tally of a job's incarnation at a mark of its allocations; `undefined` if it is not cached. */
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
