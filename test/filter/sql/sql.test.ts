import fc from 'fast-check'
import { Database } from 'node-sqlite3-wasm'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { compile, FilterError, toSql, where } from '../../../src/filter/index.ts'
import { mariadb, needing } from '../../programs.ts'
import { runs } from '../../runs.ts'
import { type PostgresServer, postgresServer } from '../../store/postgres-server.ts'
import { type MariaDbServer, mariaDbServer } from './mariadb-server.ts'

const Row = z.object({
  ID: z.int(),
  Status: z.string().meta({ kind: 'ordered-string' }),
  Owner: z.string().meta({ kind: 'ordered-string' }).nullable(),
  Priority: z.int(),
  Load: z.number().nullable(),
  Live: z.boolean(),
  Quiet: z.boolean().nullable(),
  Tags: z.array(z.string()),
  Ports: z.array(z.int()).nullable(),
  Meta: z.record(z.string(), z.string()),
  Seen: z.iso.datetime({ offset: true }),
})
type Row = z.infer<typeof Row>

const columns = {
  ID: 'id',
  Status: 'status',
  Owner: 'owner',
  Priority: 'priority',
  Load: 'load',
  Live: 'live',
  Quiet: 'quiet',
  Tags: 'tags',
  Ports: 'ports',
  'Meta.team': 'team',
  'Meta["a.b"]': { sql: 'extra' },
  Seen: 'seen',
}

const words = ['', 'a', 'ab', 'A', 'b%', '_', "it's", '"', 'é😀', '1', '/a', 'true', '😀', '\uffee'] as const
const word = fc.constantFrom(...words)
const whole = fc.constantFrom(-1, 0, 1, 2, 50, 2 ** 31, Number.MAX_SAFE_INTEGER)
const real = fc.constantFrom(-1.5, 0, 0.1, 1, 2.5, 1e300)
const seen = fc.constantFrom(
  '2026-01-01T00:00:00Z',
  '2026-01-01T01:00:00+01:00',
  '2026-01-01T00:00:00.000001Z',
  '1999-12-31T23:59:59.5Z',
)

const row: fc.Arbitrary<Omit<Row, 'ID'>> = fc.record({
  Status: word,
  Owner: fc.option(word),
  Priority: whole,
  Load: fc.option(real),
  Live: fc.boolean(),
  Quiet: fc.option(fc.boolean()),
  Tags: fc.array(word, { maxLength: 3 }),
  Ports: fc.option(fc.array(whole, { maxLength: 3 })),
  Meta: fc.dictionary(fc.constantFrom('team', 'a.b'), word),
  Seen: seen,
})
const rows: readonly Row[] = fc.sample(row, { numRuns: 150, seed: 7 }).map((one, ID) => ({ ID, ...one }))

const text = word.map((one) => JSON.stringify(one).replaceAll('\\"', '\\x22'))
const texts = fc.constantFrom('Status', 'Owner', 'Meta.team', 'Meta["a.b"]')
const comparison = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
const equality = fc.constantFrom('==', '!=')
const negation = fc.constantFrom('', 'not ')

