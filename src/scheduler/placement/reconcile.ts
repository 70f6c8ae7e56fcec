import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import { isTerminalAllocation } from '../allocations/rules.ts'
import type { DeploymentState } from '../deployments/model.ts'
import { migrateStrategyOf } from '../jobs/defaults.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { canaryWork } from './canary-work.ts'
import { drainPace } from './drain-pace.ts'
import { failures, isUnreplaced } from './failures.ts'
import {
  because,
  descriptions,
  type GroupWork,
  idle,
  type ReconcileFacts,
  type ReconcileInput,
  type ReconcileState,
  reconcileFactsOf,
  type SeenAllocation,
  type Stopping,
} from './group-work.ts'
import { isFailing, type Roles, rolesOf, surplusOf } from './roles.ts'
import { vacancies } from './vacancies.ts'

/**
 * Returns the next actions for the task groups of a job by comparing the specification with the allocations; pure.
 *
 * @remarks
 * Use {@link systemWork} for jobs of the types `system` and `sysbatch`, which are placed once on every node.
 *
 * @returns the work of each task group; two entries for a group with canaries
 *
 * @example
 * ```ts
 * import { AllocationRecord, JobSpec, reconcile } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Count: 3 }] })
 * const running = AllocationRecord.parse({ ID: 'a1', Name: 'web.app[0]', TaskGroup: 'app', ClientStatus: 'running' })
 * const [work] = reconcile({ job, allocations: [running] }, {}, { now: Date.UTC(2026, 0, 1) })
 * work?.place // 2
 * work?.stop // []
 * ```
 */
export function reconcile(
  state: ReconcileState,
  input: ReconcileInput,
  env: Pick<Env, 'now'>,
): readonly GroupWork[] {
  checkArguments('state input env', state, input, env)
  const facts = reconcileFactsOf(state, input, env)
  const { job, allocations } = facts
  const own = byGroup(allocations)
  const works = job.TaskGroups.flatMap((group) => groupWorks(facts, group, own(group.Name)))
  return withStrays(works, job, allocations)
}

/** A job's allocations by task group. */
export function byGroup<Row extends Pick<SeenAllocation, 'TaskGroup'>>(
  allocations: readonly Row[],
): (group: string) => readonly Row[] {
  const groups = new Map<string, Row[]>()
  for (const each of allocations) {
    const rows = groups.get(each.TaskGroup)
    if (rows === undefined) groups.set(each.TaskGroup, [each])
    else rows.push(each)
  }
  return (group) => groups.get(group) ?? []
}

/** Adds the allocations of groups that the job no longer has, which stop. */
export function withStrays(
  works: readonly GroupWork[],
  job: JobSpec,
  allocations: readonly SeenAllocation[],
): readonly GroupWork[] {
  const wanted = new Set(job.TaskGroups.map(({ Name }) => Name))
  const strays = allocations.filter((each) => !isTerminalAllocation(each) && !wanted.has(each.TaskGroup))
  const [first] = works
  if (strays.length === 0 || first === undefined) return works
  return [
    { ...first, stop: [...first.stop, ...strays.map(because(descriptions.notNeeded))] },
    ...works.slice(1),
  ]
}

function groupWorks(
  facts: ReconcileFacts,
  group: TaskGroup,
  own: readonly SeenAllocation[],
): GroupWork | readonly GroupWork[] {
  const groups = facts.deployment?.TaskGroups ?? {}
  const state = ownValue(groups, group.Name)
  // Most groups usually have all that they want.
  return !isTrying(state) && own.length === group.Count && own.every((each) => isSettled(each, facts))
    ? idle(group)
    : unsettledWorks(facts, group, own, state)
}

/** Whether the canaries of a group run until they are promoted. */
const isTrying = (state: DeploymentState | undefined): state is DeploymentState =>
  state !== undefined && state.DesiredCanaries > 0 && !state.Promoted

const isSettled = (each: SeenAllocation, { job, deployment, leaves }: ReconcileFacts): boolean =>
  each.JobVersion === job.Version &&
  !isTerminalAllocation(each) &&
  each.ClientStatus !== 'unknown' &&
  !isFailing(each, deployment) &&
  !leaves(each.NodeID)

