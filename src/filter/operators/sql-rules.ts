import type { Match } from '../ast.ts'
import type { FilterError } from '../error.ts'
import type { Shape } from '../kinds/shape.ts'

/** What the operators use to write their conditions: parameters, columns, and the differences between databases. */
export interface SqlParts {
  readonly cannot: (match: Match, what: string) => FilterError
  /** `column = value`, or another field instead of the value. */
  readonly compared: (match: Match, column: string, shape: Shape, sign: string) => string
  /** `column < value` and similar. */
  readonly ordered: (match: Match, column: string, shape: Shape, sign: string) => string
  /** `column BETWEEN value AND value`. */
  readonly between: (match: Match, column: string, shape: Shape) => string
  /** `column IN (values)`. */
  readonly among: (match: Match, column: string, shape: Shape) => string
  /** The number that a match compares with; the kind of its field does not matter. */
  readonly number: (match: Match) => string
  /** The number of elements of a list; 0 for null. */
  readonly length: (column: string, of: Shape) => string
  readonly mustBeText: (match: Match, shape: Shape) => void
  readonly mustBe: (match: Match, shape: Shape, wanted: Shape['type']) => void
  readonly contains: (match: Match, column: string, kind: Shape) => string
  /** Whether a column's text begins or ends with a string. */
  readonly like: (match: Match, column: string, shape: Shape, at: 'start' | 'end') => string
  readonly matches: (match: Match, column: string, shape: Shape) => string
}

/** Writes the positive form of a comparison of a column. */
export type SqlRule = (parts: SqlParts, match: Match, column: string, shape: Shape) => string
