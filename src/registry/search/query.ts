import { foldName } from '../modules/names.ts'

/**
 * A query: filters, and the namespaces that the reader may see. Names are case-insensitive.
 */
export interface DirectoryQuery {
  /** Only modules of this publisher, or of any of several. */
  readonly namespace?: string | readonly string[] | undefined
  /** Only modules for this target system, or for any of several. */
  readonly provider?: string | readonly string[] | undefined
  /** `true` limits the list to partner modules; anything else does not limit it. */
  readonly verified?: boolean | undefined
  /** The namespaces this reader may see; every one by default. */
  readonly visible?: readonly string[] | undefined
}

/** The folded names of a filter, in order; `undefined` if it lets every name through. */
export const namesIn = (filter: string | readonly string[] | undefined): readonly string[] | undefined =>
  filter === undefined ? undefined : [...new Set([filter].flat().map(foldName))].sort()
