import type { Instant } from '../../kernel/index.ts'
import { stopsAfter } from '../jobs/disconnect.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import type { GroupWork, SeenAllocation } from './group-work.ts'

/** Whether an allocation was lost without a change of the count, and has no replacement yet. */
export const isVacated = ({
  DesiredStatus,
  ClientStatus,
  DesiredTransition,
  NextAllocation,
}: SeenAllocation): boolean =>
  NextAllocation === '' &&
  DesiredTransition?.MigrateDisablePlacement !== true &&
  (DesiredStatus === 'run' ? ClientStatus === 'lost' : DesiredTransition?.Migrate === true)

/** Of the most recently vacated places, as many as are open: which to fill now, and which only later. */
export function vacancies(
  group: TaskGroup,
  vacated: readonly SeenAllocation[],
  { open, now }: { readonly open: number; readonly now: Instant },
): { readonly now: readonly SeenAllocation[]; readonly later: GroupWork['later'] } {
  const newest = open > 0 ? vacated.slice(-open) : []
  const after = stopsAfter(group)
  // On an unreachable node it may continue until its agent stops it.
  const freeAt = ({ ClientStatus, ModifyTime }: SeenAllocation): Instant =>
    ClientStatus === 'lost' && after > 0 ? Math.ceil((ModifyTime + after) / 1e6) : Number.NEGATIVE_INFINITY
  return {
    now: newest.filter((each) => freeAt(each) <= now),
    later: newest.map((each) => ({ id: each.ID, at: freeAt(each) })).filter(({ at }) => at > now),
  }
}
