import * as z from 'zod'
import { int64 } from '../values/int64.ts'

/** What a runner is asked about one of its allocations: files, logs, resource usage, and signals. */
export const RunnerCall = z.object({
  ID: z.string(),
  AllocID: z.string(),
  Do: z.enum(['list', 'stat', 'read', 'logs', 'stats', 'restart', 'signal']),
  /** A path within the folder of the allocation. */
  Path: z.string().default(''),
  /** The task; empty for all of them. */
  Task: z.string().default(''),
  /** Which output of the task. */
  Type: z.enum(['stdout', 'stderr']).default('stdout'),
  /** The number of the file of the output; null is the one in which `Offset` from `Origin` lies. */
  File: z.int().nullable().default(null),
  Offset: z.int().default(0),
  Origin: z.enum(['start', 'end']).default('start'),
  /** The most bytes of an answer. */
  Limit: z.int().default(0),
  /** How long to wait for more at the end of an output; 0 does not wait. */
  WaitMs: z.int().default(0),
  Signal: z.string().default(''),
})
/** What a runner is asked about one of its allocations: files, logs, resource usage, and signals. */
export interface RunnerCall extends z.infer<typeof RunnerCall> {}

/** A file or folder of an allocation. */
export const AllocationFile = z.object({
  Name: z.string(),
  IsDir: z.boolean(),
  Size: int64,
  FileMode: z.string(),
  ModTime: z.string(),
})

/** What a task uses now. */
const TaskUsage = z.object({
  /** Shares of one core. */
  UserPercent: z.number(),
  SystemPercent: z.number(),
  /** The same in clock cycles. */
  MHz: z.number(),
  /** Resident memory in bytes. */
  RSS: int64,
  /** When it was measured. */
  Timestamp: int64,
})

/** Why a runner cannot do what it was asked. */
const refusals = ['file_not_found', 'invalid_runner_call'] as const

/** A runner's answer to a call. */
export const RunnerAnswer = z.object({
  Refused: z
    .object({ Code: z.enum(refusals), Message: z.string() })
    .nullable()
    .default(null),
  Files: z.array(AllocationFile).default([]),
  /** What each running task uses. */
  Usage: z.record(z.string(), TaskUsage).default({}),
  /** Bytes in base64, with the file and the offset at which they begin. */
  Data: z.string().default(''),
  Path: z.string().default(''),
  File: z.int().default(0),
  Offset: z.int().default(0),
  /** Nothing will follow these bytes. */
  IsLast: z.boolean().default(true),
})
/** A runner's answer to a call. */
export interface RunnerAnswer extends z.infer<typeof RunnerAnswer> {}
/** A runner's answer as it sends it. */
export interface RunnerAnswerInput extends z.input<typeof RunnerAnswer> {}
