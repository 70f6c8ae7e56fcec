import type { Connective, Expression, Match } from '../ast.ts'
import { contextOf } from '../compiling/context-of.ts'
import type { Filter } from '../compiling/evaluator.ts'
import type { Context } from '../evaluating/context.ts'
import { shapeAt } from '../kinds/names.ts'
import { hintsOf as hintsByOperator } from '../operators/table.ts'
import { literalsOf } from '../operators/test-of.ts'
import { selectorText } from '../writing/selector-text.ts'

/**
 * A fact about every matching row, which an index can use to find candidates.
 */
export interface Hint {
  /** The selector's canonical text, as in `Meta["region.zone"]`. */
  readonly path: string
  /**
   * `eq`: the field equals the one value. `in`: it equals one of the values. `prefix`: it starts with the one value.
   * `range`: it is between the two values, inclusive; `null` is an open end.
   */
  readonly op: 'eq' | 'prefix' | 'in' | 'range'
  /** In the type of the field's declared kind; as written if none is declared. */
  readonly values: readonly (string | number | bigint | boolean | null)[]
}

/**
 * Returns facts that hold for every matching row and that an index can use: comparisons at the top level or under
 * `and`, and an `or` of equalities of one field. For a field without a declared kind, only facts that hold for every
 * kind: both the number and the string match `Priority == 50`.
 *
 * @returns facts that are all true of every row that passes. More rows may satisfy them: the candidates an
 * index finds still have to pass {@link Filter.test}. A path through a list means some item of it.
 *
 * @remarks Rows that an index leaves out are not tested, so an error that one of them would make does not show.
 *
 * @example
 * ```ts
 * import { compile, hints } from 'plinth/filter'
 *
 * hints(compile('Status == "running" and Name matches "^web-" and (Zone == "a" or Zone == "b")'))
 * // [{ path: 'Status', op: 'eq', values: ['running'] }, { path: 'Name', op: 'prefix', values: ['web-'] }, { path: 'Zone', op: 'in', values: ['a', 'b'] }]
 * ```
 */
export function hints<T>(filter: Filter<T>): Hint[] {
  const context = contextOf(filter)
  // The value for missing fields could satisfy any comparison.
  return context.unknown === undefined ? mergeRanges(hintsOf(filter.ast, context)) : []
}

function hintsOf(node: Expression, context: Context): Hint[] {
  switch (node.type) {
    case 'and':
      return node.operands.flatMap((operand) => hintsOf(operand, context))
    case 'or':
      return hintOfOr(node, context)
    case 'match': {
      const hint = hintOfMatch(node, context)
      return hint === undefined ? [] : [hint]
    }
    case 'not':
    case 'any':
    case 'all':
    case 'none':
      return []
    default:
      return node satisfies never
  }
}

function hintOfMatch(match: Match, context: Context): Hint | undefined {
  const { op, operand, negated, ignoreCase, selector } = match
  if (negated || operand?.type === 'field') return undefined
  // A computed field is in no index.
  const root = context.shape.type === 'struct' ? context.shape.fields.get(selector.path[0] ?? '') : undefined
  if (root?.of !== undefined) return undefined
  const shape = shapeAt(selector, context, undefined)
  const hint = hintsByOperator[op]({
    match,
    ignoreCase,
    shape,
    context,
    literals: literalsOf(match, context),
  })
  return hint && { path: selectorText(selector.path), ...hint }
}

/** `Zone == "a" or Zone == "b"` is `Zone in ["a", "b"]`. */
function hintOfOr({ operands }: Connective, context: Context): Hint[] {
  const each = operands.map((operand) =>
    operand.type === 'match' ? hintOfMatch(operand, context) : undefined,
  )
  const path = each[0]?.path
  const values = []
  for (const hint of each) {
    if (hint === undefined || hint.path !== path || (hint.op !== 'eq' && hint.op !== 'in')) return []
    values.push(...hint.values)
  }
  return path === undefined ? [] : [{ path, op: 'in', values }]
}

/** `Priority >= 10` and `Priority < 50` are one range. */
function mergeRanges(hints: readonly Hint[]): Hint[] {
  const merged: Hint[] = []
  for (const hint of hints) {
    const other = merged.findIndex(
      ({ path, op, values }) =>
        op === 'range' &&
        hint.op === 'range' &&
        path === hint.path &&
        values.every((end, at) => end === null || hint.values[at] === null),
    )
    const found = merged[other]
    if (found === undefined) merged.push(hint)
    else merged[other] = { ...found, values: found.values.map((end, at) => end ?? hint.values[at] ?? null) }
  }
  return merged
}
