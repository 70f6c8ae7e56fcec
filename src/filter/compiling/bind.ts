import { parseDuration } from '../../kernel/duration.ts'
import type { Expression, Match, Range, Value } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { parseTime } from '../kinds/coerce.ts'
import { day } from '../kinds/moment.ts'
import type { ParameterValues, PlainParameterKind } from '../kinds/parameters.ts'
import { isDate } from '../kinds/realms.ts'
import { plainName } from '../kinds/shape.ts'
import { known } from '../reading/parameters.ts'

/**
 * Replaces the parameters of a tree by values. They become literals of the tree and are never parsed, so that a value
 * cannot act as syntax.
 *
 * @throws {@link FilterError} of kind `type` for a value that is missing, of another kind, or without a parameter
 */
export function bound(tree: Expression, values: ParameterValues, context: Context): Expression {
  const { parameters, source } = context
  const names = Object.keys(parameters)
  const fail = (message: string, at: Range) =>
    new FilterError('type', message, source, { start: at.start, end: at.end })
  for (const name of Object.keys(values)) {
    if (!names.includes(name)) {
      throw fail(`there is no parameter $${name}${known(parameters)}`, { start: 0, end: 0 })
    }
  }
  return replaced(tree, (value) => {
    const { text: name, start, end } = value
    const declared = parameters[name]
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    if (declared === undefined || given === undefined) throw unbound(value, source)
    const kind = plainName(declared)
    const text = texts[kind](given)
    if (text === undefined)
      throw fail(`the parameter $${name} is ${wanted[kind]}, not ${shown(given)}`, value)
    return {
      type: 'value',
      form: kind === 'float64' || kind === 'int' ? 'number' : 'string',
      text,
      start,
      end,
    }
  })
}

/** The error of a parameter without a value. */
export const unbound = ({ text, start, end }: Value, source: string): FilterError =>
  new FilterError('type', `the parameter $${text} has no value; give one: bind({ ${text}: … })`, source, {
    start,
    end,
  })

const wanted: Readonly<Record<PlainParameterKind, string>> = {
  string: 'a string',
  float64: 'a number',
  int: 'a whole number',
  bool: 'true or false',
  time: 'a Date or an RFC 3339 string',
  duration: 'a string such as 1h30m, or a number of nanoseconds',
}

const shown = (value: unknown): string =>
  isDate(value) || typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))

type Given = ParameterValues[string]

/** How a value of each kind is written; `undefined` if it is not of the kind. */
const texts: Readonly<Record<PlainParameterKind, (given: Given) => string | undefined>> = {
  string: (given) => (typeof given === 'string' ? given : undefined),
  float64: (given) =>
    typeof given === 'bigint' || (typeof given === 'number' && !Number.isNaN(given))
      ? String(given)
      : undefined,
  int: (given) => (typeof given === 'bigint' || Number.isSafeInteger(given) ? String(given) : undefined),
  bool: (given) => (typeof given === 'boolean' ? String(given) : undefined),
  time: (given) => {
    if (isDate(given)) return Number.isNaN(+given) ? undefined : given.toISOString()
    if (typeof given !== 'string') return undefined
    return parseTime(given) !== 'syntax' || (day.test(given) && !Number.isNaN(Date.parse(given)))
      ? given
      : undefined
  },
  duration: (given) => {
    if (typeof given === 'string') return parseDuration(given) === undefined ? undefined : given
    return typeof given === 'number' && Number.isFinite(given) ? String(given) : undefined
  },
}

/** The parameters of a tree, in order. */
export function parametersOf(tree: Expression): Value[] {
  const found: Value[] = []
  replaced(tree, (value) => {
    found.push(value)
    return value
  })
  return found
}

function replaced(node: Expression, by: (parameter: Value) => Value): Expression {
  switch (node.type) {
    case 'and':
    case 'or':
      return { ...node, operands: node.operands.map((operand) => replaced(operand, by)) }
    case 'not':
      return { ...node, operand: replaced(node.operand, by) }
    case 'match':
      return { ...node, operand: replacedOperand(node.operand, by) }
    case 'any':
    case 'all':
    case 'none':
      return { ...node, body: replaced(node.body, by) }
    default:
      return node satisfies never
  }
}

function replacedOperand(operand: Match['operand'], by: (parameter: Value) => Value): Match['operand'] {
  const one = (value: Value) => (value.form === 'parameter' ? by(value) : value)
  if (operand?.type === 'values') return { ...operand, values: operand.values.map(one) }
  return operand?.type === 'value' ? one(operand) : operand
}
