// A second evaluator, as slow and plain as can be: it walks the tree for every datum and knows nothing of kinds
// that are declared, of closures or of code. What the engine answers is compared with it.

import type { Expression, Match, Quantifier, Selector, Value } from '../../src/filter/index.ts'
import { parseBoolean, parseFloating, parseInteger } from '../../src/filter/kinds/coerce.ts'

/** An error of the language, by its kind. */
export class Refused extends Error {
  readonly kind: string
  constructor(kind: string) {
    super(kind)
    this.kind = kind
  }
}

interface Options {
  readonly standard: boolean
  readonly unknown?: { readonly value: unknown } | undefined
  /** Whether what is missing is an answer, as `is present` wants. */
  readonly lenient?: boolean
  readonly compileRegex: (
    pattern: string,
    options: { readonly ignoreCase: boolean },
  ) => { test(text: string): boolean }
}

type Names = ReadonlyMap<string, { readonly key: string | number } | { readonly element: unknown }>

export function evaluate(
  node: Expression,
  datum: unknown,
  options: Options,
  names: Names = new Map(),
): boolean {
  switch (node.type) {
    case 'and':
      return node.operands.every((operand) => evaluate(operand, datum, options, names))
    case 'or':
      return node.operands.some((operand) => evaluate(operand, datum, options, names))
    case 'not':
      return !evaluate(node.operand, datum, options, names)
    case 'match':
      return evaluateMatch(node, datum, options, names) !== node.negated
    case 'any':
    case 'all':
    case 'none':
      return evaluateQuantifier(node, datum, options, names)
    default:
      return node satisfies never
  }
}

const missing = Symbol('missing')

/** Everything a selector finds: one value, `missing`, or several through lists; found one after the other. */
function* find(selector: Selector, datum: unknown, options: Options, names: Names): Generator<unknown> {
  const [first = '', ...rest] = selector.path
  const name = names.get(first)
  if (name === undefined) yield* follow(datum, selector.path, 0, options)
  else if ('element' in name) yield* follow(name.element, rest, 1, options)
  else if (rest.length > 0) throw new Refused('type')
  else yield typeof name.key === 'number' ? BigInt(name.key) : name.key
}

/** `depth`: how many steps lead to `value`. */
function* follow(
  value: unknown,
  path: readonly string[],
  depth: number,
  options: Options,
): Generator<unknown> {
  const [key, ...rest] = path
  if (options.lenient === true && value === null) {
    yield missing
    return
  }
  if (key === undefined) {
    yield value
    return
  }
  if (Array.isArray(value)) {
    const index = key === '' ? 0 : parseInteger(key, false)
    if (typeof index !== 'string') {
      const isOutside = index < 0 || index >= value.length
      if (isOutside && options.lenient !== true) throw new Refused('out-of-range')
      if (isOutside) yield missing
      else yield* follow(value[Number(index)], rest, depth + 1, options)
    } else if (options.standard) {
      for (const item of value) yield* follow(item, path, depth, options)
    } else {
      throw new Refused('index-convert')
    }
    return
  }
  if (typeof value !== 'object' || value === null) throw new Refused('not-indexable')
  const found =
    value instanceof Map ? value.get(key) : Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
  if (found !== undefined) {
    yield* follow(found, rest, depth + 1, options)
  } else if (options.unknown !== undefined) {
    yield options.unknown.value
  } else if (options.lenient === true || (rest.length === 0 && depth > 0 && isMap(value))) {
    yield missing
  } else {
    throw new Refused('not-found')
  }
}

const isMap = (value: object): boolean =>
  value instanceof Map || [Object.prototype, null].includes(Object.getPrototypeOf(value))

function evaluateMatch(match: Match, datum: unknown, options: Options, names: Names): boolean {
  const looking = match.op === 'is present' ? { ...options, unknown: undefined, lenient: true } : options
  for (const value of find(match.selector, datum, looking, names)) {
    if (
      value === missing
        ? match.op === 'is empty' || match.op === 'is nil' || countHolds(match, 0)
        : holds(match, value, datum, options, names)
    ) {
      return true
    }
  }
  return false
}

