import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env, Instant } from '../../kernel/index.ts'
import type { MigrateStrategy } from '../jobs/task-group.ts'
import type { SeenAllocation } from './group-work.ts'

/**
 * For one task group: the allocations that may leave draining nodes now, and when more may.
 */
export interface Leaving {
  readonly now: ReadonlySet<SeenAllocation>
  /** The next instant at which more may leave without any report; `undefined` if none waits for one. */
  readonly again: Instant | undefined
}

/**
 * The allocations of one task group, some of which are on draining nodes.
 */
export interface DrainPaceState {
  /** Those on draining nodes, in the order in which they leave. */
  readonly away: readonly SeenAllocation[]
  /** All that occupy a place, including those above. */
  readonly existing: readonly SeenAllocation[]
}

/**
 * The drain settings of a task group.
 */
export interface DrainPaceInput {
  /** How the group leaves draining nodes. */
  readonly strategy: MigrateStrategy
  /** The desired number; by default the number of occupied places. */
  readonly count?: number | undefined
}

/**
 * Chooses which allocations leave draining nodes now, so that at most `MaxParallel` of the desired ones are not proven
 * healthy.
 *
 * @example
 * ```ts
 * import { AllocationRecord, drainPace, MigrateStrategy } from 'plinth/scheduler'
 *
 * const healthy = (ID: string) =>
 *   AllocationRecord.parse({ ID, ClientStatus: 'running', DeploymentStatus: { Healthy: true } })
 * const existing = ['a', 'b', 'c'].map(healthy)
 * const strategy = MigrateStrategy.parse({ MaxParallel: 2 })
 * const leaving = drainPace({ away: existing, existing }, { strategy }, { now: Date.UTC(2026, 0, 1) })
 * const ids = [...leaving.now].map(({ ID }) => ID)
 * ids // ['a', 'b']
 * ```
 */
export function drainPace(state: DrainPaceState, input: DrainPaceInput, env: Pick<Env, 'now'>): Leaving {
  checkArguments('state input env', state, input, env)
  const { away, existing } = state
  const { strategy, count = existing.length } = input
  const { now } = env
  if (away.length === 0) return { now: new Set(), again: undefined }
  const times = existing.map((each) => provenAt(each, strategy))
  const proven = times.filter((at) => at <= now).length
  const leaving = away.slice(0, Math.max(0, proven - (count - strategy.MaxParallel)))
  const pending = leaving.length < away.length ? times.filter((at) => at > now) : []
  const again = Math.min(...pending)
  return { now: new Set(leaving), again: Number.isFinite(again) ? again : undefined }
}

/**
 * The instant from which an allocation counts as proven, if known: immediately once its health was reported, even as
 * unhealthy, because there is nothing more to wait for.
 */
function provenAt(
  { ClientStatus, DeploymentStatus, CreateTime, ModifyTime }: SeenAllocation,
  { HealthCheck, MinHealthyTime, HealthyDeadline }: MigrateStrategy,
): Instant {
  // Disconnected: unknown.
  if (ClientStatus === 'unknown') return Number.POSITIVE_INFINITY
  if ((DeploymentStatus?.Healthy ?? null) !== null) return Number.NEGATIVE_INFINITY
  const latest = CreateTime + HealthyDeadline
  const isJudgedByState = HealthCheck === 'task_states' && ClientStatus === 'running'
  return Math.ceil((isJudgedByState ? Math.min(ModifyTime + MinHealthyTime, latest) : latest) / 1e6)
}
