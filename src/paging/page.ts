import { type Refused, refuse } from '../kernel/index.ts'

/**
 * One page of a numbered list: the first is page 1.
 *
 * @public
 */
export interface PageRequest {
  /** Which page; 1 or more. */
  readonly page: number
  /** How many items a page holds; 1 or more. */
  readonly limit: number
}

/**
 * How large a page may be.
 *
 * @public
 */
export interface PageLimits {
  /** The size of a page when none was asked for. */
  readonly defaultLimit: number
  /** The largest page; a larger request is served with this one. */
  readonly maxLimit: number
}

/**
 * Reads `page` and `limit` as the box catalog does: a number out of range is served with the nearest one in
 * range, and what is no whole number is refused.
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
 *
 * @public
 */
export function readPage(
  query: { readonly page?: string | undefined; readonly limit?: string | undefined },
  { defaultLimit, maxLimit }: PageLimits,
): { readonly ok: true; readonly value: PageRequest } | Refused<'invalid_page'> {
  for (const parameter of ['page', 'limit'] as const) {
    const text = query[parameter]
    if (text !== undefined && text !== '' && !/^[+-]?\d+$/.test(text))
      return refuse('invalid_page', `${parameter} must be a whole number`, { parameter })
  }
  const page = within(query.page, 1, 1, Number.MAX_SAFE_INTEGER)
  const limit = within(query.limit, defaultLimit, 1, maxLimit)
  return { ok: true, value: { page, limit } }
}

const within = (text: string | undefined, otherwise: number, least: number, most: number): number =>
  text === undefined || text === '' ? otherwise : Math.min(most, Math.max(least, Number(text)))

/**
 * Cuts a page out of a list that is at hand as a whole; a page past the end is empty.
 *
 * @example
 * ```ts
 * import { numberedPage } from 'plinth/paging'
 *
 * numberedPage(['a', 'b', 'c'], { page: 2, limit: 2 }) // ['c']
 * ```
 *
 * @public
 */
export const numberedPage = <Item>(items: readonly Item[], { page, limit }: PageRequest): readonly Item[] =>
  items.slice((page - 1) * limit, page * limit)
