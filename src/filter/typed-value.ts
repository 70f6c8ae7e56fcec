import type { Match, Value } from './ast.ts'
import { boundOf } from './equality.ts'
import { unwrap } from './kind-of.ts'
import { Literal, type LiteralContext } from './literal.ts'
import type { Shape } from './shape.ts'

/** A literal in the JavaScript type of the field it is compared with; as it was written where no kind is declared. */
export function typedValue(
  value: Value,
  declared: Shape,
  op: Match['op'],
  context: LiteralContext,
): string | number | bigint | boolean {
  const shape = unwrap(declared)
  const literal = new Literal(value, context)
  if (shape.type === 'any') {
    const number = value.form === 'number' ? Number(value.text) : Number.NaN
    return Number.isNaN(number) ? value.text : number
  }
  if (context.scalars[shape.type] === undefined) return value.text
  const read = /[<>]/.test(op) ? boundOf(literal, shape.type) : literal.value(shape.type)
  // A time is said as it was written.
  return shape.type === 'time' ? value.text : read
}
