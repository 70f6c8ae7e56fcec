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
  /** The value of a node; `undefined` if it has none. */
  readonly valueIn: (node: NodeRecord) => string | undefined
  /** Records a candidate with a value. */
  readonly sees: (value: string | undefined) => void
  readonly add: (value: string | undefined, count: number) => void
  /** How good one more allocation is on a node with a value: from -1 to 1, times the weight among all spreads. */
  readonly boost: (value: string | undefined) => number
}

/** The spreads of a job and of a group, for the desired count of the group. */
export function spreadsOf(
  job: Pick<JobSpec, 'Spreads'>,
  group: Pick<TaskGroup, 'Spreads' | 'Count'>,
): readonly Spreading[] {
  const spreads: readonly Spread[] = [...(group.Spreads ?? []), ...(job.Spreads ?? [])]
  const whole = spreads.reduce((sum, { Weight }) => sum + Weight, 0)
  return spreads.map((spread) => spreading(spread, group.Count, whole > 0 ? spread.Weight / whole : 0))
}

function spreading({ Attribute, SpreadTarget }: Spread, count: number, weight: number): Spreading {
  const attribute = interpolated(Attribute)
  const placed = new Map<string, number>()
  const seen = new Set<string>()
  let range: CountRange | undefined
  const desired =
    SpreadTarget === null || SpreadTarget.length === 0 ? undefined : desiredOf(SpreadTarget, count, seen)
  return {
    valueIn: (node) => attribute.in(nodeLookup(node)),
    sees: (value) => {
      if (value !== undefined) seen.add(value)
    },
    add: (value, more) => {
      if (value === undefined) return
      const next = (placed.get(value) ?? 0) + more
      if (next > 0) placed.set(value, next)
      else placed.delete(value)
      range = undefined
    },
    boost: (value) => {
      if (value === undefined) return -weight
      const own = placed.get(value) ?? 0
      if (desired !== undefined) return weight * desired(value, own + 1)
      range ??= rangeOf(placed)
      return weight * evenBoost(own, range)
    },
  }
}

/**
 * How far a value is below its share, with one more allocation. Values without a target share the remainder.
 *
 * @param seen - the values that candidates have; all of them once allocations are placed
 */
function desiredOf(targets: NonNullable<Spread['SpreadTarget']>, count: number, seen: ReadonlySet<string>) {
  const shares = new Map(targets.map(({ Value, Percent }) => [Value, (Percent / 100) * count]))
  const rest = (Math.max(0, 100 - targets.reduce((sum, { Percent }) => sum + Percent, 0)) / 100) * count
  let others: number | undefined
  return (value: string, used: number): number => {
    others ??= Math.max(1, [...seen].filter((each) => !shares.has(each)).length)
    const share = shares.get(value) ?? rest / others
    return share <= 0 ? -1 : Math.max(-1, (share - used) / share)
  }
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
  if (own < least) return 1
  if (own > least) return Math.max(-1, (least - own) / least)
  return least === most ? -1 : Math.min(1, (most - least) / least)
}
