import type { Operator } from '../ast.ts'

/** The parts of a comparison, as `format` writes them. */
export interface WrittenMatch {
  readonly op: Operator
  /** The selector. */
  readonly left: string
  /** The other operand; empty if there is none. */
  readonly right: string
  readonly negated: boolean
  /** `not ` if it is negated. */
  readonly not: string
  /** ` ignoring case` if case is ignored. */
  readonly end: string
  /** Whether it is compared with another field. */
  readonly field: boolean
}

/** How a comparison is written. */
export type TextRule = (match: WrittenMatch) => string

/** How people choose an operator and its negation; and the operator for moments, if that is said otherwise. */
export type Label = readonly [positive: string, negative: string, ofMoments?: string]

/** `S not word V ignoring case` */
export const spoken =
  (word: string): TextRule =>
  ({ left, right, not, end }) =>
    `${left} ${not}${word} ${right}${end}`
