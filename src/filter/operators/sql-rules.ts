import type { Match } from '../ast.ts'
import type { FilterError } from '../error.ts'
import type { Shape } from '../kinds/shape.ts'

/** What the operators write their conditions with: parameters, columns, and what one database says otherwise. */
export interface SqlParts {
  readonly cannot: (match: Match, what: string) => FilterError
  /** `column = value`, or another field in place of the value. */
  readonly compared: (match: Match, column: string, shape: Shape, sign: string) => string
  /** `column < value` and its like. */
  readonly ordered: (match: Match, column: string, shape: Shape, sign: string) => string
  /** Both ends of a range. */
  readonly bounds: (match: Match, shape: Shape) => readonly string[]
  /** The values of a match, as parameters. */
  readonly parameters: (match: Match, shape: Shape) => readonly string[]
  /** The number that a match compares with; the kind of its field does not matter. */
  readonly number: (match: Match) => string
  /** How many elements a list has; null has none. */
  readonly length: (column: string) => string
  readonly mustBeText: (match: Match, shape: Shape) => void
  readonly mustBe: (match: Match, shape: Shape, wanted: Shape['type']) => void
  readonly contains: (match: Match, column: string, kind: Shape) => string
  /** Whether a column's text begins or ends with a text. */
  readonly like: (match: Match, column: string, shape: Shape, at: 'start' | 'end') => string
  readonly matches: (match: Match, column: string, shape: Shape) => string
}

/** Writes the positive form of a comparison of a column. */
export type SqlRule = (parts: SqlParts, match: Match, column: string, shape: Shape) => string
