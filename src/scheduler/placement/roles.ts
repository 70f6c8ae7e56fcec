import { isTerminalAllocation, isUnhealthy, numberOf } from '../allocations/rules.ts'
import { replacesDisconnected } from '../jobs/disconnect.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { isUnreplaced } from './failures.ts'
import type { ReconcileFacts, SeenAllocation } from './group-work.ts'
import { returned } from './returned.ts'
import { isVacated } from './vacancies.ts'

/** The allocations of a task group, by the part that each plays. */
export interface Roles {
  /** Of the current version; until they are promoted, they run in addition to the desired count. */
  readonly canaries: readonly SeenAllocation[]
  /** Those that have not ended, beside canaries, disconnected and unhealthy ones. */
  readonly live: readonly SeenAllocation[]
  /** Live ones on nodes that should be left. */
  readonly away: readonly SeenAllocation[]
  /** Live ones of earlier versions that continue as they are. */
  readonly kept: ReadonlySet<SeenAllocation>
  /** Disconnected ones: until they return, others take their places. */
  readonly outOfTouch: readonly SeenAllocation[]
  /** Failed and unhealthy ones that are not replaced yet. */
  readonly failed: readonly SeenAllocation[]
  /** Completed ones of a batch. */
  readonly done: readonly SeenAllocation[]
  /** Those whose places are to be filled again. */
  readonly vacated: readonly SeenAllocation[]
  readonly isPresent: (each: SeenAllocation) => boolean
  /** Whether one is of the current version, or continues as it is in it. */
  readonly isOfNow: (each: SeenAllocation) => boolean
}

export function rolesOf(
  facts: ReconcileFacts,
  group: TaskGroup,
  own: readonly SeenAllocation[],
  needsPromotion: boolean,
): Roles {
  const { job, deployment, leaves, unchanged } = facts
  const isPresent = (each: SeenAllocation) => each.JobVersion === job.Version
  const isAway = ({ NodeID }: SeenAllocation) => leaves(NodeID)
  // Canaries of an earlier version say nothing about this one.
  const isTried = (each: SeenAllocation) => needsPromotion && isCanary(each)
  const isBeside = (each: SeenAllocation) => isTried(each) && isPresent(each)
  const others = own.filter((each) => !isBeside(each))
  const unended = others.filter((each) => !isTerminalAllocation(each))
  const outOfTouch = new Set(
    replacesDisconnected(group) ? unended.filter(({ ClientStatus }) => ClientStatus === 'unknown') : [],
  )
  const failing = new Set(
    unended.filter((each) => !outOfTouch.has(each) && !isAway(each) && isFailing(each, deployment)),
  )
  const live = unended.filter((each) => !outOfTouch.has(each) && !failing.has(each))
  const kept = new Set(
    live.filter((each) => !isPresent(each) && !isTried(each) && unchanged(each) && facts.fits(each)),
  )
  return {
    canaries: own.filter(isBeside),
    live,
    away: live.filter(isAway),
    kept,
    outOfTouch: [...outOfTouch],
    failed: [...others.filter(isUnreplaced), ...failing],
    done: job.Type === 'batch' ? own.filter((each) => isDone(each, facts)) : [],
    vacated: others.filter(isVacated),
    isPresent,
    isOfNow: (each) => isPresent(each) || kept.has(each),
  }
}

/** Each occupies a place, failed or not. If there are too many, the least useful ones stop first. */
export function surplusOf(
  group: TaskGroup,
  { live, away, failed, done, isOfNow }: Roles,
): ReadonlySet<SeenAllocation> {
  const excess = failed.length + live.length + done.length - group.Count
  if (excess <= 0) return new Set()
  const leaving = new Set(away)
  const twice = returned(group, live, (each) => isOfNow(each) && !leaving.has(each))
  const here = live.filter((each) => !leaving.has(each) && !twice.has(each))
  const present = here.filter(isOfNow)
  const earlier = inOrderOfLeaving(here.filter((each) => !isOfNow(each)))
  const names = new Set(present.map(numberOf))
  // Two with one name never stay: of promoted canaries and those before them, the canaries do.
  const isNamesake = (each: SeenAllocation) => names.has(numberOf(each))
  const namesakes = earlier.filter(isNamesake)
  const others = earlier.filter((each) => !isNamesake(each))
  const leastUseful = [
    ...failed,
    ...twice,
    ...away,
    ...namesakes,
    ...others,
    ...highestFirst([...present, ...done]),
  ]
  return new Set(leastUseful.slice(0, excess))
}

/** Whether an allocation was judged unhealthy by the running deployment: it is replaced like a failed one. */
export const isFailing = (each: SeenAllocation, deployment: ReconcileFacts['deployment']): boolean =>
  each.ClientStatus !== 'failed' &&
  deployment?.Status === 'running' &&
  each.DeploymentID !== '' &&
  each.DeploymentID === deployment.ID &&
  isUnhealthy(each)

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
