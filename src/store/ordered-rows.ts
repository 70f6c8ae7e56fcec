import { checkRange } from './check.ts'
import { prefixEnd } from './keys.ts'
import { type Leaf, type Leaves, leafAt, placeIn } from './leaves.ts'
import type { Range } from './port.ts'

/**
 * Some rows of a table: like the {@link Range} of a store, over row keys made by `rowKey`.
 *
 * @public
 */
export type RowRange = Partial<Range>

/**
 * The rows of a table in one order, as of one revision.
 *
 * @public
 */
export interface OrderedRows<Row> {
  /** The rows of a range, in the direction of travel. */
  scan(range?: RowRange): Row[]
  /** The same in runs of at most 256, for `filter.select`: most are handed out without being copied. */
  chunks(range?: RowRange): Iterable<readonly Row[]>
}

/** Leaves as their readers see them. */
export const ordered = <Row>(leaves: Leaves<Row>): OrderedRows<Row> => ({
  scan: (range = {}) => {
    const found: Row[] = []
    for (const run of runs(leaves, range)) for (const row of run) found.push(row)
    return found
  },
  chunks: (range = {}) => runs(leaves, range),
})

function* runs<Row>(leaves: Leaves<Row>, range: RowRange): Iterable<readonly Row[]> {
  checkRange({ prefix: '', ...range })
  const { low, high } = bounds(leaves, range)
  let left = range.limit ?? Number.POSITIVE_INFINITY
  const reverse = range.reverse === true
  let at = reverse ? high.leaf : low.leaf
  while (left > 0 && (reverse ? at >= low.leaf : at <= high.leaf)) {
    const leaf: Leaf<Row> | undefined = leaves[at]
    if (leaf !== undefined) {
      let from = at === low.leaf ? low.place : 0
      let to = at === high.leaf ? high.place : leaf.rows.length
      if (to - from > left) {
        if (reverse) from = to - left
        else to = from + left
      }
      if (to > from) {
        const whole = from === 0 && to === leaf.rows.length
        const run = whole ? leaf.rows : leaf.rows.slice(from, to)
        yield reverse ? run.toReversed() : run
        left -= to - from
      }
    }
    at += reverse ? -1 : 1
  }
}

interface Place {
  readonly leaf: number
  readonly place: number
}

/** Where a range begins, inclusive, and ends, exclusive, in ascending order. */
function bounds<Row>(leaves: Leaves<Row>, range: RowRange): { readonly low: Place; readonly high: Place } {
  const { prefix = '', from, after, reverse = false } = range
  // A page begins within its prefix: then the prefix's own bound on that side need not be looked for.
  const isWithin = from?.startsWith(prefix) === true
  const end = prefixEnd(prefix)
  let low: Place = isWithin && !reverse ? start : find(leaves, prefix)
  let high: Place =
    end === undefined || (isWithin && reverse) ? { leaf: leaves.length, place: 0 } : find(leaves, end)
  // No key holds U+0000: with it at the end, a text stands just behind itself.
  const bound = reverse
    ? [from === undefined ? undefined : `${from}\u0000`, after]
    : [from, after === undefined ? undefined : `${after}\u0000`]
  for (const text of bound) {
    if (text === undefined) continue
    const place = find(leaves, text)
    if (reverse ? isBefore(place, high) : isBefore(low, place)) {
      if (reverse) high = place
      else low = place
    }
  }
  return { low, high }
}

const start: Place = { leaf: 0, place: 0 }

const isBefore = (a: Place, b: Place): boolean => a.leaf < b.leaf || (a.leaf === b.leaf && a.place < b.place)

const find = <Row>(leaves: Leaves<Row>, key: string): Place => {
  const leaf = leafAt(leaves, key)
  return { leaf, place: placeIn(leaves[leaf]?.keys ?? [], key) }
}
