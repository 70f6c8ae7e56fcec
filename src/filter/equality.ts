import type { Operator } from './ast.ts'
import type { ValueKind } from './kind-of.ts'
import type { Literal } from './literal.ts'
import type { Scalar, Scalars } from './scalars.ts'

/** Whether `==` or an order holds for a comparison that is negative, zero or positive, or NaN. */
export const holds = (op: Operator, order: number): boolean => {
  if (op === '<') return order < 0
  if (op === '<=') return order <= 0
  if (op === '>') return order > 0
  return op === '>=' ? order >= 0 : order === 0
}

/** What is compared where upper and lower case are one. */
export const folded = <Value>(value: Value, ignoreCase: boolean): Value =>
  ignoreCase && typeof value === 'string' ? (value.toLowerCase() as typeof value) : value

/** Equality with one literal; `undefined` for a kind that has no equality. */
export type Equality = (value: unknown, kind: ValueKind) => boolean | undefined

export function equalityOf(literal: Literal, ignoreCase: boolean): Equality {
  const text = folded(literal.text, ignoreCase)
  return (value, kind) => {
    if (kind === 'string') return folded(value, ignoreCase) === text
    if (kind === 'bool') return value === literal.value(kind)
    const scalar = literal.scalars[kind]
    const order = scalar && compare(value, kind, scalar, literal.value(kind))
    return order === undefined ? undefined : order === 0
  }
}

/** Negative, zero or positive as a value is before, equal to or behind a literal; NaN where neither. */
export function orderAgainst(value: unknown, kind: ValueKind, literal: Literal): number | undefined {
  const scalar = literal.scalars[kind]
  return scalar?.scale && compare(value, kind, scalar, boundOf(literal, kind))
}

/** What values of a kind are before or behind: any number is so of any other, whole or not. */
export function boundOf(literal: Literal, kind: keyof Scalars): ReturnType<Literal['value']> {
  const isNumber = literal.scalars[kind]?.scale === 'number'
  const wider =
    isNumber && ([kind, 'int', 'float64'] as const).find((each) => typeof literal.read(each) !== 'string')
  return literal.value(wider || kind)
}

function compare(value: unknown, kind: ValueKind, scalar: Scalar, wanted: unknown): number | undefined {
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

/** A time in microseconds, a duration in nanoseconds, a number or a counted moment as it is. */
export function measure(value: unknown, { read }: Scalar): number | bigint | undefined {
  const measured =
    value instanceof Date ? value.getTime() * 1000 : typeof value === 'string' ? read(value) : value
  return isNumber(measured) ? measured : undefined
}
