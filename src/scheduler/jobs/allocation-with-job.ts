import * as z from 'zod'
import { Allocation, type AllocationRecord } from '../allocations/model.ts'
import { Job } from './model.ts'

/** The network of an allocation on its node: that of the host, so that it has no interface and address of its own. */
const NetworkStatus = z.object({
  InterfaceName: z.string(),
  Address: z.string(),
  /** As the group asks for it. */
  DNS: z.looseObject({}).nullable(),
})

/**
 * An allocation as it is read by its ID: with its job.
 */
export const allocationWithJob = Allocation.extend({
  Job: Job.nullable(),
  NetworkStatus: NetworkStatus.nullable(),
}) satisfies z.ZodType<AllocationWithJob>
/**
 * An allocation as it is read by its ID: with its job.
 */
export interface AllocationWithJob extends Allocation {
  /** The version of the job that it runs; `null` if that is no longer stored. */
  Job: Job | null
  /** Its network; `null` until its node has reported on it. It has the host's network: only `DNS` is ever filled. */
  NetworkStatus: { InterfaceName: string; Address: string; DNS: { [name: string]: unknown } | null } | null
}

/** Adds to an allocation what is read with it. */
export function withJob<Given extends AllocationRecord>(
  allocation: Given,
  job: Job | undefined,
): Given & Pick<AllocationWithJob, 'Job' | 'NetworkStatus'> {
  const group = job?.TaskGroups?.find(({ Name }) => Name === allocation.TaskGroup)
  const isReported = allocation.TaskStates !== null || allocation.ClientStatus !== 'pending'
  return Object.assign({}, allocation, {
    Job: job ?? null,
    NetworkStatus: isReported
      ? { InterfaceName: '', Address: '', DNS: group?.Networks?.[0]?.DNS ?? null }
      : null,
  })
}
