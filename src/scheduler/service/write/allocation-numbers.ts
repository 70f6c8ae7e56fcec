import type { AllocationRecord } from '../../allocations/model.ts'
import { isTerminalAllocation, numberOf } from '../../allocations/rules.ts'
import type { GroupWork } from '../../placement/group-work.ts'

/**
 * Numbers new allocations of a group and a version of its job: like the allocation that it replaces, if no other live one
 * has that number, and otherwise by the lowest free number.
 */
export function numbering(
  { update, group }: GroupWork,
  own: readonly AllocationRecord[],
  version: number,
): (replaced: AllocationRecord | undefined) => number {
  const kept = new Set(update)
  const holders = new Map<number, string>()
  for (const each of own)
    if (!isTerminalAllocation(each) && (each.JobVersion === version || kept.has(each.ID)))
      holders.set(numberOf(each), each.ID)
  let lowest = 0
  return (replaced) => {
    const before = replaced === undefined ? -1 : numberOf(replaced)
    const holder = holders.get(before)
    const isFree = before >= 0 && before < group.Count && (holder === undefined || holder === replaced?.ID)
    while (!isFree && holders.has(lowest)) lowest += 1
    const number = isFree ? before : lowest
    holders.set(number, '')
    return number
  }
}
