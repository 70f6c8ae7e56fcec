import type { Expression, Field, Match, Quantifier, Selector, Value, Values } from '../ast.ts'
import { FilterError } from '../error.ts'
import { momentOffset } from '../kinds/moment.ts'
import { textsOf } from '../operators/table.ts'
import { selectorText, stringText } from './selector-text.ts'

/**
 * Writes an expression as its canonical text: single spaces, only the necessary parentheses, every string quoted.
 *
 * @returns text that parses to the same expression in either dialect, unless it contains an extension of `standard`
 *
 * @example
 * ```ts
 * import { format, parse } from 'plinth/filter'
 *
 * format(parse('( Status==running )and not(Tags contains gpu)')) // 'Status == "running" and not "gpu" in Tags'
 * ```
 */
export function format(expression: Expression): string {
  try {
    return textOf(expression)
  } catch (error) {
    // Programs without types, and JSON, can contain anything.
    if (error instanceof FilterError) throw error
    if (error instanceof RangeError) {
      throw new FilterError('limit', 'the expression is nested too deeply', '', { start: 0, end: 0 })
    }
    const given = String(JSON.stringify(expression)).slice(0, 200)
    throw new TypeError(`a filter expression is a string, or a result of parse(), not ${given}`)
  }
}

/** A part that would be written unchanged, and so parsed as something else, is refused. */
const matching = (text: string, pattern: RegExp): string => {
  if (pattern.test(text)) return text
  throw new TypeError()
}

/** Not that of a string, which has items, too. */
const pathText = ({ path }: Selector): string => selectorText(path.map(String))

function textOf(expression: Expression): string {
  switch (expression.type) {
    case 'or':
    case 'and':
      return expression.operands
        .map((operand) => formatUnder(expression.type, operand))
        .join(` ${expression.type} `)
    case 'not':
      return `not ${formatUnder('not', expression.operand)}`
    case 'match':
      return formatMatch(expression)
    case 'any':
    case 'all':
    case 'none':
      return formatQuantifier(expression)
    default:
      return unknownNode(expression)
  }
}

/** JSON, and programs without types, can contain other nodes. */
const unknownNode = (_: never): never => {
  throw new TypeError()
}

/** What needs parentheses below each connective; bexpr requires them around quantifiers too. */
const inParentheses: Readonly<Record<'or' | 'and' | 'not', readonly Expression['type'][]>> = {
  or: ['any', 'all', 'none'],
  and: ['or', 'any', 'all', 'none'],
  not: ['or', 'and', 'any', 'all', 'none'],
}

const formatUnder = (connective: 'or' | 'and' | 'not', operand: Expression): string =>
  inParentheses[connective].includes(operand.type) ? `(${textOf(operand)})` : textOf(operand)

function formatMatch({ selector, op, negated, operand, ignoreCase }: Match): string {
  if (!Object.hasOwn(textsOf, op)) throw new TypeError()
  return textsOf[op]({
    op,
    left: pathText(selector),
    right: op === 'between' ? boundsText(operand) : operand === null ? '' : operandText(operand),
    negated,
    not: negated ? 'not ' : '',
    end: ignoreCase ? ' ignoring case' : '',
    field: operand?.type === 'field',
  })
}

const boundsText = (operand: Match['operand']): string => {
  const [least, most, ...more] = operand?.type === 'values' ? operand.values : []
  if (least === undefined || most === undefined || more.length > 0) throw new TypeError()
  return `${operandText(least)} and ${operandText(most)}`
}

function operandText(operand: Value | Values | Field): string {
  switch (operand.type) {
    case 'value':
      return valueText(operand)
    case 'values':
      return `[${operand.values.map(valueText).join(', ')}]`
    case 'field': {
      const text = pathText(operand.selector)
      // The element of a quantifier without names begins with the sign itself.
      return text.startsWith('@') ? text : `@${text}`
    }
    default:
      return unknownNode(operand)
  }
}

/** Numbers, booleans and moments need no quotes. */
function valueText({ form, text }: Value): string {
  if (form === 'parameter') return `$${matching(text, /^[A-Za-z]\w*$/)}`
  if (form === 'moment' && momentOffset(text) !== undefined) return text.replace(/\s*([+-])\s*/, ' $1 ')
  const isNumber = form === 'number' && number.test(text)
  return text === 'true' || text === 'false' || isNumber ? text : stringText(text)
}

const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/

function formatQuantifier({ type, selector, name, key, value, body }: Quantifier): string {
  if (name === null && key === null && value === '@') {
    return `${type} ${collectionText(selector.path)} { ${textOf(body)} }`
  }
  const names = matching(name ?? `${key ?? '_'}, ${value ?? '_'}`, /^\w+(?:, \w+)?$/)
  return `${type} ${collectionText(selector.path)} as ${names} { ${textOf(body)} }`
}

/** bexpr would read `any in as …` as the value `any` in the field `as`, so such a field is written as a pointer. */
const collectionText = (path: readonly string[]): string =>
  path.length === 1 && ['in', 'contains', 'matches'].includes(path[0] ?? '')
    ? `"/${path[0]}"`
    : selectorText(path)
