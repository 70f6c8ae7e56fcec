import { unwrap } from '../kinds/kind-of.ts'
import type { Shape } from '../kinds/shape.ts'
import { boundOf } from './compare.ts'
import type { Literal } from './literal.ts'

/**
 * A literal in the JavaScript type of the field it is compared with; as it was written where no kind is declared.
 *
 * @param asBound - for an order, which compares any number with any other
 */
export function typedValue(
  literal: Literal,
  declared: Shape,
  asBound: boolean,
): string | number | bigint | boolean {
  const { type } = unwrap(declared)
  if (type === 'any') {
    const number = literal.node.form === 'number' ? Number(literal.text) : Number.NaN
    return Number.isNaN(number) ? literal.text : number
  }
  if (literal.scalars[type] === undefined) return literal.text
  const read = asBound ? boundOf(literal, type) : literal.value(type)
  // A time is shown as it was written.
  return type === 'time' ? literal.time : read
}
