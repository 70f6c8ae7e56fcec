import type { Instant } from '../../kernel/index.ts'
import { collection, type Json, markOf, type Part, type Tx } from '../../store/index.ts'
import type { AclPolicyRecord, AclRoleRecord, AclTokenRecord } from '../acl/model.ts'
import type { AllocationRecord } from '../allocations/model.ts'
import type { DeploymentRecord } from '../deployments/model.ts'
import type { EvaluationRecord } from '../evaluations/model.ts'
import type { JobSpec, JobStatus } from '../jobs/model.ts'
import type { JobSummaryRecord } from '../jobs/summary-model.ts'
import type { NamespaceSpec } from '../namespaces/model.ts'
import type { NodeRecord } from '../nodes/model.ts'
import type { SchedulerConfiguration } from '../placement/configuration.ts'
import type { PoolSpec } from '../pools/model.ts'
import type { JobSubmission } from '../submissions/model.ts'
import type { VariableRecord } from '../variables/model.ts'

/** The mark that is raised when the cluster is created, and whenever marks of removed records are dropped. */
export const clusterMark = markOf('cluster')

/** User-created pools; the built-in ones are not stored. */
export const poolRecords = collection<PoolSpec>({ name: 'pools', key: ({ Name }) => [Name] })

/** Written namespaces; the default one exists without a record. */
export const namespaceRecords = collection<NamespaceSpec>({ name: 'namespaces', key: ({ Name }) => [Name] })

/** Variables. */
export const variableRecords = collection<VariableRecord>({
  name: 'variables',
  key: ({ Namespace, Path }) => [Namespace, Path],
  scopes: ({ Namespace }) => [[], ['namespace', Namespace]],
})

/** Nodes; lists are scoped by all of them, and by pool. */
export const nodeRecords = collection<NodeRecord>({
  name: 'nodes',
  key: ({ ID }) => [ID],
  scopes: ({ NodePool }) => [[], ['pool', NodePool]],
})

/** A job's status with the key it shares with the specification. */
export interface JobStatusRecord extends JobStatus {
  readonly ID: string
  readonly Namespace: string
}

/** Specifications. What is written for a job raises the marks of {@link jobScopes}; see {@link raiseJobLists}. */
export const jobRecords = collection<JobSpec>({
  name: 'jobs',
  key: ({ Namespace, ID }) => [Namespace, ID],
  scopes: jobScopes,
})

/** Statuses: a record beside the specification, so that its revision does not move the specification's. */
export const jobStatusRecords = collection<JobStatusRecord>({
  name: 'job-status',
  key: ({ Namespace, ID }) => [Namespace, ID],
  scopes: () => [],
})

/** Summaries: a third record, counted on its own. */
export const jobSummaryRecords = collection<JobSummaryRecord>({
  name: 'job-summary',
  key: ({ Namespace, JobID }) => [Namespace, JobID],
  scopes: () => [],
})

/**
 * The lists that contain a job: all jobs, its namespace's, its pool's, its pool's within the namespace, its parent's
 * children.
 */
export function jobScopes({
  Namespace,
  NodePool,
  ParentID,
}: Pick<JobSpec, 'Namespace' | 'NodePool' | 'ParentID'>): readonly (readonly Part[])[] {
  const lists = [[], ['namespace', Namespace], ['pool', NodePool], ['pool', NodePool, Namespace]]
  return ParentID === '' ? lists : [...lists, ['children', Namespace, ParentID]]
}

/**
 * Raises the marks of a job's lists, for the parts of their rows outside the specification: its status and its summary.
 */
export function raiseJobLists(tx: Tx, job: JobSpec): void {
  for (const scope of jobScopes(job)) tx.touch(jobRecords.name, ...scope)
}

/** An earlier version of a job. The present one is the job itself. */
export interface JobVersionRecord extends JobSpec {
  readonly Stable: boolean
  /** The index at which the version was written. */
  readonly JobModifyIndex: number
}

/** Earlier versions of jobs, written when a newer one replaces them. */
export const jobVersionRecords = collection<JobVersionRecord>({
  name: 'job-versions',
  key: ({ Namespace, ID, Version }) => [Namespace, ID, Version],
  scopes: ({ Namespace, ID }) => [['job', Namespace, ID]],
})

/** The names of a job's versions, by their numbers: beside the versions, so that a name does not move their indexes. */
export interface JobTagsRecord {
  readonly Namespace: string
  readonly ID: string
  readonly Tags: Readonly<Record<string, NonNullable<JobSpec['VersionTag']>>>
}

/** The names of versions. */
export const jobTagRecords = collection<JobTagsRecord>({
  name: 'job-tags',
  key: ({ Namespace, ID }) => [Namespace, ID],
  scopes: () => [],
})

/** The source texts of versions of jobs; they are removed with their versions. */
export const jobSubmissionRecords = collection<Omit<JobSubmission, 'JobModifyIndex'>>({
  name: 'job-submissions',
  key: ({ Namespace, JobID, Version }) => [Namespace, JobID, Version],
  scopes: () => [],
})

/** A purged job, until all of its records are removed. */
export interface PurgeRecord {
  readonly Namespace: string
  readonly JobID: string
  /** The incarnation that was purged. */
  readonly JobCreateIndex: number
}

/** Purges in progress: the records of these jobs are removed in batches. */
export const purgeRecords = collection<PurgeRecord>({
  name: 'purges',
  key: ({ Namespace, JobID, JobCreateIndex }) => [Namespace, JobID, JobCreateIndex],
  scopes: () => [],
})

