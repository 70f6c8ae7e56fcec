import type { AllocationRecord } from '../allocations/model.ts'
import { isTerminalAllocation } from '../allocations/rules.ts'
import { descriptions, type GroupWork } from './group-work.ts'

/**
 * How many allocations of a task group one step of the scheduler concerns, by what it does with them.
 */
export interface DesiredUpdates {
  readonly Ignore: number
  readonly Place: number
  readonly Migrate: number
  readonly Stop: number
  readonly InPlaceUpdate: number
  readonly DestructiveUpdate: number
  readonly Canary: number
  readonly Preemptions: number
  /** Of those to place, how many replace failed ones now, and how many failed ones are replaced later. */
  readonly RescheduleNow: number
  readonly RescheduleLater: number
}

/**
 * Counts the effects of the next step, by task group, including groups that the job no longer has.
 *
 * @param wanted - for each work, how many allocations to place, also those that find no node
 * @param preempted - for each work, how many other allocations are preempted
 */
export function desiredUpdates(
  works: readonly GroupWork[],
  allocations: readonly Pick<AllocationRecord, 'ID' | 'TaskGroup' | 'DesiredStatus' | 'ClientStatus'>[],
  wanted: readonly number[],
  preempted: readonly number[] = [],
): Readonly<Record<string, DesiredUpdates>> {
  const live = allocations.filter((each) => !isTerminalAllocation(each))
  const groupOf = new Map(live.map(({ ID, TaskGroup }) => [ID, TaskGroup]))
  const counts = new Map<string, { -readonly [Count in keyof DesiredUpdates]: number }>()
  const add = (group: string, what: keyof DesiredUpdates, count = 1) => {
    const found = counts.get(group) ?? { ...none }
    found[what] += count
    counts.set(group, found)
  }
  for (const [nth, { group, stop, replace, update, later, canary }] of works.entries()) {
    const { Name } = group
    add(Name, 'InPlaceUpdate', update.length)
    add(Name, 'Preemptions', preempted[nth] ?? 0)
    add(Name, 'RescheduleLater', later.length)
    const goes = [...stop]
    for (let at = 0; at < (wanted[nth] ?? 0); at += 1) {
      const replaced = replace[at]
      if (replaced?.description === descriptions.rescheduled) add(Name, 'RescheduleNow')
      // A disconnected one stays.
      const isLive =
        replaced !== undefined && groupOf.has(replaced.id) && replaced.description !== descriptions.unknown
      if (isLive && replaced.description === descriptions.updating) add(Name, 'DestructiveUpdate')
      else if (isLive) goes.push(replaced)
      if (!isLive || replaced.description === descriptions.migrating) add(Name, canary ? 'Canary' : 'Place')
    }
    for (const { id, description } of goes) {
      const from = groupOf.get(id)
      // Allocations that failed before need no stop.
      if (from !== undefined) add(from, description === descriptions.migrating ? 'Migrate' : 'Stop')
    }
  }
  const sizes = new Map<string, number>()
  for (const { TaskGroup } of live) sizes.set(TaskGroup, (sizes.get(TaskGroup) ?? 0) + 1)
  for (const [name, all] of sizes) {
    const { Migrate, Stop, InPlaceUpdate, DestructiveUpdate } = counts.get(name) ?? none
    add(name, 'Ignore', Math.max(0, all - Migrate - Stop - InPlaceUpdate - DestructiveUpdate))
  }
  return Object.fromEntries(counts)
}

const none: DesiredUpdates = {
  Ignore: 0,
  Place: 0,
  Migrate: 0,
  Stop: 0,
  InPlaceUpdate: 0,
  DestructiveUpdate: 0,
  Canary: 0,
  Preemptions: 0,
  RescheduleNow: 0,
  RescheduleLater: 0,
}
