import type { AllocationStubFields } from '../allocations/stub.ts'
import type { Preserving } from '../jobs/preserve.ts'
import type { JobStubFields } from '../jobs/stub.ts'
import type { NodeStubFields } from '../nodes/stub.ts'
import type { SearchContext } from '../search/contexts.ts'
import type { ListCall, ReadCall, WriteCall } from '../service/call.ts'
import type { JobSubmissionInput } from '../submissions/model.ts'

/**
 * A call for a list of jobs.
 */
export interface ListJobsCall extends ListCall, JobStubFields {}

/**
 * A call for the versions of a job.
 */
export interface JobVersionsCall extends ReadCall {
  /** Whether to include the changes of each version. */
  readonly diffs?: boolean | undefined
}

/**
 * The options of a job registration.
 */
export interface RegisterJobCall extends WriteCall, Preserving {
  /** The JobModifyIndex that the job must have; 0 = the job must not exist. No check by default. */
  readonly enforceIndex?: number | undefined
  /** The priority of the evaluation, 1 to 100; the job's own by default. */
  readonly evalPriority?: number | undefined
  /** The source text of the job, to be stored with this version. */
  readonly submission?: JobSubmissionInput | undefined
}

/**
 * A call that plans a registration.
 */
export interface PlanJobCall extends WriteCall {
  /** Whether to include the diff of the job. */
  readonly diff?: boolean | undefined
}

/**
 * A call about one job of a namespace.
 */
export interface JobCall extends WriteCall {
  /** `default` by default. */
  readonly namespace?: string | undefined
}

/**
 * A call that evaluates a job.
 */
export interface EvaluateJobCall extends JobCall {
  /** Whether failed allocations are replaced now, whatever their reschedule policy; up to 16 of them. */
  readonly forceReschedule?: boolean | undefined
}

/**
 * Which job to stop, and how.
 */
export interface DeregisterJobCall extends WriteCall {
  /** `default` by default. */
  readonly namespace?: string | undefined
  /** Removes the job, its versions and everything that belongs to it. */
  readonly purge?: boolean | undefined
  readonly evalPriority?: number | undefined
}

/**
 * A call for a list of nodes.
 */
export interface ListNodesCall extends ListCall, NodeStubFields {}

/**
 * A call for a list of allocations.
 */
export interface ListAllocationsCall extends ListCall, AllocationStubFields {}

/**
 * A call for a list of evaluations.
 */
export interface ListEvaluationsCall extends ListCall {
  /** Only those of this job. */
  readonly job?: string | undefined
  /** Only those of this status. */
  readonly status?: string | undefined
}

/**
 * Whether to include the objects of purged jobs with the same ID, which by default are omitted.
 */
export interface OfEveryIncarnation {
  /** Lists that as well. */
  readonly all?: boolean | undefined
}

/**
 * A call that searches. In the namespace `*` it searches all that the caller may see.
 */
export interface SearchCall extends Pick<ReadCall, 'token' | 'namespace' | 'stale'> {
  /** The contexts to search; all by default. */
  readonly context?: SearchContext | undefined
}

/**
 * A call that replaces the scheduler configuration.
 */
export interface WriteConfigurationCall extends WriteCall {
  /** Writes only if the configuration has this ModifyIndex. */
  readonly cas?: number | undefined
}
