import { checkNumbers } from '../kernel/check-numbers.ts'
import { type Refused, refuse } from '../kernel/index.ts'
import type { PageLimits } from './limits.ts'

/**
 * One page of a numbered list: the first is page 1.
 */
export interface PageRequest {
  /** The page number; 1 or more. */
  readonly page: number
  /** How many rows a page holds; 1 or more. */
  readonly limit: number
}

/**
 * A page's rows, and the number of pages.
 */
export interface NumberedPage<Row> {
  /** The rows, in the order of the list; none past the last page. */
  readonly rows: readonly Row[]
  /** The number of pages of the list at this limit; 0 if it is empty. */
  readonly pageCount: number
}

/**
 * Parses `page` and `limit` as the box catalog does: a number out of range falls back to the nearest number in range; a
 * value that is not a whole number is refused.
 *
 * @returns the page, or `invalid_page` with the parameter in its detail
 *
 * @example
 * ```ts
 * import { readPage } from 'plinth/paging'
 *
 * readPage({ limit: '1000' }, { defaultLimit: 10, maxLimit: 100 })
 * // { ok: true, value: { page: 1, limit: 100 } }
 * ```
 */
export function readPage(
  query: { readonly page?: string | undefined; readonly limit?: string | undefined },
  limits: PageLimits,
): { readonly ok: true; readonly value: PageRequest } | Refused<'invalid_page'> {
  const { page, limit } = query
  for (const [parameter, text] of Object.entries({ page, limit })) {
    if (text !== undefined && text !== '' && !/^[+-]?\d+$/.test(text))
      return refuse('invalid_page', `${parameter} must be a whole number`, { parameter })
  }
  const { defaultLimit, maxLimit } = limits
  return {
    ok: true,
    value: {
      page: within(page, 1, 1, Number.MAX_SAFE_INTEGER),
      limit: within(limit, defaultLimit, 1, maxLimit),
    },
  }
}

const within = (text: string | undefined, otherwise: number, least: number, most: number): number =>
  text === undefined || text === '' ? otherwise : Math.min(most, Math.max(least, Number(text)))

/**
 * Cuts a page out of a complete list.
 *
 * @throws RangeError if `page` or `limit` is not a whole number from 1
 *
 * @example
 * ```ts
 * import { numberedPage } from 'plinth/paging'
 *
 * numberedPage(['a', 'b', 'c'], { page: 2, limit: 2 }) // { rows: ['c'], pageCount: 2 }
 * ```
 */
export function numberedPage<Row>(list: readonly Row[], request: PageRequest): NumberedPage<Row> {
  const { page, limit } = request
  checkNumbers({ least: 1, unit: 'pages', whole: true }, { page })
  checkNumbers({ least: 1, unit: 'rows', whole: true }, { limit })
  return { rows: list.slice((page - 1) * limit, page * limit), pageCount: Math.ceil(list.length / limit) }
}
