import { isBytes } from '../../kernel/objects.ts'
import type { ValueKind } from '../kinds/kind-of.ts'
import { entriesOf, unwrap } from '../kinds/kind-of.ts'
import { compareNumbers, holds } from './compare.ts'
import type { Order } from './decision.ts'
import type { HintRule } from './hint-rules.ts'
import type { Literal } from './literal.ts'
import { isAtLeast, type MongoRule, unsatisfiable } from './mongo-rules.ts'
import { plainNumber } from './order.ts'
import type { TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import type { Label, TextRule } from './text-rules.ts'

type Count = `count ${Order}`

/** The number of elements of a list, or of keys of a map; `undefined` for other kinds. */
function sizeOf(value: unknown, kind: ValueKind): number | undefined {
  if (kind === 'list' || kind === 'bytes') return Array.isArray(value) || isBytes(value) ? value.length : 0
  return kind === 'map' ? entriesOf(value).length : undefined
}

const wantedBy = (literal: Literal | undefined) => literal?.value('float64') ?? Number.NaN

const counted = (order: Order): TestRules => ({
  // A missing field has no elements.
  missing: ({ operand }) =>
    operand?.type === 'value' && holds(order, compareNumbers(0, Number(operand.text))),
  list: ({ literals: [literal] }) => {
    const than = literal && plainNumber(literal.read('float64'))
    return than === undefined ? undefined : { op: 'length', order, than }
  },
  answer:
    ({ literals: [literal], match, context }) =>
    (value, kind) => {
      const size = sizeOf(value, kind)
      if (size === undefined) return undefined
      if (kind === 'map') context.work.spend(size, match)
      return holds(order, compareNumbers(size, wantedBy(literal)))
    },
})

const rowsOf = <Rule>(rule: (order: Order) => Rule): Readonly<Record<Count, Rule>> => ({
  'count ==': rule('=='),
  'count <': rule('<'),
  'count <=': rule('<='),
  'count >': rule('>'),
  'count >=': rule('>='),
})

export const tests = /* @__PURE__ */ rowsOf(counted)

export const texts = /* @__PURE__ */ rowsOf<TextRule>((order) => ({ left, right, negated }) => {
  // Only `==` has a negated spelling.
  const isNot = negated && order === '=='
  return `${negated && !isNot ? 'not ' : ''}count ${left} ${isNot ? '!=' : order} ${right}`
})

export const sql = /* @__PURE__ */ rowsOf<SqlRule>((order) => (writer, match, column, shape) => {
  const declared = unwrap(shape)
  if (declared.type !== 'list') throw writer.cannot(match, 'how many keys a map has')
  return `${writer.length(column, declared.of)} ${order === '==' ? '=' : order} ${writer.number(match)}`
})

const isCount = (than: number): boolean => Number.isInteger(than) && than > 0 && than < 2 ** 31

/** A query of the number of elements of a list; null has none. */
const counting: Readonly<Record<Order, (than: number) => ReturnType<MongoRule>>> = {
  '==': (than) => (than === 0 ? isAtLeast(1, false) : isCount(than) ? { $size: than } : unsatisfiable),
  '<': (than) => isAtLeast(Math.ceil(than), false),
  '<=': (than) => isAtLeast(Math.floor(than) + 1, false),
  '>': (than) => isAtLeast(Math.floor(than) + 1, true),
  '>=': (than) => isAtLeast(Math.ceil(than), true),
}

export const mongo = /* @__PURE__ */ rowsOf<MongoRule>((order) => (parts, match, shape) => {
  if (unwrap(shape).type !== 'list') throw parts.cannot(match, 'how many keys a map has')
  return counting[order](parts.number(match))
})

export const labels: Readonly<Record<Count, Label>> = {
  'count ==': ['has this many items', 'has not this many items'],
  'count <': ['has fewer items than', 'has not fewer items than'],
  'count <=': ['has at most … items', 'has not at most … items'],
  'count >': ['has more items than', 'has not more items than'],
  'count >=': ['has at least … items', 'has not at least … items'],
}

export const hints = /* @__PURE__ */ rowsOf<HintRule>(() => () => undefined)
