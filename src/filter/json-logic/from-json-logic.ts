import { FilterError } from '../error.ts'
import { parse } from '../reading/parse.ts'
import { format } from '../writing/format.ts'
import { pointerText, selectorText, stringText } from '../writing/selector-text.ts'

/**
 * Translates a JsonLogic rule, as `JSON.parse` returns it, into the text of a filter. Compile it with `missing: 'null'`,
 * as JsonLogic treats missing fields.
 *
 * @remarks
 * Unlike in JsonLogic, two missing fields are not equal, a missing field is neither less nor greater than a number, an empty
 * string contains itself, and strings, numbers and booleans are not converted into each other.
 *
 * @throws FilterError of kind `parse` for what a filter cannot express: an operator such as `+`, `if` or `substr`, a default
 * of `var`, a constant. It names the operator, and its place in the rule as a JSON pointer.
 *
 * @example
 * ```ts
 * import { fromJsonLogic } from 'plinth/filter/json-logic'
 *
 * fromJsonLogic({ and: [{ '==': [{ var: 'Status' }, 'dead'] }, { '>': [{ var: 'Priority' }, 50] }] })
 * // 'Status == "dead" and Priority > 50'
 * ```
 */
export function fromJsonLogic(rule: unknown): string {
  return format(parse(condition(rule, { keys: [], root: [] })))
}

/** Where a part of a rule is, and the selector of what its variables are read from. */
interface Place {
  readonly keys: readonly string[]
  readonly root: readonly string[]
}

const below = ({ keys, root }: Place, key: string | number): Place => ({ keys: [...keys, String(key)], root })

function refuse({ keys }: Place, what: string): never {
  const source = pointerText(keys) || '/'
  const start = source.lastIndexOf('/') + 1
  throw new FilterError('parse', `${what}, at ${source} of the rule`, source, { start, end: source.length })
}

/** The operator of a rule with its arguments, of which a single one needs no list. */
function operation(rule: unknown): readonly [operator: string, given: readonly unknown[]] | undefined {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return undefined
  const [only, ...more] = Object.entries(rule)
  return only === undefined || more.length > 0 ? undefined : [only[0], [only[1]].flat()]
}

function condition(rule: unknown, place: Place): string {
  const [operator, given] = operation(rule) ?? refuse(place, 'a condition is an object with one operator')
  const here = below(place, operator)
  const [least, most] = counts.get(operator) ?? refuse(here, `a filter has no counterpart of "${operator}"`)
  if (given.length < least || given.length > most) refuse(here, `"${operator}" has ${given.length} arguments`)
  if (place.keys.length > 400) refuse(here, 'the rule is nested more than 200 levels deep')
  const [first, second] = given
  if (operator === 'and' || operator === 'or')
    return given.map((part, at) => `(${condition(part, below(here, at))})`).join(` ${operator} `)
  if (operator === '!') return `not (${condition(first, below(here, 0))})`
  if (operator === '!!') return condition(first, below(here, 0))
  if (operator === 'var') return `${field(rule, place)} is true`
  if (operator === 'missing')
    return given.map((name) => `${field({ var: name }, here)} is missing`).join(' or ')
  if (operator === 'in' && Array.isArray(second))
    return `${field(first, below(here, 0))} in [${second.map((one, at) => literal(one, below(below(here, 1), at))).join(', ')}]`
  if (operator === 'in') return `${field(second, below(here, 1))} contains ${operand(first, below(here, 0))}`
  if (operator === 'some' || operator === 'all' || operator === 'none') {
    const list = field(first, below(here, 0))
    const body = condition(second, { ...below(here, 1), root: ['@'] })
    // In JsonLogic nothing holds for all elements of an empty list.
    return operator === 'all'
      ? `${list} is not empty and all ${list} { ${body} }`
      : `${operator === 'some' ? 'any' : 'none'} ${list} { ${body} }`
  }
  const op = operator.slice(0, 2)
  const value = (one: unknown, at: Place) => (one === null && /[=!]=/.test(op) ? 'null' : operand(one, at))
  const pairs = given.slice(1).map((right, at) => {
    const [left, before, after] = [given[at], below(here, at), below(here, at + 1)]
    if (operation(left) === undefined && operation(right) !== undefined)
      return `${field(right, after)} ${mirrored.get(op) ?? op} ${value(left, before)}`
    return `${field(left, before)} ${op} ${value(right, after)}`
  })
  return pairs.join(' and ')
}

const counts = new Map<string, readonly [least: number, most: number]>([
  ...['and', 'or', 'missing'].map((name) => [name, [1, 1000]] as const),
  ...['!', '!!', 'var'].map((name) => [name, [1, 1]] as const),
  ...['in', 'some', 'all', 'none', '==', '===', '!=', '!=='].map((name) => [name, [2, 2]] as const),
  ...['<', '<=', '>', '>='].map((name) => [name, [2, 3]] as const),
])
const mirrored: ReadonlyMap<string, string> = new Map([
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
])

const operand = (rule: unknown, place: Place): string =>
  operation(rule) === undefined ? literal(rule, place) : `@${field(rule, place).replace(/^@/, '')}`

function literal(value: unknown, place: Place): string {
  if (typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(String(value))) return String(value)
  return ['string', 'number', 'boolean'].includes(typeof value)
    ? stringText(String(value))
    : refuse(place, 'a value is a string, a number or a boolean')
}

function field(rule: unknown, place: Place): string {
  const [operator, [name, ...more]] =
    operation(rule) ?? refuse(place, 'a comparison needs a field, {"var": name}')
  if (operator !== 'var')
    refuse(below(place, operator), `a filter has no counterpart of "${operator}" in a comparison`)
  const path = [...place.root, ...(name === '' ? [] : String(name).split('.'))]
  const isName = (typeof name === 'string' && !name.startsWith('../')) || typeof name === 'number'
  if (!isName || more.length > 0 || path.length === 0 || (path[0] === '@' && place.root.length === 0))
    refuse(below(place, 'var'), 'a field is {"var": name}, without a default')
  return selectorText(path)
}
