import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env } from '../../kernel/index.ts'
import { isTerminalAllocation, isUnhealthy } from '../allocations/rules.ts'
import type { DeploymentRecord } from '../deployments/model.ts'
import { replacesDisconnected } from '../jobs/disconnect.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { failures, isUnreplaced } from './failures.ts'
import { because, descriptions, type GroupWork, idle, type SeenAllocation } from './group-work.ts'
import { returned } from './returned.ts'
import { isVacated, vacancies } from './vacancies.ts'

/**
 * The canaries of a task group, and their deployment.
 */
export interface CanaryState {
  readonly group: TaskGroup
  /** All of the current version, including those that have ended, oldest first. */
  readonly canaries: readonly SeenAllocation[]
  /** The status of the deployment; `undefined` if there is none. */
  readonly status: DeploymentRecord['Status'] | undefined
}

/**
 * The canary settings.
 */
export interface CanaryInput {
  /** The number of canaries until they are promoted. */
  readonly desired: number
  /** Whether a node should be left now because it is draining; none by default. */
  readonly leaves?: ((nodeId: string) => boolean) | undefined
  /** Those on draining nodes that may leave now, as {@link drainPace} chooses them; none by default. */
  readonly leaving?: ReadonlySet<SeenAllocation> | undefined
}

/**
 * Returns the next actions for the canaries of a task group, until they are promoted.
 *
 * @remarks
 * While the deployment runs, the desired number is placed, and lost canaries, disconnected, failed and unhealthy ones, or
 * those that leave a draining node, are replaced. While it is paused, nothing is placed. Once it has failed, all of them stop.
 *
 * @example
 * ```ts
 * import { AllocationRecord, canaryWork, TaskGroup } from 'plinth/scheduler'
 *
 * const group = TaskGroup.parse({ Name: 'app', Count: 5 })
 * const canary = AllocationRecord.parse({ ID: 'c1', TaskGroup: 'app', ClientStatus: 'running' })
 * const env = { now: Date.UTC(2026, 0, 1) }
 * canaryWork({ group, canaries: [canary], status: 'running' }, { desired: 2 }, env).place // 1
 * canaryWork({ group, canaries: [canary], status: 'failed' }, { desired: 2 }, env).stop.map(({ id }) => id) // ['c1']
 * ```
 */
export function canaryWork(state: CanaryState, input: CanaryInput, env: Pick<Env, 'now'>): GroupWork {
  checkArguments('state input env', state, input, env)
  const { group, canaries, status } = state
  const { desired, leaves = () => false, leaving = new Set() } = input
  const live = canaries.filter((each) => !isTerminalAllocation(each))
  if (status === 'failed')
    return {
      ...idle(group),
      stop: [...live, ...canaries.filter(isUnreplaced)].map(because(descriptions.notNeeded)),
    }
  // While paused nothing is placed, but draining nodes are left.
  if (status !== 'running') {
    const away = live.filter(({ NodeID }) => leaves(NodeID))
    return { ...idle(group), stop: away.map(because(descriptions.migrating)) }
  }
  // Until they return, others take the places of these.
  const outOfTouch = new Set(
    replacesDisconnected(group) ? live.filter(({ ClientStatus }) => ClientStatus === 'unknown') : [],
  )
  const unreplaced = [...outOfTouch].filter(({ NextAllocation }) => NextAllocation === '')
  const present = live.filter((each) => !outOfTouch.has(each))
  const twice = returned(group, present, ({ NodeID }) => !leaves(NodeID))
  const here = present.filter((each) => !twice.has(each))
  const moving = here.filter((each) => leaving.has(each)).map(because(descriptions.migrating))
  const failing = here.filter((each) => !leaves(each.NodeID) && isUnhealthy(each))
  const failed = [...canaries.filter(isUnreplaced), ...failing]
  // Only services have canaries.
  const again = failures({ job: { Type: 'service' }, now: env.now }, group, failed)
  const counted = here.length - failing.length - moving.length
  const missing = Math.max(0, desired - counted - again.held)
  const open = missing - moving.length - again.now.length - unreplaced.length
  const vacated = vacancies(group, canaries.filter(isVacated), { open, now: env.now })
  return {
    ...idle(group),
    stop: [...twice].map(because(descriptions.notNeeded)),
    place: missing - vacated.later.length,
    canary: true,
    later: [...again.later, ...vacated.later],
    replace: [
      ...again.now,
      ...unreplaced.map(because(descriptions.unknown)),
      ...vacated.now.map(because(descriptions.lost)),
      ...moving,
    ],
  }
}
