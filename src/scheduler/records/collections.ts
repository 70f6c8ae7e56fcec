import type { Instant } from '../../kernel/index.ts'
import { collection, type Json, markOf, type Part, type Tx } from '../../store/index.ts'
import type { AclPolicyRecord, AclTokenRecord } from '../acl/model.ts'
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

/** The mark that rises when the cluster is born, and whenever marks of what is gone are dropped. */
export const clusterMark = markOf('cluster')

/** The pools people made; the built-in ones are never stored. */
export const poolRecords = collection<PoolSpec>({ name: 'pools', key: ({ Name }) => [Name] })

/** The namespaces people wrote; the default one is there without that. */
export const namespaceRecords = collection<NamespaceSpec>({ name: 'namespaces', key: ({ Name }) => [Name] })

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

/** The lists a job is in: all jobs, its namespace's, its pool's, its pool's within the namespace, its parent's children. */
export function jobScopes({
  Namespace,
  NodePool,
  ParentID,
}: Pick<JobSpec, 'Namespace' | 'NodePool' | 'ParentID'>): readonly (readonly Part[])[] {
  const lists = [[], ['namespace', Namespace], ['pool', NodePool], ['pool', NodePool, Namespace]]
  return ParentID === '' ? lists : [...lists, ['children', Namespace, ParentID]]
}

/** Raises the lists a job is in, for what they show of it beside the specification: its status and its summary. */
export function raiseJobLists(tx: Tx, job: JobSpec): void {
  for (const scope of jobScopes(job)) tx.touch(jobRecords.name, ...scope)
}

/** An earlier version of a job. The present one is the job itself. */
export interface JobVersionRecord extends JobSpec {
  readonly Stable: boolean
  /** The index at which the version was written. */
  readonly JobModifyIndex: number
}

/** Earlier versions of jobs, written when a newer one takes their place. */
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

/** What versions of jobs were written in; they go with their versions. */
export const jobSubmissionRecords = collection<Omit<JobSubmission, 'JobModifyIndex'>>({
  name: 'job-submissions',
  key: ({ Namespace, JobID, Version }) => [Namespace, JobID, Version],
  scopes: () => [],
})

/** A job that was purged, for as long as something of it is left. */
export interface PurgeRecord {
  readonly Namespace: string
  readonly JobID: string
  /** The incarnation that was purged. */
  readonly JobCreateIndex: number
}

/** Purges under way: what belonged to these jobs goes in batches. */
export const purgeRecords = collection<PurgeRecord>({
  name: 'purges',
  key: ({ Namespace, JobID, JobCreateIndex }) => [Namespace, JobID, JobCreateIndex],
  scopes: () => [],
})

/** A node that changed, for as long as not all jobs concerned were looked at. */
export interface NodeChangeRecord {
  readonly NodeID: string
  /** What their evaluations are triggered by. */
  readonly Trigger: 'node-update' | 'node-drain'
}

/** Changes of nodes that are still followed: what jobs lose by them, and want because of them, goes in batches. */
export const nodeChangeRecords = collection<NodeChangeRecord>({
  name: 'node-changes',
  key: ({ NodeID }) => [NodeID],
  scopes: () => [],
})

/** When a periodic job's schedule was last met. */
export interface LaunchRecord {
  readonly Namespace: string
  readonly JobID: string
  /**
   * The launch that was due, whether a child came of it or not, or when the schedule was written; milliseconds since
   * the epoch.
   */
  readonly LaunchedAt: number
}

/** The last launches of periodic jobs: none is made twice, and after a pause it is known which were missed. */
export const launchRecords = collection<LaunchRecord>({
  name: 'job-launches',
  key: ({ Namespace, JobID }) => [Namespace, JobID],
  scopes: () => [],
})

/** Notes that a job's schedule was met until an instant. */
export const noteLaunch = (tx: Tx, { Namespace, ID }: Pick<JobSpec, 'Namespace' | 'ID'>, at: Instant): void =>
  tx.put(launchRecords, { Namespace, JobID: ID, LaunchedAt: at })

/** One change of a task group's count, or why there was none. */
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

/** What is remembered of scaling. */
export const scalingRecords = collection<ScalingRecord>({
  name: 'job-scaling',
  key: ({ Namespace, JobID }) => [Namespace, JobID],
  scopes: () => [],
})

/** How the whole cluster places: one record. */
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

/** Access tokens, found by the secret their bearers send. */
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

/** That access control got its first token; one record at most. */
export const bootstrapRecords = collection<{ readonly accessor: string }>({
  name: 'acl-bootstrap',
  key: () => ['first'],
})

/** Everything a scheduler keeps: what its replica holds. */
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
  tokenRecords,
  nodeTokenRecords,
  bootstrapRecords,
] as const
