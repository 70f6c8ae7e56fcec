import type { PathContext } from './descend.ts'
import type { MatchContext } from './operators.ts'
import type { Scope } from './predicate.ts'
import type { Shape } from './shape.ts'

/** What every part of one expression's evaluator shares. */
export interface Context extends PathContext, MatchContext {
  /** The shape of the datum. */
  readonly shape: Shape
  /** Whether closures are to try the fast path first. */
  readonly fast?: true
}

/** A part of an expression, ready to run. */
export type Check = (datum: unknown, scope: Scope | undefined) => boolean
