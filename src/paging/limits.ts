/**
 * How many rows a page may hold when the caller says nothing, or too much.
 *
 * @public
 */
export interface PageLimits {
  /** The number of rows of a page when the query has no valid number. */
  readonly defaultLimit: number
  /** The most rows of a page; a larger request is served with this one. */
  readonly maxLimit: number
}
