import * as z from 'zod'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'

/**
 * The progress of one task group of a deployment.
 */
export const DeploymentState = z.object({
  AutoPromote: z.boolean().default(false),
  AutoRevert: z.boolean().default(false),
  DesiredCanaries: z.int().default(0),
  DesiredTotal: z.int().default(0),
  HealthyAllocs: z.int().default(0),
  PlacedAllocs: z.int().default(0),
  /** Ids of the canaries placed so far. */
  PlacedCanaries: z.array(z.string()).nullable().default(null),
  /** Nanoseconds. */
  ProgressDeadline: int64.default(0),
  Promoted: z.boolean().default(false),
  /** RFC 3339; `null` until the first allocation is placed. */
  RequireProgressBy: z.string().meta({ kind: 'time' }).nullable().default(null),
  UnhealthyAllocs: z.int().default(0),
})
/**
 * The progress of one task group of a deployment.
 */
export interface DeploymentState extends z.infer<typeof DeploymentState> {}

/**
 * Every status of a deployment; the last three are final.
 */
export const DeploymentStatus = z.enum([
  'running',
  'paused',
  'blocked',
  'unblocking',
  'initializing',
  'pending',
  'successful',
  'failed',
  'cancelled',
])
/**
 * Every status of a deployment; the last three are final.
 */
export type DeploymentStatus = z.infer<typeof DeploymentStatus>

/**
 * A rolling update between two versions of a job, as it is kept: without its own indexes.
 */
export const DeploymentRecord = z.object({
  ID: z.string().min(1),
  JobID: z.string().default(''),
  Namespace: z.string().default('default'),
  JobVersion: z.int().default(0),
  JobModifyIndex: z.int().default(0),
  JobSpecModifyIndex: z.int().default(0),
  JobCreateIndex: z.int().default(0),
  IsMultiregion: z.boolean().default(false),
  TaskGroups: mapOf(DeploymentState).default({}),
  Status: DeploymentStatus.default('running'),
  StatusDescription: z.string().default(''),
  EvalPriority: z.int().default(50),
})
/**
 * A rolling update between two versions of a job, as it is kept: without its own indexes.
 */
export interface DeploymentRecord extends z.infer<typeof DeploymentRecord> {}

/**
 * A deployment as it is read, filtered and listed: the list shows all of it.
 */
export const Deployment = DeploymentRecord.extend({
  CreateIndex: z.int(),
  ModifyIndex: z.int(),
})
/**
 * A deployment as it is read, filtered and listed: the list shows all of it.
 */
export interface Deployment extends z.infer<typeof Deployment> {}
