import { searchCost } from '../evaluating/work.ts'
import { fold } from '../kinds/fold.ts'
import { kindOf, type ValueKind } from '../kinds/kind-of.ts'
import { compare, compareFound } from './compare.ts'
import type { StringTest } from './decision.ts'
import type { HintRule } from './hint-rules.ts'
import { unambiguous } from './hint-rules.ts'
import type { Literal } from './literal.ts'
import { type MongoRule, unsatisfiable } from './mongo-rules.ts'
import { plainNumber } from './order.ts'
import type { Subject, TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import { type Label, spoken, type TextRule } from './text-rules.ts'

/** Equality with one literal; `undefined` for a kind without equality. */
export type Equality = (value: unknown, kind: ValueKind) => boolean | undefined

export function equalityOf(literal: Literal, ignoreCase: boolean): Equality {
  const text = ignoreCase ? fold(literal.text) : literal.text
  return (value, kind) => {
    if (kind === 'string') return (ignoreCase ? fold(String(value)) : value) === text
    if (kind === 'bool') return value === literal.value(kind)
    const scalar = literal.scalars[kind]
    const order = scalar && compare(value, kind, scalar, literal.value(kind))
    return order === undefined ? undefined : order === 0
  }
}

const textsOf = ({ literals, match: { ignoreCase } }: Subject): string[] =>
  literals.map(({ text }) => (ignoreCase ? fold(text) : text))

const equals = {
  string: (subject): StringTest => ({
    op: 'equals',
    text: textsOf(subject)[0] ?? '',
    fold: subject.match.ignoreCase,
  }),
  number: ({ literals: [literal] }, kind) => {
    const number = literal && plainNumber(literal.read(kind))
    return number === undefined ? undefined : { op: '==', number }
  },
  boolean: ({ literals: [literal] }) => {
    const boolean = literal?.read('bool')
    return typeof boolean === 'boolean' ? boolean : undefined
  },
  answer: ({ literals: [literal], match }) =>
    literal === undefined ? () => undefined : equalityOf(literal, match.ignoreCase),
  ofFields: (left, right, match, { scalars, work }) => {
    const { ignoreCase } = match
    const order = compareFound(left, right, scalars)
    if (order !== undefined) return order === 0
    const { value: a } = left
    const { value: b } = right
    if (typeof a === 'string' && typeof b === 'string') {
      if (a.length === b.length) work.spend(searchCost(a), match)
      const plain = kindOf(a, left.shape) === 'string' && kindOf(b, right.shape) === 'string'
      return plain ? (ignoreCase ? fold(a) === fold(b) : a === b) : undefined
    }
    return typeof a === 'boolean' && typeof b === 'boolean' ? a === b : undefined
  },
} satisfies TestRules

const isOneOf: TestRules = {
  string: (subject) => ({ op: 'one of', texts: textsOf(subject), fold: subject.match.ignoreCase }),
  number: ({ literals }, kind) => {
    const numbers = literals.flatMap((literal) => plainNumber(literal.read(kind)) ?? [])
    return numbers.length === literals.length ? { op: 'one of', numbers } : undefined
  },
  answer: ({ literals, match, context }) => {
    const equalities = literals.map((literal) => equalityOf(literal, match.ignoreCase))
    return (value, kind) => {
      context.work.spend(equalities.length >> 4, match)
      for (const each of equalities) {
        const equal = each(value, kind)
        if (equal !== false) return equal
      }
      return false
    }
  },
}

export const tests = { '==': equals, 'one of': isOneOf }

export const texts: Readonly<Record<'==' | 'one of', TextRule>> = {
  '==': ({ left, right, negated, end }) => `${left} ${negated ? '!=' : '=='} ${right}${end}`,
  'one of': /* @__PURE__ */ spoken('in'),
}

export const sql: Readonly<Record<'==' | 'one of', SqlRule>> = {
  '==': (writer, match, column, shape) => writer.compared(match, column, shape, '='),
  'one of': (writer, match, column, shape) => writer.among(match, column, shape),
}

export const mongo: Readonly<Record<'==' | 'one of', MongoRule>> = {
  '==': (parts, match, shape) => {
    const [value] = parts.values(match, shape)
    return value === undefined ? unsatisfiable : { $eq: value }
  },
  'one of': (parts, match, shape) => ({ $in: parts.values(match, shape) }),
}

export const labels: Readonly<Record<'==' | 'one of', Label>> = {
  '==': ['is', 'is not'],
  'one of': ['is one of', 'is none of'],
}

export const hints: Readonly<Record<'==' | 'one of', HintRule>> = {
  '==': (subject) => {
    const values = unambiguous(subject)
    return values && { op: 'eq', values }
  },
  'one of': (subject) => {
    const values = unambiguous(subject)
    return values && { op: 'in', values }
  },
}
