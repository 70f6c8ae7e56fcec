import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Instant, type Outcome, step } from '../../kernel/index.ts'
import { fromRfc3339, rfc3339 } from '../values/instants.ts'
import { deploymentDescriptions } from './lifecycle.ts'
import type { DeploymentRecord, DeploymentState } from './model.ts'
import { isTerminalDeployment } from './rules.ts'
import { type DeploymentMoved, deploymentMoved } from './steer.ts'

/**
 * The fields of a deployment's allocation that affect its progress.
 */
export interface DeployedAllocation {
  readonly id: string
  readonly group: string
  readonly canary: boolean
  /** `null` while its health is unknown. */
  readonly healthy: boolean | null
}

/**
 * Recounts a deployment's allocations, and completes it once every group has all that it wants.
 *
 * @remarks
 * The counts are recomputed from the allocations, never added up, so they cannot drift. A group's progress deadline
 * starts with its first allocation and restarts with each further healthy one. Until then unhealthy allocations are
 * replaced. A deployment fails earlier if several allocations are wanted and all of them are unhealthy, and with the
 * first unhealthy one of a group without a progress deadline.
 *
 * @param input - every allocation of the deployment
 *
 * @returns the next action: none, continue placing, promote automatically, fail, or complete
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { JobSpec, newDeployment, trackDeployment } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const job = JobSpec.parse({ ID: 'web', Update: { ProgressDeadline: 0 }, TaskGroups: [{ Name: 'app' }] })
 * const deployment = newDeployment({ job }, env)
 * if (deployment) {
 *   const tracked = (healthy: boolean | null) =>
 *     unwrapStep(
 *       trackDeployment(deployment, { allocations: [{ id: 'a1', group: 'app', canary: false, healthy }] }, env),
 *     )
 *   tracked(null).value // 'waiting'
 *   tracked(false).value // 'unhealthy'
 *   tracked(true).state.Status // 'successful'
 * }
 * ```
 */
export function trackDeployment(
  deployment: DeploymentRecord,
  input: { readonly allocations: readonly DeployedAllocation[] },
  env: Env,
): Outcome<DeploymentRecord, Progress, DeploymentMoved> {
  checkArguments('deployment input env', deployment, input, env)
  return trackCounts(deployment, countByGroup(input.allocations), env)
}

/** The same with the counts of every group. */
export function trackCounts(
  deployment: DeploymentRecord,
  counts: ReadonlyMap<string, GroupCounts>,
  env: Env,
): Outcome<DeploymentRecord, Progress, DeploymentMoved> {
  if (isTerminalDeployment(deployment)) return answer(deployment, 'over')
  const state = step(deployment, (draft) => {
    // Only changed groups are drafted: there may be thousands, and most stay unchanged.
    for (const name of Object.keys(deployment.TaskGroups)) {
      const before = deployment.TaskGroups[name]
      const found = counts.get(name) ?? none
      if (before === undefined || isCounted(before, found)) continue
      const group = draft.TaskGroups[name]
      if (group === undefined) continue
      const grew = found.healthy > group.HealthyAllocs || (group.PlacedAllocs === 0 && found.placed > 0)
      // A paused deployment has no deadline: resuming sets one.
      if (grew && group.ProgressDeadline > 0 && deployment.Status !== 'paused')
        group.RequireProgressBy = rfc3339(env.now + group.ProgressDeadline / 1e6)
      group.PlacedAllocs = found.placed
      group.HealthyAllocs = found.healthy
      group.UnhealthyAllocs = found.unhealthy
      // Promoted allocations are no canaries any more.
      if (!group.Promoted) group.PlacedCanaries = found.canaries.length > 0 ? [...found.canaries] : null
    }
  }).state
  const progress = judge(state, counts)
  if (progress !== 'successful') return { ok: true, state, value: progress, events: [] }
  return step(state, (draft, emit: (event: DeploymentMoved) => void) => {
    draft.Status = 'successful'
    draft.StatusDescription = deploymentDescriptions.successful
    emit(deploymentMoved(deployment, 'successful'))
    return progress
  })
}

/**
 * The state of a deployment: `unhealthy` and `promotable` mean that it should be failed or promoted.
 */
export type Progress = 'over' | 'waiting' | 'unhealthy' | 'promotable' | 'successful'

