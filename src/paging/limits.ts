/**
 * The default and maximum number of rows per page.
 */
export interface PageLimits {
  /** The number of rows of a page when the query has no valid number. */
  readonly defaultLimit: number
  /** The maximum number of rows of a page; a larger request gets this many. */
  readonly maxLimit: number
}
