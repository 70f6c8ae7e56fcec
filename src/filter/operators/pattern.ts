import { isBytes } from '../../kernel/objects.ts'
import type { Match } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Regex } from '../regex/index.ts'
import type { HintRule } from './hint-rules.ts'
import type { Literal } from './literal.ts'
import { holding, type MongoRule } from './mongo-rules.ts'
import type { MatchContext, TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import { type Label, spoken, type TextRule } from './text-rules.ts'

/** The cost of compiling one instruction of a pattern's automaton, in steps. */
const stepsPerInstruction = 8

/** Whether compiling the patterns of an expression takes more work than one row may. */
const areTooLarge = ({ patterns, work }: MatchContext): boolean =>
  patterns.size * stepsPerInstruction > work.steps

/** The compiled pattern of a `matches`; throws the error of an invalid one. */
export function patternOf(match: Match, context: MatchContext): Regex {
  const { source, patterns } = context
  const { operand, ignoreCase } = match
  const pattern = operand?.type === 'value' ? operand.text : ''
  const compiled = patterns.compile(pattern, ignoreCase)
  if (areTooLarge(context))
    throw new FilterError(
      'limit',
      `the patterns have ${patterns.size} places in total, more than ${context.work.steps / stepsPerInstruction}`,
      source,
      match,
    )
  if (!(compiled instanceof Error)) return compiled
  const why = compiled.message.replace('error parsing regexp: ', '')
  const message = `${JSON.stringify(pattern)} is not a valid regular expression: ${why}`
  throw new FilterError('regex', message, source, operand ?? match)
}

const matches: TestRules = {
  string: ({ literals: [literal], match: { ignoreCase }, context }) => {
    // An invalid pattern is reported by the comparison itself.
    const regex = context.patterns.compile(literal?.text ?? '', ignoreCase)
    return regex instanceof Error || areTooLarge(context) ? undefined : { op: 'matches', regex }
  },
  answer:
    ({ match, context }) =>
    (value, kind) => {
      const text = kind === 'bytes' ? new TextDecoder().decode(isBytes(value) ? value : undefined) : value
      if (typeof text !== 'string') return undefined
      context.work.spend(text.length, match)
      return patternOf(match, context).test(text)
    },
}

export const tests = { matches }

export const texts: Readonly<Record<'matches', TextRule>> = { matches: /* @__PURE__ */ spoken('matches') }

/** The one string that a pattern is, and whether a match begins or ends with it; `undefined` for other patterns. */
export function literalPattern({ text = '' }: Partial<Literal>, { patterns }: MatchContext) {
  const pattern = patterns.compile(text, false)
  if (pattern instanceof Error || pattern.literals === undefined) return undefined
  const { texts, fromStart, toEnd } = pattern.literals
  const [only] = texts
  return only === undefined || texts.length > 1 ? undefined : { text: only, fromStart, toEnd }
}

export const sql: Readonly<Record<'matches', SqlRule>> = {
  matches: (writer, match, column, shape) => writer.matches(match, column, shape),
}

export const mongo: Readonly<Record<'matches', MongoRule>> = {
  matches: (parts, match, shape) => {
    parts.mustBeText(match, shape)
    const { text, fromStart, toEnd } = parts.pattern(match)
    return holding(text, fromStart, toEnd)
  },
}

export const labels: Readonly<Record<'matches', Label>> = {
  matches: ['matches the pattern', 'does not match the pattern'],
}

export const hints: Readonly<Record<'matches', HintRule>> = {
  matches: ({ literals: [literal], ignoreCase, context }) => {
    const pattern = context.patterns.compile(literal?.text ?? '', false)
    if (ignoreCase || pattern instanceof Error || !pattern.literals?.fromStart) return undefined
    const { texts: found, toEnd } = pattern.literals
    if (found.length === 1) return { op: toEnd ? 'eq' : 'prefix', values: found }
    return toEnd ? { op: 'in', values: found } : undefined
  },
}
