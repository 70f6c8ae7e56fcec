import type { RowFilter } from './row-index.ts'

/**
 * A query: filters, and the namespaces that the reader may see.
 */
export interface DirectoryQuery extends RowFilter {
  /** The namespaces this reader may see; every one by default. */
  readonly visible?: readonly string[] | undefined
}
