import { compareText } from '../../../kernel/compare-text.ts'

/** A part of a list of names. */
export interface ListPage {
  /** The list starts after this name, which need not exist. */
  readonly after?: string | undefined
  /** How many names at most; 0 or less for all. */
  readonly limit?: number | undefined
}

/** A page of a list that is sorted by name. */
export function pageOf(names: readonly string[], page: ListPage | undefined): readonly string[] {
  if (page === undefined) return names
  const { after, limit = 0 } = page
  const start = after === undefined ? 0 : behind(names, after)
  return limit > 0 ? names.slice(start, start + limit) : names.slice(start)
}

/** The position after a name. A name in the list counts by its position, because some lists are not sorted to the end. */
function behind(names: readonly string[], name: string): number {
  const at = names.indexOf(name)
  if (at >= 0) return at + 1
  const next = names.findIndex((other) => compareText(other, name) > 0)
  return next < 0 ? names.length : next
}

/** Parses `after` and `limit` of a query; `invalid` if the limit is not a whole number. */
export function readListPage(query: Readonly<Record<string, string>>): ListPage | 'invalid' | undefined {
  const { after, limit } = query
  if (after === undefined && limit === undefined) return undefined
  if (limit !== undefined && !/^-?\d{1,15}$/.test(limit)) return 'invalid'
  return { after: after === '' ? undefined : after, limit: limit === undefined ? undefined : Number(limit) }
}
