import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env } from '../../kernel/index.ts'
import { isTerminalAllocation, isUnhealthy, numberOf } from '../allocations/rules.ts'
import type { DeploymentState } from '../deployments/model.ts'
import { migrateStrategyOf } from '../jobs/defaults.ts'
import { replacesDisconnected } from '../jobs/disconnect.ts'
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
} from './group-work.ts'
import { returned } from './returned.ts'
import { isVacated, vacancies } from './vacancies.ts'

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
  const state = Object.hasOwn(groups, group.Name) ? groups[group.Name] : undefined
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

/** Whether an allocation was judged unhealthy by the running deployment: it is replaced like a failed one. */
const isFailing = (each: SeenAllocation, deployment: ReconcileFacts['deployment']): boolean =>
  each.ClientStatus !== 'failed' &&
  deployment?.Status === 'running' &&
  each.DeploymentID !== '' &&
  each.DeploymentID === deployment.ID &&
  isUnhealthy(each)

function unsettledWorks(
  facts: ReconcileFacts,
  group: TaskGroup,
  own: readonly SeenAllocation[],
  state: DeploymentState | undefined,
): GroupWork | readonly GroupWork[] {
  const { job, deployment, leaves, unchanged } = facts
  const isPresent = (each: SeenAllocation) => each.JobVersion === job.Version
  const isAway = ({ NodeID }: SeenAllocation) => leaves(NodeID)
  const needsPromotion = isTrying(state)
  // Canaries of an earlier version say nothing about this one.
  const isTried = (each: SeenAllocation) => needsPromotion && isCanary(each)
  // Until they are promoted, canaries run in addition to the desired count.
  const isBeside = (each: SeenAllocation) => isTried(each) && isPresent(each)
  const unended = own.filter((each) => !isTerminalAllocation(each) && !isBeside(each))
  // Until they return, others take the places of these.
  const outOfTouch = new Set(
    replacesDisconnected(group) ? unended.filter(({ ClientStatus }) => ClientStatus === 'unknown') : [],
  )
  const failing = new Set(
    unended.filter((each) => !outOfTouch.has(each) && !isAway(each) && isFailing(each, deployment)),
  )
  const live = unended.filter((each) => !outOfTouch.has(each) && !failing.has(each))
  const away = live.filter(isAway)
  const kept = new Set(
    live.filter((each) => !isPresent(each) && !isTried(each) && unchanged(each) && facts.fits(each)),
  )
  const isOfNow = (each: SeenAllocation) => isPresent(each) || kept.has(each)
  const failed = [...own.filter((each) => isUnreplaced(each) && !isBeside(each)), ...failing]

  const done = job.Type === 'batch' ? own.filter((each) => isDone(each, facts)) : []
  // Each of these occupies a place, failed or not. If there are too many, the least useful ones stop first.
  const existing = failed.length + live.length
  const occupied = existing + done.length
  const leastUseful = () => {
    const twice = returned(group, live, (each) => isOfNow(each) && !isAway(each))
    const here = live.filter((each) => !isAway(each) && !twice.has(each))
    const present = here.filter(isOfNow)
    const earlier = inOrderOfLeaving(here.filter((each) => !isOfNow(each)))
    const names = new Set(present.map(numberOf))
    // Two with one name never stay: of promoted canaries and those before them, the canaries do.
    const isNamesake = (each: SeenAllocation) => names.has(numberOf(each))
    const namesakes = earlier.filter(isNamesake)
    const others = earlier.filter((each) => !isNamesake(each))
    return [...failed, ...twice, ...away, ...namesakes, ...others, ...highestFirst([...present, ...done])]
  }
  const surplus = new Set(occupied > group.Count ? leastUseful().slice(0, occupied - group.Count) : [])
  const stays = (each: SeenAllocation) => !surplus.has(each)
  const stop = [...surplus]
    .filter((each) => !isTerminalAllocation(each) || isUnreplaced(each))
    .map(because(descriptions.notNeeded))
  const count = Math.max(0, group.Count - done.filter(stays).length)
  const canaries = own.filter(isBeside)
  // While paused they only leave, and are not replaced.
  const tried = deployment?.Status === 'running' ? canaries.filter((each) => !isTerminalAllocation(each)) : []
  const leaving = drainPace(
    {
      away: [...away.filter(stays), ...tried.filter(isAway)],
      existing: [...live.filter(stays), ...tried],
    },
    { strategy: migrateStrategyOf(group), count: count + tried.length },
    facts,
  )
  // Allocations that must wait on a draining node are treated like those on any other.
  const staying = live.filter((each) => stays(each) && !leaving.now.has(each))
  const moving = away.filter((each) => leaving.now.has(each))
  const present = staying.filter(isOfNow)
  const earlier = staying.filter((each) => !isOfNow(each))
  const update = present.filter((each) => kept.has(each)).map(({ ID }) => ID)
  const open = Math.max(0, count - existing)
  const vacated = vacancies(
    group,
    own.filter((each) => isVacated(each) && !isBeside(each)),
    { open, now: facts.now },
  )

  const isOver = deployment?.Status === 'failed'
  const isPaused = deployment !== undefined && waiting.has(deployment.Status)
  const isHalted = needsPromotion || isPaused || isOver
  // Failed allocations of a failed roll-out are not retried; those of other tasks are stopped when new ones are placed.
  const isTriedAgain = (each: SeenAllocation) => (isHalted ? !(isOver && isPresent(each)) : unchanged(each))
  const again = failures(
    facts,
    group,
    failed.filter((each) => stays(each) && isTriedAgain(each)),
  )
  // Vacated places are filled again, whatever the state of the roll-out.
  const left = [
    ...again.now,
    ...[...outOfTouch]
      .filter(({ NextAllocation }) => NextAllocation === '')
      .map(because(descriptions.unknown)),
    ...vacated.now.map(because(descriptions.lost)),
    ...moving.map(because(descriptions.migrating)),
  ]
  const work = { ...idle(group), stop, later: [...again.later, ...vacated.later], again: leaving.again }
  if (isHalted) {
    // While there are canaries, with the version that proved stable, or that of what is replaced.
    const [first] = left
    const version = needsPromotion
      ? (facts.stable ?? own.find(({ ID }) => ID === first?.id)?.JobVersion)
      : job.Version
    const goesOn: GroupWork = {
      ...work,
      version: version === job.Version ? undefined : version,
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
  // While earlier allocations remain, or some are not healthy yet, a roll-out continues a few at a time.
  const rolling = state !== undefined && deployment?.Status === 'running' && earlier.length > 0
  const strategy = group.Update ?? job.Update
  const unproven = present.filter((each) => kept.has(each) || each.DeploymentStatus?.Healthy !== true).length
  // While one of this version is unhealthy, no further healthy one of an earlier version makes room.
  const further = failed.some(isPresent) ? 0 : (strategy?.MaxParallel ?? 1) - unproven
  // Those that only move are proven already.
  const fresh = empty + left.length - moving.length
  const replaced = rolling ? outdated.slice(0, Math.max(0, further - fresh)) : outdated
  const replace = [...left, ...replaced.map(because(descriptions.updating))]
  return { ...work, place: Math.min(missing, empty + replace.length), replace, update }
}

/** The statuses of a deployment that can be resumed. */
const waiting: ReadonlySet<string> = new Set(['paused', 'pending', 'initializing'])

const highestFirst = (allocations: readonly SeenAllocation[]): readonly SeenAllocation[] =>
  allocations.toSorted((a, b) => numberOf(b) - numberOf(a))

const isCanary = ({ DeploymentStatus }: SeenAllocation): boolean => DeploymentStatus?.Canary === true

/**
 * The order in which excess allocations of earlier versions stop: canaries first, which run in addition to the others,
 * then newer versions before older ones, which have been stable for longer.
 */
const inOrderOfLeaving = (earlier: readonly SeenAllocation[]): readonly SeenAllocation[] =>
  earlier.toSorted((a, b) => Number(isCanary(b)) - Number(isCanary(a)) || b.JobVersion - a.JobVersion)

/** A completed batch allocation is not placed again, nor is one that a drain ended. */
const isDone = (each: SeenAllocation, { unchanged }: ReconcileFacts): boolean =>
  unchanged(each) &&
  ((each.ClientStatus === 'complete' && each.DesiredStatus === 'run') ||
    each.DesiredTransition?.MigrateDisablePlacement === true)
