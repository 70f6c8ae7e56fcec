import { checkRange } from '../port/check.ts'
import type { Range } from '../port/port.ts'
import { boundsOf } from '../port/range-bounds.ts'
import { type Chunks, chunkAt, placeIn } from './row-chunks.ts'

/**
 * Some rows of a table: like the {@link Range} of a store, over row keys made by `rowKey`.
 */
export type RowRange = Partial<Range>

/**
 * The rows of a table in one order, as of one revision.
 */
export interface OrderedRows<Row> {
  /** The rows of a range, in the direction of travel. */
  scan(range?: RowRange): Row[]
  /** The same in runs of at most 256, for `filter.select`: most are handed out without being copied. */
  chunks(range?: RowRange): Iterable<readonly Row[]>
}

/** Chunks as readers see them. */
export const ordered = <Row>(chunks: Chunks<Row>): OrderedRows<Row> => ({
  scan: (range = {}) => {
    const found: Row[] = []
    for (const run of runs(chunks, range)) for (const row of run) found.push(row)
    return found
  },
  chunks: (range = {}) => runs(chunks, range),
})

function* runs<Row>(chunks: Chunks<Row>, asked: RowRange): Iterable<readonly Row[]> {
  const { prefix = '', from, after, limit, reverse = false } = asked
  const range: Range = { prefix, from, after, limit, reverse }
  checkRange(range)
  const { low, high } = boundsOf(range)
  let left = limit ?? Number.POSITIVE_INFINITY
  let at = reverse ? lastChunk(chunks, high) : chunkAt(chunks, low)
  for (let chunk = chunks[at]; chunk !== undefined && left > 0; chunk = chunks[at]) {
    const { keys, rows } = chunk
    // The range is applied per chunk: the end is searched only in the chunk that contains it.
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

/** The last chunk that may hold a key below `high`. */
const lastChunk = <Row>(chunks: Chunks<Row>, high: string | undefined): number =>
  (high === undefined ? chunks.length : Math.min(chunks.length, chunkAt(chunks, high) + 1)) - 1
