import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Commit, Store, Verdict } from '../../src/store/index.ts'
import { arrayOf } from '../../src/store/postgres/arrays.ts'
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
      expect(reads.length, name).toBeGreaterThan(0)
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

/** How a server of version 1 or 2 submits a run of commits, as it was written then: never changed. */
const commitRun = `select ok, rev::text, array_to_json(stale)::text as stale from plinth.commit_run($1::int, $2::text::text[],
  $3::text::boolean[], $4::text::int[], $5::text::text[], $6::text::bigint[], $7::text::int[], $8::text::text[],
  $9::text::text[], $10::text::int[], $11::text::text[])`
const parametersOfRun = (run: readonly Commit[]): string[] => {
  const rows = <T>(of: (commit: Commit) => readonly T[]) =>
    run.flatMap((commit, at) => of(commit).map((row) => [at + 1, row] as const))
  const expects = rows(({ expect = [] }) => expect)
  const writes = rows(({ put = [], touch = [] }) => [
    ...put.map(({ key, value }) => ({ key, value: JSON.stringify(value) })),
    ...touch.map((key) => ({ key, value: 'null' })),
  ])
  const deletions = rows(({ del = [] }) => del)
  return [
    arrayOf(run.map(({ id }) => id)),
    arrayOf(run.map(({ again = false }) => again)),
    arrayOf(expects.map(([at]) => at)),
    arrayOf(expects.map(([, { key }]) => key)),
    arrayOf(expects.map(([, { rev }]) => rev)),
    arrayOf(writes.map(([at]) => at)),
    arrayOf(writes.map(([, { key }]) => key)),
    arrayOf(writes.map(([, { value }]) => value)),
    arrayOf(deletions.map(([at]) => at)),
    arrayOf(deletions.map(([, key]) => key)),
  ]
}

