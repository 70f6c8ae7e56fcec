import type { Match, Range } from '../ast.ts'
import type { ValueKind } from '../kinds/kind-of.ts'
import type { Scalar } from '../kinds/scalars.ts'
import type { Shape } from '../kinds/shape.ts'

/** What was probably meant, where something is wrong. */
export interface Advice {
  /** Where reading broke off; in `bexpr` nothing that only `standard` knows. */
  readonly syntax: (source: string, at: number, expected: ReadonlySet<string>, bexpr: boolean) => SyntaxAdvice
  /** Where a kind does not have an operator. */
  readonly unfit: (match: Match, kind: ValueKind, value: unknown, shape: Shape) => Help | undefined
  /** Where nothing is found, and nothing is declared. */
  readonly absent: (path: readonly string[]) => string
  /** What a text that is no value of a kind was meant to be. */
  readonly value: (text: string, kind: Scalar) => Help
}

/** Advice on expressions that parse. */
export interface Help {
  /** Stands behind what is wrong. */
  readonly advice?: string
  readonly suggestion?: string
}

/** What should stand in place of a part of the text. */
export interface Rewrite extends Range {
  readonly suggestion: string
}

/** Advice on syntax errors. */
export interface SyntaxAdvice extends Partial<Rewrite> {
  /** What was expected, in the words of people. */
  readonly expectation?: string
  /** A word of advice, which stands behind what is wrong. */
  readonly advice?: string | undefined
}
