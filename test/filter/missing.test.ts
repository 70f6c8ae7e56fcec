import fc from 'fast-check'
import { Query } from 'mingo'
import { Database } from 'node-sqlite3-wasm'
import { describe, expect, test } from 'vitest'
import { compile, explain, toSql } from '../../src/filter/index.ts'
import { toMongo } from '../../src/filter/mongo/index.ts'

const lacks = { Name: 'web' }
const isNull = { Name: 'web', Owner: null, Meta: null, Load: null, Tags: null }

/** The results for `missing: 'false'` and `missing: 'null'`. */
const cases: readonly (readonly [expression: string, asFalse: boolean, asNull: boolean])[] = [
  ['Owner == "ada"', false, false],
  ['Owner != "ada"', false, true],
  ['not Owner == "ada"', true, true],
  ['Owner in ["ada"]', false, false],
  ['Owner not in ["ada"]', false, true],
  ['"a" in Owner', false, false],
  ['"a" not in Owner', false, true],
  ['Owner matches "^a"', false, false],
  ['Owner not matches "^a"', false, true],
  ['Owner not starts with a', false, true],
  ['Owner is nil', true, true],
  ['Owner is not nil', false, false],
  ['Owner is missing', true, true],
  ['Owner is present', false, false],
  ['Owner is not missing', false, false],
  ['Owner == null', true, true],
  ['Owner != null', false, false],
  ['Meta.team.lead is missing', true, true],
  ['Owner is empty', true, true],
  ['Owner is not empty', false, false],
  ['Load > 1', false, false],
  ['Load not between 1 and 2', false, true],
  ['Meta.team == core', false, false],
  ['Meta.team != core', false, true],
  ['Meta.team.lead != ada', false, true],
  ['count Tags == 0', true, true],
  ['count Tags > 0', false, false],
  ['any Tags as t { t == "a" }', false, false],
  ['all Tags as t { t == "a" }', true, true],
  ['Name != @Owner', false, true],
  ['Owner != @Name', false, true],
]

describe('a field that is missing or null', () => {
  test.each(cases)('%s', (expression, asFalse, asNull) => {
    for (const evaluator of ['closures', 'codegen'] as const) {
      for (const row of [lacks, isNull]) {
        expect(compile(expression, { missing: 'false', evaluator }).test(row)).toBe(asFalse)
        expect(compile(expression, { missing: 'null', evaluator }).test(row)).toBe(asNull)
      }
      expect(compile(expression, { missing: 'error', evaluator }).test).toBeTypeOf('function')
    }
  })

  test('is an error by default', () => {
    expect(() => compile('Owner == "ada"').test(lacks)).toThrow('there is no field "Owner"')
  })

  test('has one of three meanings', () => {
    const missing = 'none' as never // what types would refuse
    expect(() => compile('Owner == "ada"', { missing })).toThrow('missing is error, false or null, not none')
  })
})

const row = fc.record(
  {
    Name: fc.option(fc.constantFrom('a', 'b', 'ab')),
    Count: fc.option(fc.integer({ min: -2, max: 2 })),
    Live: fc.option(fc.boolean()),
  },
  { requiredKeys: [] },
)
const leaf = fc.oneof(
  fc
    .tuple(fc.constantFrom('==', '!='), fc.constantFrom('a', 'b'))
    .map(([op, value]) => `Name ${op} ${value}`),
  fc
    .tuple(fc.constantFrom('', 'not '), fc.constantFrom('a', 'b'))
    .map(([not, value]) => `${value} ${not}in Name`),
  fc.constantFrom('', 'not ').map((not) => `Name ${not}in [a, ab]`),
  fc.constantFrom('', 'not ').map((not) => `Name ${not}starts with a`),
  fc
    .tuple(fc.constantFrom('==', '!=', '<', '>='), fc.integer({ min: -2, max: 2 }))
    .map(([op, value]) => `Count ${op} ${value}`),
  fc.constantFrom(
    'Live',
    'not Live',
    'Live is false',
    'Live is not true',
    'Name is nil',
    'Name is not empty',
    'Count is not nil',
    'Count is missing',
    'Name is present',
    'Live == null',
  ),
)
const expression: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc
      .tuple(tie('node'), fc.constantFrom('and', 'or'), tie('node'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    tie('node').map((one) => `not (${one})`),
  ),
})).node

test('means the same in closures, generated code, over rows, explained, in SQL and in MongoDB', () => {
  const database = new Database()
  database.exec('create table rows (id integer, name text, count integer, live integer)')
  const rows = fc.sample(row, { numRuns: 60, seed: 5 }).map((each, id) => ({ id, ...each }))
  for (const { id, Name, Count, Live } of rows)
    database.run('insert into rows values (?,?,?,?)', [
      id,
      Name ?? null,
      Count ?? null,
      Live === null || Live === undefined ? null : Number(Live),
    ])
  const kinds = { Name: 'string', Count: 'int', Live: 'bool' } as const
  const columns = { Name: 'name', Count: 'count', Live: 'live' }
  fc.assert(
    fc.property(expression, fc.constantFrom('false' as const, 'null' as const), (source, missing) => {
      const filter = compile(source, { kinds, missing, evaluator: 'closures' })
      const wanted = rows.filter(filter.test).map(({ id }) => id)
      const generated = compile(source, { kinds, missing, evaluator: 'codegen' })
      expect(generated.select(rows).map(({ id }) => id)).toEqual(wanted)
      expect(
        filter
          .over(rows)
          .select()
          .map(({ id }) => id),
      ).toEqual(wanted)
      expect(rows.filter((each) => explain(filter, each).result).map(({ id }) => id)).toEqual(wanted)
      const { text, values } = toSql(filter, { columns, dialect: 'sqlite' })
      const found = database.all(`select id from rows where ${text} order by id`, [...values])
      expect(found.map(({ id }) => id)).toEqual(wanted)
      const query = new Query(toMongo(filter))
      expect(rows.filter((each) => query.test(each)).map(({ id }) => id)).toEqual(wanted)
    }),
    { numRuns: 1000 },
  )
  database.close()
})
