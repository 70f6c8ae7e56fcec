import type { DirectoryQuery } from '../search/query.ts'

/**
 * A reader and the namespaces it may see. Modules in other namespaces do not exist for it.
 */
export interface Reader {
  /** The name of the reader, for `onRequest`; none by default. */
  readonly name?: string | undefined
  /** Every namespace by default. */
  readonly namespaces?: readonly string[] | undefined
}

/**
 * A part of a list.
 */
export interface ListWindow extends Omit<DirectoryQuery, 'visible'> {
  /** How many to skip; 0 by default. */
  readonly offset?: number | undefined
  /** How many to return; 15 by default. */
  readonly limit?: number | undefined
}
