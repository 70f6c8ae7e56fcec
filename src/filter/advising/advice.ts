import type { Match, Range } from '../ast.ts'
import type { ValueKind } from '../kinds/kind-of.ts'
import type { Scalar } from '../kinds/scalars.ts'
import type { Shape } from '../kinds/shape.ts'

/** Suggestions for errors. */
export interface Advice {
  /** Advice where parsing failed; for `bexpr`, only what that dialect supports. */
  readonly syntax: (source: string, at: number, expected: ReadonlySet<string>, bexpr: boolean) => SyntaxAdvice
  /** Where a kind does not support an operator. */
  readonly unfit: (match: Match, kind: ValueKind, value: unknown, shape: Shape) => Help | undefined
  /** For a missing field without a declaration. */
  readonly absent: (path: readonly string[]) => string
  /** For a string that is not a value of a kind. */
  readonly value: (text: string, kind: Scalar) => Help
}

/** Advice on expressions that parse. */
export interface Help {
  /** Appended to the error message. */
  readonly advice?: string
  readonly suggestion?: string
}

/** A replacement for a part of the text. */
export interface Rewrite extends Range {
  readonly suggestion: string
}

/** Advice on syntax errors. */
export interface SyntaxAdvice extends Partial<Rewrite> {
  /** What was expected, in user-facing words. */
  readonly expectation?: string
  /** Advice, appended to the error. */
  readonly advice?: string | undefined
}
