import type { Match } from './ast.ts'
import { equalityOf, folded } from './equality.ts'
import { FilterError } from './error.ts'
import { entriesOf, entry, isList, kindName, kindOf, unwrap } from './kind-of.ts'
import type { Literal } from './literal.ts'
import type { Answer } from './predicate.ts'
import { anyShape, byteShape, type Shape } from './shape.ts'

/** What `in` and `contains` answer: for a part of a text, an element of a list, a key of a map. */
export function membershipOf(
  literal: Literal,
  match: Match,
  { source, standard }: { readonly source: string; readonly standard: boolean },
): Answer {
  const { text, scalars } = literal
  const { ignoreCase } = match
  const part = folded(text, ignoreCase)
  const equals = equalityOf(literal, ignoreCase)
  const fail = (message: string): never => {
    throw new FilterError('type', message, source, match)
  }
  const incomparable = (type: string) => fail(`cannot compare with elements of type ${type}`)

  const among = (values: Iterable<unknown>, of: Shape): boolean => {
    const declared = unwrap(of)
    const isMixed = declared.type === 'any'
    if (!isMixed && (!('name' in declared) || declared.type === 'bytes')) return incomparable(declared.type)
    // The value must fit the kind of the elements even where there are none.
    if (scalars[declared.type] !== undefined) literal.value(declared.type)
    for (const value of values) {
      const kind = kindOf(value, declared)
      if (isMixed && scalars[kind] !== undefined) {
        // Each element has its own kind: one that the value is not written like is passed over.
        const read = literal.read(kind)
        if (read === 'range') return fail('value out of range')
        if (read === 'syntax') continue
      }
      const equal = equals(value, kind)
      if (equal === undefined) return incomparable(kindName(value, anyShape))
      if (equal) return true
    }
    return false
  }

  return (value, kind, shape) => {
    const declared = unwrap(shape)
    switch (kind) {
      case 'string':
      case 'time':
      case 'duration':
        if (typeof value === 'string') return folded(value, ignoreCase).includes(part)
        break
      case 'list':
      case 'bytes': {
        const of = declared.type === 'list' ? declared.of : anyShape
        return among(isList(value) ? value : [], kind === 'list' ? of : byteShape)
      }
      case 'map':
        if (declared.type === 'map' && declared.intKeys) {
          return fail(`cannot look for the key ${JSON.stringify(text)} in a map with integer keys`)
        }
        return ignoreCase
          ? entriesOf(value).some(([key]) => folded(key, true) === part)
          : entry(value, text) !== undefined
    }
    // The original reads the value first, for whatever it is compared with.
    if (!standard && scalars[kind] !== undefined) literal.value(kind)
    return undefined
  }
}
