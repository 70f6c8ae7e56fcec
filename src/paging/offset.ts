import { checkNumbers } from '../kernel/check-numbers.ts'
import type { PageLimits } from './limits.ts'

/**
 * A window into a list: skip `offset` rows, take `limit`.
 */
export interface OffsetWindow {
  /** How many rows to skip; 0 or more. */
  readonly offset: number
  /** How many rows to return; 1 or more. */
  readonly limit: number
}

/**
 * The position of a window, for navigation.
 */
export interface OffsetMeta {
  /** The applied limit, which may differ from the requested one. */
  readonly limit: number
  /** The offset that was applied. */
  readonly currentOffset: number
  /** The offset of the next window; absent if this one is the last. */
  readonly nextOffset?: number
  /** The offset of the previous window; absent if this one is the first. */
  readonly prevOffset?: number
}

/**
 * A window's rows and its position.
 */
export interface OffsetPage<Row> {
  /** The rows, in the order of the list. */
  readonly rows: readonly Row[]
  /** The applied offset and limit, and those of the neighbouring windows. */
  readonly meta: OffsetMeta
}

const whole = (text: string | undefined): number | undefined =>
  text !== undefined && /^\+?\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined

/**
 * Parses `offset` and `limit` as the module registry does: an invalid value falls back to its default, a value that is
 * too large to the maximum.
 *
 * @remarks
 * The applied limit is shown in the answer, so nothing is refused here.
 *
 * @example
 * ```ts
 * import { readOffset } from 'plinth/paging'
 *
 * readOffset({ limit: '10000', offset: 'x' }, { defaultLimit: 15, maxLimit: 100 }) // { offset: 0, limit: 100 }
 * ```
 */
export function readOffset(
  query: { readonly offset?: string | undefined; readonly limit?: string | undefined },
  limits: PageLimits,
): OffsetWindow {
  const { defaultLimit, maxLimit } = limits
  const { offset, limit } = query
  return { offset: whole(offset) ?? 0, limit: Math.min(whole(limit) || defaultLimit, maxLimit) }
}

/**
 * Describes a window: the applied offset and limit, and those of the neighbouring windows.
 *
 * @param more - whether rows follow the window
 * @throws RangeError if `offset` is not a whole number from 0, or `limit` from 1
 *
 * @remarks
 * The previous window never starts below 0 and exists only if it starts before this one.
 *
 * @example
 * ```ts
 * import { offsetMeta } from 'plinth/paging'
 *
 * offsetMeta({ offset: 5, limit: 12 }, true)
 * // { limit: 12, currentOffset: 5, nextOffset: 17, prevOffset: 0 }
 * ```
 */
export function offsetMeta(window: OffsetWindow, more: boolean): OffsetMeta {
  const { offset, limit } = window
  checkNumbers({ least: 0, unit: 'rows', whole: true }, { offset })
  checkNumbers({ least: 1, unit: 'rows', whole: true }, { limit })
  return {
    limit,
    currentOffset: offset,
    ...(more ? { nextOffset: offset + limit } : {}),
    ...(offset > 0 ? { prevOffset: Math.max(0, offset - limit) } : {}),
  }
}

/**
 * Cuts a window out of a complete list.
 *
 * @throws RangeError if `offset` is not a whole number from 0, or `limit` from 1
 *
 * @example
 * ```ts
 * import { offsetPage } from 'plinth/paging'
 *
 * offsetPage(['a', 'b', 'c'], { offset: 1, limit: 1 })
 * // { rows: ['b'], meta: { limit: 1, currentOffset: 1, nextOffset: 2, prevOffset: 0 } }
 * ```
 */
export function offsetPage<Row>(list: readonly Row[], window: OffsetWindow): OffsetPage<Row> {
  const { offset, limit } = window
  const end = offset + limit
  return { rows: list.slice(offset, end), meta: offsetMeta(window, list.length > end) }
}

/**
 * The URL of another window of the same list: the path and query of this one with `offset` replaced.
 *
 * @returns path and query; `offset` is omitted if it is 0, every other parameter is kept, names are sorted so that each
 * window has one URL.
 *
 * @example
 * ```ts
 * import { offsetUrl } from 'plinth/paging'
 *
 * offsetUrl('/v1/modules?verified=true&limit=2&offset=4', 6) // '/v1/modules?limit=2&offset=6&verified=true'
 * ```
 */
export function offsetUrl(pathAndQuery: string, offset: number): string {
  const mark = pathAndQuery.indexOf('?')
  const path = mark < 0 ? pathAndQuery : pathAndQuery.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : pathAndQuery.slice(mark + 1))
  query.delete('offset')
  if (offset > 0) query.set('offset', String(offset))
  query.sort()
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
