import { rowKey, type Stored, type Table, type Tx } from '../../../store/index.ts'
import { judgedAt } from '../../allocations/assemble.ts'
import type { Allocation, AllocationRecord } from '../../allocations/model.ts'
import type { DeploymentRecord } from '../../deployments/model.ts'
import type { GroupCounts } from '../../deployments/progress.ts'
import type { EvaluationRecord } from '../../evaluations/model.ts'
import type { JobSpec, JobStatus } from '../../jobs/model.ts'
import { sameJson } from '../../jobs/rules.ts'
import { jobStatusOf } from '../../jobs/status.ts'
import { queuedOf, summariseChildren } from '../../jobs/summary.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  jobStatusRecords,
  jobSubmissionRecords,
  jobSummaryRecords,
  jobTagRecords,
  launchRecords,
  noteLaunch,
  raiseJobLists,
  scalingRecords,
} from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import { jobChildren } from './job-children.ts'
import { jobDeployments } from './job-deployments.ts'
import { jobEvaluations } from './job-evaluations.ts'
import { JobTally } from './job-tally.ts'

/** Names a job. */
export interface JobName {
  readonly Namespace: string
  readonly ID: string
}

/**
 * The writes of one commit to jobs and their records. {@link Ledger.settle} then derives the status and the summary of
 * every affected job again, within the same commit.
 */
export interface Ledger {
  readonly tx: Tx
  /** The specification of a job after this commit. */
  readonly job: (name: JobName) => Stored<JobSpec> | undefined
  /** The records of a job's current incarnation, with the writes of this commit, oldest first. */
  readonly allocations: (name: JobName) => readonly AllocationRecord[]
  /** The stored records that a decision about the job can read. */
  readonly openAllocations: (name: JobName) => readonly AllocationRecord[]
  /** The unfinished ones, and the newest of the others. */
  readonly deployments: (name: JobName) => readonly DeploymentRecord[]
  /** The placed allocations of one of them, by task group. */
  readonly deployed: (name: JobName, deploymentId: string) => ReadonlyMap<string, GroupCounts>
  /** Its unfinished evaluations. */
  readonly openEvaluations: (name: JobName) => readonly EvaluationRecord[]
  /** One of them as it is stored, to be changed. */
  readonly allocation: (id: string) => AllocationRecord | undefined
  readonly deployment: (id: string) => DeploymentRecord | undefined
  readonly evaluation: (id: string) => EvaluationRecord | undefined
  readonly putJob: (job: JobSpec) => void
  readonly deleteJob: (name: JobName) => void
  readonly putAllocation: (allocation: AllocationRecord) => void
  readonly putDeployment: (deployment: DeploymentRecord) => void
  readonly putEvaluation: (evaluation: EvaluationRecord) => void
  readonly delete: (what: 'allocation' | 'deployment' | 'evaluation', id: string, of: JobName) => void
  /** Marks a version as stable, or no longer stable. */
  readonly markStable: (name: JobName, stable: boolean) => void
  /** Updates statuses and summaries to all writes so far. Call it last. */
  readonly settle: () => void
  /** Confirms that everything was stored with a revision. */
  readonly stored: (rev: number) => void
}

/** The state of one job within a commit. */
interface Account {
  readonly name: JobName
  /** Its specification after the commit, once it was read. */
  spec: { readonly now: Stored<JobSpec> | undefined } | undefined
  /** Whether its status and summary must be derived again. */
  isConcerned: boolean
  /** Whether this commit already raises the marks of its lists. */
  isRaised: boolean
  stable: boolean | undefined
  /** The status that was set explicitly, if any. */
  status: Pick<JobStatus, 'Status'> | undefined
  /** The counts of its allocations, once they were read. */
  tally:
    | {
        readonly counts: JobTally
        readonly created: number
        readonly mark: number
        /** How many of the commit's changes are in the counts. */
        counted: number
      }
    | undefined
}

