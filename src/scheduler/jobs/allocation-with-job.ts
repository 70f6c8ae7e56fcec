import type * as z from 'zod'
import { Allocation } from '../allocations/model.ts'
import { Job } from './model.ts'

/**
 * An allocation as it is read by its ID: with its job.
 */
export const allocationWithJob = Allocation.extend({
  Job: Job.nullable(),
}) satisfies z.ZodType<AllocationWithJob>
/**
 * An allocation as it is read by its ID: with its job.
 */
export interface AllocationWithJob extends Allocation {
  /** The version of the job that it runs; `null` if that is no longer stored. */
  Job: Job | null
}
