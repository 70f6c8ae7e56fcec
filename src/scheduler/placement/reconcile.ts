import { isTerminalAllocation } from '../allocations/rules.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { failures, isUnreplaced } from './failures.ts'
import { because, descriptions, type GroupWork, idle, type Seen, type Situation } from './group-work.ts'

/**
 * What a job's task groups want done now: a pure comparison of what is specified and what there is. System jobs are
 * placed once on every node and are not handled here.
 */
export function reconcile(situation: Situation): readonly GroupWork[] {
  const { job, allocations } = situation
  const own = byGroup(allocations)
  const works = job.TaskGroups.flatMap((group) => groupWorks(situation, group, own(group.Name)))
  return withStrays(works, job, allocations)
}

/** A job's allocations by the task group they are of. */
export function byGroup<Row extends Pick<Seen, 'TaskGroup'>>(
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

/** Adds the allocations of groups that the job no longer has, which are to stop. */
export function withStrays(
  works: readonly GroupWork[],
  job: JobSpec,
  allocations: readonly Seen[],
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
  situation: Situation,
  group: TaskGroup,
  own: readonly Seen[],
): GroupWork | readonly GroupWork[] {
  const { job, deployment, leaves } = situation
  const isPresent = (each: Seen) => each.JobVersion === job.Version
  const groups = deployment?.TaskGroups ?? {}
  const state = Object.hasOwn(groups, group.Name) ? groups[group.Name] : undefined
  const needsPromotion = state !== undefined && state.DesiredCanaries > 0 && !state.Promoted
  // Of many groups most have all they want, at most times.
  const isSettled = (each: Seen) => isPresent(each) && !isTerminalAllocation(each) && !leaves(each.NodeID)
  if (!needsPromotion && own.length === group.Count && own.every(isSettled)) return idle(group)
  const live = own.filter((each) => !isTerminalAllocation(each))
  const leaving = live.filter(({ NodeID }) => leaves(NodeID))
  const staying = live.filter(({ NodeID }) => !leaves(NodeID))
  // What was tried only, of an earlier version, is no proof of this one.
  const isTried = (each: Seen) => needsPromotion && isCanary(each)
  const kept = new Set(
    staying.filter(
      (each) => !isPresent(each) && !isTried(each) && situation.unchanged(each) && situation.fits(each),
    ),
  )
  const present = staying.filter((each) => isPresent(each) || kept.has(each))
  const earlier = staying.filter((each) => !isPresent(each) && !kept.has(each))
  const failed = failures(situation, group, own)
  const done = job.Type === 'batch' ? own.filter((each) => isDone(each, situation)).length : 0
  const count = Math.max(0, group.Count - done)

  if (deployment?.Status === 'paused') return idle(group)
  const still = { ...idle(group), later: failed.later }
  const canaries = present.filter(isCanary)
  // Canaries stand beside as many as are wanted, and not in their places, until they are promoted.
  const leavingCanaries = needsPromotion ? leaving.filter((each) => isPresent(each) && isCanary(each)) : []
  const standing = live.length - (needsPromotion ? canaries.length : 0) - leavingCanaries.length
  const away = leaving.filter((each) => !leavingCanaries.includes(each))
  const outmoded = [...away, ...inOrderOfLeaving(earlier), ...inOrderOfLeaving([...kept])].slice(
    0,
    Math.max(0, standing - count),
  )
  const outdated = outmoded.map(because(descriptions.notNeeded))
  const moving = away.filter((each) => !outmoded.includes(each)).map(because(descriptions.migrating))
  /** Makes up for what nodes took with them while canaries are tried: by the version that proved itself. */
  const madeUp = (): readonly GroupWork[] => {
    const { stable: version } = situation
    const unreplaced = own.filter((each) => each.JobVersion === version && isUnreplaced(each))
    const place = count - (staying.length - canaries.length) - unreplaced.length
    return version === undefined || place <= 0 ? [] : [{ ...idle(group), version, place, replace: moving }]
  }
  if (deployment?.Status === 'failed' && needsPromotion) {
    const stop = [...[...canaries, ...leavingCanaries].map(because(descriptions.notNeeded)), ...outdated]
    return [{ ...still, stop }, ...madeUp()]
  }
  if (deployment?.Status === 'failed' && earlier.length > 0) {
    // The roll-out goes no further, but what nodes took with them is made up for. What failed by itself is not.
    const gone = count - staying.length - failed.held - failed.now.length
    return { ...still, place: Math.max(0, gone), stop: outdated, replace: moving }
  }
  if (needsPromotion) {
    const place = Math.max(0, state.DesiredCanaries - canaries.length)
    const update = [...kept].filter((each) => !outmoded.includes(each)).map(({ ID }) => ID)
    const replace = leavingCanaries.map(because(descriptions.migrating))
    return [{ ...still, place, canary: true, stop: outdated, replace, update }, ...madeUp()]
  }
  const surplus = present.slice(count)
  const update = present.slice(0, count).filter((each) => kept.has(each))
  const missing = Math.max(0, count - present.length - failed.held)
  // Beside earlier allocations, or while some are not healthy yet, a roll-out goes on a few at a time.
  const rolling = state !== undefined && deployment?.Status === 'running' && earlier.length > 0
  const strategy = group.Update ?? job.Update
  const unproven = present.filter((each) => kept.has(each) || each.DeploymentStatus?.Healthy !== true).length
  const allowed = rolling ? Math.max(0, (strategy?.MaxParallel ?? 1) - unproven) : missing
  // Earlier ones beyond what is wanted make room first; the others go one by one as new ones come.
  const beyond = Math.max(
    0,
    present.length + earlier.length + leaving.length - Math.max(count, present.length),
  )
  const updated = earlier.map(because(descriptions.updating))
  const extra = updated.slice(0, Math.min(beyond, updated.length))
  const migrated = leaving.map(because(descriptions.migrating))
  const extraAway = migrated.slice(0, Math.max(0, beyond - extra.length))
  return {
    ...still,
    place: Math.min(missing, allowed),
    stop: [...surplus.map(because(descriptions.notNeeded)), ...extra, ...extraAway],
    replace: [...failed.now, ...updated.slice(extra.length), ...migrated.slice(extraAway.length)],
    update: update.map(({ ID }) => ID),
  }
}

const isCanary = ({ DeploymentStatus }: Seen): boolean => DeploymentStatus?.Canary === true

/**
 * Which allocations of earlier versions go first where there are too many: canaries, which were placed beside the
 * others, and of newer versions before older ones, which have proved themselves for longer.
 */
const inOrderOfLeaving = (earlier: readonly Seen[]): readonly Seen[] =>
  earlier.toSorted((a, b) => Number(isCanary(b)) - Number(isCanary(a)) || b.JobVersion - a.JobVersion)

/** A batch allocation that ran to its end is not placed again. */
const isDone = (each: Seen, { unchanged }: Situation): boolean =>
  each.ClientStatus === 'complete' && each.DesiredStatus === 'run' && unchanged(each)