/** A changed node, until all affected jobs have been evaluated. */
export interface NodeChangeRecord {
  readonly NodeID: string
  /** The trigger of their evaluations. */
  readonly Trigger: 'node-update' | 'node-drain'
}

/** Changes of nodes in progress: their consequences for jobs are applied in batches. */
export const nodeChangeRecords = collection<NodeChangeRecord>({
  name: 'node-changes',
  key: ({ NodeID }) => [NodeID],
  scopes: () => [],
})

/** When a periodic job was last due. */
export interface LaunchRecord {
  readonly Namespace: string
  readonly JobID: string
  /**
   * The last due launch, whether or not it created a child, or the time when the schedule was written; milliseconds
   * since the epoch.
   */
  readonly LaunchedAt: number
}

/** The last launches of periodic jobs: none is made twice, and after downtime the missed ones are known. */
export const launchRecords = collection<LaunchRecord>({
  name: 'job-launches',
  key: ({ Namespace, JobID }) => [Namespace, JobID],
  scopes: () => [],
})

/** Records that a job's schedule has been processed up to an instant. */
export const noteLaunch = (tx: Tx, { Namespace, ID }: Pick<JobSpec, 'Namespace' | 'ID'>, at: Instant): void =>
  tx.put(launchRecords, { Namespace, JobID: ID, LaunchedAt: at })

/** One change of a task group's count, or why it was not changed. */
export interface ScalingEventRecord {
  readonly Time: number
  readonly Count: number | null
  readonly PreviousCount: number
  readonly Error: boolean
  readonly Message: string
  readonly Meta: Readonly<Record<string, Json>> | null
  readonly EvalID: string | null
  /** `null` in the newest one, which came with the record. */
  readonly CreateIndex: number | null
}

/** How the task groups of a job were scaled, newest first in each. */
export interface ScalingRecord {
  readonly Namespace: string
  readonly JobID: string
  readonly Groups: Readonly<Record<string, readonly ScalingEventRecord[]>>
}

/** The scaling history. */
export const scalingRecords = collection<ScalingRecord>({
  name: 'job-scaling',
  key: ({ Namespace, JobID }) => [Namespace, JobID],
  scopes: () => [],
})

/** The placement configuration of the whole cluster: one record. */
export const configurationRecords = collection<{
  readonly name: string
  readonly config: SchedulerConfiguration
}>({ name: 'configuration', key: ({ name }) => [name] })

/** The key of that record. */
export const configurationKey = 'scheduler'

/** Deployments. */
export const deploymentRecords = collection<DeploymentRecord>({
  name: 'deployments',
  key: ({ ID }) => [ID],
  scopes: ({ Namespace, JobID }) => [[], ['namespace', Namespace], ['job', Namespace, JobID]],
})

/** Allocations. */
export const allocationRecords = collection<AllocationRecord>({
  name: 'allocations',
  key: ({ ID }) => [ID],
  scopes: ({ Namespace, JobID, NodeID }) => [
    [],
    ['namespace', Namespace],
    ['job', Namespace, JobID],
    ['node', NodeID],
  ],
})

/** Evaluations. */
export const evaluationRecords = collection<EvaluationRecord>({
  name: 'evaluations',
  key: ({ ID }) => [ID],
  scopes: ({ Namespace, JobID }) => [[], ['namespace', Namespace], ['job', Namespace, JobID]],
})

/** Access policies. */
export const policyRecords = collection<AclPolicyRecord>({ name: 'acl-policies', key: ({ Name }) => [Name] })

/** Roles, unique by name. */
export const roleRecords = collection<AclRoleRecord>({
  name: 'acl-roles',
  key: ({ ID }) => [ID],
  unique: { name: ({ Name }) => [Name] },
})

/** Access tokens, unique by secret. */
export const tokenRecords = collection<AclTokenRecord>({
  name: 'acl-tokens',
  key: ({ AccessorID }) => [AccessorID],
  unique: { secret: ({ SecretID }) => [SecretID] },
})

/** The secrets of nodes that have a runner, as hashes. */
export const nodeTokenRecords = collection<{ readonly NodeID: string; readonly Hash: string }>({
  name: 'node-tokens',
  key: ({ NodeID }) => [NodeID],
  unique: { hash: ({ Hash }) => [Hash] },
})

/** The nodes that a server has heard lately. */
export interface HeardRecord {
  readonly ServerID: string
  /** When it was written, in milliseconds since the epoch: it differs although the same nodes were heard. */
  readonly At: Instant
  readonly NodeIDs: readonly string[]
}

/** The nodes that each server has heard: the others know of those heartbeats from its record alone. */
export const heardRecords = collection<HeardRecord>({
  name: 'heard-nodes',
  key: ({ ServerID }) => [ServerID],
  scopes: () => [],
})

/** Records that access control was bootstrapped; one record at most. */
export const bootstrapRecords = collection<{ readonly accessor: string }>({
  name: 'acl-bootstrap',
  key: () => ['first'],
})

/** Everything a scheduler stores: the contents of its replica. */
export const schedulerRecords = [
  poolRecords,
  namespaceRecords,
  nodeRecords,
  jobRecords,
  jobStatusRecords,
  jobSummaryRecords,
  jobVersionRecords,
  jobTagRecords,
  jobSubmissionRecords,
  purgeRecords,
  nodeChangeRecords,
  launchRecords,
  scalingRecords,
  configurationRecords,
  deploymentRecords,
  allocationRecords,
  evaluationRecords,
  policyRecords,
  roleRecords,
  tokenRecords,
  nodeTokenRecords,
  heardRecords,
  bootstrapRecords,
  variableRecords,
] as const
