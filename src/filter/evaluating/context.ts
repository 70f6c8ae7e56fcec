import type { Connective, Match, Selector } from '../ast.ts'
import type { Names } from '../kinds/names.ts'
import type { Parameters } from '../kinds/parameters.ts'
import type { Shape } from '../kinds/shape.ts'
import type { MatchContext } from '../operators/rules.ts'
import type { PathContext } from './descend.ts'
import type { Scope } from './predicate.ts'

/** The shared state of one expression's evaluator. */
export interface Context extends PathContext, MatchContext {
  /** The shape of the datum. */
  readonly shape: Shape
  /** The parameters that the expression may use. */
  readonly parameters: Parameters
  readonly fast?: Fast | undefined
}

/** A part of an expression, ready to run; the scope is that of the surrounding quantifiers, if any. */
export type Check = (datum: unknown, scope?: Scope) => boolean

/** The fast path for common cases, before the general one. */
export interface Fast {
  /** A comparison's test that tries the fast path first; the general one if there is no fast path. */
  readonly check: (
    match: Match,
    negated: boolean,
    context: Context,
    names: Names | undefined,
    general: Check,
  ) => Check
  /** A property compared with several strings, as in `A == "x" or A == "y"`: it is read once. */
  readonly oneOf: (
    expression: Connective,
    context: Context,
    names: Names | undefined,
    general: Check,
  ) => Check | undefined
  /** Reads the list that a quantifier iterates over; anything but an array is left to the general path. */
  readonly list: (
    selector: Selector,
    context: Context,
    names: Names | undefined,
  ) => ((datum: unknown, scope: Scope | undefined) => unknown) | undefined
}
