import type { Instant } from '../../kernel/index.ts'
import { rescheduleAt } from '../allocations/reschedule.ts'
import { reschedulePolicyOf } from '../jobs/defaults.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import {
  descriptions,
  type GroupWork,
  type ReconcileFacts,
  type SeenAllocation,
  type Stopping,
} from './group-work.ts'

/** Whether an allocation failed by itself, and has no replacement. */
export const isUnreplaced = ({ ClientStatus, DesiredStatus, NextAllocation }: SeenAllocation): boolean =>
  ClientStatus === 'failed' && DesiredStatus === 'run' && NextAllocation === ''

/**
 * For failures without a replacement: what to replace now, what later, and how many places stay occupied until then.
 */
export function failures(
  { job, allocations, now }: ReconcileFacts,
  group: TaskGroup,
  failed: readonly SeenAllocation[],
): { readonly now: readonly Stopping[]; readonly later: GroupWork['later']; readonly held: number } {
  const policy = failed.length === 0 ? null : reschedulePolicyOf(job, group)
  if (policy === null) return { now: [], later: [], held: 0 }
  const byId = new Map(allocations.map((each) => [each.ID, each]))
  const due = failed.map((each) => ({
    id: each.ID,
    at: rescheduleAt({ failedAt: instantOf(each), replacedAt: replacedBefore(each, byId) }, policy),
  }))
  const later = due.flatMap(({ id, at }) => (at !== undefined && at > now ? { id, at } : []))
  const soon = due.filter(({ at }) => at !== undefined && at <= now)
  return {
    now: soon.map(({ id }) => ({ id, description: descriptions.rescheduled })),
    later,
    held: failed.length - soon.length,
  }
}

/** The times at which failed predecessors of an allocation were replaced, oldest first. */
function replacedBefore(each: SeenAllocation, byId: ReadonlyMap<string, SeenAllocation>): readonly Instant[] {
  const times: Instant[] = []
  const seen = new Set<string>()
  let before = byId.get(each.PreviousAllocation)
  while (before?.ClientStatus === 'failed' && !seen.has(before.ID)) {
    times.unshift(instantOf(before))
    seen.add(before.ID)
    before = byId.get(before.PreviousAllocation)
  }
  return times
}

const instantOf = ({ ModifyTime }: SeenAllocation): Instant => Math.round(ModifyTime / 1e6)
