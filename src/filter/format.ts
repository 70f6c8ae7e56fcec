import type { Expression, Field, Match, Quantifier, Selector, Value, Values } from './ast.ts'
import { FilterError } from './error.ts'
import { selectorText, stringText } from './selector-text.ts'

/**
 * Writes an expression as its canonical text: single blanks, only the parentheses it needs, every string quoted.
 *
 * @returns text that parses to the same expression in either dialect, as long as it holds no extension of
 * `standard`
 *
 * @example
 * ```ts
 * import { format, parse } from 'plinth/filter'
 *
 * format(parse('( Status==running )and not(Tags contains gpu)')) // 'Status == "running" and not "gpu" in Tags'
 * ```
 *
 * @public
 */
export function format(expression: Expression): string {
  try {
    return textOf(expression)
  } catch (error) {
    // Programs without types, and JSON, can give anything.
    if (error instanceof FilterError) throw error
    if (error instanceof RangeError) {
      throw new FilterError('limit', 'the expression is nested too deeply', '', { start: 0, end: 0 })
    }
    const given = String(JSON.stringify(expression)).slice(0, 200)
    throw new TypeError(`a filter expression is a text, or what parse() returned, not ${given}`)
  }
}

/** What would be written as it is, and so be read as something else, is no part of an expression. */
const matching = (text: string, pattern: RegExp): string => {
  if (pattern.test(text)) return text
  throw new TypeError()
}

/** Not that of a text, which has items, too. */
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
      return formatQuantifier(expression)
    default:
      throw new TypeError()
  }
}

/** What must stand in parentheses below each connective; bexpr wants them around quantifiers too. */
const inParentheses: Readonly<Record<'or' | 'and' | 'not', readonly Expression['type'][]>> = {
  or: ['any', 'all'],
  and: ['or', 'any', 'all'],
  not: ['or', 'and', 'any', 'all'],
}

const formatUnder = (connective: 'or' | 'and' | 'not', operand: Expression): string =>
  inParentheses[connective].includes(operand.type) ? `(${textOf(operand)})` : textOf(operand)

function formatMatch({ selector, op, negated, operand, ignoreCase }: Match): string {
  const left = pathText(selector)
  const not = negated ? 'not ' : ''
  const end = ignoreCase ? ' ignoring case' : ''
  const right = operand === null ? '' : operandText(operand)
  switch (op) {
    case '==':
      return `${left} ${negated ? '!=' : '=='} ${right}${end}`
    case 'in':
      // Only `contains` takes another field.
      return operand?.type === 'field'
        ? `${left} ${not}contains ${right}${end}`
        : `${right} ${not}in ${left}${end}`
    case 'one of':
      return `${left} ${not}in ${right}${end}`
    case 'matches':
      return `${left} ${not}matches ${right}${end}`
    case 'is empty':
      return `${left} is ${not}empty`
    case 'is nil':
      return `${left} is ${not}nil`
    default:
      return `${not}${left} ${matching(op, /^[<>]=?$/)} ${right}`
  }
}

function operandText(operand: Value | Values | Field): string {
  switch (operand.type) {
    case 'value':
      return isBare(operand) ? operand.text : stringText(operand.text)
    case 'values':
      return `[${operand.values.map(operandText).join(', ')}]`
    default:
      return `@${pathText(operand.selector)}`
  }
}

/** Numbers and booleans need no quotes. */
const isBare = ({ form, text }: Value): boolean =>
  text === 'true' || text === 'false' || (form === 'number' && number.test(text))

const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/

function formatQuantifier({ type, selector, name, key, value, body }: Quantifier): string {
  const names = matching(name ?? `${key ?? '_'}, ${value ?? '_'}`, /^\w+(?:, \w+)?$/)
  return `${type} ${collectionText(selector.path)} as ${names} { ${textOf(body)} }`
}

/** bexpr would read `any in as …` as the value `any` in the field `as`, so such a field is written as a pointer. */
const collectionText = (path: readonly string[]): string =>
  path.length === 1 && ['in', 'contains', 'matches'].includes(path[0] ?? '')
    ? `"/${path[0]}"`
    : selectorText(path)