const leaf: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(texts, equality, text).map((parts) => parts.join(' ')),
  fc.tuple(text, negation, texts).map(([value, not, field]) => `${value} ${not}in ${field}`),
  fc
    .tuple(texts, negation, fc.array(text, { maxLength: 3 }))
    .map(([field, not, list]) => `${field} ${not}in [${list.join(', ')}]`),
  fc
    .tuple(
      fc.constantFrom('Priority', 'Load'),
      comparison,
      fc.constantFrom('-1', '0', '1', '50', '2147483648', '9007199254740991'),
    )
    .map((parts) => parts.join(' ')),
  fc.tuple(comparison, fc.constantFrom('0.1', '2.5', '"1e300"')).map(([op, value]) => `Load ${op} ${value}`),
  fc
    .tuple(fc.constantFrom('Live', 'Quiet'), equality, fc.constantFrom('true', 'false', '"T"'))
    .map((parts) => parts.join(' ')),
  fc.tuple(text, negation).map(([value, not]) => `${value} ${not}in Tags`),
  fc
    .tuple(fc.constantFrom('0', '50', '2147483648'), negation)
    .map(([value, not]) => `${value} ${not}in Ports`),
  fc
    .tuple(fc.constantFrom('Status', 'Owner', 'Meta.team', 'Tags', 'Ports'), negation)
    .map(([field, not]) => `${field} is ${not}empty`),
  fc
    .tuple(fc.constantFrom('Owner', 'Load', 'Quiet', 'Meta.team'), negation)
    .filter(([field]) => field !== 'Meta.team')
    .map(([field, not]) => `${field} is ${not}nil`),
  fc
    .tuple(texts, negation, fc.constantFrom('^a', 'b$', '^ab$', 'a', '', '^', '$', '^$', '😀$'))
    .map(([field, not, pattern]) => `${field} ${not}matches "${pattern}"`),
  fc
    .tuple(fc.constantFrom('Status', 'Owner'), equality, fc.constantFrom('Owner', 'Meta.team'))
    .map(([field, op, other]) => `${field} ${op} @${other}`),
  fc.tuple(fc.constantFrom('Status', 'Owner'), comparison, text).map((parts) => parts.join(' ')),
  fc
    .tuple(fc.constantFrom('Status', 'Owner'), negation, text, text)
    .map(([field, not, least, most]) => `${field} ${not}between ${least} and ${most}`),
  comparison.map((op) => `Status ${op} @Owner`),
  fc.tuple(comparison).map(([op]) => `Priority ${op} @ID`),
  fc
    .tuple(texts, negation, fc.constantFrom('starts', 'ends'), text)
    .map(([field, not, end, value]) => `${field} ${not}${end} with ${value}`),
  fc
    .tuple(fc.constantFrom('Priority', 'Load'), negation, fc.constantFrom('-1', '0', '1', '2.5'))
    .map(([field, not, least]) => `${field} ${not}between ${least} and 50`),
  fc
    .tuple(fc.constantFrom('Tags', 'Ports'), comparison, fc.constantFrom('0', '1', '2', '2.5'))
    .map(([field, op, size]) => `count ${field} ${op} ${size}`),
  fc
    .tuple(fc.constantFrom('Live', 'Quiet'), negation, fc.constantFrom('true', 'false'))
    .map(([field, not, wanted]) => `${field} is ${not}${wanted}`),
  fc.constantFrom('Live', 'Quiet'),
  fc.tuple(comparison, seen).map(([op, value]) => `Seen ${op} "${value}"`),
  comparison.map((op) => `Seen ${op} 2026-01-01`),
  fc.tuple(comparison, fc.constantFrom('-', '+')).map(([op, sign]) => `Seen ${op} now ${sign} 9999d`),
  fc
    .tuple(fc.constantFrom('any', 'all', 'no'), fc.constantFrom('Tags', 'Ports'), equality, text, whole)
    .map(([many, field, op, one, number]) =>
      field === 'Tags'
        ? `${many === 'no' ? 'not any' : many} Tags as at, tag { tag ${op} ${one} or at > 1 }`
        : `${many === 'no' ? 'not any' : many} Ports as port { port ${op} ${number} and Priority < 50 }`,
    ),
)

const expressionOf = (leaf: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc
        .tuple(tie('node'), fc.constantFrom('and', 'or'), tie('node'))
        .map(([a, op, b]) => `(${a}) ${op} (${b})`),
      tie('node').map((one) => `not (${one})`),
    ),
  })).node

const expression = expressionOf(leaf)

/** Some of it only a filter can decide. */
const mixed = expressionOf(
  fc.oneof(
    { weight: 3, arbitrary: leaf },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc
          .tuple(texts, fc.constantFrom('^a.', '[ab]$'))
          .map(([field, pattern]) => `${field} matches "${pattern}"`),
        fc.tuple(texts, text).map(([field, value]) => `${field} == ${value} ignoring case`),
        fc.constant('any Meta as key, value { value == "a" }'),
      ),
    },
  ),
)

const selected = (source: string): number[] =>
  compile(source, { schema: Row })
    .select(rows)
    .map(({ ID }) => ID)

