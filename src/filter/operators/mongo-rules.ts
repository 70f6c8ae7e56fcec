import type { Match } from '../ast.ts'
import type { FilterError } from '../error.ts'
import type { Shape } from '../kinds/shape.ts'

/**
 * A query document, as the drivers of MongoDB take it.
 */
export type MongoQuery = { readonly [key: string]: unknown }

/** What a value must satisfy: operators by name. */
export type MongoOperators = { readonly [operator: `$${string}`]: unknown }

/** What the operators of the filter use to write their queries. */
export interface MongoParts {
  readonly cannot: (match: Match, what: string) => FilterError
  readonly mustBeText: (match: Match, shape: Shape) => void
  readonly mustHaveOrder: (match: Match, shape: Shape) => void
  /** The values of a match that a document can hold. */
  readonly values: (match: Match, shape: Shape) => readonly unknown[]
  /** The bound of an order: a moment in microseconds; `undefined` for one that no document holds. */
  readonly bound: (match: Match, shape: Shape) => unknown
  /** The number that a match compares with; the kind of its field does not matter. */
  readonly number: (match: Match) => number
  readonly text: (match: Match) => string
  /** The string that a pattern is, and whether a match begins or ends with it; an error for other patterns. */
  readonly pattern: (match: Match) => {
    readonly text: string
    readonly fromStart: boolean
    readonly toEnd: boolean
  }
}

/** The positive form of a comparison: operators on the value of its field, or a query of the field's path. */
export type MongoRule = (
  parts: MongoParts,
  match: Match,
  shape: Shape,
) => MongoOperators | ((path: string) => MongoQuery)

/** No value satisfies it. */
export const unsatisfiable: MongoOperators = { $in: [] }

/** Microseconds as a date, and whether no microseconds were dropped. */
export const dateOf = (us: number) => ({ date: new Date(Math.floor(us / 1000)), isWhole: us % 1000 === 0 })

/** A name that has no other meaning in a path. */
export const isPathName = (name: string): boolean => /^[^.$\0][^.\0]*$/.test(name)

/** That a value holds a text. Escaped for PCRE; a query's regular expressions end at a NUL. */
export function holding(text: string, fromStart: boolean, toEnd: boolean): MongoOperators {
  if (/[\0\p{Cs}]/u.test(text)) return unsatisfiable
  const escaped = text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
  if (text === '' && !(fromStart && toEnd)) return { $type: 'string' }
  // `$` would also match before a line end at the end.
  return { $regex: `${fromStart ? '^' : ''}${escaped}${toEnd ? '(?![\\s\\S])' : ''}` }
}

/** Whether there is an element at the last index of a list of this size. */
export const isAtLeast =
  (size: number, wanted: boolean) =>
  (path: string): MongoQuery => {
    // A list has fewer elements.
    const known = size < 1 ? true : size < 2 ** 31 ? undefined : false
    if (known !== undefined) return known === wanted ? {} : { $nor: [{}] }
    return { [`${path}.${size - 1}`]: { $exists: wanted } }
  }
