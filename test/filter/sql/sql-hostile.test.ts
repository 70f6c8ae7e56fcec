import { Database } from 'node-sqlite3-wasm'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { compile, FilterError, type SqlDialect, toSql } from '../../../src/filter/index.ts'
import { stringText as quoted } from '../../../src/filter/writing/selector-text.ts'
import { type PostgresServer, postgresServer } from '../../store/postgres-server.ts'

const Row = z.object({
  id: z.int(),
  text: z.string(),
  maybe: z.string().nullable(),
  whole: z.int(),
  big: z.bigint(),
  unsigned: z.bigint().meta({ kind: 'uint64' }),
  real: z.number().nullable(),
  texts: z.array(z.string()),
  wholes: z.array(z.int()).nullable(),
  at: z.iso.datetime({ offset: true }),
  known: z.boolean(),
})
type Row = z.infer<typeof Row>

/** Words of SQL, names that SQLite's json_each has itself, and quotes. */
const columns = {
  id: 'select',
  text: 'value',
  maybe: 'user',
  whole: 'order',
  big: 'id',
  unsigned: 'path',
  real: 'group "x"',
  texts: 'key',
  wholes: 'type',
  at: 'at',
  known: { sql: '"user" is not null' },
}

const texts = [
  ...[
    '',
    ' ',
    'a',
    'A',
    'a ',
    "a'b",
    'a"b',
    'a\\b',
    'a_b',
    '%',
    '_',
    '$1',
    '?',
    '--',
    '/*',
    '\n',
    '\u2028',
    '[1]',
  ],
  ...[
    '"a"',
    'null',
    'NULL',
    'é',
    'e\u0301',
    'ß',
    'I',
    'i',
    'İ',
    '😀',
    'x😀',
    '\ufffd',
    '\u{10ffff}',
    '1',
    '1.0',
    'true',
  ],
]
/** What no database keeps as it is, asked for all the same. */
const unkept = ['\0', 'a\0b', 'a\0', '\ud83d', 'x\ude00']
const wholes = [0, -1, 1, 2, 2 ** 53 - 1, 1 - 2 ** 53]
const bigs = [0n, -1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]
const reals = [null, 0, -0, 0.1, -1.5, 5e-324, 1.7976931348623157e308, Infinity, -Infinity, 2 ** 53 + 2, 1e21]
const times = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.0000009Z',
  '2026-01-01T00:00:00.000001999Z',
  '2026-01-01t05:30:00+05:30',
  '2026-01-01T23:59:00+23:59',
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59.5Z',
  '9999-12-31T23:59:59.999999Z',
]
const numbers = [
  ...[
    '0',
    '-0',
    '-1',
    '1',
    '1.5',
    '-1.5',
    '1e3',
    '0x10',
    '010',
    '0b11',
    '1_000',
    '0.1',
    '1e21',
    '1e308',
    '5e-324',
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
  ],
  ...['-9223372036854775808', '18446744073709551615', '99999999999999999999999', 'inf', '-inf', 'NaN'],
]

const pick = <One>(all: readonly One[], at: number): One => all[at % all.length] as One
const rows: readonly Row[] = texts.map((text, id) => {
  const maybe = id % 3 === 0 ? null : pick(texts, 7 * id)
  return {
    id,
    text,
    maybe,
    whole: pick(wholes, id),
    big: pick(bigs, id),
    // SQLite has no integers beyond these.
    unsigned: pick([0n, 1n, 2n ** 63n - 1n], id),
    real: pick(reals, id),
    texts: [text, pick(texts, 5 * id + 3)].slice(0, id % 3),
    wholes: id % 4 === 0 ? null : [pick(wholes, id), 7].slice(0, (id % 4) - 1),
    at: pick(times, id),
    known: maybe !== null,
  }
})

const orders = ['==', '!=', '<', '<=', '>', '>=']
const escaped = (text: string) => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
const expressions = [
  ...[...texts, ...unkept].flatMap((text) => [
    ...['text ==', 'text !=', 'maybe ==', 'maybe !='].map((left) => `${left} ${quoted(text)}`),
    ...['text', 'maybe', 'texts'].flatMap((field) => [
      `${quoted(text)} in ${field}`,
      `${quoted(text)} not in ${field}`,
    ]),
    ...['text in', 'maybe not in'].map((left) => `${left} [${quoted(text)}, "a"]`),
    ...[`^${escaped(text)}`, `${escaped(text)}$`, `^${escaped(text)}$`, escaped(text)].flatMap((pattern) => [
      `text matches ${quoted(pattern)}`,
      `maybe not matches ${quoted(pattern)}`,
    ]),
  ]),
  ...numbers.flatMap((number) => [
    ...['whole', 'big', 'unsigned', 'real'].flatMap((field) => [
      ...orders.map((order) => `${field} ${order} "${number}"`),
      `not ${field} > "${number}"`,
      `${field} in ["${number}", 0]`,
      `${field} not in ["${number}", 0]`,
    ]),
    `"${number}" in wholes`,
    `"${number}" not in wholes`,
  ]),
  ...times.flatMap((time) => orders.map((order) => `at ${order} "${time}"`)),
  ...['text', 'maybe', 'texts', 'wholes'].flatMap((field) => [`${field} is empty`, `${field} is not empty`]),
  ...['maybe', 'real', 'wholes'].flatMap((field) => [`${field} is nil`, `${field} is not nil`]),
  ...['text == @maybe', 'text != @maybe', 'whole > @id', 'big > @unsigned', 'known == true', 'known != true'],
  // SQLite nests no deeper than a thousand.
  Array.from({ length: 1000 }, (_, at) => `id==${at}`).join(' or '),
  `not (${Array.from({ length: 990 }, (_, at) => `id != ${at + 30}`).join(' and ')})`,
]

