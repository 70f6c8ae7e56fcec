import type { DirectoryQuery } from '../search/query.ts'

/**
 * Who reads: which namespaces that reader may see. Modules elsewhere do not exist for them.
 *
 * @public
 */
export interface Reader {
  /** The name of the reader, for `onRequest`; none by default. */
  readonly name?: string | undefined
  /** Every namespace by default. */
  readonly namespaces?: readonly string[] | undefined
}

/**
 * A stretch of a list.
 *
 * @public
 */
export interface ListWindow extends Omit<DirectoryQuery, 'visible'> {
  /** How many to skip; 0 by default. */
  readonly offset?: number | undefined
  /** How many to give; 15 by default. */
  readonly limit?: number | undefined
}
