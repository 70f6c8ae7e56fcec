import { checkNumbers } from '../kernel/check-numbers.ts'
import { compareText } from '../kernel/compare-text.ts'

/**
 * The key of a row, most significant part first: `['default', 'web']`, `[1042, '9f3c…']`.
 */
export type KeysetKey = readonly (string | number | boolean)[]

/**
 * The start, size and direction of a page.
 */
export interface KeysetRequest {
  /** Rows per page; 0 returns all remaining rows. */
  readonly perPage: number
  /** The first key of the page, inclusive; for a deleted key, the page starts at its successor. */
  readonly from?: KeysetKey | undefined
  /** Whether the rows come in descending order. */
  readonly reverse?: boolean | undefined
}

/**
 * A page and the first key of the next one.
 */
export interface KeysetPage<Row> {
  /** The rows, in the direction of travel. */
  readonly rows: readonly Row[]
  /** The key of the first row after the page; `undefined` on the last page. */
  readonly next: KeysetKey | undefined
}

/**
 * Orders keys part by part, never as one joined text: `['a', 'z']` comes before `['a-b', 'a']` although
 * `a-b.a` comes before `a.z`. `false` comes before `true`. A key that is the beginning of another comes first.
 *
 * @example
 * ```ts
 * import { compareKeysetKeys } from 'plinth/paging'
 *
 * compareKeysetKeys(['a', 'z'], ['a-b', 'a']) < 0 // true
 * ```
 */
export function compareKeysetKeys(left: KeysetKey, right: KeysetKey): number {
  for (let at = 0; at < left.length && at < right.length; at += 1) {
    const order = comparePart(left[at] ?? '', right[at] ?? '')
    if (order !== 0) return order
  }
  return left.length - right.length
}

const comparePart = (left: KeysetKey[number], right: KeysetKey[number]): number =>
  typeof left === 'number' && typeof right === 'number'
    ? left === right
      ? 0
      : left - right
    : compareText(String(left), String(right))

/**
 * Cuts one page from an ordered list. The page starts at a key, not at a position, so rows inserted or deleted between
 * two pages do not make other rows repeat or disappear.
 *
 * @param chunks - the rows in the direction of travel, in runs of any size; rows before `from` are skipped one by one,
 * so start close to it in a long list. A plain array is one run: `[rows]`.
 * @param keyOf - a row's key, unique and unchanging, by which the rows are ordered
 * @param select - filters the rows by visibility and by the query; it receives and returns rows in order, and is called
 * for only a few more rows than the page needs. A next key is returned only if another selected row exists.
 * @throws RangeError if `perPage` is not a whole number from 0
 *
 * @remarks
 * These are the query parameters `per_page`, `next_token` and `reverse`.
 *
 * @example
 * ```ts
 * import { keysetPage } from 'plinth/paging'
 *
 * const rows = ['a', 'b', 'c']
 * keysetPage([rows], (row) => [row], { perPage: 2 }) // { rows: ['a', 'b'], next: ['c'] }
 * keysetPage([rows], (row) => [row], { perPage: 2, from: ['bb'] }) // { rows: ['c'], next: undefined }
 * ```
 */
export function keysetPage<Row>(
  chunks: Iterable<readonly Row[]>,
  keyOf: (row: Row) => KeysetKey,
  request: KeysetRequest,
  select?: (rows: readonly Row[]) => readonly Row[],
): KeysetPage<Row> {
  const { perPage, from, reverse = false } = request
  checkNumbers({ least: 0, unit: 'rows', whole: true }, { perPage })
  const limit = perPage > 0 ? perPage : Number.POSITIVE_INFINITY
  const taken: Row[] = []
  let started = from === undefined
  let looked = 0
  for (const chunk of chunks) {
    let at = 0
    if (!started && from !== undefined) {
      at = firstAt(chunk, keyOf, from, reverse)
      started = at < chunk.length
    }
    while (at < chunk.length) {
      const missing = limit + 1 - taken.length
      const end = Math.min(chunk.length, at + (select ? runLength(missing, taken.length, looked) : missing))
      const run = at === 0 && end === chunk.length ? chunk : chunk.slice(at, end)
      const chosen = select ? select(run) : run
      looked += run.length
      at = end
      const room = limit - taken.length
      const extra = chosen[room]
      if (extra === undefined) {
        for (const row of chosen) taken.push(row)
      } else if (taken.length === 0) {
        return { rows: chosen.slice(0, room), next: keyOf(extra) }
      } else {
        for (let at = 0; at < room; at += 1) taken.push(chosen[at] as Row) // room < chosen.length
        return { rows: taken, next: keyOf(extra) }
      }
    }
  }
  return { rows: taken, next: undefined }
}

/** A call of `select` for fewer rows than this does not pay. */
const leastRun = 16

/**
 * How many rows to select from next: the missing ones, divided by the share that was selected so far.
 */
const runLength = (missing: number, taken: number, looked: number): number =>
  Math.max(missing, leastRun, taken === 0 ? 2 * looked : Math.ceil((missing * looked) / taken))

/** The position of the first row at or past `from`, by binary search; the run's length if there is none. */
function firstAt<Row>(
  run: readonly Row[],
  keyOf: (row: Row) => KeysetKey,
  from: KeysetKey,
  reverse: boolean,
): number {
  const first = run[0]
  if (first === undefined) return 0
  // If the source was given the start, it has cut the first run already.
  const order = compareKeysetKeys(keyOf(first), from)
  if (reverse ? order <= 0 : order >= 0) return 0
  let [low, high] = [1, run.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = run[middle] as Row // middle < run.length
    const order = compareKeysetKeys(keyOf(row), from)
    if (reverse ? order > 0 : order < 0) low = middle + 1
    else high = middle
  }
  return low
}
