import { equalityOf, fold } from './equality.ts'
import type { FilterErrorKind } from './error.ts'
import { entry, keysOf, kindName, kindOf, unwrap } from './kind-of.ts'
import type { Literal } from './literal.ts'
import type { Test } from './predicate.ts'
import { anyShape, type ScalarType, type Shape, scalarShape } from './shape.ts'

/** Throws the error of an operator on a kind that does not have it. */
export type Unfit = (operator: string, value: unknown, shape: Shape) => never

/** The test behind `in` and `contains`: a part of a text, an element of a list, a key of a map. */
export function membershipOf(
  literal: Literal,
  ignoreCase: boolean,
  bexpr: boolean,
  fail: (kind: FilterErrorKind, message: string) => never,
  unfit: Unfit,
): Test {
  const { text } = literal
  const folded = fold(text)
  const equals = equalityOf(literal, ignoreCase)
  const among = (values: Iterable<unknown>, of: Shape): boolean => {
    const concrete = unwrap(of)
    if (concrete.type === 'any') return amongMixed(values)
    if (!('name' in concrete) || concrete.type === 'bytes') {
      return fail('type', 'unable to find suitable primitive comparison function for "in" comparison')
    }
    // The value must fit the kind of the elements even where there are none.
    const misfit = literal.misfit(concrete.type)
    if (misfit !== undefined) throw literal.error(concrete.type, misfit)
    for (const value of values) {
      if (equals(value, kindOf(value, concrete)) ?? failMixed(value)) return true
    }
    return false
  }
  // Each element has its own kind: one that the value is not written like is passed over.
  const amongMixed = (values: Iterable<unknown>): boolean => {
    for (const value of values) {
      const kind = kindOf(value, anyShape)
      const misfit = literal.misfit(kind)
      if (misfit === 'range') {
        return fail('type', `error getting interface slice match value in expression: value out of range`)
      }
      if (misfit === undefined && (equals(value, kind) ?? failMixed(value))) return true
    }
    return false
  }
  const failMixed = (value: unknown): never =>
    fail(
      'type',
      `unable to find suitable primitive comparison function for "in" comparison in interface slice: ${kindName(value, anyShape)}`,
    )

  return (value, shape) => {
    const kind = kindOf(value, shape)
    const inner = unwrap(shape)
    switch (kind) {
      case 'string':
      case 'time':
      case 'duration':
        if (typeof value === 'string') return ignoreCase ? fold(value).includes(folded) : value.includes(text)
        break
      case 'list':
        return among(Array.isArray(value) ? value : [], inner.type === 'list' ? inner.of : anyShape)
      case 'bytes':
        return among(value instanceof Uint8Array ? value : [], scalarShape('uint8'))
      case 'map':
        if (inner.type === 'map' && inner.intKeys) {
          return fail('type', `cannot look for the key ${JSON.stringify(text)} in a map with integer keys`)
        }
        return ignoreCase
          ? keysOf(value).some((key) => fold(key) === folded)
          : entry(value, text) !== undefined
    }
    // The original reads the value first, for whatever it is compared with.
    const misfit = bexpr ? literal.misfit(kind) : undefined
    if (misfit !== undefined) throw literal.error(kind as ScalarType, misfit)
    return unfit('in/contains', value, shape)
  }
}