/** Half a pair is found in a whole one in memory, where a text is made of UTF-16 units. */
const halves = (source: string) => /\\?\p{Cs}/u.test(source) && / in (?:text|maybe)$/.test(source)

/** The rows that an expression selects; nothing where it fits no row, or SQL has no words for it. */
function asked(source: string, dialect: SqlDialect) {
  try {
    const filter = compile(source, { schema: Row, limits: { length: 20_000 } })
    return { selected: filter.select(rows).map(({ id }) => id), ...toSql(filter, { columns, dialect }) }
  } catch (error) {
    if (error instanceof FilterError && (error.kind === 'coercion' || error.kind === 'type')) return undefined
    throw error
  }
}

describe('hostile values and columns select the rows that they select in memory', () => {
  test('in SQLite', () => {
    const database = new Database()
    database.exec(
      'create table rows ("select" integer, "value" text, "user" text, "order" integer, "id" integer, "path" integer, "group ""x""" real, "key" text, "type" text, at text)',
    )
    for (const { id, text, maybe, whole, big, unsigned, real, texts, wholes, at } of rows)
      database.run('insert into rows values (?,?,?,?,?,?,?,?,?,?)', [
        ...[id, text, maybe, whole, big, unsigned, real, JSON.stringify(texts)],
        wholes && JSON.stringify(wholes),
        at,
      ])
    const wrong: unknown[] = []
    let compared = 0
    for (const source of expressions) {
      const wanted = halves(source) ? undefined : asked(source, 'sqlite')
      if (wanted === undefined) continue
      compared += 1
      const found = database
        .all(`select "select" as found from rows where ${wanted.text} order by 1`, [...wanted.values])
        .map((row) => row['found'])
      if (String(found) !== String(wanted.selected)) wrong.push({ source, ...wanted, found })
    }
    database.close()
    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThan(1500)
  })

  describe('in PostgreSQL', () => {
    let server: PostgresServer
    let sql: postgres.Sql

    beforeAll(async () => {
      server = await postgresServer({ fsync: 'off' })
      sql = postgres(await server.database(), { max: 1, onnotice: () => undefined })
      await sql.unsafe(
        'create table rows ("select" integer, "value" text, "user" text, "order" bigint, "id" bigint, "path" numeric, "group ""x""" double precision, "key" text[], "type" bigint[], at timestamptz)',
      )
      for (const { id, text, maybe, whole, big, unsigned, real, texts, wholes, at } of rows) {
        const [fraction = ''] = /\.\d+/.exec(at) ?? []
        await sql.unsafe(
          `insert into rows values ($1, $2, $3, $4::bigint, $5::bigint, $6::numeric, $7, $8, $9::bigint[],
            timestamptz 'epoch' + $10::bigint * interval '1 second' + $11::bigint * interval '1 microsecond')`,
          [
            ...[
              id,
              text,
              maybe,
              String(whole),
              String(big),
              String(unsigned),
              real,
              texts,
              wholes?.map(String) ?? null,
            ],
            Math.floor(Date.parse(at.replace(fraction, '').toUpperCase()) / 1000),
            Number(fraction.slice(1, 7).padEnd(6, '0')),
          ],
        )
      }
    })
    afterAll(async () => {
      await sql?.end()
      await server?.stop()
    })

    test('for every expression', async () => {
      const wrong: unknown[] = []
      let compared = 0
      for (const source of expressions) {
        const wanted = halves(source) ? undefined : asked(source, 'postgres')
        if (wanted === undefined) continue
        compared += 1
        const found = await sql.unsafe(
          `select "select" as found from rows where ${wanted.text} order by 1`,
          wanted.values.map((value) => (typeof value === 'bigint' ? String(value) : value)),
          { prepare: false },
        )
        const ids = found.map((row) => row['found'])
        if (String(ids) !== String(wanted.selected)) wrong.push({ source, ...wanted, found: ids })
      }
      expect(wrong).toEqual([])
      expect(compared).toBeGreaterThan(1500)
    })
  })
})