function unsettledWorks(
  facts: ReconcileFacts,
  group: TaskGroup,
  own: readonly SeenAllocation[],
  state: DeploymentState | undefined,
): GroupWork | readonly GroupWork[] {
  const { deployment, leaves, unchanged } = facts
  const needsPromotion = isTrying(state)
  const roles = rolesOf(facts, group, own, needsPromotion)
  const { canaries, live, away, kept, failed, done } = roles
  const surplus = surplusOf(group, roles)
  const stays = (each: SeenAllocation) => !surplus.has(each)
  const stop = [...surplus]
    .filter((each) => !isTerminalAllocation(each) || isUnreplaced(each))
    .map(because(descriptions.notNeeded))
  const count = Math.max(0, group.Count - done.filter(stays).length)
  // While paused they only leave, and are not replaced.
  const tried = deployment?.Status === 'running' ? canaries.filter((each) => !isTerminalAllocation(each)) : []
  const leaving = drainPace(
    {
      away: [...away.filter(stays), ...tried.filter(({ NodeID }) => leaves(NodeID))],
      existing: [...live.filter(stays), ...tried],
    },
    { strategy: migrateStrategyOf(group), count: count + tried.length },
    facts,
  )
  // Allocations that must wait on a draining node are treated like those on any other.
  const staying = live.filter((each) => stays(each) && !leaving.now.has(each))
  const moving = away.filter((each) => leaving.now.has(each))
  const present = staying.filter(roles.isOfNow)
  const earlier = staying.filter((each) => !roles.isOfNow(each))
  const update = present.filter((each) => kept.has(each)).map(({ ID }) => ID)
  const open = Math.max(0, count - failed.length - live.length)
  const vacated = vacancies(group, roles.vacated, { open, now: facts.now })

  const isOver = deployment?.Status === 'failed'
  const isPaused = deployment !== undefined && waiting.has(deployment.Status)
  const isHalted = needsPromotion || isPaused || isOver
  // Failed allocations of a failed roll-out are not retried; those of other tasks are stopped when new ones are placed.
  const isTriedAgain = (each: SeenAllocation) =>
    isHalted ? !(isOver && roles.isPresent(each)) : unchanged(each)
  const again = failures(
    facts,
    group,
    failed.filter((each) => stays(each) && isTriedAgain(each)),
  )
  // Vacated places are filled again, whatever the state of the roll-out.
  const left = [
    ...again.now,
    ...roles.outOfTouch
      .filter(({ NextAllocation }) => NextAllocation === '')
      .map(because(descriptions.unknown)),
    ...vacated.now.map(because(descriptions.lost)),
    ...moving.map(because(descriptions.migrating)),
  ]
  const work = { ...idle(group), stop, later: [...again.later, ...vacated.later], again: leaving.again }
  if (isHalted) {
    const goesOn: GroupWork = {
      ...work,
      version: needsPromotion ? versionBeside(facts, own, left) : undefined,
      place: left.length,
      replace: left,
      update: isOver ? [] : update,
    }
    if (!isTrying(state)) return goesOn
    return [
      goesOn,
      canaryWork(
        { group, canaries, status: deployment?.Status },
        { desired: state.DesiredCanaries, leaves, leaving: leaving.now },
        facts,
      ),
    ]
  }
  const outdated = [...failed.filter((each) => stays(each) && !unchanged(each)), ...earlier]
  const missing = Math.max(0, count - present.length - again.held - vacated.later.length)
  // Nothing occupies these places.
  const empty = Math.max(0, missing - left.length - outdated.length)
  // Those that only move are proven already.
  const fresh = empty + left.length - moving.length
  const further = furtherIn(facts, group, roles, { state, present, earlier })
  const replaced = outdated.slice(0, Math.max(0, further - fresh))
  const replace = [...left, ...replaced.map(because(descriptions.updating))]
  return { ...work, place: Math.min(missing, empty + replace.length), replace, update }
}

/** While earlier allocations remain, or some are not healthy yet, a roll-out continues a few at a time. */
function furtherIn(
  { job, deployment }: ReconcileFacts,
  group: TaskGroup,
  { failed, kept, isPresent }: Roles,
  {
    state,
    present,
    earlier,
  }: {
    readonly state: DeploymentState | undefined
    readonly present: readonly SeenAllocation[]
    readonly earlier: readonly SeenAllocation[]
  },
): number {
  if (state === undefined || deployment?.Status !== 'running' || earlier.length === 0)
    return Number.POSITIVE_INFINITY
  // While one of this version is unhealthy, no further healthy one of an earlier version makes room.
  if (failed.some(isPresent)) return 0
  const unproven = present.filter((each) => kept.has(each) || each.DeploymentStatus?.Healthy !== true)
  return ((group.Update ?? job.Update)?.MaxParallel ?? 1) - unproven.length
}

/** While there are canaries, others are of the version that proved stable, or else of that of the first to be replaced. */
function versionBeside(
  { stable, job }: ReconcileFacts,
  own: readonly SeenAllocation[],
  [first]: readonly Stopping[],
): number | undefined {
  const version = stable ?? own.find(({ ID }) => ID === first?.id)?.JobVersion
  return version === job.Version ? undefined : version
}

/** The statuses of a deployment that can be resumed. */
const waiting: ReadonlySet<string> = new Set(['paused', 'pending', 'initializing'])
