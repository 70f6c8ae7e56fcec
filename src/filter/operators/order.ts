import { searchCost } from '../evaluating/work.ts'
import { textOrderOf } from '../kinds/kind-of.ts'
import type { Read } from '../kinds/scalars.ts'
import { compareFound, holds, orderAgainst, readBound } from './compare.ts'
import type { Order } from './decision.ts'
import { type HintRule, numericBounds } from './hint-rules.ts'
import type { TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import { spoken, type TextRule } from './text-rules.ts'

type Sign = Exclude<Order, '=='>

/** The value of a literal, if it is a number that JavaScript can compare. */
export const plainNumber = (read: Read): number | undefined => (typeof read === 'number' ? read : undefined)

const ordered = (op: Sign): TestRules => ({
  number: ({ literals: [literal] }, kind) => {
    const number = literal && plainNumber(readBound(literal, kind))
    return number === undefined ? undefined : { op, number }
  },
  answer:
    ({ literals: [literal] }) =>
    (value, kind, shape) => {
      const order = literal && orderAgainst(value, kind, shape, literal)
      return order === undefined ? undefined : holds(op, order)
    },
  ofFields: (left, right, match, { scalars, work }) => {
    const { value: a } = left
    const { value: b } = right
    const textOrder = textOrderOf(left.shape) && textOrderOf(right.shape)
    if (textOrder !== undefined && typeof a === 'string' && typeof b === 'string') {
      work.spend(searchCost(a), match)
      return holds(op, textOrder(a, b))
    }
    const order = compareFound(left, right, scalars)
    return order === undefined ? undefined : holds(op, order)
  },
})

const between: TestRules = {
  number: ({ literals: [from, to] }, kind) => {
    const least = from && plainNumber(readBound(from, kind))
    const most = to && plainNumber(readBound(to, kind))
    return least === undefined || most === undefined ? undefined : { op: 'between', least, most }
  },
  answer:
    ({ literals: [least, most] }) =>
    (value, kind, shape) => {
      const from = least && orderAgainst(value, kind, shape, least)
      const to = most && orderAgainst(value, kind, shape, most)
      return from === undefined || to === undefined ? undefined : from >= 0 && to <= 0
    },
}

export const tests = {
  '<': /* @__PURE__ */ ordered('<'),
  '<=': /* @__PURE__ */ ordered('<='),
  '>': /* @__PURE__ */ ordered('>'),
  '>=': /* @__PURE__ */ ordered('>='),
  between,
}

const sign: TextRule = ({ left, op, right, not }) => `${not}${left} ${op} ${right}`

export const texts: Readonly<Record<Sign | 'between', TextRule>> = {
  '<': sign,
  '<=': sign,
  '>': sign,
  '>=': sign,
  between: /* @__PURE__ */ spoken('between'),
}

const inOrder: SqlRule = (writer, match, column, shape) => writer.ordered(match, column, shape, match.op)

export const sql: Readonly<Record<Sign | 'between', SqlRule>> = {
  '<': inOrder,
  '<=': inOrder,
  '>': inOrder,
  '>=': inOrder,
  between: (writer, match, column, shape) => writer.between(match, column, shape),
}

const below: HintRule = (subject) => {
  const most = numericBounds(subject, 'most')
  return most && { op: 'range', values: [null, ...most] }
}
const above: HintRule = (subject) => {
  const least = numericBounds(subject, 'least')
  return least && { op: 'range', values: [...least, null] }
}

export const hints: Readonly<Record<Sign | 'between', HintRule>> = {
  '<': below,
  '<=': below,
  '>': above,
  '>=': above,
  between: (subject) => {
    const values = numericBounds(subject, 'both')
    return values && { op: 'range', values }
  },
}
