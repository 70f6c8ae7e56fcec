import * as z from 'zod'
import { int64 } from '../values/int64.ts'
import { mapOf } from '../values/map.ts'
import { Affinity, Constraint, Spread, TaskGroup, UpdateStrategy } from './task-group.ts'

/**
 * A job that runs on a schedule.
 */
export const PeriodicConfig = z.object({
  Enabled: z.boolean().default(true),
  /** A cron expression; or several in `Specs`. */
  Spec: z.string().default(''),
  Specs: z.array(z.string()).nullable().default(null),
  SpecType: z.string().default('cron'),
  ProhibitOverlap: z.boolean().default(false),
  TimeZone: z.string().default('UTC'),
})
/**
 * A job that runs on a schedule.
 */
export interface PeriodicConfig extends z.infer<typeof PeriodicConfig> {}

/**
 * A job that runs only when it is dispatched with a payload and metadata.
 */
export const ParameterizedJobConfig = z.object({
  Payload: z.string().default('optional'),
  MetaRequired: z.array(z.string()).nullable().default(null),
  MetaOptional: z.array(z.string()).nullable().default(null),
})

/**
 * Every type of job.
 */
export const JobType = z.enum(['service', 'batch', 'system', 'sysbatch'])

const jobId = /^[^ ]+$/

/**
 * The user-written fields of a job and its version counter: everything but its status.
 */
export const JobSpec = z.object({
  ID: z.string().min(1).regex(jobId, 'Job ID contains a space'),
  Name: z.string().default(''),
  ParentID: z.string().default(''),
  /** No dots, which keeps page tokens readable. */
  Namespace: z
    .string()
    .regex(/^[a-zA-Z0-9-]{1,128}$/, 'a namespace has 1 to 128 letters, digits and hyphens')
    .default('default'),
  Region: z.string().default('global'),
  Type: JobType.default('service'),
  Priority: z.int().min(1).max(100).default(50),
  AllAtOnce: z.boolean().default(false),
  Datacenters: z.array(z.string()).default(['*']),
  /** An empty one is `default`. */
  NodePool: z
    .string()
    .overwrite((name) => name || 'default')
    .default('default'),
  Constraints: z.array(Constraint).nullable().default(null),
  Affinities: z.array(Affinity).nullable().default(null),
  Spreads: z.array(Spread).nullable().default(null),
  TaskGroups: z.array(TaskGroup).default([]),
  Update: UpdateStrategy.nullable().default(null),
  Multiregion: mapOf(z.json()).nullable().default(null),
  Periodic: PeriodicConfig.nullable().default(null),
  ParameterizedJob: ParameterizedJobConfig.nullable().default(null),
  Dispatched: z.boolean().default(false),
  DispatchIdempotencyToken: z.string().default(''),
  /** Base64. */
  Payload: z.string().nullable().default(null),
  Meta: mapOf(z.string()).nullable().default(null),
  /** What a console shows of the job: a `Description` in Markdown, and `Links`. Kept and returned as it is. */
  UI: mapOf(z.json()).nullable().optional(),
  Stop: z.boolean().default(false),
  /** 0 at first, incremented with every change of the specification. */
  Version: z.int().min(0).default(0),
  VersionTag: z
    .object({
      Name: z.string(),
      Description: z.string().default(''),
      TaggedTime: int64.default(0),
    })
    .nullable()
    .default(null),
  /** Nanoseconds since the epoch. */
  SubmitTime: int64.default(0),
})
/**
 * The user-written fields of a job and its version counter: everything but its status.
 */
export interface JobSpec extends z.infer<typeof JobSpec> {}
/**
 * A {@link JobSpec} with optional fields at any depth: only the ID is required, everything else has a default.
 */
export interface JobInput extends z.input<typeof JobSpec> {}

/**
 * The fields of a job that only the service sets. A separate record, because it changes without a new specification.
 */
export const JobStatus = z.object({
  Status: z.enum(['pending', 'running', 'dead']),
  StatusDescription: z.string().default(''),
  /** Whether this version has once been deployed with success. */
  Stable: z.boolean().default(false),
})
/**
 * The fields of a job that only the service sets. A separate record, because it changes without a new specification.
 */
export interface JobStatus extends z.infer<typeof JobStatus> {}

/**
 * A job as it is read and filtered. Lists show a {@link JobStub} of it.
 */
export const Job = JobSpec.extend({
  ...JobStatus.shape,
  CreateIndex: z.int(),
  /** The newest write of specification or status. */
  ModifyIndex: z.int(),
  /** The newest write of the specification. */
  JobModifyIndex: z.int(),
})
/**
 * A job as it is read and filtered. Lists show a {@link JobStub} of it.
 */
export interface Job extends z.infer<typeof Job> {}
