import type { Match } from '../ast.ts'
import { searchCost } from '../evaluating/work.ts'
import { textOrderOf, unwrap } from '../kinds/kind-of.ts'
import type { Read } from '../kinds/scalars.ts'
import type { Shape } from '../kinds/shape.ts'
import { compareFound, holds, orderAgainst, readBound } from './compare.ts'
import type { Order } from './decision.ts'
import { type HintRule, numericBounds } from './hint-rules.ts'
import { dateOf, type MongoOperators, type MongoParts, type MongoRule, unsatisfiable } from './mongo-rules.ts'
import type { TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import { type Label, spoken, type TextRule } from './text-rules.ts'

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

type Bound = '$lt' | '$lte' | '$gt' | '$gte'

function boundedBy(name: Bound, parts: MongoParts, match: Match, shape: Shape): MongoOperators {
  parts.mustHaveOrder(match, shape)
  const value = parts.bound(match, shape)
  if (value === undefined && textOrderOf(shape) !== undefined)
    throw parts.cannot(match, 'an order of strings with half a surrogate pair')
  if (value === undefined) return unsatisfiable
  if (unwrap(shape).type !== 'time' || typeof value !== 'number') return { [name]: value }
  const { date, isWhole } = dateOf(value)
  // Between two milliseconds, the end does not matter.
  return { [isWhole ? name : name.startsWith('$l') ? '$lte' : '$gt']: date }
}

const bounded =
  (name: Bound): MongoRule =>
  (parts, match, shape) =>
    boundedBy(name, parts, match, shape)

export const mongo: Readonly<Record<Sign | 'between', MongoRule>> = {
  '<': /* @__PURE__ */ bounded('$lt'),
  '<=': /* @__PURE__ */ bounded('$lte'),
  '>': /* @__PURE__ */ bounded('$gt'),
  '>=': /* @__PURE__ */ bounded('$gte'),
  between: (parts, match, shape) => {
    const [from, to] = match.operand?.type === 'values' ? match.operand.values : []
    const least = boundedBy('$gte', parts, { ...match, operand: from ?? null }, shape)
    const most = boundedBy('$lte', parts, { ...match, operand: to ?? null }, shape)
    return least === unsatisfiable || most === unsatisfiable ? unsatisfiable : { ...least, ...most }
  },
}

export const labels: Readonly<Record<Sign | 'between', Label>> = {
  '<': ['is less than', 'is not less than', 'is before'],
  '<=': ['is at most', 'is not at most', 'is at or before'],
  '>': ['is more than', 'is not more than', 'is after'],
  '>=': ['is at least', 'is not at least', 'is at or after'],
  between: ['is between', 'is not between'],
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
