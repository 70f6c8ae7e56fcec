import type { Operator } from './ast.ts'
import { parseNanoseconds, parseTime } from './coerce.ts'
import type { ValueKind } from './kind-of.ts'
import type { Literal } from './literal.ts'

/** What each order asks of a comparison that is negative, zero or positive. */
export const orders = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const satisfies Partial<Record<Operator, (order: number) => boolean>>

export const isOrder = (op: Operator): op is keyof typeof orders => Object.hasOwn(orders, op)

export const fold = (text: string): string => text.toLowerCase()

/** The kinds that have an order. Those of one scale compare with each other, once they are counted in one unit. */
export const scales = {
  int: 'number',
  uint: 'number',
  float32: 'number',
  float64: 'number',
  time: 'moment',
  'unix-ms': 'moment',
  'unix-ns': 'moment',
  duration: 'duration',
} as const satisfies Partial<Record<ValueKind, string>>

export const hasScale = (kind: ValueKind): kind is keyof typeof scales => Object.hasOwn(scales, kind)

/** Equality with one literal; `undefined` for a kind that has no equality. */
export type Equality = (value: unknown, kind: ValueKind) => boolean | undefined

export function equalityOf(literal: Literal, ignoreCase: boolean): Equality {
  const text = ignoreCase ? fold(literal.text) : literal.text
  return (value, kind) => {
    if (kind === 'string') return (ignoreCase && typeof value === 'string' ? fold(value) : value) === text
    if (kind === 'bool') return value === literal.value(kind)
    if (!hasScale(kind)) return undefined
    const order = compare(value, kind, literal.value(kind))
    return order === undefined ? undefined : order === 0
  }
}

/** Negative, zero or positive as a value is before, equal to or behind a literal; NaN where neither. */
export function orderAgainst(value: unknown, kind: ValueKind, literal: Literal): number | undefined {
  if (!hasScale(kind)) return undefined
  // Any number is before or behind any other, whole or not.
  if (kind === 'int' || kind === 'uint' || kind === 'float64') {
    const integer = literal.read('int')
    if (typeof integer !== 'string') return compare(value, kind, integer)
    const float = literal.read('float64')
    if (typeof float === 'string') throw literal.error(kind, float)
    return compare(value, kind, float)
  }
  return compare(value, kind, literal.value(kind))
}

function compare(value: unknown, kind: ValueKind, wanted: number | bigint): number | undefined {
  const measured = kind === 'float32' ? Math.fround(Number(value)) : measure(value, kind)
  return measured === undefined ? undefined : compareNumbers(measured, wanted)
}

/** JavaScript compares numbers and bigints with each other exactly. */
export const compareNumbers = (left: unknown, right: number | bigint): number => {
  if (typeof left !== 'number' && typeof left !== 'bigint') return Number.NaN
  return left < right ? -1 : left > right ? 1 : left >= right ? 0 : Number.NaN
}

/** A time in microseconds, a duration in nanoseconds, a number or a counted moment as it is. */
export function measure(value: unknown, kind: ValueKind): number | bigint | undefined {
  if (value instanceof Date) return value.getTime() * 1000
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value !== 'string') return undefined
  const measured =
    kind === 'time' ? parseTime(value) : kind === 'duration' ? parseNanoseconds(value) : 'syntax'
  return measured === 'syntax' ? undefined : measured
}