describe('a SQL condition selects the rows that the filter selects', () => {
  test('in SQLite, alone or with the rest of the filter', () => {
    const database = new Database()
    database.exec(
      'create table rows (id integer, status text not null, owner text, priority integer not null, load real, live integer not null, quiet integer, tags text not null, ports text, team text, extra text, seen text not null)',
    )
    const number = (flag: boolean | null) => (flag === null ? null : Number(flag))
    for (const { ID, Status, Owner, Priority, Load, Live, Quiet, Tags, Ports, Meta, Seen } of rows) {
      database.run('insert into rows values (?,?,?,?,?,?,?,?,?,?,?,?)', [
        ID,
        Status,
        Owner,
        Priority,
        Load,
        number(Live),
        number(Quiet),
        JSON.stringify(Tags),
        Ports === null ? null : JSON.stringify(Ports),
        Meta['team'] ?? null,
        Meta['a.b'] ?? null,
        Seen,
      ])
    }
    fc.assert(
      fc.property(expression, (source) => {
        const { text, values } = toSql(compile(source, { schema: Row }), { columns, dialect: 'sqlite' })
        const found = database.all(`select id from rows where ${text} order by id`, [...values])
        expect(found.map(({ id }) => id)).toEqual(selected(source))
      }),
      { numRuns: runs(600) },
    )
    fc.assert(
      fc.property(mixed, (source) => {
        const filter = compile(source, { schema: Row })
        const { text, values, rest } = toSql(filter, { columns, dialect: 'sqlite', partial: true })
        const found = database.all(`select id from rows where ${text} order by id`, [...values])
        const candidates = found.map(({ id }) => rows[Number(id)] as Row)
        expect((rest?.select(candidates) ?? candidates).map(({ ID }) => ID)).toEqual(selected(source))
      }),
      { numRuns: runs(600) },
    )
    database.close()
  })

  describe('in PostgreSQL', () => {
    let server: PostgresServer
    let sql: postgres.Sql

    beforeAll(async () => {
      server = await postgresServer({ fsync: 'off' })
      sql = postgres(await server.database(), { max: 1, onnotice: () => undefined })
      await sql`create table rows (id integer, status text not null, owner text, priority bigint not null, load double precision,
        live boolean not null, quiet boolean, tags text[] not null, ports bigint[], team text, extra text, seen timestamptz not null)`
      for (const { ID, Status, Owner, Priority, Load, Live, Quiet, Tags, Ports, Meta, Seen } of rows) {
        await sql`insert into rows values (${ID}, ${Status}, ${Owner}, ${Priority}, ${Load}, ${Live}, ${Quiet}, ${Tags},
          ${Ports === null ? null : Ports.map(String)}::bigint[], ${Meta['team'] ?? null}, ${Meta['a.b'] ?? null}, ${Seen}::text::timestamptz)`
      }
    })
    afterAll(async () => {
      await sql?.end()
      await server?.stop()
    })

    test('for every expression', async () => {
      await fc.assert(
        fc.asyncProperty(expression, async (source) => {
          const { text, values } = toSql(compile(source, { schema: Row }), { columns, dialect: 'postgres' })
          const found = await sql.unsafe(
            `select id from rows where ${text} order by id`,
            values.map((value) => (typeof value === 'bigint' ? String(value) : value)),
            { prepare: false },
          )
          expect(found.map(({ id }) => id)).toEqual(selected(source))
        }),
        { numRuns: runs(600) },
      )
    })

    test('of a list in a JSON column', async () => {
      for (const source of ['a in Tags', 'a not in Tags', 'Tags is empty']) {
        const { text, values } = toSql(compile(source, { schema: Row }), {
          columns: { Tags: { sql: 'array(select jsonb_array_elements_text(to_jsonb(tags)))' } },
          dialect: 'postgres',
        })
        const found = await sql.unsafe(`select id from rows where ${text} order by id`, values.map(String), {
          prepare: false,
        })
        expect(found.map(({ id }) => id)).toEqual(selected(source))
      }
    })

    test('as a part of a larger statement', async () => {
      const source = 'Status == "a" or Priority > 1'
      const { text, values } = toSql(compile(source, { schema: Row }), {
        columns,
        dialect: 'postgres',
        firstParameter: 3,
      })
      const found = await sql.unsafe(
        `select id from rows where id >= $1::int and id < $2::int and (${text}) order by id`,
        [10, 100, ...values.map((value) => (typeof value === 'bigint' ? String(value) : value))],
        { prepare: false },
      )
      expect(found.map(({ id }) => id)).toEqual(selected(source).filter((id) => id >= 10 && id < 100))
    })
  })
})