const fold = (text: string, ignoreCase: boolean) => (ignoreCase ? text.toLowerCase() : text)

function holds(match: Match, value: unknown, datum: unknown, options: Options, names: Names): boolean {
  const { op, operand, ignoreCase } = match
  switch (op) {
    case 'is empty':
      if (typeof value === 'string' || Array.isArray(value)) return value.length === 0
      if (value instanceof Map) return value.size === 0
      if (typeof value === 'object' && value !== null && isMap(value)) return Object.keys(value).length === 0
      throw new Refused('type')
    case 'is nil':
      if (value === null) return true
      if (typeof value === 'object') return false
      throw new Refused('type')
    case 'is present':
      return value !== null
    case 'is true':
    case 'is false':
      if (typeof value !== 'boolean') throw new Refused('type')
      return value === (op === 'is true')
    case 'between': {
      const [least, most] = operand?.type === 'values' ? operand.values : []
      if (least === undefined || most === undefined) break
      const [from, to] = [compare(value, least), compare(value, most)]
      return from >= 0 && to <= 0
    }
    case 'starts with':
    case 'ends with':
      if (operand?.type !== 'value') break
      if (typeof value !== 'string') throw new Refused('type')
      return hasEnd(op, fold(value, ignoreCase), fold(operand.text, ignoreCase))
    case 'count ==':
    case 'count <':
    case 'count <=':
    case 'count >':
    case 'count >=':
      return countHolds(match, sizeOf(value))
    case 'matches':
      if (typeof value !== 'string' || operand?.type !== 'value') throw new Refused('type')
      return options.compileRegex(operand.text, { ignoreCase }).test(value)
    case 'one of':
      return operand?.type === 'values' && operand.values.some((one) => equal(value, one, ignoreCase))
    case '==':
      if (operand?.type === 'value') return equal(value, operand, ignoreCase)
      break
    case 'in':
      if (operand?.type === 'value') return within(operand, value, ignoreCase, options)
      break
    default:
      if (operand?.type === 'value') return ordered(op, compare(value, operand))
  }
  if (operand?.type !== 'field') throw new Error('no operand')
  for (const other of find(operand.selector, datum, options, names)) {
    if (other !== missing && fieldHolds(op, value, other, ignoreCase)) return true
  }
  return false
}

const hasEnd = (op: 'starts with' | 'ends with', text: string, end: string): boolean =>
  op === 'starts with' ? text.slice(0, end.length) === end : end === '' || text.slice(-end.length) === end

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  if (value instanceof Map) return value.size
  if (typeof value === 'object' && value !== null && isMap(value)) return Object.keys(value).length
  throw new Refused('type')
}

function countHolds({ op, operand }: Match, size: number): boolean {
  if (!op.startsWith('count') || operand?.type !== 'value') return false
  const order = size - Number(operand.text)
  return op === 'count ==' ? order === 0 : ordered(op.slice(6), order)
}

function equal(value: unknown, { text }: Value, ignoreCase: boolean): boolean {
  if (typeof value === 'string') return fold(value, ignoreCase) === fold(text, ignoreCase)
  const wanted =
    typeof value === 'number'
      ? parseFloating(text)
      : typeof value === 'bigint'
        ? parseInteger(text, false)
        : typeof value === 'boolean'
          ? parseBoolean(text)
          : 'type'
  if (typeof wanted === 'string') throw new Refused(wanted === 'type' ? 'type' : 'coercion')
  return typeof value === 'bigint' && typeof wanted !== 'boolean'
    ? BigInt(wanted) === value
    : wanted === value
}

