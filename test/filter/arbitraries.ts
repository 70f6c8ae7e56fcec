import fc from 'fast-check'
import type { Expression, Kind, Kinds, Match, Quantifier, Selector, Value } from '../../src/filter/index.ts'

const nowhere = { start: 0, end: 0 } as const

/** Few names, so that expressions and data meet; some are hostile, some could be keywords. */
export const fieldNames = ['a', 'b', 'Tags', 'not', 'any', 'in', 'constructor', 'toString', 'length'] as const
const keys = [...fieldNames, '__proto__', 'x.y', 'with-hyphen', '0', '1', ''] as const
const variables = ['t', 'u', 'a'] as const

const texts = [
  '',
  'a',
  'A',
  'ab',
  '/a',
  '1',
  '1.5',
  'true',
  'x`y',
  'say "hi"\n',
  '0x1',
  '010',
  '-0',
  'é😀',
  '1e999',
  'NaN',
] as const
const patterns = ['', 'a', '^a', 'b$', '^ab?$', '[0-9]+', '(a|é)', '.'] as const

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom(...texts).map((text): Value => ({ type: 'value', form: 'string', text, ...nowhere })),
  fc
    .constantFrom('0', '1', '-1', '1.5', '12', '99999999999999999999')
    .map((text): Value => ({ type: 'value', form: 'number', text, ...nowhere })),
)

const selector: fc.Arbitrary<Selector> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...fieldNames) },
      { weight: 1, arbitrary: fc.constantFrom(...variables) },
    ),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: fc.array(fc.constantFrom(...keys), { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...keys), { minLength: 2, maxLength: 2 }) },
    ),
  )
  .map(([first, rest]): Selector => ({ path: [first, ...rest], ...nowhere }))

const unary = fc.record({
  op: fc.constantFrom('is empty' as const, 'is nil' as const),
  operand: fc.constant(null),
})
const binary = fc.record({ op: fc.constantFrom('==' as const, 'in' as const), operand: value })
const regex = fc.record({
  op: fc.constant('matches' as const),
  operand: fc
    .constantFrom(...patterns)
    .map((text): Value => ({ type: 'value', form: 'string', text, ...nowhere })),
})
const moment: fc.Arbitrary<Value> = fc
  .constantFrom('now', 'now - 1h30m', 'now + 7d')
  .map((text) => ({ type: 'value', form: 'moment', text, ...nowhere }))
const number: fc.Arbitrary<Value> = fc
  .constantFrom('0', '1', '2', '1.5')
  .map((text) => ({ type: 'value', form: 'number', text, ...nowhere }))
const field = selector.map((selector) => ({ type: 'field' as const, selector, ...nowhere }))

const extension = fc.oneof(
  fc.record({
    op: fc.constantFrom('is true' as const, 'is false' as const, 'is present' as const),
    operand: fc.constant(null),
  }),
  fc.record({
    op: fc.constantFrom('starts with' as const, 'ends with' as const),
    operand: fc.oneof(value, value, field),
  }),
  fc.record({
    op: fc.constant('between' as const),
    operand: fc
      .array(fc.oneof(value, moment), { minLength: 2, maxLength: 2 })
      .map((values) => ({ type: 'values' as const, values, ...nowhere })),
  }),
  fc.record({
    op: fc.constantFrom(
      'count ==' as const,
      'count <' as const,
      'count <=' as const,
      'count >' as const,
      'count >=' as const,
    ),
    operand: number,
  }),
  fc.record({ op: fc.constantFrom('==' as const, '<' as const, 'in' as const), operand: moment }),
  fc.record({
    op: fc.constant('one of' as const),
    operand: fc
      .array(value, { maxLength: 3 })
      .map((values) => ({ type: 'values' as const, values, ...nowhere })),
  }),
  fc.record({
    op: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
    operand: value,
  }),
  fc.record({
    op: fc.constantFrom('==' as const, 'in' as const, '<' as const, '>=' as const),
    operand: field,
  }),
)

const ordering: ReadonlySet<Match['op']> = new Set<Match['op']>([
  ...(['<', '<=', '>', '>=', 'count <', 'count <=', 'count >', 'count >='] as const),
])
const caseless: ReadonlySet<Match['op']> = new Set<Match['op']>([
  ...(['==', 'in', 'matches', 'one of', 'starts with', 'ends with'] as const),
])

function match(standard: boolean): fc.Arbitrary<Match> {
  const tail = standard
    ? fc.oneof(unary, binary, binary, regex, extension)
    : fc.oneof(unary, binary, binary, regex)
  return fc.tuple(selector, tail, fc.boolean(), fc.boolean()).map(
    ([selector, { op, operand }, negated, ignoreCase]): Match => ({
      type: 'match',
      selector,
      op,
      negated: negated && !ordering.has(op),
      operand,
      ignoreCase: standard && ignoreCase && caseless.has(op),
      ...nowhere,
    }),
  )
}

/** One selector compared with several literals, which closures decide with one read. */
const alternatives: fc.Arbitrary<Expression> = fc
  .tuple(selector, fc.array(value, { minLength: 2, maxLength: 4 }))
  .map(([selector, values]) => ({
    type: 'or',
    operands: values.map((operand) => ({
      type: 'match',
      selector,
      op: '==',
      negated: false,
      operand,
      ignoreCase: false,
      ...nowhere,
    })),
    ...nowhere,
  }))