describe.each([1, 2])('a database of version %i', (version) => {
  const putAs = (id: string, key: string, again = false): Commit => ({
    id,
    expect: [{ key, rev: 0 }],
    put: [{ key, value: { by: id } }],
    ...(again ? { again } : {}),
  })
  /** A database as that version made it, and a connection of one of its processes. */
  const old = async () => {
    const address = await server.database()
    const sql = newSql(address, 1)
    await sql.unsafe('create schema plinth')
    await sql.unsafe(
      'create table plinth.migration (version integer primary key, at timestamptz not null default now())',
    )
    for (let each = 1; each <= version; each += 1) {
      await sql.unsafe(await readFile(join(import.meta.dirname, `postgres-version-${each}.sql`), 'utf8'))
      await sql.unsafe(`insert into plinth.migration (version) values (${each})`)
    }
    await sql.unsafe(`insert into plinth.realm (name) values ('r'), ('other')`)
    const commit = async (...run: Commit[]): Promise<Verdict[]> =>
      (await sql.unsafe(commitRun, [1, ...parametersOfRun(run)], { prepare: true })).map(
        ({ ok, rev, stale }) =>
          ok === true
            ? { ok, rev: Number(rev) }
            : { ok: false, rev: Number(rev), stale: JSON.parse(String(stale)) },
      )
    return { address, sql, commit }
  }

  it('is brought up to date with all it holds: records, log, and verdicts by id', async () => {
    const { address, sql, commit } = await old()
    expect(await commit(putAs('a', 'k1'), putAs('b', 'k2'))).toMatchObject([{ rev: 1 }, { rev: 2 }])
    expect(await commit({ id: 'c', del: ['k1'], touch: ['~\u0001k'] })).toMatchObject([{ ok: true, rev: 3 }])
    const no = { ok: false, rev: 3, stale: ['k2'] }
    expect(await commit(putAs('d', 'k2', true))).toEqual([no])

    const stores = await Promise.all(
      Array.from({ length: 4 }, () => postgresStore(newSql(address), { realm: 'r', notify: false })),
    )
    const versions = await sql.unsafe('select version from plinth.migration order by version')
    expect(versions.map((row) => row['version'])).toEqual([1, 2, 3])
    const [store, ...others] = stores as [Store, ...Store[]]
    expect(await store.read((view) => view.scan({ prefix: '' }))).toEqual([
      { key: 'k2', value: { by: 'b' }, created: 2, modified: 2 },
      { key: '~\u0001k', value: null, created: 3, modified: 3 },
    ])
    expect(await store.changes({ after: 1, prefixes: ['k'] })).toEqual({
      rev: 3,
      put: [{ key: 'k2', value: { by: 'b' }, created: 2, modified: 2 }],
      gone: ['k1'],
      more: false,
    })
    expect(await store.commit([putAs('b', 'k2')])).toEqual([{ ok: true, rev: 2 }])
    expect(await store.commit([putAs('d', 'k9')])).toEqual([no])
    expect(await store.commit([putAs('e', 'k9')])).toEqual([{ ok: true, rev: 4 }])
    for (const each of [store, ...others]) {
      expect(await each.head()).toBe(4)
      await each.close()
    }
  })

  it('is brought up to date under a process of that version, which goes on', async () => {
    const { address, commit } = await old()
    const revs: unknown[] = []
    let opened = false
    const writing = (async () => {
      for (let after = 0; after < 20; after += opened ? 1 : 0) {
        const [verdict] = await commit({
          id: `w${revs.length}`,
          put: [{ key: `k${revs.length % 7}`, value: 1 }],
        })
        revs.push(verdict?.rev)
      }
    })()
    const store = await postgresStore(newSql(address), { realm: 'r', notify: false })
    opened = true
    await writing
    expect(revs).toEqual(revs.map((_, at) => at + 1))
    expect(await store.head()).toBe(revs.length)
    await store.close()
  })

  it('serves a process of that version and one of this version, as if they were of one', async () => {
    const { address, commit } = await old()
    const store = await postgresStore(newSql(address), { realm: 'r', notify: false })
    const both: ((...batch: Commit[]) => Promise<readonly Verdict[]>)[] = [
      commit,
      (...batch) => store.commit(batch),
    ]
    const verdicts: Verdict[] = []
    for (let round = 0; round < 60; round += 1) {
      // Each wants to be the only one with this key; what else they write is theirs alone. Now and then in a batch.
      const attempts = both.map((submit, at) =>
        submit(
          ...Array.from({ length: 1 + (round % 3) }, (_, n) => ({
            ...putAs(`${at}-${round}-${n}`, `k${round}-${n}`, true),
            touch: ['~\u0001k'],
          })),
        ),
      )
      const [theirs = [], ours = []] = await Promise.all(attempts)
      for (const [n, verdict] of theirs.entries()) expect(verdict.ok).not.toBe(ours[n]?.ok)
      // Every later call returns the first answer.
      const [first, second] = [putAs(`0-${round}-0`, 'else', true), putAs(`1-${round}-0`, 'else', true)]
      for (const submit of both) {
        expect(await submit(first)).toEqual(theirs.slice(0, 1))
        expect(await submit(second)).toEqual(ours.slice(0, 1))
      }
      verdicts.push(...theirs, ...ours)
    }
    const revs = verdicts.filter(({ ok }) => ok).map(({ rev }) => rev)
    expect(revs.sort((a, b) => a - b)).toEqual(revs.map((_, at) => at + 1))
    expect(await store.head()).toBe(revs.length)
    expect((await store.changes({ after: 0, prefixes: ['k'] })).put).toHaveLength(revs.length)
    await store.close()
  })

  it('loses with a realm deleted by hand that realm’s rows, and no others', async () => {
    const { address, sql, commit } = await old()
    await commit(putAs('a', 'k1'))
    const store = await postgresStore(newSql(address), { realm: 'other', notify: false })
    await store.commit([putAs('a', 'k1'), putAs('b', 'k1', true)])
    await sql.unsafe(`delete from plinth.realm where name = 'r'`)
    const left =
      await sql.unsafe(`select realm, 'entry' as of from plinth.entry union all select realm, 'log' from plinth.log
      union all select realm, 'refusal' from plinth.refusal order by 2`)
    expect(left.map(({ realm, of }) => [realm, of])).toEqual([
      [2, 'entry'],
      [2, 'log'],
      [2, 'refusal'],
    ])
    await store.close()
  })
})
