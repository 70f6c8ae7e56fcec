import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Commit, Store } from '../../src/store/index.ts'
import { type PostgresJsClient, postgresStore } from '../../src/store/postgres/index.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

/*
 * PLINTH_PLAN_ROWS=1000000 npx vitest run test/store/postgres-schema.test.ts for plans over a realm of that size.
 */
const rows = Number(process.env['PLINTH_PLAN_ROWS'] ?? 20_000)

let server: PostgresServer
beforeAll(async () => {
  // Without autovacuum tables are not analysed, so no plan is invalidated by it.
  server = await postgresServer({ fsync: 'off', autovacuum: 'off' })
})
afterAll(() => server.stop())

const newSql = (address: string, max = 6) => {
  const sql = postgres(address, { max, onnotice: () => undefined })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

describe('the plans of a connection', () => {
  /** What one question read, by table: scans of the whole table, and rows fetched. */
  type Reads = Readonly<Record<string, { readonly scans: number; readonly rows: number }>>
  const readsSoFar = `select relname, seq_scan::int as scans, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables where schemaname = 'plinth' and relname <> 'migration'`

  /** A client over one connection that notes what each of the store's transactions read. */
  const watched = (sql: postgres.Sql, note: (reads: Reads) => void): PostgresJsClient => {
    const begin: PostgresJsClient['begin'] = (options, work) =>
      sql.begin(options, async (connection) => {
        const soFar = () => connection.unsafe<{ relname: string; scans: number; rows: number }[]>(readsSoFar)
        // The server counts on from transactions it did not report yet.
        const before = new Map((await soFar()).map((reads) => [reads.relname, reads]))
        await work(connection)
        const after = (await soFar()).map(({ relname, scans, rows }) => {
          const past = before.get(relname) ?? { scans: 0, rows: 0 }
          return [relname, { scans: scans - past.scans, rows: rows - past.rows }] as const
        })
        note(Object.fromEntries(after))
      })
    return {
      begin,
      unsafe: async (query, parameters, options) => {
        let answer: readonly unknown[] = []
        await begin('isolation level read committed', async (connection) => {
          answer = await connection.unsafe(query, parameters, options)
        })
        return answer
      },
      listen: (channel, fn) => sql.listen(channel, fn),
    }
  }

  let ids = 0
  const key = (n: number) => `k${String(n).padStart(8, '0')}`
  /** Everything a store is asked, with keys around `at`; `known` is a commit it took before. */
  const questions = (
    at: number,
    known: Commit,
  ): Readonly<Record<string, (store: Store) => Promise<unknown>>> => {
    const commit = (rest: Omit<Commit, 'id'>) => (store: Store) => {
      ids += 1
      return store.commit([{ id: `q${ids}`, ...rest }])
    }
    return {
      put: commit({ put: [{ key: key(at), value: 1 }], touch: ['~\u0001k'] }),
      'expect, put and delete': commit({
        expect: [
          { key: key(at + 1), rev: at + 2 },
          { key: 'absent', rev: 0 },
        ],
        put: [{ key: key(at + 2), value: 1 }],
        del: [key(at + 3), 'absent'],
      }),
      refuse: commit({ again: true, expect: [{ key: key(at), rev: 1 }], del: [key(at)] }),
      'submit again': (store) => store.commit([known]),
      'commit many': (store) =>
        store.commit(
          Array.from({ length: 40 }, (_, n) => {
            ids += 1
            return {
              id: `q${ids}`,
              expect: [{ key: 'absent', rev: 0 }],
              put: [{ key: key(at + 10 + n), value: 1 }],
            }
          }),
        ),
      head: (store) => store.head(),
      get: (store) => store.read((view) => view.get([key(at), key(at + 4), 'absent'])),
      scan: (store) => store.read((view) => view.scan({ prefix: key(at).slice(0, 7), limit: 10 })),
      'scan back': (store) => store.read((view) => view.scan({ prefix: 'k', limit: 10, reverse: true })),
      changes: async (store) => {
        const head = await store.head()
        return store.changes({ after: head - 20, prefixes: ['k'], limit: 10 })
      },
    }
  }

  it.each([
    ['empty', false],
    ['nearly empty, and analysed', true],
  ])('find a few rows among very many, made when the tables were %s', async (_, analysed) => {
    const sql = newSql(await server.database(), 1)
    let reads: Reads[] = []
    const store = await postgresStore(
      watched(sql, (found) => reads.push(found)),
      { realm: 'r', notify: false },
    )
    const known: Commit = { id: 'known', put: [{ key: 'known', value: 1 }] }
    if (analysed) {
      await store.commit([known])
      await sql.unsafe('analyze plinth.realm, plinth.entry, plinth.log, plinth.refusal')
    }
    // Often enough that the server keeps its plans of what the client prepared.
    for (let round = 0; round < 8; round += 1)
      for (const ask of Object.values(questions(0, known))) await ask(store)

    const before = await store.head()
    await sql.unsafe(`
      insert into plinth.entry select 1, 'k' || lpad(n::text, 8, '0'), '1', n + 1, n + 1
        from generate_series(1000, ${rows}) n;
      insert into plinth.log select 1, n, 'filled' || n, array['k' || lpad(n::text, 8, '0')]
        from generate_series(${before + 1}, ${rows + 1}) n;
      insert into plinth.refusal select 1, 'refused' || n, n, array['k'] from generate_series(1, ${rows / 10}) n;
      update plinth.realm set rev = ${rows + 1}`)
    await store.commit([known])

    const asked = questions(Math.floor(rows / 2), known)
    for (const [name, ask] of Object.entries(asked)) {
      reads = []
      await ask(store)
      // A read does not wait for the answer to its commit.
      await expect.poll(() => reads.length, { message: name }).toBeGreaterThan(0)
      for (const { realm, ...tables } of reads) {
        // One row for each realm there is.
        expect(realm?.rows ?? 0, `${name}: rows of realm`).toBeLessThan(10)
        for (const [table, { scans, rows }] of Object.entries(tables)) {
          expect(scans, `${name}: scans of ${table}`).toBe(0)
          expect(rows, `${name}: rows of ${table}`).toBeLessThan(200)
        }
      }
    }
    await store.close()
  })
})

describe('a schema of version 1', () => {
  it('is migrated when a store opens it, and keeps its commits', async () => {
    const sql = newSql(await server.database())
    const open = () => postgresStore(sql, { realm: 'r', notify: false })
    const first = await open()
    await first.commit([{ id: 'a', put: [{ key: 'k1', value: 1 }] }])
    await first.close()
    await sql.unsafe(`
      drop function plinth.changes_with_commit;
      drop function plinth.changes_since;
      create function plinth.changes_since(p_realm integer, p_after bigint, p_limit bigint, prefixes text[])
        returns table (head text, floor text) language sql as 'select null, null';
      delete from plinth.migration where version > 1`)
    const store = await open()
    const { rev, put } = await store.changes({ after: 0, prefixes: ['k'] })
    expect([rev, put.map(({ key }) => key)]).toEqual([1, ['k1']])
    await store.close()
  })
})

describe('a realm that is deleted by hand', () => {
  it('takes its rows along, and no others', async () => {
    const address = await server.database()
    const sql = newSql(address)
    const put = (id: string): Commit => ({
      id,
      expect: [{ key: 'k1', rev: 0 }],
      put: [{ key: 'k1', value: id }],
      again: true,
    })
    for (const realm of ['r', 'other']) {
      const store = await postgresStore(newSql(address), { realm, notify: false })
      await store.commit([put('a'), put('b')])
      await store.close()
    }
    await sql.unsafe(`delete from plinth.realm where name = 'r'`)
    const left =
      await sql.unsafe(`select realm, 'entry' as of from plinth.entry union all select realm, 'log' from plinth.log
      union all select realm, 'refusal' from plinth.refusal order by 2`)
    expect(left.map(({ realm, of }) => [realm, of])).toEqual([
      [2, 'entry'],
      [2, 'log'],
      [2, 'refusal'],
    ])
  })
})
