import type { Env } from '../../../kernel/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import type { DeploymentRecord } from '../../deployments/model.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { GroupWork } from '../../placement/group-work.ts'
import type { NodeScore } from '../../placement/metrics-model.ts'
import {
  allocationRecords,
  configurationKey,
  configurationRecords,
  deploymentRecords,
  jobRecords,
  nodeRecords,
} from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import type { SchedulerEvent } from '../events.ts'
import type { numbering } from './allocation-numbers.ts'
import type { Ledger } from './ledger.ts'
import { type PlacementRun, placementRun } from './placement-run.ts'
import { mustRecord } from './record.ts'
import type { SchedulingInput } from './scheduling-input.ts'

/** After how many commits rows are updated. */
const commitsPerRefresh = 8

/** The plan for a job, and its progress. */
export interface Progress {
  readonly input: SchedulingInput
  readonly works: readonly GroupWork[]
  /** The deployment of the current version, stored or not. */
  readonly deployment: DeploymentRecord | undefined
  readonly run: PlacementRun
  readonly ofGroup: (group: string) => readonly AllocationRecord[]
  isDeploymentStored: boolean
  /** The next work, and the position in it. */
  work: number
  stopped: number
  updated: number
  postponed: number
  /** The scheduled evaluations of the job, by instant. */
  readonly followUps: Map<number, string>
  numbers: ReturnType<typeof numbering> | undefined
  /** Whether anything was changed. */
  hasActed: boolean
  /** Whether placing new allocations is the only work. */
  readonly isPlain: boolean
}

/** Carries a plan from one commit to the next. */
export class JobPlan {
  readonly #cluster: Cluster
  readonly #rated = new Map<string, readonly NodeScore[]>()
  #progress: Progress | undefined
  /** The newest revision that the plan has seen: a later change of its inputs invalidates it. */
  #rev = 0
  #isAttempting = false
  #commits = 0
  /** The nodes whose resources the current attempt changes. */
  readonly #touched = new Set<string>()

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** Commits one part of the work. */
  async advance(decide: (ledger: Ledger, env: Env) => Decision<boolean, SchedulerEvent>): Promise<boolean> {
    const { fleet } = this.#cluster
    try {
      const { value, rev } = await mustRecord(this.#cluster, (ledger, env) => {
        // The previous attempt was not stored: its resources are free again.
        this.#undo()
        this.#isAttempting = true
        return decide(ledger, env)
      })
      fleet.keep(this.#touched, rev)
      this.#touched.clear()
      this.#isAttempting = false
      this.#rev = rev
      return value
    } finally {
      this.#undo()
    }
  }

  #undo(): void {
    if (!this.#isAttempting) return
    this.#cluster.fleet.drop(this.#touched)
    this.#touched.clear()
    this.#isAttempting = false
    this.#progress = undefined
  }

  touch(nodeId: string): void {
    this.#touched.add(nodeId)
  }

  /** The earlier plan, if it is still valid. */
  present(ledger: Ledger, job: JobSpec): Progress | undefined {
    const { tx } = ledger
    const { fleet, tables } = this.#cluster
    // The commit fails if a node that the job can run on changes before it.
    const nodes =
      job.NodePool === 'all' ? tx.guard(nodeRecords.name) : tx.guard(nodeRecords.name, 'pool', job.NodePool)
    const newest = Math.max(
      nodes,
      tx.get(jobRecords, job.Namespace, job.ID)?.modified ?? 0,
      tx.guard(allocationRecords.name, 'job', job.Namespace, job.ID),
      tx.guard(deploymentRecords.name, 'job', job.Namespace, job.ID),
      tx.now.get(configurationRecords.keyOf(configurationKey))?.modified ?? 0,
    )
    const changed = fleet.refresh(tx.now)
    // Rows are updated when they are read: after the last commit, all of them would be updated in one step.
    this.#commits += 1
    if (this.#commits % commitsPerRefresh === 0) tables.allocations.at(tx.now)
    const progress = this.#progress
    if (progress === undefined || newest > this.#rev) {
      this.#progress = undefined
      return undefined
    }
    const sites = fleet.at(tx.now, job.NodePool)
    for (const id of changed) {
      const site = sites.get(id)
      if (site !== undefined) progress.run.changed(site)
    }
    return progress
  }

  begin(now: Ledger['tx']['now'], progress: Omit<Progress, 'run'>): Progress {
    const { input, works } = progress
    const { fleet } = this.#cluster
    const sites = fleet.at(now, input.facts.job.NodePool)
    const about = {
      input,
      works,
      sites,
      eligible: fleet.eligible,
      endsAtOnce: this.#cluster.simulates,
      rated: this.#rated,
    }
    const run = placementRun(this.#cluster, now, about)
    this.#progress = { ...progress, run }
    return this.#progress
  }

  end(): void {
    this.#progress = undefined
  }
}
