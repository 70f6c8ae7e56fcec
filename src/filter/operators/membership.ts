import type { Match } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Answer } from '../evaluating/predicate.ts'
import { searchCost } from '../evaluating/work.ts'
import { fold } from '../kinds/fold.ts'
import { entriesOf, entry, isList, kindName, kindOf, unwrap } from '../kinds/kind-of.ts'
import { anyShape, byteShape, type Shape } from '../kinds/shape.ts'
import { compareNumbers, isNumber } from './compare.ts'
import { equalityOf } from './equality.ts'
import type { HintRule } from './hint-rules.ts'
import type { Literal } from './literal.ts'
import { holding, isPathName, type MongoRule, unsatisfiable } from './mongo-rules.ts'
import { plainNumber } from './order.ts'
import type { Found, MatchContext, TestRules } from './rules.ts'
import { holdsText } from './search.ts'
import type { SqlRule } from './sql-rules.ts'
import type { Label, TextRule } from './text-rules.ts'

/** The result of `in` and `contains`: for a substring, an element of a list, a key of a map. */
function membershipOf(literal: Literal, match: Match, { source, standard, work }: MatchContext): Answer {
  const { text, scalars } = literal
  const { ignoreCase } = match
  const part = ignoreCase ? fold(text) : text
  const equals = equalityOf(literal, ignoreCase)
  const fail = (message: string): never => {
    throw new FilterError('type', message, source, match)
  }
  const incomparable = (type: string) => fail(`cannot compare with elements of type ${type}`)

  const among = (values: Iterable<unknown>, of: Shape): boolean => {
    const declared = unwrap(of)
    const isMixed = declared.type === 'any'
    if (!isMixed && (!('name' in declared) || declared.type === 'bytes')) return incomparable(declared.type)
    // The value must fit the kind of the elements even if there are none.
    if (scalars[declared.type] !== undefined) literal.value(declared.type)
    for (const value of values) {
      work.spend(1, match)
      // An optional element that is null equals nothing.
      if (of.type === 'optional' && (value === null || value === undefined)) continue
      const kind = kindOf(value, declared)
      if (isMixed && scalars[kind] !== undefined) {
        // Each element has its own kind: elements of which the value is not a valid literal are skipped.
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
        if (typeof value !== 'string') break
        work.spend(searchCost(value), match)
        return ignoreCase ? fold(value).includes(part) : holdsText(value, part)
      case 'list':
      case 'bytes': {
        const of = declared.type === 'list' ? declared.of : anyShape
        return among(isList(value) ? value : [], kind === 'list' ? of : byteShape)
      }
      case 'map': {
        if (declared.type === 'map' && declared.intKeys) {
          return fail(`cannot look for the key ${JSON.stringify(text)} in a map with integer keys`)
        }
        if (!ignoreCase) return entry(value, text) !== undefined
        const entries = entriesOf(value)
        work.spend(entries.length, match)
        return entries.some(([key]) => fold(key) === part)
      }
      default:
    }
    // go-bexpr parses the value first, before it looks at the other side.
    if (!standard && scalars[kind] !== undefined) literal.value(kind)
    return undefined
  }
}

const holdsField: NonNullable<TestRules['ofFields']> = (
  { value: whole }: Found,
  { value: part }: Found,
  match,
  { work },
) => {
  const { ignoreCase } = match
  const folded = (value: unknown) => (ignoreCase && typeof value === 'string' ? fold(value) : value)
  const wanted = folded(part)
  if (typeof whole === 'string' && typeof wanted === 'string') {
    work.spend(searchCost(whole) + searchCost(wanted), match)
    return holdsText(String(folded(whole)), wanted)
  }
  if (!Array.isArray(whole) || typeof part === 'object') return undefined
  for (const item of whole) {
    work.spend(1, match)
    if (isNumber(part) ? compareNumbers(item, part) === 0 : folded(item) === wanted) return true
  }
  return false
}

const isIn: TestRules = {
  string: ({ literals: [literal], match: { ignoreCase } }) =>
    literal && {
      op: 'includes',
      text: ignoreCase ? fold(literal.text) : literal.text,
      fold: ignoreCase,
    },
  list: ({ literals: [literal], match: { ignoreCase } }, element) => {
    if (literal === undefined) return undefined
    const { type } = unwrap(element)
    if (type === 'any' || type === 'string') {
      return {
        op: 'includes',
        element: ignoreCase ? fold(literal.text) : literal.text,
        fold: ignoreCase,
      }
    }
    if (type !== 'float64' && type !== 'int' && type !== 'uint') return undefined
    const number = plainNumber(literal.read(type))
    return number === undefined ? undefined : { op: 'includes', element: number, fold: false }
  },
  answer: ({ literals: [literal], match, context }) =>
    literal === undefined ? () => false : membershipOf(literal, match, context),
  ofFields: holdsField,
}

export const tests = { in: isIn }

export const texts: Readonly<Record<'in', TextRule>> = {
  // Only `contains` accepts another field.
  in: ({ left, right, not, end, field }) =>
    field ? `${left} ${not}contains ${right}${end}` : `${right} ${not}in ${left}${end}`,
}

export const sql: Readonly<Record<'in', SqlRule>> = {
  in: (writer, match, column, shape) => writer.contains(match, column, unwrap(shape)),
}

export const mongo: Readonly<Record<'in', MongoRule>> = {
  in: (parts, match, shape) => {
    const kind = unwrap(shape)
    if (match.operand?.type !== 'value') throw parts.cannot(match, 'whether one field is in another')
    if (kind.type === 'map') {
      const key = parts.text(match)
      if (kind.intKeys || !isPathName(key)) throw parts.cannot(match, `the key ${JSON.stringify(key)}`)
      return (path) => ({ [`${path}.${key}`]: { $exists: true } })
    }
    if (kind.type === 'list') {
      const [value] = parts.values({ ...match, op: '==' }, kind.of)
      return value === undefined ? unsatisfiable : { $elemMatch: { $eq: value } }
    }
    parts.mustBeText(match, shape)
    return holding(parts.text(match), false, false)
  },
}

export const labels: Readonly<Record<'in', Label>> = { in: ['contains', 'does not contain'] }

export const hints: Readonly<Record<'in', HintRule>> = { in: () => undefined }
