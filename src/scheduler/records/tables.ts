import {
  type Collection,
  type Replica,
  type Snapshot,
  type Stored,
  type Table,
  table,
} from '../../store/index.ts'
import { assembleAllocation } from '../allocations/assemble.ts'
import type { Allocation } from '../allocations/model.ts'
import { countsForPlacing } from '../allocations/rules.ts'
import { assembleDeployment } from '../deployments/assemble.ts'
import type { Deployment } from '../deployments/model.ts'
import { isTerminalDeployment } from '../deployments/rules.ts'
import { assembleEvaluation } from '../evaluations/assemble.ts'
import type { Evaluation } from '../evaluations/model.ts'
import { phaseOf } from '../evaluations/rules.ts'
import { assembleJob } from '../jobs/assemble.ts'
import type { Job } from '../jobs/model.ts'
import type { JobSummary } from '../jobs/summary-model.ts'
import { ofIncarnation } from '../jobs/work.ts'
import { assembleNode } from '../nodes/assemble.ts'
import type { Node } from '../nodes/model.ts'
import type { Variable } from '../variables/model.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  type JobVersionRecord,
  jobRecords,
  jobStatusRecords,
  jobSummaryRecords,
  jobTagRecords,
  jobVersionRecords,
  nodeRecords,
  variableRecords,
} from './collections.ts'

/** A job with its summary, which only its list form shows. */
export interface JobRow extends Job {
  readonly JobSummary: JobSummary | null
}

/**
 * The rows that lists read: full objects with their indexes, in every order a list needs. They are deeply frozen, like
 * stored values: lists and reads return them without copying.
 */
export interface Tables {
  readonly nodes: Table<Node>
  readonly jobs: Table<JobRow>
  readonly deployments: Table<Deployment>
  readonly allocations: Table<Allocation>
  readonly evaluations: Table<Evaluation>
  readonly variables: Table<Variable>
  readonly close: () => void
}

/** Rows are built when they are first read, and kept current row by row. */
export function schedulerTables(view: Replica): Tables {
  const nodes = table<Node>(view, [nodeRecords], (now, id) => readNode(now, String(id)), {
    pool: ({ NodePool }) => [NodePool],
  })
  const jobs = table<JobRow>(
    view,
    [jobRecords, jobStatusRecords, jobSummaryRecords, jobTagRecords],
    (now, namespace, id) => {
      const job = jobAt(now, String(namespace), String(id))
      // Added to the fresh object, not to a copy: copies with one more field each get a hidden class of their own.
      return job && Object.freeze(Object.assign(job, { JobSummary: readSummary(now, job.Namespace, job.ID) }))
    },
    { pool: ({ NodePool }) => [NodePool], parent: ({ Namespace, ParentID }) => [Namespace, ParentID] },
  )
  const deployments = table<Deployment>(
    view,
    [deploymentRecords],
    (now, id) => readDeployment(now, String(id)),
    { ...byCreation, ...byJob, ...byStatus, ...byDeploymentPhase },
  )
  const allocations = table<Allocation>(
    view,
    [allocationRecords],
    (now, id) => readAllocation(now, String(id)),
    {
      ...byCreation,
      ...byJob,
      node: ({ NodeID, CreateIndex }) => [NodeID, CreateIndex],
      phase: (row) => [row.Namespace, row.JobID, countsForPlacing(row) ? 'open' : 'over', row.CreateIndex],
    },
  )
  const evaluations = table<Evaluation>(
    view,
    [evaluationRecords],
    (now, id) => readEvaluation(now, String(id)),
    { ...byCreation, ...byJob, ...byPhase, ...byStatus },
  )
  const variables = table<Variable>(view, [variableRecords], (now, namespace, path) =>
    indexed(variableRecords, now, String(namespace), String(path)),
  )
  return {
    nodes,
    jobs,
    deployments,
    allocations,
    evaluations,
    variables,
    close: () => {
      for (const rows of [nodes, jobs, deployments, allocations, evaluations, variables]) rows.close()
    },
  }
}

interface Born {
  readonly Namespace: string
  readonly CreateIndex: number
}

/** The active deployments of a job, and those that are over. */
const byDeploymentPhase = {
  phase: (row: Deployment) => [
    row.Namespace,
    row.JobID,
    isTerminalDeployment(row) ? 'over' : 'active',
    row.CreateIndex,
  ],
}

/** Lists in the order of creation: of all namespaces, and within one. */
const byCreation = {
  created: ({ CreateIndex }: Born) => [CreateIndex],
  namespace: ({ Namespace, CreateIndex }: Born) => [Namespace, CreateIndex],
}

