import fc from 'fast-check'
import { Database } from 'node-sqlite3-wasm'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { compile, type SqlDialect, type SqlRows, toSql } from '../../../src/filter/index.ts'
import { mariadb, needing } from '../../programs.ts'
import { runs } from '../../runs.ts'
import { type PostgresServer, postgresServer } from '../../store/postgres-server.ts'
import { type MariaDbServer, mariaDbServer } from './mariadb-server.ts'

const Order = z.object({
  ID: z.int(),
  Value: z.int(),
  Items: z.array(
    z.object({
      Name: z.string(),
      Count: z.int(),
      Price: z.number().nullable(),
      Gift: z.boolean(),
      Box: z.object({ Size: z.int() }),
    }),
  ),
})
type Order = z.infer<typeof Order>

const name = fc.constantFrom('a', 'A', 'a ', "it's", 'é', '%', '')
const count = fc.constantFrom(-1, 0, 1, 2, 2 ** 40)
const price = fc.constantFrom(-0.5, 0, 0.1, 1e21)
const orders: readonly Order[] = fc
  .sample(
    fc.record({
      Value: count,
      Items: fc.array(
        fc.record({
          Name: name,
          Count: count,
          Price: fc.option(price),
          Gift: fc.boolean(),
          Box: fc.record({ Size: count }),
        }),
        { maxLength: 3 },
      ),
    }),
    { numRuns: 80, seed: 3 },
  )
  .map((order, ID) => ({ ID, ...order }))

const text = name.map((one) => JSON.stringify(one))
const sign = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
const leaf = fc.oneof(
  fc.tuple(fc.constantFrom('==', '!='), text).map(([op, value]) => `item.Name ${op} ${value}`),
  fc
    .tuple(fc.constantFrom('', 'not '), fc.array(text, { maxLength: 2 }))
    .map(([not, list]) => `item.Name ${not}in [${list}]`),
  fc
    .tuple(fc.constantFrom('starts', 'ends'), text)
    .map(([end, value]) => `not item.Name ${end} with ${value}`),
  text.map((value) => `${value} in item.Name`),
  fc
    .tuple(fc.constantFrom('Count', 'Box.Size'), sign, count)
    .map(([field, op, value]) => `item.${field} ${op} ${value}`),
  fc.tuple(sign, price).map(([op, value]) => `item.Price ${op} "${value}"`),
  fc.constantFrom('item.Gift', 'not item.Gift', 'item.Price is nil', 'item.Count > @Value', 'Value > 0'),
)
/** The index of an element is known only where lists are JSON. */
const expressions = (withIndex: boolean): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('any', 'all', 'none'),
      withIndex ? fc.oneof(leaf, fc.constantFrom('at == 0', 'at != 1')) : leaf,
      fc.constantFrom('and', 'or'),
      leaf,
      fc.constantFrom('', 'not '),
    )
    .map(
      ([many, one, op, two, not]) =>
        `${not}(${many} Items as at, item { ${one} ${op} ${two} }) or Value == 1`,
    )

const selected = (source: string) =>
  compile(source, { schema: Order })
    .select(orders)
    .map(({ ID }) => ID)
const json = { ID: 'id', Value: 'value', Items: 'items' }
const table: SqlRows = {
  from: 'parts',
  where: 'parts.order_id = orders.id',
  columns: {
    Name: { sql: 'parts.name' },
    Count: { sql: 'parts.count' },
    Price: { sql: 'parts.price' },
    Gift: { sql: 'parts.gift' },
    'Box.Size': { sql: 'parts.size' },
  },
}

type Run = (text: string, values: readonly (string | number | bigint | boolean)[]) => Promise<number[]>

async function agrees(dialect: SqlDialect, run: Run): Promise<void> {
  for (const Items of [json.Items, table]) {
    await fc.assert(
      fc.asyncProperty(expressions(Items === json.Items), async (source) => {
        const filter = compile(source, { schema: Order })
        const { text, values, strings } = toSql(filter, { columns: { ...json, Items }, dialect })
        expect(strings).toHaveLength(values.length + 1)
        expect(await run(`select id from orders where ${text} order by id`, values)).toEqual(selected(source))
      }),
      { numRuns: runs(250) },
    )
  }
  // What the database cannot decide is left to the filter that is returned.
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          expressions(true),
          fc.constantFrom(
            'any Items as item { item.Name == a ignoring case }',
            'Value > 0 or any Items as item { item.Name matches "[a-z]" }',
            'not (Value > 0 and any Items as item { item.Name matches "[a-z]" })',
          ),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      fc.constantFrom(' and ', ' or '),
      async (parts, by) => {
        const source = parts.map((part) => `(${part})`).join(by)
        const filter = compile(source, { schema: Order })
        const { text, values, rest } = toSql(filter, { columns: json, dialect, partial: true })
        const found = new Set(await run(`select id from orders where ${text} order by id`, values))
        const rows = orders.filter(({ ID }) => found.has(ID))
        expect((rest === undefined ? rows : rest.select(rows)).map(({ ID }) => ID)).toEqual(selected(source))
      },
    ),
    { numRuns: runs(250) },
  )
}