describe(...needing('a SQL condition selects the rows that the filter selects in MariaDB', mariadb), () => {
  let server: MariaDbServer

  beforeAll(async () => {
    server = await mariaDbServer()
    const { connection } = server
    await connection.query(`create table \`rows\` (id integer, status text not null, owner text, priority bigint not null,
      \`load\` double, live boolean not null, quiet boolean, tags json not null, ports json, team text, extra text, seen datetime(6) not null)`)
    for (const { ID, Status, Owner, Priority, Load, Live, Quiet, Tags, Ports, Meta, Seen } of rows) {
      await connection.query('insert into `rows` values (?,?,?,?,?,?,?,?,?,?,?,?)', [
        ...[ID, Status, Owner, Priority, Load, Live, Quiet, JSON.stringify(Tags)],
        Ports === null ? null : JSON.stringify(Ports),
        ...[Meta['team'] ?? null, Meta['a.b'] ?? null],
        Seen.replace(/Z$|\+01:00$/, '').replace('T01', 'T00'),
      ])
    }
  })
  afterAll(() => server?.stop())

  test.each(['query', 'execute'] as const)("with the driver's %s, for every expression", async (method) => {
    await fc.assert(
      fc.asyncProperty(expression, async (source) => {
        const { text, values } = toSql(compile(source, { schema: Row }), { columns, dialect: 'mysql' })
        const statement = `select id from \`rows\` where ${text} order by id`
        const [found] =
          method === 'query'
            ? await server.connection.query(statement, [...values])
            : await server.connection.execute(statement, [...values])
        expect((found as { id: number }[]).map(({ id }) => id)).toEqual(selected(source))
      }),
      { numRuns: runs(400) },
    )
  })
})

describe('what SQL cannot say is refused with its place', () => {
  test.each([
    ['Name matches "^a.c"', 'postgres', 'a regular expression'],
    ['any Meta as k { k == "a" }', 'postgres', 'a quantifier over what is not declared as a list'],
    ['Status == "A" ignoring case', 'sqlite', 'ignoring case'],
    ['Meta is empty', 'postgres', '"is empty" of a map'],
    ['Seen matches "^2026"', 'postgres', '"matches" of a time'],
    ['Seen > "9999-12-31T23:59:59-01:00"', 'postgres', 'a time outside the years 1 to 9999'],
    ['Gone == "x"', 'sqlite', 'no column is given for the selector Gone'],
  ] as const)('%s in %s', (source, dialect, message) => {
    const schema = Row.extend({ Name: z.string(), Gone: z.string() })
    const write = () =>
      toSql(compile(source, { schema }), { columns: { ...columns, Name: 'name', Meta: 'meta' }, dialect })
    expect(write).toThrow(FilterError)
    expect(write).toThrow(message)
  })

  test.each([{}, { column: 'a' }, 7, null, [], { sql: 1 }])('a field whose column is %j', (column) => {
    const columns = { A: column } as never // what types would refuse
    expect(() => toSql(compile('A == 1'), { columns, dialect: 'sqlite' })).toThrow(
      'no column is given for the selector A',
    )
  })

  test('a column under a misspelt selector is named', () => {
    const columns = { Nmae: 'name' }
    expect(() => toSql(compile('Name == "a"'), { columns, dialect: 'sqlite' })).toThrow(
      'no column is given for the selector Name; columns has Nmae',
    )
  })

  test('what a user wrote is only ever a parameter', () => {
    const filter = compile(String(where<Row>().eq('Status', "'; drop table rows; --").ne('Owner', '"')))
    expect(toSql(filter, { columns, dialect: 'postgres' })).toMatchObject({
      text: '"status" = $1 AND ("owner" = $2) IS NOT TRUE',
      values: ["'; drop table rows; --", '"'],
    })
  })
})

test.each([0, -1, 1.5, Number.NaN, '2'])('%s is the number of no parameter', (firstParameter) => {
  const options = {
    columns: { A: 'a' },
    dialect: 'postgres',
    firstParameter: firstParameter as number,
  } as const
  expect(() => toSql(compile('A == 1'), options)).toThrow(
    new TypeError(`firstParameter is a whole number from 1, not ${firstParameter}`),
  )
})

test('a database that it does not write for is refused', () => {
  const options = { columns: { A: 'a' }, dialect: 'oracle' as never }
  expect(() => toSql(compile('A == 1'), options)).toThrow('dialect is postgres, sqlite or mysql, not oracle')
})