/** What belongs to one job, oldest first. */
const byJob = {
  job: ({ Namespace, JobID, CreateIndex }: Born & { readonly JobID: string }) => [
    Namespace,
    JobID,
    CreateIndex,
  ],
}

/** What belongs to one job and means the same to it, oldest first. */
const byPhase = {
  phase: (row: Evaluation) => [row.Namespace, row.JobID, phaseOf(row), row.CreateIndex],
}

/** What is in one status, oldest first. */
const byStatus = {
  status: ({ Status, CreateIndex }: Born & { readonly Status: string }) => [Status, CreateIndex],
}

/** What is stored, with its indexes. (After a spread, new fields would give every object a hidden class of its own.) */
export const withIndexes = <T extends object>(value: T, CreateIndex: number, ModifyIndex: number) =>
  Object.assign({}, value, { CreateIndex, ModifyIndex })

/** Records by their keys: a snapshot, or a part of one. */
export type Records = Pick<Snapshot, 'get'>

/** A record of a few fields with its indexes. */
export function indexed<T extends object>(
  from: Collection<T>,
  now: Records,
  ...key: readonly string[]
): (T & { readonly CreateIndex: number; readonly ModifyIndex: number }) | undefined {
  const found = from.get(now, ...key)
  return found && Object.freeze(withIndexes(found.value, found.created, found.modified))
}

/** Reads one object of a kind that is a single record. */
const readerOf =
  <Record, Whole>(
    from: Collection<Record>,
    assemble: (record: Record, CreateIndex: number, ModifyIndex: number) => Whole,
  ) =>
  (now: Records, id: string): Whole | undefined => {
    const found = from.get(now, id)
    return found && Object.freeze(assemble(found.value, found.created, found.modified))
  }

export const readNode = readerOf(nodeRecords, assembleNode)
export const readDeployment = readerOf(deploymentRecords, assembleDeployment)
export const readAllocation = readerOf(allocationRecords, assembleAllocation)
export const readEvaluation = readerOf(evaluationRecords, assembleEvaluation)

/** A job: its specification and its status, two records of one key. */
export function readJob(now: Records, namespace: string, id: string): Job | undefined {
  const job = jobAt(now, namespace, id)
  return job && Object.freeze(job)
}

function jobAt(now: Records, namespace: string, id: string): Job | undefined {
  const spec = jobRecords.get(now, namespace, id)
  const status = jobStatusRecords.get(now, namespace, id)
  if (spec === undefined || status === undefined) return undefined
  const job = assembleJob(spec.value, status.value, {
    CreateIndex: spec.created,
    ModifyIndex: Math.max(spec.modified, status.modified),
    JobModifyIndex: spec.modified,
  })
  return Object.assign(job, tagOf(now, job))
}

/** An earlier version of a job, which has the status of the present one. */
export function earlierJob(
  now: Records,
  { CreateIndex, Status, StatusDescription }: Pick<Job, 'CreateIndex' | 'Status' | 'StatusDescription'>,
  { value, modified }: Pick<Stored<JobVersionRecord>, 'value' | 'modified'>,
): Job {
  const { Stable, JobModifyIndex } = value
  const indexes = { CreateIndex, ModifyIndex: modified, JobModifyIndex }
  const job = assembleJob(value, { Status, StatusDescription, Stable }, indexes)
  return Object.assign(job, tagOf(now, value))
}

/** The version of its job that an allocation runs; `undefined` if it is no longer stored. */
export function jobOfAllocation(
  now: Records,
  allocation: Pick<Allocation, 'Namespace' | 'JobID' | 'JobVersion' | 'JobCreateIndex'>,
): Job | undefined {
  const { Namespace, JobID, JobVersion } = allocation
  const present = jobAt(now, Namespace, JobID)
  if (present === undefined || !ofIncarnation(allocation, present.CreateIndex)) return undefined
  if (present.Version === JobVersion) return Object.freeze(present)
  const earlier = jobVersionRecords.get(now, Namespace, JobID, JobVersion)
  return earlier && Object.freeze(earlierJob(now, present, earlier))
}

/** The name that a version of a job was given since it was written. */
export function tagOf(
  now: Records,
  { Namespace, ID, Version }: Pick<Job, 'Namespace' | 'ID' | 'Version'>,
): Pick<Job, 'VersionTag'> | undefined {
  const VersionTag = jobTagRecords.get(now, Namespace, ID)?.value.Tags[Version]
  return VersionTag && { VersionTag }
}

/** A job's summary. */
export const readSummary = (now: Records, namespace: string, id: string): JobSummary | null =>
  indexed(jobSummaryRecords, now, namespace, id) ?? null
