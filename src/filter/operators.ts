import type { Match } from './ast.ts'
import { equalityOf, holds, orderAgainst } from './equality.ts'
import { FilterError } from './error.ts'
import { entriesOf, isList, kindName, kindOf, unwrap, type ValueKind } from './kind-of.ts'
import { Literal, type LiteralContext } from './literal.ts'
import { membershipOf } from './membership.ts'
import type { Patterns } from './patterns.ts'
import type { Answer, Test } from './predicate.ts'
import type { Regex } from './regex/index.ts'
import { selectorText } from './selector-text.ts'
import type { Shape } from './shape.ts'

/** The answer of each operator's positive form where a map has no such key. */
export const whenMissing = (op: Match['op']): boolean => op.startsWith('is ')

/** What the test of a match needs to know of its expression. */
export interface MatchContext extends LiteralContext {
  /** Whether it is of the dialect `standard`. */
  readonly standard: boolean
  readonly patterns: Patterns
}

/** The test behind a match. */
export function testOf(match: Match, context: MatchContext): Test {
  const answer = answerOf(match, context)
  return (value, shape) => {
    const kind = kindOf(value, shape)
    const answered = answer(value, kind, shape)
    if (answered === undefined) throw unfit(match, context, value, kind, shape)
    return answered
  }
}

function answerOf(match: Match, context: MatchContext): Answer {
  const { operand, op, ignoreCase } = match
  const values = operand?.type === 'values' ? operand.values : operand?.type === 'value' ? [operand] : []
  const literals = values.map((value) => new Literal(value, context))
  const [literal] = literals
  switch (op) {
    case 'is empty':
      return (value, kind) => {
        if (kind === 'string' || kind === 'time' || kind === 'duration') return value === ''
        if (kind === 'list' || kind === 'bytes') return !isList(value) || value.length === 0
        return kind === 'map' ? entriesOf(value).length === 0 : undefined
      }
    case 'is nil':
      return (value, kind, shape) => {
        if (value === null || value === undefined) return true
        if (kind === 'struct' || kind === 'map' || kind === 'bytes' || shape.type === 'optional') return false
        const declared = unwrap(shape)
        return kind === 'list' && !(declared.type === 'list' && declared.fixed) ? false : undefined
      }
    case 'matches':
      return (value, kind) => {
        const bytes = value instanceof Uint8Array ? value : undefined
        const text = kind === 'bytes' ? new TextDecoder().decode(bytes) : value
        return typeof text === 'string' ? patternOf(match, context).test(text) : undefined
      }
    case '==':
    case 'one of': {
      const equalities = literals.map((each) => equalityOf(each, ignoreCase))
      return (value, kind) => {
        for (const equals of equalities) {
          const equal = equals(value, kind)
          if (equal !== false) return equal
        }
        return false
      }
    }
    case 'in':
      return literal === undefined ? () => false : membershipOf(literal, match, context)
    default:
      return (value, kind) => {
        const order = literal === undefined ? Number.NaN : orderAgainst(value, kind, literal)
        return order === undefined ? undefined : holds(op, order)
      }
  }
}

/** The error of an operator on a kind that does not have it. */
function unfit(
  match: Match,
  context: MatchContext,
  value: unknown,
  kind: ValueKind,
  shape: Shape,
): FilterError {
  const { op, selector } = match
  const operation = op === 'in' ? 'in/contains' : op
  const problem = `cannot perform ${operation} operations on type ${kindName(value, shape)} for selector: "${selectorText(selector.path)}"`
  const { advice = '', suggestion } =
    (context.standard && context.advise?.unfit(match, kind, value, shape)) || {}
  return new FilterError('type', problem + advice, context.source, match, suggestion)
}

/** The pattern of a `matches`, compiled; throws the error of one that cannot be. */
export function patternOf(match: Match, { source, patterns }: MatchContext): Regex {
  const { operand, ignoreCase } = match
  const pattern = operand?.type === 'value' ? operand.text : ''
  const compiled = patterns.compile(pattern, ignoreCase)
  if (!(compiled instanceof Error)) return compiled
  const message = `failed to compile regular expression ${JSON.stringify(pattern)}: ${compiled.message}`
  throw new FilterError('regex', message, source, operand ?? match)
}
