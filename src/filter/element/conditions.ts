import type { Expression, Match, Operator, Value } from '../ast.ts'
import type { FieldDescription } from '../checking/describe-fields.ts'
import { familyOf, languageOf } from '../completing/complete.ts'
import { momentOffset } from '../kinds/moment.ts'
import { labelsOf } from '../operators/table.ts'
import { selectorPath } from '../reading/selector-path.ts'

/** How the conditions of a group are joined. */
export type Join = 'all' | 'any' | 'none' | 'not all'

/** An expression as conditions, several of which may be groups themselves. */
export interface Group {
  readonly join: Join
  readonly conditions: readonly Expression[]
}

/** A comparison whose field, operator and values can each be chosen: the others are shown as text. */
export type Row = Match & { readonly operand: Exclude<Match['operand'], { readonly type: 'field' }> }

const nowhere = { start: 0, end: 0 } as const

export const isRow = (node: Expression): node is Row =>
  node.type === 'match' &&
  node.operand?.type !== 'field' &&
  valuesOf(node).every(({ form }) => form !== 'parameter')

/** The group that an expression is; `undefined` for a comparison and a quantifier. */
export function groupOf(node: Expression): Group | undefined {
  if (node.type === 'and' || node.type === 'or')
    return { join: node.type === 'and' ? 'all' : 'any', conditions: node.operands }
  if (node.type !== 'not') return undefined
  const { operand } = node
  if (operand.type === 'and') return { join: 'not all', conditions: operand.operands }
  return { join: 'none', conditions: operand.type === 'or' ? operand.operands : [operand] }
}

/** The expression of a group; `undefined` if it has no condition. */
export function expressionOf({ join, conditions }: Group): Expression | undefined {
  const [only] = conditions
  if (only === undefined) return undefined
  const type = join === 'all' || join === 'not all' ? 'and' : 'or'
  const joined: Expression = conditions.length === 1 ? only : { type, operands: conditions, ...nowhere }
  return join === 'all' || join === 'any' ? joined : { type: 'not', operand: joined, ...nowhere }
}

/** An operator as the user chooses it. */
export interface Choice {
  readonly op: Operator
  readonly negated: boolean
  readonly label: string
}

/** The operators that a field supports. */
export const choicesFor = (field: FieldDescription): readonly Choice[] =>
  languageOf(false)
    .operators.filter(({ op }) => field.operators.includes(op))
    .map(({ op, negated }) => {
      const [positive, negative, ofMoments = positive] = labelsOf[op]
      return { op, negated, label: negated ? negative : familyOf(field) === 'time' ? ofMoments : positive }
    })

/** The values on the right of a comparison. */
export function valuesOf({ operand }: Match): readonly Value[] {
  if (operand?.type === 'values') return operand.values
  return operand?.type === 'value' ? [operand] : []
}

/** The number of values that an operator takes; `undefined` for any number from 1. */
export function arityOf(op: Operator): 0 | 1 | 2 | undefined {
  if (op.startsWith('is ')) return 0
  return op === 'one of' ? undefined : op === 'between' ? 2 : 1
}

/** The comparison of a field by an operator, with as many of these values as it takes. */
export function rowOf(
  field: FieldDescription,
  { op, negated }: Pick<Choice, 'op' | 'negated'>,
  texts: readonly string[],
  ignoreCase = false,
): Expression {
  const arity = arityOf(op)
  const taken = texts.length === 0 ? [defaultFor(field, op)] : texts
  const wanted =
    arity === undefined ? taken : Array.from({ length: arity }, (_, at) => taken[at] ?? taken.at(-1) ?? '')
  const values = wanted.map((text) => literalOf(field, op, text))
  return {
    type: 'match',
    selector: { path: selectorPath(field.selector), ...nowhere },
    op,
    negated,
    operand: arity === 1 ? (values[0] ?? null) : arity === 0 ? null : { type: 'values', values, ...nowhere },
    ignoreCase: ignoreCase && arity !== 0 && arity !== 2,
    ...nowhere,
  }
}

/** The first condition on a field: its first operator, with a value that fits. */
export function firstRowOf(field: FieldDescription): Expression | undefined {
  const [choice] = choicesFor(field)
  return choice && rowOf(field, choice, [])
}

export function defaultFor(field: FieldDescription, op: Operator): string {
  const family = familyOf(field)
  if (op.startsWith('count ') || family === 'number') return '0'
  if (op === 'matches') return ''
  if (family === 'time') return 'now'
  return field.texts?.[0] ?? (family === 'bool' ? 'true' : family === 'duration' ? '0s' : '')
}

/** The texts that a value can be chosen from. */
export const textsFor = (field: FieldDescription, op: Operator): readonly string[] | undefined =>
  op === '==' || op === 'one of' || (op === 'in' && field.kind === 'list')
    ? (field.texts ?? (familyOf(field) === 'bool' ? ['true', 'false'] : undefined))
    : undefined

/** An example of a value, for an empty text box. */
export function exampleFor(field: FieldDescription, op: Operator): string {
  if (op === 'matches') return '^web-[0-9]+$'
  const family = familyOf(field)
  return family === 'time' ? '2026-01-31T12:00:00Z or now - 1h' : family === 'duration' ? '1h30m' : ''
}

function literalOf(field: FieldDescription, op: Operator, text: string): Value {
  const family = familyOf(field)
  const isMoment = family === 'time' && momentOffset(text) !== undefined
  const form = isMoment ? 'moment' : op.startsWith('count ') || family === 'number' ? 'number' : 'string'
  return { type: 'value', form, text, ...nowhere }
}
