import { isEmptyMap, isList, unwrap } from '../kinds/kind-of.ts'
import type { HintRule } from './hint-rules.ts'
import { isAtLeast, type MongoRule } from './mongo-rules.ts'
import type { TestRules } from './rules.ts'
import type { SqlRule } from './sql-rules.ts'
import type { Label, TextRule } from './text-rules.ts'

const isEmpty: TestRules = {
  missing: () => true,
  string: () => ({ op: 'empty' }),
  list: () => ({ op: 'length', order: '==', than: 0 }),
  answer: () => (value, kind) => {
    if (kind === 'string' || kind === 'time' || kind === 'duration') return value === ''
    if (kind === 'list' || kind === 'bytes') return !isList(value) || value.length === 0
    return kind === 'map' ? isEmptyMap(value) : undefined
  },
}

const isNil: TestRules = {
  missing: () => true,
  answer:
    ({ context }) =>
    (value, kind, shape) => {
      if (value === null || value === undefined) return true
      if (kind === 'struct' || kind === 'map' || kind === 'bytes' || shape.type === 'optional') return false
      if (context.missing !== 'error') return false
      const declared = unwrap(shape)
      return kind === 'list' && !(declared.type === 'list' && declared.fixed) ? false : undefined
    },
}

/** Holds for every value but null. Closures evaluate it with `missing: 'null'`, so that a missing field is no error. */
const isPresent: TestRules = {
  missing: () => false,
  answer: () => (value) => value !== null && value !== undefined,
}

/** `is true` and `is false`; a boolean field by itself is `is true`. */
const isBoolean = (wanted: boolean): TestRules => ({
  boolean: () => wanted,
  answer: () => (value, kind) => (kind === 'bool' ? value === wanted : undefined),
})

export const tests = {
  'is empty': isEmpty,
  'is nil': isNil,
  'is present': isPresent,
  'is true': /* @__PURE__ */ isBoolean(true),
  'is false': /* @__PURE__ */ isBoolean(false),
}

type Is = keyof typeof tests

const is: TextRule = ({ left, op, not }) => `${left} is ${not}${op.slice(3)}`

export const texts: Readonly<Record<Is, TextRule>> = {
  'is empty': is,
  'is nil': is,
  'is present': ({ left, negated }) => `${left} is ${negated ? 'missing' : 'present'}`,
  'is true': is,
  'is false': is,
}

const equalsBoolean =
  (wanted: boolean): SqlRule =>
  (writer, match, column, shape) => {
    writer.mustBe(match, shape, 'bool')
    return `${column} = ${wanted ? 'TRUE' : 'FALSE'}`
  }

export const sql: Readonly<Record<Is, SqlRule>> = {
  'is empty': (writer, match, column, shape) => {
    const declared = unwrap(shape)
    if (declared.type === 'list') return `${writer.length(column, declared.of)} = 0`
    writer.mustBeText(match, shape)
    return `coalesce(length(${column}), 0) = 0`
  },
  'is nil': (_, __, column) => `${column} IS NULL`,
  'is present': (_, __, column) => `${column} IS NOT NULL`,
  'is true': /* @__PURE__ */ equalsBoolean(true),
  'is false': /* @__PURE__ */ equalsBoolean(false),
}

const isTheBoolean =
  (wanted: boolean): MongoRule =>
  (parts, match, shape) => {
    if (unwrap(shape).type !== 'bool') throw parts.cannot(match, `"${match.op}" of a ${unwrap(shape).type}`)
    return { $eq: wanted }
  }

export const mongo: Readonly<Record<Is, MongoRule>> = {
  'is empty': (parts, match, shape) => {
    if (unwrap(shape).type === 'list') return isAtLeast(1, false)
    parts.mustBeText(match, shape)
    return { $in: ['', null] }
  },
  'is nil': (_, __, shape) => (unwrap(shape).type === 'list' ? { $not: { $type: 'array' } } : { $eq: null }),
  // Through lists, one item that has a value is enough, while `$ne` wants all.
  'is present': () => ({
    $type: [
      'array',
      'object',
      'string',
      'number',
      'bool',
      'date',
      'binData',
      'objectId',
      'regex',
      'timestamp',
    ],
  }),
  'is true': /* @__PURE__ */ isTheBoolean(true),
  'is false': /* @__PURE__ */ isTheBoolean(false),
}

export const labels: Readonly<Record<Is, Label>> = {
  'is empty': ['is empty', 'is not empty'],
  'is nil': ['is nil', 'is not nil'],
  'is present': ['is present', 'is missing'],
  'is true': ['is true', 'is not true'],
  'is false': ['is false', 'is not false'],
}

export const hints: Readonly<Record<Is, HintRule>> = {
  'is empty': () => undefined,
  'is nil': () => undefined,
  'is present': () => undefined,
  'is true': () => ({ op: 'eq', values: [true] }),
  'is false': () => ({ op: 'eq', values: [false] }),
}
