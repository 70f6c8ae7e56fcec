import * as z from 'zod'
import { mapOf } from '../values/map.ts'

const count = z.int().min(0).default(0)

/**
 * The allocations of a task group, counted by state.
 */
export const GroupSummary = z.object({
  Queued: count,
  Starting: count,
  Running: count,
  Failed: count,
  Complete: count,
  Lost: count,
})
/**
 * The allocations of a task group, counted by state.
 */
export interface GroupSummary extends z.infer<typeof GroupSummary> {}

/**
 * The children of a parameterized or periodic job, counted by state.
 */
export const ChildrenSummary = z.object({ Pending: count, Running: count, Dead: count })
/**
 * The children of a parameterized or periodic job, counted by state.
 */
export interface ChildrenSummary extends z.infer<typeof ChildrenSummary> {}

/**
 * The stored counts of a job: a separate record, written together with its allocations.
 */
export const JobSummaryRecord = z.object({
  JobID: z.string(),
  Namespace: z.string().default('default'),
  Summary: mapOf(GroupSummary).default({}),
  Children: ChildrenSummary.prefault({}),
})
/**
 * The stored counts of a job: a separate record, written together with its allocations.
 */
export interface JobSummaryRecord extends z.infer<typeof JobSummaryRecord> {}

/**
 * A job's counts, as stubs contain them.
 */
export const JobSummary = JobSummaryRecord.extend({ CreateIndex: z.int(), ModifyIndex: z.int() })
/**
 * A job's counts, as stubs contain them.
 */
export interface JobSummary extends z.infer<typeof JobSummary> {}
