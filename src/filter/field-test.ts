import type { Field, Match, Selector } from './ast.ts'
import type { Context } from './context.ts'
import { compareNumbers, folded, holds, isNumber, measure } from './equality.ts'
import { FilterError } from './error.ts'
import { kindName, kindOf } from './kind-of.ts'
import type { Names } from './names.ts'
import type { Test } from './predicate.ts'
import type { Scalar, Scalars } from './scalars.ts'
import { selectorClosure } from './selector-closure.ts'
import { selectorText } from './selector-text.ts'
import type { Shape } from './shape.ts'

/** What one side of a comparison found. */
interface Found {
  readonly value: unknown
  readonly shape: Shape
}

/** The test of `S == @T`: it follows the other selector from the same datum, and compares what both find. */
export function fieldTestOf(match: Match, field: Field, context: Context, names: Names | undefined): Test {
  const sideOf = ({ path }: Selector, { value, shape }: Found): string =>
    `${selectorText(path)} (${kindName(value, shape)})`
  const compare: Test = (value, shape, along) => {
    const left = along as Found // what the left side found, as it is sent along below
    const right = { value, shape }
    const result = compareFound(match, context.scalars, left, right)
    if (result !== undefined) return result
    throw new FilterError(
      'type',
      `cannot compare ${sideOf(match.selector, left)} with ${sideOf(field.selector, right)}`,
      context.source,
      match,
    )
  }
  const other = selectorClosure(field.selector, compare, false, context, names)
  return (value, shape, datum, scope) => other(datum, scope, { value, shape })
}

/** `undefined` where the two kinds do not compare. */
function compareFound(
  { op, ignoreCase }: Match,
  scalars: Scalars,
  left: Found,
  right: Found,
): boolean | undefined {
  const a = folded(left.value, ignoreCase)
  const b = folded(right.value, ignoreCase)
  if (op === 'in') return contains(a, b, ignoreCase)
  const kind = kindOf(a, left.shape)
  const otherKind = kindOf(b, right.shape)
  const scalar = scalars[kind]
  const other = scalars[otherKind]
  if (scalar?.scale !== undefined && scalar.scale === other?.scale) {
    const from = onScale(left.value, scalar)
    const to = onScale(right.value, other)
    return from === undefined || to === undefined ? undefined : holds(op, compareNumbers(from, to))
  }
  const comparable = op === '==' && kind === otherKind && (kind === 'bool' || kind === 'string')
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
