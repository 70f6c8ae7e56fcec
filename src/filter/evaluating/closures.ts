import type { Connective, Expression, Match, Quantifier } from '../ast.ts'
import { FilterError } from '../error.ts'
import { entriesOf, isList, kindOf, unwrap } from '../kinds/kind-of.ts'
import { type Names, namesOf } from '../kinds/names.ts'
import { fieldTestOf } from '../operators/field-test.ts'
import { testOf, whenMissing } from '../operators/test-of.ts'
import { selectorText } from '../writing/selector-text.ts'
import { turnCost } from './budget.ts'
import type { Check, Context } from './context.ts'
import type { Scope, Test } from './predicate.ts'
import { selectorClosure } from './selector-closure.ts'

/** Compiles an expression to closures, so that testing a datum does not walk a tree. */
export function closureOf(expression: Expression, context: Context, names?: Names): Check {
  switch (expression.type) {
    case 'and':
    case 'or': {
      const { type, operands } = expression
      const general = joined(
        type,
        operands.map((operand) => closureOf(operand, context, names)),
      )
      return context.fast?.oneOf(expression, context, names, general) ?? general
    }
    case 'not': {
      const { operand } = expression
      if (operand.type === 'match') return matchClosure(operand, !operand.negated, context, names)
      const inner = closureOf(operand, context, names)
      return (datum, scope) => !inner(datum, scope)
    }
    case 'match':
      return matchClosure(expression, expression.negated, context, names)
    case 'any':
    case 'all':
    case 'none':
      return quantifierClosure(expression, context, names)
    default:
      return expression satisfies never
  }
}

/** Halves, down to pairs: a loop over the operands costs more than the calls, and a chain of thousands the stack. */
function joined(type: Connective['type'], operands: readonly Check[]): Check {
  const [first, second, third] = operands
  if (first === undefined || second === undefined) return first ?? (() => type === 'and')
  if (third === undefined) {
    return type === 'and'
      ? (datum, scope) => first(datum, scope) && second(datum, scope)
      : (datum, scope) => first(datum, scope) || second(datum, scope)
  }
  const middle = operands.length >> 1
  return joined(type, [joined(type, operands.slice(0, middle)), joined(type, operands.slice(middle))])
}

function matchClosure(match: Match, negated: boolean, context: Context, names: Names | undefined): Check {
  const check = positiveClosure(match, context, names)
  const general: Check = negated ? (datum, scope) => !check(datum, scope) : check
  return context.fast === undefined ? general : context.fast.check(match, negated, context, names, general)
}

/** `is present` asks about the row: what is missing is its answer, and no error. */
const contextFor = ({ op }: Match, context: Context): Context =>
  op === 'is present' ? { ...context, missing: 'null', unknown: undefined } : context

function positiveClosure(match: Match, given: Context, names: Names | undefined): Check {
  const context = contextFor(match, given)
  const { operand, selector } = match
  if (operand?.type !== 'field')
    return selectorClosure(selector, testOf(match, context), whenMissing(match, context), context, names)
  const { test, begin } = fieldTestOf(match, operand, context, names)
  const check = selectorClosure(selector, test, whenMissing(match, context), context, names)
  return (datum, scope) => {
    begin()
    return check(datum, scope)
  }
}

function quantifierClosure(quantifier: Quantifier, context: Context, names: Names | undefined): Check {
  const { type, selector, key, value } = quantifier
  const { work } = context
  const cost = turnCost(quantifier.body)
  // `all` is "not any that fails", `none` "not any".
  const wanted = type !== 'all'
  const fail = (message: string) => new FilterError('type', message, context.source, selector)
  // A duplicate name is reported at the first element, so an empty collection may have it.
  const body: Check =
    key !== null && key === value
      ? () => {
          throw fail(
            `${JSON.stringify(key)} cannot be used as a placeholder for both the index and the value`,
          )
        }
      : closureOf(quantifier.body, context, namesOf(quantifier, context, names))
  const someOf = (
    list: readonly unknown[] | Uint8Array,
    datum: unknown,
    outer: Scope | undefined,
  ): boolean => {
    // One object for all iterations, because no code retains a scope.
    const scope = { key: 0, element: undefined as unknown, outer }
    for (let index = 0; index < list.length; index += 1) {
      work.spend(cost, quantifier)
      scope.key = index
      scope.element = list[index]
      if (body(datum, scope) === wanted) return true
    }
    return false
  }
  const some: Test = (collection, shape, datum, outer) => {
    const kind = kindOf(collection, shape)
    // A pointer is not dereferenced here.
    if (shape.type !== 'pointer') {
      if (kind === 'list' || kind === 'bytes') {
        return isList(collection) && someOf(collection, datum, outer)
      }
      if (kind === 'map') {
        const inner = unwrap(shape)
        if (inner.type === 'map' && inner.intKeys) {
          throw fail(`${type.toUpperCase()} can only iterate over maps indexed with strings`)
        }
        const entries = entriesOf(collection)
        work.spend(entries.length, quantifier)
        for (const [name, element] of entries) {
          work.spend(cost, quantifier)
          if (body(datum, { key: name, element, outer }) === wanted) return true
        }
        return false
      }
    }
    throw fail(`${selectorText(selector.path)} is not a list or a map`)
  }
  const isAny = type === 'any'
  const general = selectorClosure(selector, some, false, context, names)
  const listOf = context.fast?.list(selector, context, names)
  if (listOf === undefined) return isAny ? general : (datum, outer) => !general(datum, outer)
  return (datum, outer) => {
    const list = listOf(datum, outer)
    return (Array.isArray(list) ? someOf(list, datum, outer) : general(datum, outer)) === isAny
  }
}
