import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env } from '../../kernel/index.ts'
import { nanoseconds } from '../values/instants.ts'
import type { EvaluationRecord } from './model.ts'

/**
 * The inputs of an evaluation.
 */
export interface EvaluationCause {
  /** Why it was created: `job-register`, `node-drain`, … */
  readonly trigger: EvaluationTrigger
  readonly job: {
    readonly ID: string
    readonly Namespace: string
    readonly Type: string
    readonly Priority: number
  }
  /** Overrides the job's own priority. */
  readonly priority?: number | undefined
  readonly nodeId?: string | undefined
  readonly deploymentId?: string | undefined
  /** Omitted for a specification that the evaluation's own commit writes. */
  readonly jobModifyIndex?: number | undefined
}

/**
 * Every reason for an evaluation.
 */
export type EvaluationTrigger =
  | 'job-register'
  | 'job-deregister'
  | 'periodic-job'
  | 'node-drain'
  | 'node-update'
  | 'alloc-stop'
  | 'rolling-update'
  | 'deployment-watcher'
  | 'queued-allocs'
  | 'alloc-failure'
  | 'job-scaling'
  | 'max-disconnect-timeout'
  | 'reconnect'
  | 'failed-follow-up'
  | 'preemption'

/** The placeholder for the index of the commit that creates an evaluation, which is unknown before. */
export const writtenWithIt = -1

/**
 * A new evaluation, pending.
 *
 * @example
 * ```ts
 * import { newEvaluation } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const job = { ID: 'web', Namespace: 'default', Type: 'service', Priority: 50 }
 * newEvaluation({ trigger: 'job-register', job }, env).Status // 'pending'
 * ```
 */
export function newEvaluation(cause: EvaluationCause, env: Env): EvaluationRecord {
  checkArguments('cause env', cause, env)
  return {
    ID: env.newId('evaluation'),
    Namespace: cause.job.Namespace,
    Priority: cause.priority ?? cause.job.Priority,
    Type: cause.job.Type,
    TriggeredBy: cause.trigger,
    JobID: cause.job.ID,
    JobModifyIndex: cause.jobModifyIndex ?? writtenWithIt,
    NodeID: cause.nodeId ?? '',
    NodeModifyIndex: 0,
    DeploymentID: cause.deploymentId ?? '',
    Status: 'pending',
    StatusDescription: '',
    WaitUntil: null,
    NextEval: '',
    PreviousEval: '',
    BlockedEval: '',
    FailedTGAllocs: null,
    QueuedAllocations: null,
    SnapshotIndex: 0,
    CreateTime: nanoseconds(env.now),
    ModifyTime: nanoseconds(env.now),
  }
}
