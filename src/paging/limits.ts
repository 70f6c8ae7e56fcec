/**
 * How many rows a page may hold when the caller says nothing, or too much.
 *
 * @public
 */
export interface PageLimits {
  /** The rows of a page when no number, or none that makes sense, was asked for. */
  readonly defaultLimit: number
  /** The most rows of a page; a larger request is served with this one. */
  readonly maxLimit: number
}