/**
 * Whether a running deployment has missed a group's progress deadline.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { JobSpec, missedDeadline, newDeployment, trackDeployment } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const job = JobSpec.parse({ ID: 'web', Update: { ProgressDeadline: 600e9 }, TaskGroups: [{ Name: 'app' }] })
 * const deployment = newDeployment({ job }, env)
 * const allocations = [{ id: 'a1', group: 'app', canary: false, healthy: null }]
 * if (deployment) {
 *   const begun = unwrapStep(trackDeployment(deployment, { allocations }, env)).state
 *   missedDeadline(begun, env.now + 599_000) // false
 *   missedDeadline(begun, env.now + 600_000) // true
 * }
 * ```
 */
export function missedDeadline(deployment: DeploymentRecord, now: Instant): boolean {
  const due = progressDue(deployment)
  return due !== undefined && due <= now
}

/**
 * When a running deployment fails without progress: the earliest deadline of its unfinished groups. A group whose
 * canaries are all healthy is waiting for a promotion, without a limit.
 */
export function progressDue({ Status, TaskGroups }: DeploymentRecord): Instant | undefined {
  if (Status !== 'running') return undefined
  const texts = new Set<string>()
  for (const group of Object.values(TaskGroups)) {
    const isBehind = !isDone(group) && !awaitsPromotion(group)
    // Groups that were started together have one deadline.
    if (isBehind && group.RequireProgressBy !== null) texts.add(group.RequireProgressBy)
  }
  const times = [...texts].flatMap((text) => fromRfc3339(text) ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The placed allocations of one group in a deployment. */
export interface GroupCounts {
  readonly placed: number
  readonly healthy: number
  readonly unhealthy: number
  readonly healthyCanaries: number
  /** By ID, in the order in which they were placed. */
  readonly canaries: readonly string[]
}

type Count = { -readonly [Name in keyof Omit<GroupCounts, 'canaries'>]: number } & {
  readonly canaries: string[]
}

const none: Count = { placed: 0, healthy: 0, unhealthy: 0, healthyCanaries: 0, canaries: [] }

function countByGroup(allocations: readonly DeployedAllocation[]): ReadonlyMap<string, GroupCounts> {
  const counts = new Map<string, Count>()
  for (const { id, group, canary, healthy } of allocations) {
    const count = counts.get(group) ?? { ...none, canaries: [] }
    count.placed += 1
    if (healthy === true) count.healthy += 1
    if (healthy === false) count.unhealthy += 1
    if (canary) count.canaries.push(id)
    if (canary && healthy === true) count.healthyCanaries += 1
    counts.set(group, count)
  }
  return counts
}

function judge(deployment: DeploymentRecord, counts: ReadonlyMap<string, GroupCounts>): Progress {
  const isRunning = deployment.Status === 'running'
  let isAllDone = true
  let [unpromoted, ready] = [0, 0]
  for (const name of Object.keys(deployment.TaskGroups)) {
    const group = deployment.TaskGroups[name]
    if (group === undefined) continue
    if (isHopeless(group)) return 'unhealthy'
    isAllDone &&= isDone(group)
    if (group.DesiredCanaries === 0 || group.Promoted) continue
    unpromoted += 1
    if (group.AutoPromote && (counts.get(name)?.healthyCanaries ?? 0) >= group.DesiredCanaries) ready += 1
  }
  if (isAllDone) return isRunning ? 'successful' : 'waiting'
  return unpromoted > 0 && ready === unpromoted && isRunning ? 'promotable' : 'waiting'
}

/** Whether nothing more is expected of the allocations of a group: a single one may fail because of its node. */
function isHopeless({
  UnhealthyAllocs,
  ProgressDeadline,
  DesiredTotal,
  DesiredCanaries,
  Promoted,
}: DeploymentState): boolean {
  if (UnhealthyAllocs === 0) return false
  const wanted = DesiredCanaries > 0 && !Promoted ? DesiredCanaries : DesiredTotal
  return ProgressDeadline === 0 || (wanted > 1 && UnhealthyAllocs >= wanted)
}

const isCounted = (group: DeploymentState, found: GroupCounts): boolean =>
  group.PlacedAllocs === found.placed &&
  group.HealthyAllocs === found.healthy &&
  group.UnhealthyAllocs === found.unhealthy &&
  (group.Promoted ||
    ((group.PlacedCanaries?.length ?? 0) === found.canaries.length &&
      found.canaries.every((id, at) => group.PlacedCanaries?.[at] === id)))

const awaitsPromotion = ({ DesiredCanaries, Promoted, HealthyAllocs }: DeploymentState): boolean =>
  DesiredCanaries > 0 && !Promoted && HealthyAllocs >= DesiredCanaries

const isDone = ({ DesiredTotal, HealthyAllocs, DesiredCanaries, Promoted }: DeploymentState): boolean =>
  HealthyAllocs >= DesiredTotal && (DesiredCanaries === 0 || Promoted)
