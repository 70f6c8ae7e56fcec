import { kindOf, textOrderOf, type ValueKind } from '../kinds/kind-of.ts'
import { isDate } from '../kinds/realms.ts'
import type { Read, Scalar, Scalars } from '../kinds/scalars.ts'
import type { Shape } from '../kinds/shape.ts'
import type { Order } from './decision.ts'
import type { Literal } from './literal.ts'
import type { Found } from './rules.ts'

/** Whether `==` or an order holds for a comparison that is negative, zero or positive, or NaN. */
export function holds(op: Order, order: number): boolean {
  switch (op) {
    case '==':
      return order === 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    default:
      return op satisfies never
  }
}

/**
 * Negative, zero or positive if a value is less than, equal to or greater than a literal; NaN if they do not compare.
 */
export function orderAgainst(
  value: unknown,
  kind: ValueKind,
  shape: Shape,
  literal: Literal,
): number | undefined {
  if (kind === 'string') return textOrderOf(shape)?.(String(value), literal.text)
  const scalar = literal.scalars[kind]
  return scalar?.scale && compare(value, kind, scalar, boundOf(literal, kind))
}

/** The bound for values of a kind: any number can be compared with any other, whole or not. */
export function boundOf(literal: Literal, kind: keyof Scalars): ReturnType<Literal['value']> {
  const bound = readBound(literal, kind)
  return typeof bound === 'string' ? literal.value(kind) : bound
}

/** As {@link boundOf}; or why the text is not a valid value. */
export function readBound(literal: Literal, kind: keyof Scalars): Read {
  const own = literal.read(kind)
  if (typeof own !== 'string' || literal.scalars[kind]?.scale !== 'number') return own
  const integer = literal.read('int')
  return typeof integer === 'string' ? literal.read('float64') : integer
}

export function compare(
  value: unknown,
  kind: ValueKind,
  scalar: Scalar,
  wanted: unknown,
): number | undefined {
  const measured = kind === 'float32' ? Math.fround(Number(value)) : measure(value, scalar)
  return measured === undefined ? undefined : compareNumbers(measured, wanted)
}

/** JavaScript compares numbers and bigints with each other exactly. */
export const compareNumbers = (left: unknown, right: unknown): number => {
  if (!isNumber(left) || !isNumber(right)) return Number.NaN
  return left < right ? -1 : left > right ? 1 : left >= right ? 0 : Number.NaN
}

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

/** A time in microseconds, a duration in nanoseconds, a number or a numeric moment unchanged. */
export function measure(value: unknown, { read }: Scalar): number | bigint | undefined {
  const measured = isDate(value) ? value.getTime() * 1000 : typeof value === 'string' ? read(value) : value
  return isNumber(measured) ? measured : undefined
}

/** Compares two fields whose kinds have the same scale; `undefined` for others. */
export function compareFound(left: Found, right: Found, scalars: Scalars): number | undefined {
  const scalar = scalars[kindOf(left.value, left.shape)]
  const other = scalars[kindOf(right.value, right.shape)]
  if (scalar?.scale === undefined || scalar.scale !== other?.scale) return undefined
  const from = onScale(left.value, scalar)
  const to = onScale(right.value, other)
  return from === undefined || to === undefined ? undefined : compareNumbers(from, to)
}

function onScale(value: unknown, scalar: Scalar): number | bigint | undefined {
  const measured = measure(value, scalar)
  return measured === undefined || scalar.onScale === undefined ? measured : scalar.onScale(Number(measured))
}
