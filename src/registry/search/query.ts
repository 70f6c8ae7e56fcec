import type { RowFilter } from './row-index.ts'

/**
 * What a reader asks for: filters, and the namespaces that reader may see.
 *
 * @public
 */
export interface DirectoryQuery extends RowFilter {
  /** The namespaces this reader may see; every one by default. */
  readonly visible?: readonly string[] | undefined
}
