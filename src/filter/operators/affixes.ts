import { searchCost } from '../evaluating/work.ts'
import { fold } from '../kinds/fold.ts'
import { searches } from './decision.ts'
import type { HintRule } from './hint-rules.ts'
import { holding, type MongoRule } from './mongo-rules.ts'
import type { TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import { type Label, spoken, type TextRule } from './text-rules.ts'

const at = (end: 'starts' | 'ends'): TestRules => ({
  string: ({ literals: [literal], match: { ignoreCase } }) =>
    literal && { op: end, text: ignoreCase ? fold(literal.text) : literal.text, fold: ignoreCase },
  // A string that is declared as a time or a duration has a prefix and a suffix, too.
  answer: ({ literals: [literal], match, context }) => {
    const wanted = match.ignoreCase ? fold(literal?.text ?? '') : (literal?.text ?? '')
    return (value) => {
      if (typeof value !== 'string') return undefined
      if (match.ignoreCase) context.work.spend(searchCost(value), match)
      return searches[end](match.ignoreCase ? fold(value) : value, wanted)
    }
  },
  ofFields: ({ value: whole }, { value: part }, match, { work }) => {
    if (typeof whole !== 'string' || typeof part !== 'string') return undefined
    work.spend(searchCost(whole) + searchCost(part), match)
    return match.ignoreCase ? searches[end](fold(whole), fold(part)) : searches[end](whole, part)
  },
})

export const tests = { 'starts with': /* @__PURE__ */ at('starts'), 'ends with': /* @__PURE__ */ at('ends') }

export const texts: Readonly<Record<'starts with' | 'ends with', TextRule>> = {
  'starts with': /* @__PURE__ */ spoken('starts with'),
  'ends with': /* @__PURE__ */ spoken('ends with'),
}

export const sql: Readonly<Record<'starts with' | 'ends with', SqlRule>> = {
  'starts with': (writer, match, column, shape) => writer.like(match, column, shape, 'start'),
  'ends with': (writer, match, column, shape) => writer.like(match, column, shape, 'end'),
}

const affix =
  (fromStart: boolean): MongoRule =>
  (parts, match, shape) => {
    parts.mustBeText(match, shape)
    return holding(parts.text(match), fromStart, !fromStart)
  }

export const mongo: Readonly<Record<'starts with' | 'ends with', MongoRule>> = {
  'starts with': /* @__PURE__ */ affix(true),
  'ends with': /* @__PURE__ */ affix(false),
}

export const labels: Readonly<Record<'starts with' | 'ends with', Label>> = {
  'starts with': ['starts with', 'does not start with'],
  'ends with': ['ends with', 'does not end with'],
}

export const hints: Readonly<Record<'starts with' | 'ends with', HintRule>> = {
  'starts with': ({ literals: [literal], ignoreCase }) =>
    literal === undefined || ignoreCase ? undefined : { op: 'prefix', values: [literal.text] },
  'ends with': () => undefined,
}
