import { checkRange } from '../port/check.ts'
import type { Range } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import { type Leaves, leafAt, placeIn } from './row-chunks.ts'

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

function* runs<Row>(leaves: Leaves<Row>, asked: RowRange): Iterable<readonly Row[]> {
  const { prefix = '', from, after, limit, reverse = false } = asked
  const range: Range = { prefix, from, after, limit, reverse }
  checkRange(range)
  const { low, high } = boundsOf(range)
  let left = limit ?? Number.POSITIVE_INFINITY
  let at = reverse ? lastLeaf(leaves, high) : leafAt(leaves, low)
  for (let leaf = leaves[at]; leaf !== undefined && left > 0; leaf = leaves[at]) {
    const { keys, rows } = leaf
    // Each leaf is asked what of it belongs: the far end is looked for only in the leaf that it lies in.
    const begin = placeIn(keys, low)
    const end = high === undefined ? rows.length : placeIn(keys, high)
    if (end > begin) {
      const start = reverse ? Math.max(begin, end - left) : begin
      const stop = reverse ? end : Math.min(end, begin + left)
      const run = start === 0 && stop === rows.length ? rows : rows.slice(start, stop)
      yield reverse ? run.toReversed() : run
      left -= stop - start
    }
    if (reverse ? begin > 0 : end < rows.length) return
    at += reverse ? -1 : 1
  }
}

/** The last leaf that may hold a key below `high`. */
const lastLeaf = <Row>(leaves: Leaves<Row>, high: string | undefined): number =>
  (high === undefined ? leaves.length : Math.min(leaves.length, leafAt(leaves, high) + 1)) - 1