// Only bexpr puts off the complaint about one name given twice until a datum is tested.
const names = (standard: boolean) =>
  fc.oneof(
    fc.constantFrom(...variables).map((name) => ({ name, key: null, value: null })),
    fc
      .tuple(fc.option(fc.constantFrom('k', standard ? 'k2' : 't')), fc.constantFrom(...variables))
      .map(([key, value]) => ({ name: null, key, value })),
  )

/** The names of a quantifier without any. */
const unnamed = { name: null, key: null, value: '@' }

/** Calls a variable `@` wherever a tree begins a selector with it. */
const elementFor = (variable: string, tree: Expression): Expression =>
  JSON.parse(
    JSON.stringify(tree, (name, part) =>
      name === 'path' && part[0] === variable ? ['@', ...part.slice(1)] : part,
    ),
  )

/** Any expression of a dialect, as the parser would build it: chains flat, no double negation. */
export function expression(standard: boolean): fc.Arbitrary<Expression> {
  const { node } = fc.letrec<{ node: Expression }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      match(standard),
      match(standard),
      alternatives,
      fc
        .tuple(
          fc.constantFrom('and' as const, 'or' as const),
          fc.array(tie('node'), { minLength: 2, maxLength: 3 }),
        )
        .map(([type, operands]): Expression => ({ type, operands, ...nowhere })),
      tie('node').map(
        (operand): Expression =>
          operand.type === 'not' ? operand.operand : { type: 'not', operand, ...nowhere },
      ),
      fc
        .record({
          type: standard
            ? fc.constantFrom('any' as const, 'all' as const, 'none' as const)
            : fc.constantFrom('any' as const, 'all' as const),
          selector,
          names: standard ? fc.oneof(names(true), names(true), fc.constant(unnamed)) : names(false),
          body: tie('node'),
        })
        .map(
          ({ names, body, ...rest }): Quantifier => ({
            ...rest,
            ...names,
            body: names === unnamed ? elementFor('t', body) : body,
            ...nowhere,
          }),
        ),
    ),
  }))
  return node
}

const scalar = fc.oneof(
  fc.constantFrom(...texts),
  fc.constantFrom<unknown>(0, 1, -1, 1.5, 9, 12, 2n, 9n, true, false, null, Number.NaN),
)

const record = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.constantFrom(...keys), inner), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries))

/** Data of all shapes: plain objects and maps, lists, scalars, an instance of a class, an object that inherits. */
export const datum: fc.Arbitrary<unknown> = (() => {
  const inner = fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
    { weight: 2, arbitrary: record(scalar) },
    { weight: 1, arbitrary: fc.array(record(scalar), { maxLength: 2 }) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...keys), scalar), { maxLength: 3 })
        .map((entries) => new Map(entries)),
    },
    {
      weight: 1,
      arbitrary: record(scalar).map((own) =>
        Object.create({ a: 'inherited', b: 1 }, Object.getOwnPropertyDescriptors(own)),
      ),
    },
  )
  // Most fields are there, so that most expressions get further than the first of them.
  const top = fc
    .tuple(
      ...fieldNames.map((name) =>
        fc.tuple(fc.constant(name), fc.option(inner, { freq: 15, nil: undefined })),
      ),
    )
    .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)))
  return fc.oneof(
    { weight: 8, arbitrary: top },
    {
      weight: 1,
      arbitrary: top.map((own) => Object.defineProperties(new Row(), Object.getOwnPropertyDescriptors(own))),
    },
    { weight: 1, arbitrary: inner },
  )
})()

class Row {
  get b(): string {
    return 'a getter is not data'
  }
}

/** Kinds for some of the fields, which the data may or may not be of. */
export const kinds: fc.Arbitrary<Kinds> = (() => {
  const scalarKind = fc.constantFrom<Kind>(
    'string',
    'bool',
    'int',
    'uint16',
    'float32',
    'float64',
    'bytes',
    'time',
    'unix-ms',
    'unix-ns',
    'duration',
    'any',
    'hidden',
  )
  const { kind } = fc.letrec<{ kind: Kind }>((tie) => ({
    kind: fc.oneof(
      { maxDepth: 2 },
      scalarKind,
      tie('kind').map((list): Kind => ({ list })),
      tie('kind').map((list): Kind => ({ list, fixed: true })),
      fc
        .tuple(tie('kind'), fc.constantFrom('string' as const, 'int' as const))
        .map(([map, key]): Kind => ({ map, key })),
      fc
        .dictionary(fc.constantFrom(...fieldNames), tie('kind'), { maxKeys: 3 })
        .map((struct): Kind => ({ struct })),
      tie('kind').map((pointer): Kind => ({ pointer })),
      tie('kind').map((optional): Kind => ({ optional })),
      fc.tuple(fc.constantFrom(...fieldNames), tie('kind')).map(([alias, kind]): Kind => ({ alias, kind })),
    ),
  }))
  return fc.dictionary(fc.constantFrom(...fieldNames), kind, { maxKeys: 6 })
})()
