import type { Instant } from '../../kernel/index.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { fromRfc3339 } from '../values/instants.ts'
import type { SeenAllocation } from './group-work.ts'

/** Of each disconnected allocation that returned and its replacements, those that do not stay. */
export function returned(
  group: TaskGroup,
  live: readonly SeenAllocation[],
  mayStay: (each: SeenAllocation) => boolean,
): ReadonlySet<SeenAllocation> {
  const leaving = new Set<SeenAllocation>()
  for (const original of live) {
    if (original.NextAllocation === '') continue
    // A replacement of a replacement has the name as well.
    for (const replacement of live)
      if (replacement !== original && replacement.Name === original.Name) {
        const goes = mayStay(replacement) && isPreferred(replacement, original, group)
        leaving.add(!mayStay(original) || goes ? original : replacement)
      }
  }
  return leaving
}

/** Whether a replacement stays rather than the original, which returned. */
function isPreferred(replacement: SeenAllocation, original: SeenAllocation, group: TaskGroup): boolean {
  const strategy = group.Disconnect?.Reconcile || 'best_score'
  switch (strategy) {
    case 'keep_original':
      return false
    case 'keep_replacement':
      return true
    case 'longest_running': {
      const since = runningSince(original, group)
      const replacedAt = runningSince(replacement, group)
      if (since !== undefined && replacedAt !== undefined) return replacedAt <= since
      return since === replacedAt ? isBetter(replacement, original) : since === undefined
    }
    default:
      return isBetter(replacement, original)
  }
}

/** Whether a replacement has the better score, and does not lose a running original for one that does not run. */
const isBetter = (replacement: SeenAllocation, original: SeenAllocation): boolean =>
  scoreOf(replacement) > scoreOf(original) &&
  (replacement.ClientStatus === 'running' || original.ClientStatus !== 'running')

const scoreOf = ({ Metrics, NodeID }: SeenAllocation): number =>
  Metrics?.ScoreMetaData.find((score) => score.NodeID === NodeID)?.NormScore ?? 0

/** When the leader of an allocation started last, or without one the first of its tasks. */
function runningSince({ TaskStates }: SeenAllocation, { Tasks }: TaskGroup): Instant | undefined {
  const startOf = (task: string): Instant | undefined => {
    const state = TaskStates?.[task]
    return fromRfc3339(state?.LastRestart ?? state?.StartedAt ?? '')
  }
  const leader = Tasks.find(({ Leader }) => Leader)
  if (leader !== undefined) return startOf(leader.Name)
  const starts = Tasks.map(({ Name }) => startOf(Name)).filter((each) => each !== undefined)
  return starts.length === 0 ? undefined : Math.min(...starts)
}
