import type { Instant } from '../../kernel/index.ts'
import type { ReschedulePolicy } from '../jobs/task-group.ts'
import { fromRfc3339, nanoseconds } from '../values/instants.ts'
import type { AllocationRecord, RescheduleTracker } from './model.ts'

/**
 * When an allocation failed, and when its failed predecessors were replaced.
 */
export interface Failures {
  readonly failedAt: Instant
  /** Oldest first. */
  readonly replacedAt: readonly Instant[]
}

/**
 * When to replace a failed allocation: after a constant delay, or one that grows with every failure up to a limit and
 * resets once an allocation has run for longer than that.
 *
 * @returns the instant, or `undefined` when the policy allows no further attempt
 *
 * @example
 * ```ts
 * import { rescheduleAt } from 'plinth/scheduler'
 *
 * const minute = 60e9
 * const policy = { Attempts: 0, Interval: 0, Delay: minute, DelayFunction: 'exponential', MaxDelay: 60 * minute, Unlimited: true }
 * rescheduleAt({ failedAt: 0, replacedAt: [] }, policy) // 60_000
 * rescheduleAt({ failedAt: 70_000, replacedAt: [60_000] }, policy) // 190_000
 * ```
 */
export function rescheduleAt(
  { failedAt, replacedAt }: Failures,
  policy: ReschedulePolicy,
): Instant | undefined {
  const { Unlimited = policy.Attempts === 0 } = policy
  if (!Unlimited) {
    const since = failedAt - policy.Interval / nanosecondsPerMs
    if (replacedAt.filter((at) => at >= since).length >= policy.Attempts) return undefined
  }
  return failedAt + delayOf(policy, [...replacedAt, failedAt])
}

const nanosecondsPerMs = 1_000_000

/** The fields of a failed allocation, or of one that was judged unhealthy. */
export type FailedAllocation = Pick<
  AllocationRecord,
  'ClientStatus' | 'ModifyTime' | 'DeploymentStatus' | 'RescheduleTracker'
>

/** When an allocation failed, or was judged unhealthy, and when those before it were replaced. */
export const failuresOf = (
  { ClientStatus, ModifyTime, DeploymentStatus, RescheduleTracker: tracker }: FailedAllocation,
  now: Instant,
): Failures => ({
  failedAt:
    ClientStatus === 'failed'
      ? Math.round(ModifyTime / nanosecondsPerMs)
      : (fromRfc3339(DeploymentStatus?.Timestamp ?? '') ?? now),
  replacedAt: (tracker?.Events ?? []).map(({ RescheduleTime }) =>
    Math.round(RescheduleTime / nanosecondsPerMs),
  ),
})

/** How many failures are remembered: delays stop growing long before. */
const remembered = 32

/** The failures before the allocation that replaces a failed one. */
export function trackerAfter(
  failed: FailedAllocation & Pick<AllocationRecord, 'ID' | 'NodeID'>,
  policy: ReschedulePolicy | null,
  now: Instant,
): RescheduleTracker {
  const failures = failuresOf(failed, now)
  const due = policy === null ? undefined : rescheduleAt(failures, policy)
  const event = {
    RescheduleTime: nanoseconds(now),
    PrevAllocID: failed.ID,
    PrevNodeID: failed.NodeID,
    Delay: nanoseconds((due ?? failures.failedAt) - failures.failedAt),
  }
  const before = failed.RescheduleTracker?.Events ?? []
  return { Events: [...before.slice(1 - remembered), event], LastReschedule: 'ok' }
}

function delayOf({ Delay, MaxDelay, DelayFunction }: ReschedulePolicy, times: readonly Instant[]): number {
  const first = Delay / nanosecondsPerMs
  const most = MaxDelay > 0 ? MaxDelay / nanosecondsPerMs : Number.POSITIVE_INFINITY
  let [before, delay] = [0, first]
  for (const [at, time] of times.entries()) {
    const replaced = times[at - 1]
    if (replaced === undefined) continue
    if (delay >= most && time - replaced > delay) [before, delay] = [0, first]
    else if (DelayFunction === 'exponential') delay = Math.min(delay * 2, most)
    else if (DelayFunction === 'fibonacci') [before, delay] = [delay, Math.min(before + delay, most)]
  }
  return Math.min(delay, Number.MAX_SAFE_INTEGER)
}
