import type { Allocation } from './model.ts'

/**
 * An allocation as lists show it.
 *
 * @public
 */
export type AllocationStub = Omit<
  Allocation,
  'AllocatedResources' | 'JobCreateIndex' | 'PreviousAllocation'
> & {
  readonly AllocatedResources?: Allocation['AllocatedResources']
}

/**
 * What a list of allocations shows beside the usual.
 *
 * @public
 */
export interface AllocationStubFields {
  /** Adds `AllocatedResources`. */
  readonly resources?: boolean | undefined
  /** `false` leaves `TaskStates` out. */
  readonly taskStates?: boolean | undefined
}

/**
 * The list form of an allocation.
 *
 * @public
 */
export function allocationStub(
  allocation: Allocation,
  { resources = false, taskStates = true }: AllocationStubFields = {},
): AllocationStub {
  const { AllocatedResources, JobCreateIndex: _, PreviousAllocation: __, ...shown } = allocation
  return {
    ...shown,
    TaskStates: taskStates ? allocation.TaskStates : null,
    ...(resources ? { AllocatedResources } : {}),
  }
}
