import type { z } from 'zod'
import type { JobSpec } from '../jobs/model.ts'
import type { Affinity as AffinitySchema, Spread as SpreadSchema, TaskGroup } from '../jobs/task-group.ts'
import type { NodeRecord } from '../nodes/model.ts'
import { constraintTest } from './constraints.ts'
import { interpolated, nodeLookup } from './interpolate.ts'

type Affinity = Readonly<z.infer<typeof AffinitySchema>>
type Spread = Readonly<z.infer<typeof SpreadSchema>>

/** The preference for a node, from -1 to 1: the weights of the matching affinities, divided by all weights. */
export function affinityOf(
  job: Pick<JobSpec, 'Affinities'>,
  group: TaskGroup,
): ((node: NodeRecord) => number) | undefined {
  const affinities: readonly Affinity[] = [
    ...(job.Affinities ?? []),
    ...(group.Affinities ?? []),
    ...group.Tasks.flatMap(({ Affinities }) => Affinities ?? []),
  ]
  const whole = affinities.reduce((sum, { Weight }) => sum + Math.abs(Weight), 0)
  if (whole === 0) return undefined
  return (node) => {
    const lookup = nodeLookup(node)
    let score = 0
    for (const affinity of affinities) if (constraintTest(affinity)(lookup)) score += affinity.Weight
    return score / whole
  }
}

/** How allocations are spread over the values of an attribute, while they are placed. */
export interface Spreading {
  /** The value of a node; values without a target of their own are one value. `undefined` if the node has none. */
  readonly valueIn: (node: NodeRecord) => string | undefined
  readonly add: (value: string | undefined, count: number) => void
  /** How good one more allocation is on a node with a value; 0 decides nothing. */
  readonly boost: (value: string | undefined) => number
}

/** The lowest boost so far: values whose target is 0 get it. */
interface Lowest {
  boost: number
}

/** Stands for all values without a target. */
const others = '*'

/** The spreads of a job and of a group, for the desired count of the group. */
export function spreadsOf(
  job: Pick<JobSpec, 'Spreads'>,
  group: Pick<TaskGroup, 'Spreads' | 'Count'>,
): readonly Spreading[] {
  const spreads: readonly Spread[] = [...(group.Spreads ?? []), ...(job.Spreads ?? [])]
  const whole = spreads.reduce((sum, { Weight }) => sum + Weight, 0)
  const lowest: Lowest = { boost: -1 }
  return spreads.map((spread) => {
    const targets = spread.SpreadTarget ?? []
    const placed = new Map<string, number>()
    let range: CountRange | undefined
    const desired = desiredOf(targets, group.Count)
    const share = whole > 0 ? spread.Weight / whole : 0
    const attribute = interpolated(spread.Attribute)
    const aimed = new Set(targets.map(({ Value }) => Value))
    return {
      valueIn: (node) => {
        const value = attribute.in(nodeLookup(node))
        return value === undefined || aimed.size === 0 || aimed.has(value) ? value : others
      },
      add: (value, more) => {
        if (value === undefined) return
        const next = (placed.get(value) ?? 0) + more
        if (next > 0) placed.set(value, next)
        else placed.delete(value)
        range = undefined
      },
      boost: (value) => {
        if (value === undefined) return -1
        const own = placed.get(value) ?? 0
        if (aimed.size > 0) return aimedBoost(desired.get(value), own + 1, share, lowest)
        range ??= rangeOf(placed)
        return evenBoost(own, range)
      },
    }
  })
}

/** The desired count of each target; the others share what remains. */
function desiredOf(targets: NonNullable<Spread['SpreadTarget']>, count: number): ReadonlyMap<string, number> {
  const desired = new Map(targets.map(({ Value, Percent }) => [Value, (Percent / 100) * count]))
  const aimed = [...desired.values()].reduce((sum, each) => sum + each, 0)
  if (aimed > 0 && aimed < count) desired.set(others, count - aimed)
  return desired
}

/** How far a value is below its target, with one more allocation. */
function aimedBoost(desired: number | undefined, used: number, share: number, lowest: Lowest): number {
  if (desired === undefined) return -1
  if (desired === 0) return lowest.boost
  const boost = ((desired - used) / desired) * share
  lowest.boost = Math.min(lowest.boost, boost)
  return boost
}

/** The smallest and the largest of some counts. */
type CountRange = { readonly least: number; readonly most: number } | 'none'

function rangeOf(placed: ReadonlyMap<string, number>): CountRange {
  if (placed.size === 0) return 'none'
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const number of placed.values()) {
    if (number < least) least = number
    if (number > most) most = number
  }
  return { least, most }
}

/** How far a value is below the others. */
function evenBoost(own: number, range: CountRange): number {
  if (range === 'none') return 0
  const { least, most } = range
  if (own !== least) return (least - own) / least
  return least === most ? -1 : (most - least) / least
}
