import type { Match, Selector } from './ast.ts'
import type { Context } from './context.ts'
import { unwrap } from './kind-of.ts'
import { Literal } from './literal.ts'
import { findName, type Names } from './names.ts'
import { whenMissing } from './operators.ts'
import type { Regex } from './regex/index.ts'
import { anyShape, type Shape } from './shape.ts'

/**
 * What nearly every comparison meets on nearly every datum: properties of plain objects, and a string, number,
 * boolean or list at their end. Both evaluators run this first and leave the rest to the general tests; it
 * never throws, and it must never answer differently.
 */
export interface FastPath {
  /** The properties to read one after the other, each an own property of a plain object. */
  readonly keys: readonly string[]
  /** The answer where the last key is absent, if that is an answer. */
  readonly missing: boolean | undefined
  readonly string: StringTest | undefined
  readonly number: NumberTest | undefined
  /** The boolean that is wanted. */
  readonly boolean: boolean | undefined
  readonly list: ListTest | undefined
}

export type StringTest =
  | { readonly op: 'equals' | 'includes'; readonly text: string }
  | { readonly op: 'one of'; readonly texts: readonly string[] }
  | { readonly op: 'matches'; readonly regex: Regex }
  | { readonly op: 'empty' }

export type NumberTest =
  | { readonly op: '==' | '<' | '<=' | '>' | '>='; readonly number: number }
  | { readonly op: 'one of'; readonly numbers: readonly number[] }

/** A list is decided here while its elements are of the one type that can equal the value. */
export type ListTest =
  | { readonly op: 'empty' }
  | { readonly op: 'includes'; readonly element: string | number }

/** The fast path of a match, from the datum or from a quantifier's element; `undefined` where it has none. */
export function fastPathOf(match: Match, context: Context, names: Names | undefined): FastPath | undefined {
  const { operand, op } = match
  if (operand?.type === 'field' || (match.ignoreCase && op !== 'matches')) return undefined
  const read = fastReadOf(match.selector, context, names)
  if (read === undefined) return undefined
  const leaf = unwrap(read.shape)
  const literal = operand?.type === 'value' ? new Literal(operand, context) : undefined
  const path = {
    keys: read.keys,
    missing: read.mayMiss ? whenMissing(op) : undefined,
    string: leaf.type === 'any' || leaf.type === 'string' ? stringTest(match, literal, context) : undefined,
    number: numberTest(match, literal, leaf, context),
    boolean: op === '==' && (leaf.type === 'any' || leaf.type === 'bool') ? booleanOf(literal) : undefined,
    list: leaf.type === 'any' || leaf.type === 'list' ? listTest(op, literal, leaf) : undefined,
  }
  const some = path.string ?? path.number ?? path.boolean ?? path.list
  return some === undefined ? undefined : path
}

/** A selector that reads own properties of plain objects, and what it is declared to find. */
export interface FastRead {
  readonly keys: readonly string[]
  readonly shape: Shape
  /** Whether the last key may be absent without that being an error. */
  readonly mayMiss: boolean
}

export function fastReadOf(
  selector: Selector,
  context: Context,
  names: Names | undefined,
): FastRead | undefined {
  const found = findName(selector, names)
  if (found?.role === 'key') return undefined
  const below = found === undefined ? 0 : 1
  const keys: string[] = []
  let shape = found === undefined ? context.shape : found.element
  let inMap = false
  for (let at = below; at < selector.path.length; at += 1) {
    const segment = selector.path[at] ?? ''
    const parent = unwrap(shape)
    const property = propertyOf(parent, segment)
    // Names that every object inherits take the general way, which looks at own properties only.
    if (property === undefined || property in Object.prototype) return undefined
    keys.push(property)
    inMap = shape.type !== 'pointer' && parent.type !== 'struct'
    shape = shapeBelow(parent, segment)
  }
  return { keys, shape, mayMiss: inMap && context.unknown === undefined && keys.length + below > 1 }
}

const propertyOf = (parent: Shape, segment: string): string | undefined => {
  if (parent.type === 'any') return segment
  if (parent.type === 'map') return parent.intKeys ? undefined : segment
  if (parent.type !== 'struct') return undefined
  const field = parent.fields.get(segment)
  if (field === undefined) return parent.open ? segment : undefined
  return field.access === 'open' ? field.property : undefined
}

const shapeBelow = (parent: Shape, segment: string): Shape => {
  if (parent.type === 'map') return parent.of
  return (parent.type === 'struct' ? parent.fields.get(segment)?.shape : undefined) ?? anyShape
}

function stringTest(match: Match, literal: Literal | undefined, context: Context): StringTest | undefined {
  switch (match.op) {
    case 'is empty':
      return { op: 'empty' }
    case '==':
      return literal && { op: 'equals', text: literal.text }
    case 'in':
      return literal && { op: 'includes', text: literal.text }
    case 'matches':
      return literal && regexTest(literal.text, match.ignoreCase, context)
    case 'one of':
      return match.operand?.type === 'values'
        ? { op: 'one of', texts: match.operand.values.map(({ text }) => text) }
        : undefined
    default:
      return undefined
  }
}

/** A pattern that does not compile is left to the general test, whose error says so. */
function regexTest(pattern: string, ignoreCase: boolean, context: Context): StringTest | undefined {
  const regex = context.patterns.compile(pattern, ignoreCase)
  return regex instanceof Error ? undefined : { op: 'matches', regex }
}

function numberTest(
  match: Match,
  literal: Literal | undefined,
  leaf: Shape,
  context: Context,
): NumberTest | undefined {
  const { op, operand } = match
  if (op === 'one of') {
    const numbers = (operand?.type === 'values' ? operand.values : []).map((value) =>
      numberOf(new Literal(value, context), leaf),
    )
    return numbers.every((number) => number !== undefined) ? { op, numbers } : undefined
  }
  if (op !== '==' && op !== '<' && op !== '<=' && op !== '>' && op !== '>=') return undefined
  const number = literal && numberOf(literal, leaf)
  return number === undefined ? undefined : { op, number }
}

/** The literal as the number that a field of this kind is compared with. */
function numberOf(literal: Literal, leaf: Shape): number | undefined {
  if (leaf.type === 'any' || leaf.type === 'float64') {
    const float = literal.read('float64')
    return typeof float === 'number' ? float : undefined
  }
  if (leaf.type !== 'int' && leaf.type !== 'uint') return undefined
  const integer = literal.read(leaf.type)
  return typeof integer === 'number' ? integer : undefined
}

const booleanOf = (literal: Literal | undefined): boolean | undefined => {
  const boolean = literal?.read('bool')
  return typeof boolean === 'boolean' ? boolean : undefined
}

function listTest(op: Match['op'], literal: Literal | undefined, leaf: Shape): ListTest | undefined {
  if (op === 'is empty') return { op: 'empty' }
  if (op !== 'in' || literal === undefined) return undefined
  const element = leaf.type === 'list' ? unwrap(leaf.of) : leaf
  if (element.type === 'any' || element.type === 'string') return { op: 'includes', element: literal.text }
  const number = numberOf(literal, element)
  return number === undefined ? undefined : { op: 'includes', element: number }
}
