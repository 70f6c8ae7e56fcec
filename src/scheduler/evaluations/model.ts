import * as z from 'zod'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'

/**
 * Every status of an evaluation; the last three are final.
 */
export const EvaluationStatus = z.enum(['blocked', 'pending', 'complete', 'failed', 'canceled'])
/**
 * Every status of an evaluation; the last three are final.
 */
export type EvaluationStatus = z.infer<typeof EvaluationStatus>

/**
 * A stored evaluation: one run of the scheduling process over a job. Without its own indexes.
 */
export const EvaluationRecord = z.object({
  ID: z.string().min(1),
  Namespace: z.string().default('default'),
  Priority: z.int().default(50),
  /** The job's type. */
  Type: z.string().default('service'),
  TriggeredBy: z.string().default('job-register'),
  JobID: z.string().default(''),
  JobModifyIndex: z.int().default(0),
  NodeID: z.string().default(''),
  NodeModifyIndex: z.int().default(0),
  DeploymentID: z.string().default(''),
  Status: EvaluationStatus.default('complete'),
  StatusDescription: z.string().default(''),
  WaitUntil: z.string().nullable().default(null),
  NextEval: z.string().default(''),
  PreviousEval: z.string().default(''),
  BlockedEval: z.string().default(''),
  FailedTGAllocs: mapOf(z.json()).nullable().default(null),
  QueuedAllocations: mapOf(z.int()).nullable().default(null),
  SnapshotIndex: z.int().default(0),
  /** Nanoseconds since the epoch. */
  CreateTime: int64.default(0),
  ModifyTime: int64.default(0),
})
/**
 * A stored evaluation: one run of the scheduling process over a job. Without its own indexes.
 */
export interface EvaluationRecord extends z.infer<typeof EvaluationRecord> {}

/**
 * An evaluation as it is read, filtered and listed: lists show all of it.
 */
export const Evaluation = EvaluationRecord.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * An evaluation as it is read, filtered and listed: lists show all of it.
 */
export interface Evaluation extends z.infer<typeof Evaluation> {}
