import type { Match, Operator } from '../ast.ts'
import type { Patterns } from '../evaluating/patterns.ts'
import type { Answer } from '../evaluating/predicate.ts'
import type { Work } from '../evaluating/work.ts'
import type { Scalars } from '../kinds/scalars.ts'
import type { Shape } from '../kinds/shape.ts'
import type { ListTest, NumberTest, StringTest } from './decision.ts'
import type { Literal, LiteralContext } from './literal.ts'

/** A row for each operator: a missing one does not compile. */
export type ByOperator<Rules> = Readonly<Record<Operator, Rules>>

/** What a comparison with a missing value is: an error, false in both forms, or like one with null. */
export type Missing = 'error' | 'false' | 'null'

/** The context for the test of a match. */
export interface MatchContext extends LiteralContext {
  /** Whether it is of the dialect `standard`. */
  readonly standard: boolean
  readonly missing: Missing
  readonly patterns: Patterns
  readonly work: Work
}

/** One comparison, with its literals, which can be parsed as any kind. */
export interface Subject {
  readonly match: Match
  readonly literals: readonly Literal[]
  readonly context: MatchContext
}

/** The kinds of numbers that are compared directly; the others need conversion first. */
export type PlainNumber = 'float64' | 'int' | 'uint'

/** The values of one side of a comparison of two fields. */
export interface Found {
  readonly value: unknown
  readonly shape: Shape
}

/** How an operator tests. */
export interface TestRules {
  /** The result of the positive form if there is no value; without it, a comparison does not hold. */
  readonly missing?: (match: Match) => boolean
  /** The result for a string; undefined if only {@link TestRules.answer} can decide. So below. */
  readonly string?: (subject: Subject) => StringTest | undefined
  readonly number?: (subject: Subject, kind: PlainNumber) => NumberTest | undefined
  /** The boolean that matches. */
  readonly boolean?: (subject: Subject) => boolean | undefined
  readonly list?: (subject: Subject, element: Shape) => ListTest | undefined
  /** The result for all other values; `undefined` for kinds that do not support the operator. */
  readonly answer: (subject: Subject) => Answer
  /** The result for two fields; `undefined` if their kinds do not compare. */
  readonly ofFields?: (left: Found, right: Found, match: Match, context: FieldContext) => boolean | undefined
}

export interface FieldContext {
  readonly scalars: Scalars
  readonly work: Work
}
