import type { Match, Value } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Test } from '../evaluating/predicate.ts'
import { searchCost } from '../evaluating/work.ts'
import { kindName, kindOf, type ValueKind } from '../kinds/kind-of.ts'
import type { Shape } from '../kinds/shape.ts'
import { selectorText } from '../writing/selector-text.ts'
import { type Account, numberDecider, stringDecider } from './decision.ts'
import { Literal, type LiteralContext } from './literal.ts'
import type { MatchContext, PlainNumber, Subject } from './rules.ts'
import { testsOf } from './table.ts'

/** The literals that a match compares with. */
export function literalsOf({ operand }: Match, context: LiteralContext): readonly Literal[] {
  const values: readonly Value[] =
    operand?.type === 'values' ? operand.values : operand?.type === 'value' ? [operand] : []
  return values.map((value) => new Literal(value, context))
}

export const subjectOf = (match: Match, context: MatchContext): Subject => ({
  match,
  context,
  literals: literalsOf(match, context),
})

/** The result of a match's positive form if there is no value. */
export const whenMissing = (match: Match, { missing }: MatchContext): boolean =>
  testsOf[match.op].missing?.(match) ?? (missing === 'false' && match.negated)

/** Whether an operator has a result for a missing value: the others compare with nothing then. */
export const judgesMissing = (op: Match['op']): boolean => testsOf[op].missing !== undefined

/** The test behind a match. */
export function testOf(match: Match, context: MatchContext): Test {
  const subject = subjectOf(match, context)
  const answer = testsOf[match.op].answer(subject)
  const decide = decidersOf(subject)
  return (value, shape) => {
    const kind = kindOf(value, shape)
    // A string that is parsed as another kind is read entirely.
    if (typeof value === 'string' && kind !== 'string') context.work.spend(searchCost(value), match)
    const answered = decide(value, kind) ?? answer(value, kind, shape)
    if (answered === undefined) throw unfit(match, context, value, kind, shape)
    return answered
  }
}

/** Results for strings, numbers and booleans of plain kinds, as on the fast paths; built for each when first needed. */
function decidersOf(subject: Subject): (value: unknown, kind: ValueKind) => boolean | undefined {
  const { match, context } = subject
  const rules = testsOf[match.op]
  const account: Account = { work: context.work, on: match }
  const strings = once(() => {
    const test = rules.string?.(subject)
    return test && stringDecider(test, account)
  })
  const numbersOf = (kind: PlainNumber) =>
    once(() => {
      const test = rules.number?.(subject, kind)
      // A relative time is not a constant number.
      return test && numberDecider(test)
    })
  const numbers = { float64: numbersOf('float64'), int: numbersOf('int'), uint: numbersOf('uint') }
  const boolean = once(() => rules.boolean?.(subject))
  return (value, kind) => {
    switch (kind) {
      case 'string':
        return strings()?.(String(value))
      case 'float64':
      case 'int':
      case 'uint':
        return typeof value === 'number' ? numbers[kind]()?.(value) : undefined
      case 'bool': {
        const wanted = boolean()
        return wanted === undefined ? undefined : value === wanted
      }
      default:
        return undefined
    }
  }
}

const once = <Made>(make: () => Made): (() => Made) => {
  let made: { readonly it: Made } | undefined
  return () => {
    made ??= { it: make() }
    return made.it
  }
}

/** The error of an operator on a kind that does not support it. */
function unfit(
  match: Match,
  context: MatchContext,
  value: unknown,
  kind: ValueKind,
  shape: Shape,
): FilterError {
  const { op, selector } = match
  const operation = op === 'in' ? '"in"' : op
  const problem = `${operation} does not apply to ${selectorText(selector.path)} (${kindName(value, shape)})`
  const { advice = '', suggestion } =
    (context.standard && context.advise?.unfit(match, kind, value, shape)) || {}
  return new FilterError('type', problem + advice, context.source, match, suggestion)
}