function within(operand: Value, value: unknown, ignoreCase: boolean, { standard }: Options): boolean {
  if (typeof value === 'string') return fold(value, ignoreCase).includes(fold(operand.text, ignoreCase))
  if (Array.isArray(value)) {
    for (const item of value) {
      try {
        if (equal(item, operand, ignoreCase)) return true
      } catch (error) {
        // What is not written like the element's kind is passed over; what is too large for it is not.
        if (!(error instanceof Refused) || error.kind !== 'coercion') throw error
        const misfit =
          typeof item === 'number' ? parseFloating(operand.text) : parseInteger(operand.text, false)
        if (typeof item !== 'boolean' && misfit === 'range') throw new Refused('type')
      }
    }
    return false
  }
  if (typeof value !== 'object' || value === null || !isMap(value)) {
    // The original reads the literal before it asks whether anything can be in the value.
    if (!standard && value !== null && typeof value !== 'object') equal(value, operand, ignoreCase)
    throw new Refused('type')
  }
  const keys = value instanceof Map ? [...value.keys()] : Object.keys(value)
  return keys.some((key) => fold(String(key), ignoreCase) === fold(operand.text, ignoreCase))
}

function compare(value: unknown, { text }: Value): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new Refused('type')
  const readings = [parseInteger(text, false), parseFloating(text)]
  // As a number of its own kind, if it is one: `010` is ten to a float, as it is for `==`.
  const [own = 'syntax', other = own] = typeof value === 'number' ? readings.reverse() : readings
  const wanted = typeof own === 'string' ? other : own
  if (typeof wanted === 'string') throw new Refused('coercion')
  return value < wanted ? -1 : value > wanted ? 1 : value >= wanted ? 0 : Number.NaN
}

const ordered = (op: string, order: number): boolean =>
  op === '<' ? order < 0 : op === '<=' ? order <= 0 : op === '>' ? order > 0 : order >= 0

function fieldHolds(op: Match['op'], left: unknown, right: unknown, ignoreCase: boolean): boolean {
  if (op === 'starts with' || op === 'ends with') {
    if (typeof left !== 'string' || typeof right !== 'string') throw new Refused('type')
    return hasEnd(op, fold(left, ignoreCase), fold(right, ignoreCase))
  }
  const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint'
  if (op === 'in') {
    if (typeof left === 'string' && typeof right === 'string') {
      return fold(left, ignoreCase).includes(fold(right, ignoreCase))
    }
    if (!Array.isArray(left) || typeof right === 'object') throw new Refused('type')
    // 2 and 2n are one number, and NaN equals nothing.
    return left.some((item) =>
      isNumber(item) && isNumber(right)
        ? item <= right && item >= right
        : typeof item === 'string' && typeof right === 'string'
          ? fold(item, ignoreCase) === fold(right, ignoreCase)
          : item === right,
    )
  }
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [left as number, right as number]
    const order = a < b ? -1 : a > b ? 1 : a >= b ? 0 : Number.NaN
    return op === '==' ? order === 0 : ordered(op, order)
  }
  if (op !== '==' || typeof left !== typeof right) throw new Refused('type')
  if (typeof left === 'boolean') return left === right
  if (typeof left !== 'string' || typeof right !== 'string') throw new Refused('type')
  return fold(left, ignoreCase) === fold(right, ignoreCase)
}

function evaluateQuantifier(node: Quantifier, datum: unknown, options: Options, names: Names): boolean {
  const wanted = node.type !== 'all'
  for (const collection of find(node.selector, datum, options, names)) {
    if (collection === missing) continue
    for (const [key, element] of entriesOf(collection)) {
      if (node.key !== null && node.key === node.value) throw new Refused('type')
      const inner = new Map(names)
      if (node.name !== null) inner.set(node.name, typeof key === 'string' ? { key } : { element })
      if (node.key !== null) inner.set(node.key, { key })
      if (node.value !== null) inner.set(node.value, { element })
      if (evaluate(node.body, datum, options, inner) === wanted) return node.type === 'any'
    }
  }
  return node.type !== 'any'
}

function entriesOf(collection: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(collection)) return [...collection.entries()]
  if (typeof collection !== 'object' || collection === null || !isMap(collection)) throw new Refused('type')
  return collection instanceof Map ? [...collection] : Object.entries(collection)
}