/** The records that determine a job's status and summary. */
interface Work {
  readonly deployments: readonly DeploymentRecord[]
  readonly tally: JobTally
  /** Those that affect the decision. */
  readonly evaluations: readonly EvaluationRecord[]
}

/** The accounts of the jobs that a commit concerns. */
function openAccounts(tx: Tx) {
  const accounts = new Map<string, Account>()
  let last: Account | undefined
  const accountOf = ({ Namespace, ID }: JobName): Account => {
    // Most commits are about one job.
    if (last?.name.ID === ID && last.name.Namespace === Namespace) return last
    const key = rowKey(Namespace, ID)
    let account = accounts.get(key)
    if (account === undefined) {
      const name = { Namespace, ID }
      account = {
        name,
        spec: undefined,
        isConcerned: false,
        isRaised: false,
        stable: undefined,
        status: undefined,
        tally: undefined,
      }
      accounts.set(key, account)
    }
    last = account
    return account
  }
  const specOf = (account: Account): Stored<JobSpec> | undefined => {
    account.spec ??= { now: tx.get(jobRecords, account.name.Namespace, account.name.ID) }
    return account.spec.now
  }
  const concern = (Namespace: string, ID: string): Account => {
    const account = accountOf({ Namespace, ID })
    account.isConcerned = true
    return account
  }
  const present = <Row extends { readonly JobCreateIndex: number }>(
    account: Account,
    rows: readonly Row[],
  ): readonly Row[] => {
    if (rows.length === 0) return rows
    const created = specOf(account)?.created ?? 0
    return rows.filter((row) => ofIncarnation(row, created))
  }
  const raise = (account: Account, spec: JobSpec) => {
    if (!account.isRaised) raiseJobLists(tx, spec)
    account.isRaised = true
  }
  return { all: () => accounts.values(), accountOf, specOf, concern, present, raise }
}

type Accounts = ReturnType<typeof openAccounts>
type JobAllocations = ReturnType<typeof jobChildren<AllocationRecord>>

/** Counts the allocations of jobs with the writes of a commit so far. */
function counting(
  tx: Tx,
  { tallies }: Cluster,
  { all, specOf, present }: Accounts,
  allocations: JobAllocations,
) {
  /** The counts of a job's allocations with this commit's writes so far. */
  const tallyOf = (account: Account): JobTally => {
    const { Namespace, ID } = account.name
    const created = specOf(account)?.created ?? 0
    if (account.tally?.created !== created) {
      const mark = tx.guard(allocationRecords.name, 'job', Namespace, ID)
      const key = rowKey(Namespace, ID)
      const known = created === 0 ? undefined : tallies.take(key, created, mark)
      const counts = known ?? new JobTally()
      if (known === undefined)
        for (const row of present(account, allocations.stored(account))) counts.change(undefined, row)
      account.tally = { counts, created, mark, counted: 0 }
    }
    const { tally } = account
    const changes = allocations.changesOf(account.name)
    const own = (row: AllocationRecord | undefined) =>
      row !== undefined && ofIncarnation(row, created) ? row : undefined
    for (const [before, after] of changes.slice(tally.counted)) tally.counts.change(own(before), own(after))
    tally.counted = changes.length
    return tally.counts
  }
  const keep = (rev: number) => {
    for (const { name, tally } of all()) {
      if (tally === undefined || tally.created === 0) continue
      const key = rowKey(name.Namespace, name.ID)
      // Writes after the last read of the counts are not in them.
      const changed = allocations.changesOf(name).length
      if (changed === tally.counted)
        tallies.keep(key, tally.created, changed > 0 ? rev : tally.mark, tally.counts)
    }
  }
  return { tallyOf, keep }
}

