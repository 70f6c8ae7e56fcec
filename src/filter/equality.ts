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

export const fold = (text: string): string => text.toLowerCase()

/** Equality with one literal; `undefined` for a kind that has no equality. */
export type Equality = (value: unknown, kind: ValueKind) => boolean | undefined

export function equalityOf(literal: Literal, ignoreCase: boolean): Equality {
  const text = ignoreCase ? fold(literal.text) : literal.text
  return (value, kind) => {
    switch (kind) {
      case 'string':
        return (ignoreCase && typeof value === 'string' ? fold(value) : value) === text
      case 'float64':
        return value === literal.value(kind)
      case 'float32':
        return Math.fround(Number(value)) === literal.value(kind)
      case 'int':
      case 'uint': {
        const integer = literal.value(kind)
        return value === (typeof value === 'bigint' ? integer.bigint : integer.number)
      }
      case 'bool':
        return value === literal.value(kind)
      case 'time':
      case 'duration':
      case 'unix-ms':
      case 'unix-ns': {
        const order = orderAgainst(value, kind, literal)
        return order === undefined ? undefined : order === 0
      }
      default:
        return undefined
    }
  }
}

/** Negative, zero or positive as a value is before, equal to or behind a literal; NaN where neither. */
export function orderAgainst(value: unknown, kind: ValueKind, literal: Literal): number | undefined {
  switch (kind) {
    case 'float32':
      return compareNumbers(Math.fround(Number(value)), literal.value(kind))
    case 'int':
    case 'uint':
    case 'float64': {
      const integer = literal.read('int')
      if (typeof integer !== 'string') return compareNumbers(value, integer.bigint)
      const float = literal.read('float64')
      if (typeof float === 'string') throw literal.error(kind, float)
      return compareNumbers(value, float)
    }
    case 'time':
    case 'unix-ms':
    case 'unix-ns':
    case 'duration': {
      const wanted = literal.value(kind)
      const measured = measure(value, kind)
      return measured === undefined ? undefined : compareNumbers(measured, wanted)
    }
    default:
      return undefined
  }
}

/** JavaScript compares numbers and bigints with each other exactly. */
export const compareNumbers = (left: unknown, right: number | bigint): number => {
  if (typeof left !== 'number' && typeof left !== 'bigint') return Number.NaN
  return left < right ? -1 : left > right ? 1 : left >= right ? 0 : Number.NaN
}

/** A time in microseconds, a duration in nanoseconds, a counted moment as it is. */
export function measure(value: unknown, kind: ValueKind): number | bigint | undefined {
  if (value instanceof Date) return value.getTime() * 1000
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value !== 'string') return undefined
  const measured =
    kind === 'time' ? parseTime(value) : kind === 'duration' ? parseNanoseconds(value) : 'syntax'
  return measured === 'syntax' ? undefined : measured
}