const parts = orders.flatMap(({ ID, Items }) =>
  Items.map(({ Name, Count, Price, Gift, Box }) => [ID, Name, Count, Price, Gift, Box.Size] as const),
)

describe('conditions on lists of objects select the rows that the filter selects', () => {
  test('in SQLite', async () => {
    const database = new Database()
    database.exec(
      'create table orders (id integer, value integer, items text); create table parts (order_id integer, name text, count integer, price real, gift integer, size integer)',
    )
    for (const { ID, Value, Items } of orders)
      database.run('insert into orders values (?,?,?)', [ID, Value, JSON.stringify(Items)])
    for (const [id, name, count, price, gift, size] of parts)
      database.run('insert into parts values (?,?,?,?,?,?)', [id, name, count, price, Number(gift), size])
    await agrees('sqlite', async (sql, values) =>
      database.all(sql, [...values]).map(({ id }) => Number(id)),
    ).finally(() => database.close())
  })

  describe('in PostgreSQL', () => {
    let server: PostgresServer
    let sql: postgres.Sql
    beforeAll(async () => {
      server = await postgresServer({ fsync: 'off' })
      sql = postgres(await server.database(), { max: 1, onnotice: () => undefined })
      await sql`create table orders (id integer, value bigint, items jsonb)`
      await sql`create table parts (order_id integer, name text, count bigint, price double precision, gift boolean, size bigint)`
      for (const { ID, Value, Items } of orders)
        await sql`insert into orders values (${ID}, ${Value}, ${sql.json(Items)})`
      for (const part of parts) await sql`insert into parts values ${sql([part])}`
    })
    afterAll(async () => {
      await sql?.end()
      await server?.stop()
    })

    test('for every expression', async () => {
      await agrees('postgres', async (text, values) => {
        const given = values.map((value) => (typeof value === 'bigint' ? String(value) : value))
        return (await sql.unsafe(text, given, { prepare: false })).map(({ id }) => Number(id))
      })
    })

    test('passed to a template tag', async () => {
      const source = 'Value > 0 and any Items as item { item.Name == "a" }'
      const filter = compile(source, { schema: Order })
      const { strings, values } = toSql(filter, { columns: json, dialect: 'postgres' })
      const condition = sql(strings, ...values.map(String))
      const found = await sql`select id from orders where ${condition} order by id`
      expect(found.map(({ id }) => id)).toEqual(selected(source))
    })
  })

  describe(...needing('in MariaDB', mariadb), () => {
    let server: MariaDbServer
    beforeAll(async () => {
      server = await mariaDbServer()
      const { connection } = server
      await connection.query('create table orders (id integer, value bigint, items json)')
      await connection.query(
        'create table parts (order_id integer, name text, count bigint, price double, gift boolean, size bigint)',
      )
      for (const { ID, Value, Items } of orders)
        await connection.query('insert into orders values (?,?,?)', [ID, Value, JSON.stringify(Items)])
      for (const part of parts) await connection.query('insert into parts values (?,?,?,?,?,?)', [...part])
    })
    afterAll(() => server?.stop())

    test('for every expression', async () => {
      await agrees('mysql', async (text, values) => {
        const [found] = await server.connection.query(text, [...values])
        return (found as { id: number }[]).map(({ id }) => id)
      })
    })
  })
})

test('a list within a list is refused with its place', () => {
  const Nested = z.object({ Rows: z.array(z.object({ Cells: z.array(z.string()) })) })
  const filter = compile('any Rows as row { any row.Cells as cell { cell == "a" } }', { schema: Nested })
  expect(() => toSql(filter, { columns: { Rows: 'rows' }, dialect: 'sqlite' })).toThrow(
    'SQL cannot express this: a list within a list',
  )
})

test('a member whose name could be part of a path is refused', () => {
  const Odd = z.object({ Rows: z.array(z.object({ "it's": z.string() })) })
  const filter = compile(`any Rows as row { row["it's"] == "a" }`, { schema: Odd })
  expect(() => toSql(filter, { columns: { Rows: 'rows' }, dialect: 'postgres' })).toThrow('the member')
})

test('a quantifier that is left to the filter leaves no name behind', () => {
  const schema = z.object({ Tags: z.array(z.string()), Status: z.string() })
  const filter = compile('any Tags as Status { Status matches "x.*y" } and Status == "a"', { schema })
  const columns = { Tags: 'tags', Status: 'status' }
  expect(toSql(filter, { columns, dialect: 'postgres', partial: true }).text).toBe('"status" = $1')
})
