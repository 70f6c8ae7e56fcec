import type { Field, Match } from './ast.ts'
import type { Context } from './context.ts'
import { compareNumbers, folded, holds, isNumber, measure } from './equality.ts'
import { FilterError } from './error.ts'
import { kindName, kindOf } from './kind-of.ts'
import type { Names } from './names.ts'
import type { Scope, Test } from './predicate.ts'
import type { Scalar, Scalars } from './scalars.ts'
import { selectorClosure } from './selector-closure.ts'
import { selectorText } from './selector-text.ts'
import type { Shape } from './shape.ts'

/** The test of `S == @T`: it follows the other selector from the same datum, and compares what both find. */
export function fieldTestOf(match: Match, field: Field, context: Context, names: Names | undefined): Test {
  const fail = (left: unknown, leftShape: Shape, right: unknown, rightShape: Shape): never => {
    throw new FilterError(
      'type',
      `cannot compare ${selectorText(match.selector.path)} (${kindName(left, leftShape)}) with ${selectorText(field.selector.path)} (${kindName(right, rightShape)})`,
      context.source,
      match,
    )
  }
  // What the left side found, for the test of the right side: a stack, since a list may lie on the way.
  const found: { readonly value: unknown; readonly shape: Shape }[] = []
  const compare: Test = (right, rightShape) => {
    const left = found.at(-1)
    if (left === undefined) return false
    const result = compareValues(match, context.scalars, left.value, left.shape, right, rightShape)
    return result ?? fail(left.value, left.shape, right, rightShape)
  }
  const other = selectorClosure(field.selector, compare, false, context, names)
  return (value: unknown, shape: Shape, datum: unknown, scope: Scope | undefined) => {
    found.push({ value, shape })
    try {
      return other(datum, scope)
    } finally {
      found.pop()
    }
  }
}

/** `undefined` where the two kinds do not compare. */
function compareValues(
  { op, ignoreCase }: Match,
  scalars: Scalars,
  left: unknown,
  leftShape: Shape,
  right: unknown,
  rightShape: Shape,
): boolean | undefined {
  const a = folded(left, ignoreCase)
  const b = folded(right, ignoreCase)
  if (op === 'in') return contains(a, b, ignoreCase)
  const kind = kindOf(left, leftShape)
  const rightKind = kindOf(right, rightShape)
  const scalar = scalars[kind]
  const other = scalars[rightKind]
  if (scalar?.scale !== undefined && scalar.scale === other?.scale) {
    const from = onScale(left, scalar)
    const to = onScale(right, other)
    return from === undefined || to === undefined ? undefined : holds(op, compareNumbers(from, to))
  }
  const comparable = op === '==' && kind === rightKind && (kind === 'bool' || kind === 'string')
  return comparable ? a === b : undefined
}

/** Whether a text is in a text, or a scalar in a list of its like. */
function contains(whole: unknown, part: unknown, ignoreCase: boolean): boolean | undefined {
  if (typeof whole === 'string' && typeof part === 'string') return whole.includes(part)
  if (!Array.isArray(whole) || typeof part === 'object') return undefined
  return whole.some((item) =>
    isNumber(part) ? compareNumbers(item, part) === 0 : folded(item, ignoreCase) === part,
  )
}

function onScale(value: unknown, scalar: Scalar): number | bigint | undefined {
  const measured = measure(value, scalar)
  return measured === undefined || scalar.onScale === undefined ? measured : scalar.onScale(Number(measured))
}
