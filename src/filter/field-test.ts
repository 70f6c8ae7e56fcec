import type { Field, Match } from './ast.ts'
import type { Context } from './context.ts'
import { compareNumbers, fold, hasScale, isOrder, measure, orders, scales } from './equality.ts'
import { FilterError } from './error.ts'
import { kindName, kindOf, type ValueKind } from './kind-of.ts'
import type { Names } from './names.ts'
import type { Scope, Test } from './predicate.ts'
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
    const result = compareValues(match, left.value, left.shape, right, rightShape)
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
  left: unknown,
  leftShape: Shape,
  right: unknown,
  rightShape: Shape,
): boolean | undefined {
  const leftKind = kindOf(left, leftShape)
  const rightKind = kindOf(right, rightShape)
  if (hasScale(leftKind) && hasScale(rightKind) && scales[leftKind] === scales[rightKind]) {
    const a = inScale(left, leftKind)
    const b = inScale(right, rightKind)
    if (a === undefined || b === undefined) return undefined
    const order = compareNumbers(a, b)
    return op === '==' ? order === 0 : isOrder(op) ? orders[op](order) : undefined
  }
  if (op === 'in') return contains(left, leftKind, right, ignoreCase)
  if (op !== '==' || leftKind !== rightKind) return undefined
  const comparable = leftKind === 'bool' || (typeof left === 'string' && typeof right === 'string')
  return comparable ? equal(left, right, ignoreCase) : undefined
}

/** Whether a text is in a text, or a scalar in a list of its like. */
function contains(whole: unknown, kind: ValueKind, part: unknown, ignoreCase: boolean): boolean | undefined {
  if (typeof whole === 'string' && typeof part === 'string') {
    return ignoreCase ? fold(whole).includes(fold(part)) : whole.includes(part)
  }
  if (kind !== 'list' || !Array.isArray(whole) || typeof part === 'object') return undefined
  return whole.some((item) => equal(item, part, ignoreCase))
}

function equal(left: unknown, right: unknown, ignoreCase: boolean): boolean {
  if (typeof right === 'number' || typeof right === 'bigint') return compareNumbers(left, right) === 0
  if (ignoreCase && typeof left === 'string' && typeof right === 'string') return fold(left) === fold(right)
  return left === right
}

function inScale(value: unknown, kind: ValueKind): number | bigint | undefined {
  const measured = measure(value, kind)
  if (measured === undefined) return undefined
  if (kind === 'unix-ms') return Number(measured) * 1000
  return kind === 'unix-ns' ? Number(measured) / 1000 : measured
}