/** Derives statuses and summaries of jobs from their records. */
function settling(
  tx: Tx,
  cluster: Cluster,
  { all, accountOf, specOf, raise }: Accounts,
  workOf: (account: Account) => Work,
) {
  const settleStatus = (account: Account, spec: JobSpec, work: Work) => {
    const { Namespace, ID } = account.name
    const before = tx.get(jobStatusRecords, Namespace, ID)?.value
    const { deployments, evaluations, tally } = work
    const Status = jobStatusOf(spec, {
      deployments,
      evaluations,
      allocations: tally.isLive ? oneRunning : [],
    })
    const Stable = account.stable ?? before?.Stable ?? false
    if (before?.Status !== Status) account.status = { Status }
    if (before?.Status === Status && before.Stable === Stable) return
    tx.put(jobStatusRecords, {
      Namespace,
      ID,
      Status,
      StatusDescription: before?.StatusDescription ?? '',
      Stable,
    })
    raise(account, spec)
  }
  const settleSummary = (account: Account, spec: JobSpec, work: Work) => {
    const { Namespace, ID } = account.name
    const before = tx.get(jobSummaryRecords, Namespace, ID)?.value
    const after = {
      JobID: ID,
      Namespace,
      Summary: work.tally.summary(spec, queuedOf(work.evaluations)),
      Children: summariseChildren(childrenOf(tx, cluster, { all, specOf }, account.name)),
    }
    if (before !== undefined && sameJson(before, after)) return
    tx.put(jobSummaryRecords, after)
    raise(account, spec)
  }
  return () => {
    const parents = new Set<Account>()
    for (const account of [...all()]) {
      const spec = account.isConcerned ? specOf(account)?.value : undefined
      if (spec === undefined) continue
      const work = workOf(account)
      settleStatus(account, spec, work)
      settleSummary(account, spec, work)
      if (spec.ParentID !== '' && account.status !== undefined)
        parents.add(accountOf({ Namespace: spec.Namespace, ID: spec.ParentID }))
    }
    for (const account of parents) {
      const spec = specOf(account)?.value
      if (spec !== undefined) settleSummary(account, spec, workOf(account))
    }
  }
}

/** A job's children with the statuses they have after this commit. */
function childrenOf(
  tx: Tx,
  { tables }: Cluster,
  { all, specOf }: Pick<Accounts, 'all' | 'specOf'>,
  { Namespace, ID }: JobName,
): readonly Pick<JobStatus, 'Status'>[] {
  const isEmpty = tx.guard(jobRecords.name, 'children', Namespace, ID) === 0
  const prefix = beginning([Namespace, ID])
  const stored = isEmpty ? [] : tables.jobs.at(tx.now).by('parent').scan({ prefix })
  const known = new Map<string, JobStatus['Status'] | undefined>(stored.map((row) => [row.ID, row.Status]))
  for (const account of all()) {
    const { name, status } = account
    if (name.Namespace !== Namespace) continue
    // It may have been removed, or moved to another parent.
    if (specOf(account)?.value.ParentID !== ID) known.delete(name.ID)
    else known.set(name.ID, (status ?? tx.get(jobStatusRecords, Namespace, name.ID)?.value)?.Status)
  }
  return [...known.values()].flatMap((Status) => (Status === undefined ? [] : { Status }))
}

