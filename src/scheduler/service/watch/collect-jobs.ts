import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import type { OrderedRows, Rows, Snapshot } from '../../../store/index.ts'
import type { Allocation } from '../../allocations/model.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { Deployment } from '../../deployments/model.ts'
import { isTerminalDeployment } from '../../deployments/rules.ts'
import type { Evaluation } from '../../evaluations/model.ts'
import { isTerminalEvaluation } from '../../evaluations/rules.ts'
import { type Ages, type Collectible, collectible, type Remains } from '../../gc/collectible.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  jobStatusRecords,
  jobVersionRecords,
} from '../../records/collections.ts'
import type { JobRow } from '../../records/tables.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import type { JobName, Ledger } from '../write/ledger.ts'
import { earlierVersions } from '../write/specification.ts'
import { removeJob } from '../write/stop-job.ts'

/** How many records one commit removes: a commit has 64 keys, and each allocation's node has a mark of its own. */
const batch = 16

/** How many rows are read before the event loop continues. */
const surveyed = 20_000

/** The jobs, removed ones included, that have finished records; children after their parents. */
export async function candidates({
  jobs,
  allocations,
  evaluations,
  deployments,
}: Survey): Promise<JobName[]> {
  const names = new Map<string, JobName>()
  const add = (Namespace: string, ID: string) => names.set(beginning([Namespace, ID]), { Namespace, ID })
  let seen = 0
  /** A survey reads all rows, so it lets the event loop continue in between. */
  const pause = async (rows: number) => {
    seen += rows
    if (seen < surveyed) return
    seen = 0
    await nextMacrotask()
  }
  for (const rows of jobs.chunks({})) {
    await pause(rows.length)
    for (const { Namespace, ID, Status } of rows) if (Status === 'dead') add(Namespace, ID)
  }
  const look = async <Row extends { readonly Namespace: string; readonly JobID: string }>(
    table: OrderedRows<Row>,
    isOver: (row: Row) => boolean,
  ) => {
    for (const rows of table.chunks({})) {
      await pause(rows.length)
      for (const row of rows) if (isOver(row)) add(row.Namespace, row.JobID)
    }
  }
  await look(evaluations, isTerminalEvaluation)
  await look(allocations, isTerminalAllocation)
  await look(deployments, isTerminalDeployment)
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name)
}

/**
 * Whether a job seems to have records that are old enough, by the replica: every job keeps a finished evaluation, and
 * each decision costs a read of the store. Its children may be removed before the decision.
 */
export function mayCollect(survey: Survey, name: JobName, ages: Ages): boolean {
  const found = collectible({ ...remainsIn(survey, name), hasChildren: false }, ages)
  return found.job || kinds.some((kind) => found[plural[kind]].length > 0)
}

/** What one commit removed. */
export interface Removed {
  readonly job: boolean
  readonly evaluations: number
  readonly allocations: number
  readonly deployments: number
  /** Whether what belonged to a job is left to be swept up. */
  readonly sweep: boolean
  /** Whether there may be more to remove. */
  readonly more: boolean
}

const kinds = ['allocation', 'evaluation', 'deployment'] as const

/** Removes a job with what belongs to it, or as much as one commit can of what may go. */
export function removeSome(cluster: Cluster, ledger: Ledger, name: JobName, ages: Ages): Removed {
  const remains = remainsOf(cluster, ledger, name)
  const found = collectible(remains, ages)
  if (found.job && remains.job !== undefined) {
    const { allocations, evaluations, deployments, job } = remains
    const isSmall = removeAtOnce(ledger, name, remains)
    if (!isSmall) removeJob(ledger, name, job.CreateIndex)
    return {
      job: true,
      // The rest of a large job's records then belong to a missing job, and are removed as such.
      evaluations: isSmall ? evaluations.length : 0,
      allocations: allocations.length,
      deployments: deployments.length,
      sweep: !isSmall,
      more: !isSmall,
    }
  }
  const due = kinds.flatMap((kind) => found[plural[kind]].map((id) => [kind, id] as const))
  const now = due.slice(0, batch)
  for (const [kind, id] of now) ledger.delete(kind, id, name)
  const removed = (kind: (typeof kinds)[number]) => now.filter(([each]) => each === kind).length
  return {
    job: false,
    evaluations: removed('evaluation'),
    allocations: removed('allocation'),
    deployments: removed('deployment'),
    sweep: false,
    more: due.length > batch,
  }
}

/** Removes a job with all of its records, if one commit can. */
function removeAtOnce(ledger: Ledger, name: JobName, { job, ...rest }: Remains): boolean {
  const { allocations, evaluations, deployments } = rest
  const versions = earlierVersions(ledger, name)
  const isOwn = (row: { readonly JobCreateIndex: number }) => ofIncarnation(row, job?.CreateIndex ?? 0)
  const count = allocations.length + evaluations.length + deployments.length + versions.length
  if (count > batch || ![...allocations, ...deployments].every(isOwn)) return false
  for (const { ID } of allocations) ledger.delete('allocation', ID, name)
  for (const { ID } of evaluations) ledger.delete('evaluation', ID, name)
  for (const { ID } of deployments) ledger.delete('deployment', ID, name)
  for (const { Version } of versions) ledger.tx.delete(jobVersionRecords, name.Namespace, name.ID, Version)
  ledger.deleteJob(name)
  return true
}

const plural = {
  allocation: 'allocations',
  evaluation: 'evaluations',
  deployment: 'deployments',
} as const satisfies Record<(typeof kinds)[number], Exclude<keyof Collectible, 'job'>>

/** The candidates of a collection in one snapshot. */
export interface Survey {
  readonly jobs: Rows<JobRow>
  readonly children: OrderedRows<JobRow>
  readonly allocations: OrderedRows<Allocation>
  readonly evaluations: OrderedRows<Evaluation>
  readonly deployments: OrderedRows<Deployment>
}

export function surveyOf({ tables }: Cluster, now: Snapshot): Survey {
  const jobs = tables.jobs.at(now)
  return {
    jobs,
    children: jobs.by('parent'),
    allocations: tables.allocations.at(now).by('job'),
    evaluations: tables.evaluations.at(now).by('job'),
    deployments: tables.deployments.at(now).by('job'),
  }
}

/** A job and the records that name it. */
function remainsIn(
  { jobs, children, allocations, evaluations, deployments }: Survey,
  { Namespace, ID }: JobName,
): Remains {
  const range = { prefix: beginning([Namespace, ID]) }
  return {
    job: jobs.get(Namespace, ID),
    hasChildren: children.scan({ ...range, limit: 1 }).length > 0,
    allocations: allocations.scan(range),
    evaluations: evaluations.scan(range),
    deployments: deployments.scan(range),
  }
}

/** The same within a commit, which fails if any of it changes. */
function remainsOf(cluster: Cluster, { tx }: Ledger, name: JobName): Remains {
  const { Namespace, ID } = name
  tx.get(jobRecords, Namespace, ID)
  tx.get(jobStatusRecords, Namespace, ID)
  tx.guard(jobRecords.name, 'children', Namespace, ID)
  for (const records of [allocationRecords, evaluationRecords, deploymentRecords])
    tx.guard(records.name, 'job', Namespace, ID)
  return remainsIn(surveyOf(cluster, tx.now), name)
}
