import type { Match } from './ast.ts'
import { equalityOf, orderAgainst, orders } from './equality.ts'
import { FilterError, type FilterErrorKind } from './error.ts'
import { keysOf, kindName, kindOf, typeName, unwrap, type ValueKind } from './kind-of.ts'
import { Literal } from './literal.ts'
import { membershipOf, type Unfit } from './membership.ts'
import type { Patterns } from './patterns.ts'
import type { Test } from './predicate.ts'
import type { Regex } from './regex/index.ts'
import { selectorText } from './selector-text.ts'

/** The answer of each operator's positive form where a map has no such key. */
export const whenMissing = (op: Match['op']): boolean => op === 'is empty' || op === 'is nil'

/** What the test of a match needs to know of its expression. */
export interface MatchContext {
  readonly source: string
  readonly suggest: boolean
  readonly patterns: Patterns
}

/** The tests behind every operator, built for one match. */
export function testOf(match: Match, context: MatchContext): Test {
  const { source } = context
  const fail = (kind: FilterErrorKind, message: string, suggestion?: string): never => {
    const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
    throw new FilterError(kind, message + hint, source, match, suggestion)
  }
  const selector = () => selectorText(match.selector.path)
  const unfit: Unfit = (what, value, shape) =>
    fail(
      'type',
      `cannot perform ${what} operations on type ${kindName(value, shape)} for selector: "${selector()}"`,
    )
  const { operand, op, ignoreCase } = match
  switch (op) {
    case 'is empty':
      return (value, shape) => {
        const kind = kindOf(value, shape)
        if (kind === 'string' || kind === 'time' || kind === 'duration') return value === ''
        if (kind === 'list' || kind === 'bytes') return lengthOf(value) === 0
        if (kind === 'map') return keysOf(value).length === 0
        return unfit('is-empty', value, shape)
      }
    case 'is nil':
      return (value, shape) => {
        const kind = kindOf(value, shape)
        if (value === null || value === undefined) return true
        const fixed = unwrap(shape)
        if (kind === 'struct' || kind === 'map' || kind === 'bytes') return false
        if (kind === 'list' && !(fixed.type === 'list' && fixed.fixed)) return false
        if (shape.type === 'optional') return false
        return unfit('is-nil', value, shape)
      }
    case 'matches': {
      const regex = () => patternOf(match, context)
      return (value, shape) => {
        if (typeof value === 'string') return regex().test(value)
        if (value instanceof Uint8Array) return regex().test(new TextDecoder().decode(value))
        if (kindOf(value, shape) === 'bytes') return regex().test('')
        const advice = kindOf(value, shape) === 'list' && context.suggest ? elementwise(match) : ''
        return fail('type', `value of type ${typeName(value, shape)} is not convertible to []byte${advice}`)
      }
    }
    case '==': {
      if (operand?.type !== 'value') return () => false
      const equals = equalityOf(new Literal(operand, source), ignoreCase)
      return (value, shape) => {
        const kind = kindOf(value, shape)
        const equal = equals(value, kind)
        if (equal !== undefined) return equal
        return fail(
          'type',
          `unable to find suitable primitive comparison function for matching${context.suggest ? whole(kind, selector()) : ''}`,
          context.suggest && kind === 'list'
            ? `${JSON.stringify(operand.text)} ${match.negated ? 'not in' : 'in'} ${selector()}`
            : undefined,
        )
      }
    }
    case 'one of': {
      const each = (operand?.type === 'values' ? operand.values : []).map((value) =>
        equalityOf(new Literal(value, source), ignoreCase),
      )
      return (value, shape) => {
        const kind = kindOf(value, shape)
        for (const equals of each) {
          const equal = equals(value, kind)
          if (equal === true) return true
          if (equal === undefined) {
            return fail('type', 'unable to find suitable primitive comparison function for matching')
          }
        }
        return false
      }
    }
    case 'in': {
      if (operand?.type !== 'value') return () => false
      return membershipOf(new Literal(operand, source), ignoreCase, !context.suggest, fail, unfit)
    }
    case '<':
    case '<=':
    case '>':
    case '>=': {
      if (operand?.type !== 'value') return () => false
      const literal = new Literal(operand, source)
      const holds = orders[op]
      return (value, shape) => {
        const kind = kindOf(value, shape)
        const order = orderAgainst(value, kind, literal)
        if (order !== undefined) return holds(order)
        return unfit(op, value, shape)
      }
    }
  }
}

/** The pattern of a `matches`, compiled; throws the error of one that cannot be. */
export function patternOf(
  { operand, ignoreCase, start, end }: Match,
  { source, patterns }: MatchContext,
): Regex {
  const pattern = operand?.type === 'value' ? operand.text : ''
  const compiled = patterns.compile(pattern, ignoreCase)
  if (!(compiled instanceof Error)) return compiled
  const message = `failed to compile regular expression ${JSON.stringify(pattern)}: ${compiled.message}`
  throw new FilterError('regex', message, source, operand ?? { start, end })
}

/** What to do where a comparison meets more than one value. */
const whole = (kind: ValueKind, selector: string): string =>
  kind === 'struct' || kind === 'map'
    ? `: ${selector} is ${kind === 'map' ? 'a map; compare one of its keys' : 'an object; compare one of its fields'}, ${selector}.…`
    : ''

const elementwise = ({ selector, operand }: Match): string =>
  `; to ask of each element: any ${selectorText(selector.path)} as item { item matches ${JSON.stringify(operand?.type === 'value' ? operand.text : '')} }`

const lengthOf = (value: unknown): number =>
  Array.isArray(value) || value instanceof Uint8Array ? value.length : 0
