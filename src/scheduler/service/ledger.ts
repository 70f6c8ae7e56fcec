import type { Collection, Stored, Table, Tx } from '../../store/index.ts'
import type { Allocation, AllocationRecord } from '../allocations/model.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  jobStatusRecords,
  jobSummaryRecords,
  launchRecords,
  noteLaunch,
  putJobStatus,
  putJobSummary,
  scalingRecords,
} from '../collections.ts'
import type { Deployment, DeploymentRecord } from '../deployments/model.ts'
import type { Evaluation, EvaluationRecord } from '../evaluations/model.ts'
import type { JobSpec, JobStatus } from '../jobs/model.ts'
import { sameJson } from '../jobs/rules.ts'
import { jobStatusOf } from '../jobs/status.ts'
import { queuedOf, summariseChildren, summariseGroups } from '../jobs/summary.ts'
import { ofIncarnation } from '../jobs/work.ts'
import type { Cluster } from './cluster.ts'
import { beginning } from './list.ts'

/** Names a job. */
export interface JobName {
  readonly Namespace: string
  readonly ID: string
}

/**
 * The writes of one commit to jobs and to what belongs to them. {@link Ledger.settle} then derives the status and
 * the summary of every job concerned afresh, within the same commit.
 */
export interface Ledger {
  readonly tx: Tx
  /** A job's specification as this commit leaves it. */
  readonly job: (name: JobName) => Stored<JobSpec> | undefined
  /** What belongs to a job's present incarnation, this commit's writes included, oldest first. */
  readonly allocations: (name: JobName) => readonly AllocationRecord[]
  readonly deployments: (name: JobName) => readonly DeploymentRecord[]
  readonly evaluations: (name: JobName) => readonly EvaluationRecord[]
  /** One of them as it is kept, to be changed. */
  readonly allocation: (id: string) => AllocationRecord | undefined
  readonly deployment: (id: string) => DeploymentRecord | undefined
  readonly evaluation: (id: string) => EvaluationRecord | undefined
  readonly putJob: (job: JobSpec) => void
  readonly deleteJob: (name: JobName) => void
  readonly putAllocation: (allocation: AllocationRecord) => void
  readonly putDeployment: (deployment: DeploymentRecord) => void
  readonly putEvaluation: (evaluation: EvaluationRecord) => void
  readonly delete: (what: 'allocation' | 'deployment' | 'evaluation', id: string, of: JobName) => void
  /** Says that this version was deployed with success, or takes that back. */
  readonly markStable: (name: JobName, stable: boolean) => void
  /** Brings statuses and summaries in line with everything written so far. Comes last. */
  readonly settle: () => void
}

interface Belonging {
  readonly ID: string
  readonly Namespace: string
  readonly JobID: string
}

/** The records of one kind that belong to jobs, with what this commit writes of them. */
function belongings<Row extends Belonging>(
  tx: Tx,
  records: Collection<Row>,
  table: Table<Row & { readonly CreateIndex: number }>,
) {
  const written = new Map<string, Row | undefined>()
  return {
    put: (row: Row) => {
      tx.put(records, row)
      written.set(row.ID, row)
    },
    delete: (id: string) => {
      tx.delete(records, id)
      written.set(id, undefined)
    },
    of: ({ Namespace, ID }: JobName): readonly Row[] => {
      // Nothing of the job may come, go or change until this commit: what is derived here rests on all of it.
      tx.guard(records.name, 'job', Namespace, ID)
      const isEmpty = tx.now.get(records.markOf('job', Namespace, ID)) === undefined
      const stored: readonly Row[] = isEmpty
        ? []
        : table
            .at(tx.now)
            .by('job')
            .scan({ prefix: beginning([Namespace, ID]) })
      if (written.size === 0) return stored
      const known = new Set(stored.map((row) => row.ID))
      const kept = stored.flatMap((row) => (written.has(row.ID) ? (written.get(row.ID) ?? []) : row))
      const added = [...written.values()].flatMap((row) =>
        row === undefined || known.has(row.ID) || row.Namespace !== Namespace || row.JobID !== ID ? [] : row,
      )
      return [...kept, ...added]
    },
  }
}

const keyOf = ({ Namespace, ID }: JobName): string => JSON.stringify([Namespace, ID])

