import type { Architecture } from '../providers/vocabulary.ts'

/**
 * A box as the search sees it: only boxes with a current version have a row.
 */
export interface BoxRow {
  readonly id: string
  readonly username: string
  readonly name: string
  readonly shortDescription: string
  readonly private: boolean
  readonly downloads: number
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  /** When the box or anything in it last changed. */
  readonly updatedAt: number
  /** The providers and architectures of the current version. */
  readonly providers: readonly { readonly name: string; readonly architecture: Architecture }[]
}

/**
 * The sort orders of search results.
 */
export const sorts = ['downloads', 'created', 'updated'] as const

/**
 * One of {@link sorts}.
 */
export type Sort = (typeof sorts)[number]

/**
 * A search.
 */
export interface BoxQuery {
  /** Words that all must occur, anywhere in `username/name` or the short description; case-insensitive. */
  readonly q?: string | undefined
  /** Only boxes whose current version has this provider. */
  readonly provider?: string | undefined
  /** Only boxes whose current version supports this architecture (with that provider, if one is given). */
  readonly architecture?: string | undefined
  /** The sort order. */
  readonly sort: Sort
  /** `desc`: most downloads first, or the latest. */
  readonly order: 'asc' | 'desc'
  /** How many to skip. */
  readonly offset: number
  /** How many to give. */
  readonly limit: number
}
