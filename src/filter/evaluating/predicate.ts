import type { ValueKind } from '../kinds/kind-of.ts'
import type { Shape } from '../kinds/shape.ts'

/**
 * Whether one value, of one declared kind, passes the positive form of an operator. The datum and the scope are passed
 * to tests that need more than the value. Throws a `FilterError`.
 */
export type Test = (value: unknown, shape: Shape, datum: unknown, scope: Scope | undefined) => boolean

/** The result of an operator for a value of some kind; `undefined` if the kind does not support the operator. */
export type Answer = (value: unknown, kind: ValueKind, shape: Shape) => boolean | undefined

/** One iteration of a quantifier: the current element, its key, and the iteration of the enclosing quantifier. */
export interface Scope {
  readonly key: string | number
  readonly element: unknown
  readonly outer: Scope | undefined
}
