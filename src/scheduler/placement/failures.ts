import type { Instant } from '../../kernel/index.ts'
import { failuresOf, rescheduleAt } from '../allocations/reschedule.ts'
import { reschedulePolicyOf } from '../jobs/defaults.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { descriptions, type GroupWork, type SeenAllocation, type Stopping } from './group-work.ts'

/** Whether an allocation failed by itself, and has no replacement. */
export const isUnreplaced = ({ ClientStatus, DesiredStatus, NextAllocation }: SeenAllocation): boolean =>
  ClientStatus === 'failed' && DesiredStatus === 'run' && NextAllocation === ''

/**
 * For failures without a replacement: what to replace now, what later, and how many places stay occupied until then.
 */
export function failures(
  { job, now }: { readonly job: Pick<JobSpec, 'Type'>; readonly now: Instant },
  group: TaskGroup,
  failed: readonly SeenAllocation[],
): { readonly now: readonly Stopping[]; readonly later: GroupWork['later']; readonly held: number } {
  const policy = failed.length === 0 ? null : reschedulePolicyOf(job, group)
  if (policy === null) return { now: [], later: [], held: 0 }
  const due = failed.map((each) => ({
    id: each.ID,
    at: each.DesiredTransition?.ForceReschedule === true ? now : rescheduleAt(failuresOf(each, now), policy),
  }))
  const later = due.flatMap(({ id, at }) => (at !== undefined && at > now ? { id, at } : []))
  const soon = due.filter(({ at }) => at !== undefined && at <= now)
  return {
    now: soon.map(({ id }) => ({ id, description: descriptions.rescheduled })),
    later,
    held: failed.length - soon.length,
  }
}
