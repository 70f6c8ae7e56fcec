import type { Match } from './ast.ts'
import type { ValueKind } from './kind-of.ts'

/** What was probably meant, where something is wrong. */
export interface Advice {
  /** Where reading broke off; in `bexpr` nothing that only `standard` knows. */
  readonly syntax: (source: string, at: number, expected: ReadonlySet<string>, bexpr: boolean) => SyntaxAdvice
  /** Where a kind does not have an operator. */
  readonly unfit: (match: Match, kind: ValueKind) => UnfitAdvice | undefined
}

/** What helps somebody who asked something of a kind that it does not have. */
export interface UnfitAdvice {
  /** Stands behind what is wrong. */
  readonly advice: string
  readonly suggestion?: string
}

/** What helps somebody who made a mistake of syntax. */
export interface SyntaxAdvice {
  /** Where what is wrong ends, if that is further than a character. */
  readonly end?: number
  /** What probably should stand there. */
  readonly suggestion?: string | undefined
  /** What was expected, in the words of people. */
  readonly expectation?: string
  /** A word of advice, where nothing can be suggested. */
  readonly advice?: string | undefined
}