/** Opens the ledger of one commit. */
export function openLedger(cluster: Cluster, tx: Tx): Ledger {
  const { tables, keptEvaluations } = cluster
  const allocations = jobChildren<AllocationRecord>(
    tx,
    allocationRecords,
    tables.allocations as Table<Allocation>,
  )
  const deployments = jobDeployments(tx, tables.deployments)
  const evaluations = jobEvaluations(tx, tables.evaluations)
  const accounts = openAccounts(tx)
  const { accountOf, specOf, concern, present } = accounts
  const { tallyOf, keep } = counting(tx, cluster, accounts, allocations)
  const settle = settling(tx, cluster, accounts, (account) => ({
    deployments: present(account, deployments.of(account)),
    tally: tallyOf(account),
    evaluations: evaluations.deciding(account),
  }))

  /** Keeps the index of an earlier verdict. */
  const asJudged = (row: AllocationRecord): AllocationRecord => {
    const before = tx.now.get(allocationRecords.keyOf(row.ID))
    if (before === undefined || row.DeploymentStatus === null) return row
    const { value, modified } = allocationRecords.stored(before)
    if (value.DeploymentStatus !== row.DeploymentStatus) return row
    const DeploymentStatus = judgedAt(row.DeploymentStatus, modified)
    return DeploymentStatus === row.DeploymentStatus ? row : Object.assign({}, row, { DeploymentStatus })
  }

  return {
    tx,
    job: (name) => specOf(accountOf(name)),
    allocations: (name) => {
      const account = accountOf(name)
      return present(account, allocations.of(account))
    },
    openAllocations: (name) => {
      const account = accountOf(name)
      if (tx.guard(allocationRecords.name, 'job', name.Namespace, name.ID) === 0) return []
      const range = { prefix: beginning([name.Namespace, name.ID, 'open']) }
      return present(account, tables.allocations.at(tx.now).by('phase').scan(range))
    },
    deployments: (name) => {
      const account = accountOf(name)
      return present(account, deployments.of(account))
    },
    deployed: (name, deploymentId) => tallyOf(accountOf(name)).deployed(deploymentId),
    openEvaluations: (name) => evaluations.open(accountOf(name)),
    allocation: (id) => tx.get(allocationRecords, id)?.value,
    deployment: (id) => tx.get(deploymentRecords, id)?.value,
    evaluation: (id) => tx.get(evaluationRecords, id)?.value,
    putJob: (spec) => {
      const before = specOf(accountOf(spec))?.value.ParentID ?? ''
      if (before !== spec.ParentID)
        for (const parent of [before, spec.ParentID]) if (parent !== '') concern(spec.Namespace, parent)
      tx.put(jobRecords, spec)
      // A schedule counts from when it was written.
      if (spec.Periodic !== null) noteLaunch(tx, spec, Math.round(spec.SubmitTime / 1e6))
      const account = concern(spec.Namespace, spec.ID)
      account.spec = undefined
      account.isRaised = true
    },
    deleteJob: (name) => {
      const account = accountOf(name)
      const spec = specOf(account)?.value
      if (spec === undefined) return
      const { Namespace, ID } = name
      tx.delete(jobRecords, Namespace, ID)
      tx.delete(jobStatusRecords, Namespace, ID)
      tx.delete(jobSummaryRecords, Namespace, ID)
      for (const each of [launchRecords, scalingRecords, jobTagRecords])
        if (tx.get<unknown>(each, Namespace, ID) !== undefined) tx.delete<unknown>(each, Namespace, ID)
      for (const { value } of jobSubmissionRecords.list(tx.now, Namespace, ID))
        tx.delete(jobSubmissionRecords, Namespace, ID, value.Version)
      account.spec = undefined
      if (spec.ParentID !== '') concern(Namespace, spec.ParentID)
    },
    putAllocation: (row) => {
      allocations.put(asJudged(row))
      concern(row.Namespace, row.JobID)
    },
    putDeployment: (row) => {
      deployments.put(row)
      concern(row.Namespace, row.JobID)
    },
    putEvaluation: (row) => {
      evaluations.put(row)
      concern(row.Namespace, row.JobID)
    },
    delete: (what, id, of) => {
      const kinds = { allocation: allocations, deployment: deployments, evaluation: evaluations }
      kinds[what].delete(id)
      concern(of.Namespace, of.ID)
    },
    markStable: ({ Namespace, ID }, isStable) => {
      concern(Namespace, ID).stable = isStable
    },
    stored: keep,
    settle: () => {
      evaluations.bound(keptEvaluations)
      settle()
    },
  }
}

/** Stands for all running allocations of a job. */
const oneRunning = [{ DesiredStatus: 'run', ClientStatus: 'running' }] as const