/** Opens the ledger of one commit. */
export function ledger({ tables }: Cluster, tx: Tx): Ledger {
  const allocations = belongings<AllocationRecord>(
    tx,
    allocationRecords,
    tables.allocations as Table<Allocation>,
  )
  const deployments = belongings<DeploymentRecord>(
    tx,
    deploymentRecords,
    tables.deployments as Table<Deployment>,
  )
  const evaluations = belongings<EvaluationRecord>(
    tx,
    evaluationRecords,
    tables.evaluations as Table<Evaluation>,
  )
  const concerned = new Map<string, JobName>()
  const stable = new Map<string, boolean>()
  const statuses = new Map<string, JobStatus['Status'] | undefined>()
  const concern = (Namespace: string, ID: string) =>
    concerned.set(keyOf({ Namespace, ID }), { Namespace, ID })
  const job = ({ Namespace, ID }: JobName) => tx.get(jobRecords, Namespace, ID)
  const present = <Row extends { readonly JobCreateIndex: number }>(name: JobName, rows: readonly Row[]) => {
    const created = job(name)?.created ?? 0
    return rows.filter((row) => ofIncarnation(row, created))
  }
  const self: Ledger = {
    tx,
    job,
    allocations: (name) => present(name, allocations.of(name)),
    deployments: (name) => present(name, deployments.of(name)),
    evaluations: (name) => evaluations.of(name),
    allocation: (id) => tx.get(allocationRecords, id)?.value,
    deployment: (id) => tx.get(deploymentRecords, id)?.value,
    evaluation: (id) => tx.get(evaluationRecords, id)?.value,
    putJob: (spec) => {
      tx.put(jobRecords, spec)
      // A schedule counts from when it was written.
      if (spec.Periodic !== null) noteLaunch(tx, spec, Math.round(spec.SubmitTime / 1e6))
      concern(spec.Namespace, spec.ID)
    },
    deleteJob: ({ Namespace, ID }) => {
      const spec = tx.get(jobRecords, Namespace, ID)?.value
      if (spec === undefined) return
      tx.delete(jobRecords, Namespace, ID)
      tx.delete(jobStatusRecords, Namespace, ID)
      tx.delete(jobSummaryRecords, Namespace, ID)
      for (const each of [launchRecords, scalingRecords])
        if (tx.get<unknown>(each, Namespace, ID) !== undefined) tx.delete<unknown>(each, Namespace, ID)
      statuses.set(keyOf({ Namespace, ID }), undefined)
      if (spec.ParentID !== '') concern(Namespace, spec.ParentID)
    },
    putAllocation: (row) => {
      allocations.put(row)
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
    markStable: (name, isStable) => {
      stable.set(keyOf(name), isStable)
      concern(name.Namespace, name.ID)
    },
    settle: () => {
      const parents = new Map<string, JobName>()
      for (const name of concerned.values()) {
        const spec = job(name)?.value
        if (spec === undefined) continue
        settleStatus(name, spec)
        settleSummary(name, spec)
        if (spec.ParentID !== '' && statuses.has(keyOf(name))) {
          const parent = { Namespace: spec.Namespace, ID: spec.ParentID }
          parents.set(keyOf(parent), parent)
        }
      }
      for (const name of parents.values()) {
        const spec = job(name)?.value
        if (spec !== undefined) settleSummary(name, spec)
      }
    },
  }

  const settleStatus = (name: JobName, spec: JobSpec) => {
    const before = tx.get(jobStatusRecords, name.Namespace, name.ID)?.value
    const Status = jobStatusOf(spec, {
      deployments: self.deployments(name),
      allocations: self.allocations(name),
      evaluations: self.evaluations(name),
    })
    const Stable = stable.get(keyOf(name)) ?? before?.Stable ?? false
    if (before?.Status !== Status) statuses.set(keyOf(name), Status)
    if (before?.Status !== Status || before.Stable !== Stable)
      putJobStatus(tx, spec, { Status, StatusDescription: before?.StatusDescription ?? '', Stable })
  }
  const settleSummary = (name: JobName, spec: JobSpec) => {
    const before = tx.get(jobSummaryRecords, name.Namespace, name.ID)?.value
    const after = {
      JobID: name.ID,
      Namespace: name.Namespace,
      Summary: summariseGroups(spec, self.allocations(name), queuedOf(self.evaluations(name))),
      Children: summariseChildren(children(name)),
    }
    if (!sameJson(before, after)) putJobSummary(tx, spec, after)
  }
  /** A job's children with the statuses they have after this commit. */
  const children = ({ Namespace, ID }: JobName): readonly Pick<JobStatus, 'Status'>[] => {
    tx.guard(jobRecords.name, 'children', Namespace, ID)
    const isEmpty = tx.now.get(jobRecords.markOf('children', Namespace, ID)) === undefined
    const prefix = beginning([Namespace, ID])
    const stored = isEmpty ? [] : tables.jobs.at(tx.now).by('parent').scan({ prefix })
    const known = new Map<string, JobStatus['Status'] | undefined>(
      stored.map((row) => [keyOf(row), row.Status]),
    )
    for (const [key, status] of statuses) {
      const [namespace, id]: readonly [string, string] = JSON.parse(key)
      const isChild = known.has(key) || job({ Namespace: namespace, ID: id })?.value.ParentID === ID
      if (isChild && namespace === Namespace) known.set(key, status)
    }
    return [...known.values()].flatMap((Status) => (Status === undefined ? [] : { Status }))
  }
  return self
}
