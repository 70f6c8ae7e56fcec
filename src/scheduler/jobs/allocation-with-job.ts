import type * as z from 'zod'
import { Allocation } from '../allocations/model.ts'
import { Job } from './model.ts'

/**
 * An allocation as it is read by its ID: with its job.
 */
export const AllocationWithJob = Allocation.extend({
  /** The version of the job that it runs; `null` if that is no longer stored. */
  Job: Job.nullable(),
})
/**
 * An allocation as it is read by its ID: with its job.
 */
export interface AllocationWithJob extends z.infer<typeof AllocationWithJob> {}
