import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import { nanoseconds } from '../values/instants.ts'
import { allocationLifecycle } from './lifecycle.ts'
import type { AllocationRecord } from './model.ts'

/**
 * A status report of an allocation.
 */
export interface AllocationMove {
  readonly verb: 'start' | 'finish' | 'fail' | 'lose' | 'disconnect' | 'reconnect'
  readonly description?: string | undefined
}

/**
 * An allocation reached another status on its node, or was set to stop.
 */
export interface AllocationMoved {
  readonly type: 'allocation.moved'
  readonly allocation: string
  readonly job: string
  readonly namespace: string
  readonly clientStatus: string
  readonly desiredStatus: string
}

/**
 * Moves an allocation along its lifecycle on the node.
 *
 * @returns the status reached, or `allocation_is_over`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { AllocationRecord, moveAllocation } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const moved = moveAllocation(AllocationRecord.parse({ ID: 'a1' }), { verb: 'start' }, env)
 * unwrap(moved) // 'running'
 * ```
 */
export function moveAllocation(
  allocation: AllocationRecord,
  input: AllocationMove,
  env: Env,
): Outcome<AllocationRecord, AllocationRecord['ClientStatus'], AllocationMoved, 'allocation_is_over'> {
  checkArguments('allocation input env', allocation, input, env)
  const to = nextStatus(allocationLifecycle, allocation.ClientStatus, input.verb)
  if (to === undefined)
    return refuse(
      'allocation_is_over',
      `cannot ${input.verb} an allocation that is ${allocation.ClientStatus}`,
    )
  return step(allocation, (draft, emit: (event: AllocationMoved) => void) => {
    draft.ClientStatus = to
    draft.ClientDescription = input.description ?? ''
    draft.ModifyTime = nanoseconds(env.now)
    emit(moved(allocation, to, allocation.DesiredStatus))
    return to
  })
}

/**
 * Why an allocation is stopped.
 */
export interface AllocationStop {
  readonly description?: string | undefined
  /** Whether to place a replacement, independent of the job's roll-out. */
  readonly migrate?: boolean | undefined
  /** Whether its place stays occupied, so that none is placed: a drain ends batch allocations for good. */
  readonly unplaced?: boolean | undefined
  /** The more important job's allocation that preempts it; then it is evicted. */
  readonly preemptedBy?: string | undefined
}

/**
 * Sets an allocation to stop. One that has ended stays unchanged.
 *
 * @returns whether it was changed
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { AllocationRecord, stopAllocation } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const stopped = stopAllocation(AllocationRecord.parse({ ID: 'a1' }), { description: 'no more' }, env)
 * unwrapStep(stopped).state.DesiredStatus // 'stop'
 * ```
 */
export function stopAllocation(
  allocation: AllocationRecord,
  input: AllocationStop,
  env: Env,
): Outcome<AllocationRecord, { readonly stopped: boolean }, AllocationMoved> {
  checkArguments('allocation input env', allocation, input, env)
  if (allocation.DesiredStatus !== 'run') return answer(allocation, { stopped: false })
  return step(allocation, (draft, emit: (event: AllocationMoved) => void) => {
    const desired = input.preemptedBy === undefined ? 'stop' : 'evict'
    draft.DesiredStatus = desired
    draft.PreemptedByAllocation = input.preemptedBy ?? ''
    draft.DesiredDescription = input.description ?? ''
    if (input.migrate)
      draft.DesiredTransition = {
        Migrate: true,
        ForceReschedule: false,
        MigrateDisablePlacement: input.unplaced === true,
      }
    draft.ModifyTime = nanoseconds(env.now)
    emit(moved(allocation, allocation.ClientStatus, desired))
    return { stopped: true }
  })
}

const moved = (
  allocation: AllocationRecord,
  clientStatus: string,
  desiredStatus: string,
): AllocationMoved => ({
  type: 'allocation.moved',
  allocation: allocation.ID,
  job: allocation.JobID,
  namespace: allocation.Namespace,
  clientStatus,
  desiredStatus,
})
