import type { Value } from './ast.ts'
import { unwrap } from './kind-of.ts'
import { Literal } from './literal.ts'
import type { Shape } from './shape.ts'

/** A literal in the JavaScript type of the field it is compared with; as it was written where no kind is declared. */
export function typedValue(
  value: Value,
  declared: Shape,
  source: string,
): string | number | bigint | boolean {
  const shape = unwrap(declared)
  const literal = new Literal(value, source)
  if (shape.type === 'any') {
    const number = value.form === 'number' ? Number(value.text) : Number.NaN
    return Number.isNaN(number) ? value.text : number
  }
  if (!('name' in shape) || shape.type === 'string' || shape.type === 'bytes') return value.text
  if (shape.type === 'time') {
    const time = literal.time()
    if (time === 'syntax') throw literal.error('time', 'syntax')
    return value.text
  }
  const read = literal.read(shape)
  if (read === 'syntax' || read === 'range') throw literal.error(shape.type, read)
  if (typeof read === 'object') return Number.isSafeInteger(read.number) ? read.number : read.bigint
  return read ?? value.text
}
