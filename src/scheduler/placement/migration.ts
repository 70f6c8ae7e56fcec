import type { Instant } from '../../kernel/index.ts'
import type { MigrateStrategy } from '../jobs/task-group.ts'
import type { Seen } from './group-work.ts'

/** Of the allocations of one task group: what may leave draining nodes now, and when more may. */
export interface Leaving {
  readonly now: ReadonlySet<Seen>
  /** The first instant at which more may leave though nobody reports anything; `undefined` where nothing waits for one. */
  readonly again: Instant | undefined
}

/**
 * Which allocations leave draining nodes now: so many that all that are wanted but `MaxParallel` stay proven.
 *
 * @param away - those on draining nodes, in the order in which they leave
 * @param standing - those that have a place, the former included
 * @param count - how many are wanted
 */
export function migration(
  strategy: MigrateStrategy,
  {
    away,
    standing,
    count,
  }: {
    readonly away: readonly Seen[]
    readonly standing: readonly Seen[]
    readonly count: number
  },
  now: Instant,
): Leaving {
  if (away.length === 0) return { now: new Set(), again: undefined }
  const times = standing.map((each) => provenAt(each, strategy))
  const proven = times.filter((at) => at <= now).length
  const leaving = away.slice(0, Math.max(0, proven - (count - strategy.MaxParallel)))
  const pending = leaving.length < away.length ? times.filter((at) => at > now) : []
  const again = Math.min(...pending)
  return { now: new Set(leaving), again: Number.isFinite(again) ? again : undefined }
}

/**
 * From when on an allocation counts as one that does its work, as far as can be said: at once when there is a verdict on
 * it, even a bad one, which is waited for no longer.
 */
function provenAt(
  { ClientStatus, DeploymentStatus, CreateTime, ModifyTime }: Seen,
  { HealthCheck, MinHealthyTime, HealthyDeadline }: MigrateStrategy,
): Instant {
  // Out of touch: nobody can tell.
  if (ClientStatus === 'unknown') return Number.POSITIVE_INFINITY
  if ((DeploymentStatus?.Healthy ?? null) !== null) return Number.NEGATIVE_INFINITY
  const latest = CreateTime + HealthyDeadline
  const isJudgedByState = HealthCheck === 'task_states' && ClientStatus === 'running'
  return Math.ceil((isJudgedByState ? Math.min(ModifyTime + MinHealthyTime, latest) : latest) / 1e6)
}
