import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { type Store, StoreError, storeConformance } from '../../src/store/index.ts'
import {
  type PostgresClient,
  type PostgresJsClient,
  type PostgresOptions,
  postgresStore,
} from '../../src/store/postgres/index.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

let server: PostgresServer
let url = ''
const ends: (() => Promise<void>)[] = []
type Ending = (end: () => Promise<void>) => void
/** A client that lives as long as its test, or as `ending` says: the server takes 60 connections, not more. */
const newSql = (address: string, ending: Ending = onTestFinished) => {
  const sql = postgres(address, { max: 6, onnotice: () => undefined })
  ending(() => sql.end({ timeout: 1 }))
  return sql
}
/** A client whose single statements go by way of `unsafe`. */
const intercepted = (sql: PostgresJsClient, unsafe: PostgresJsClient['unsafe']): PostgresClient => ({
  begin: (options, work) => sql.begin(options, work),
  listen: (channel, fn) => sql.listen(channel, fn),
  unsafe,
})
const newPool = (address: string, ending: Ending = onTestFinished) => {
  const pool = new pg.Pool({ connectionString: address, max: 6 })
  // Idle connections hear the server stop before they have closed.
  pool.on('error', () => undefined)
  ending(() => pool.end())
  return pool
}
const afterTheSuite: Ending = (end) => void ends.push(end)

beforeAll(async () => {
  // What is proven here does not rest on the disk; the crash test runs with the server's own settings.
  server = await postgresServer({ fsync: 'off' })
  url = await server.database()
})
afterAll(async () => {
  for (const end of ends) await end()
  await server.stop()
})

let realms = 0
const names = new WeakMap<Store, string>()
const suite = (
  client: () => PostgresClient,
  peerClient: () => PostgresClient,
  options: Partial<PostgresOptions>,
) => {
  const open = async (on: PostgresClient, realm: string) => {
    const store = await postgresStore(on, { realm, ...options })
    names.set(store, realm)
    return store
  }
  storeConformance(
    () => {
      realms += 1
      return open(client(), `realm-${realms}`)
    },
    {
      test,
      peer: (store) => open(peerClient(), names.get(store) ?? ''),
      neighbours: 1,
      sequences: 8,
      rounds: 20,
    },
  )
}

describe('the PostgreSQL store over postgres.js', () => {
  let clients: PostgresClient[] = []
  beforeAll(() => {
    clients = [newSql(url, afterTheSuite), newSql(url, afterTheSuite)]
  })
  suite(
    () => clients[0] as PostgresClient,
    () => clients[1] as PostgresClient,
    {},
  )
})

describe('the PostgreSQL store over pg, without NOTIFY and prepared statements', () => {
  let clients: PostgresClient[] = []
  beforeAll(() => {
    clients = [newPool(url, afterTheSuite), newPool(url, afterTheSuite)]
  })
  suite(
    () => clients[0] as PostgresClient,
    () => clients[1] as PostgresClient,
    { notify: false, prepare: false, pollMs: 5 },
  )
})

const refusal = (opening: Promise<Store>) =>
  opening.then(
    () => 'opened',
    (error: unknown) => (error instanceof StoreError ? `${error.code}: ${error.message}` : String(error)),
  )

describe('opening a PostgreSQL store', () => {
  it('creates the schema once, however many processes start together', async () => {
    const fresh = await server.database()
    const stores = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        postgresStore(newSql(fresh), { realm: `r${at % 2}`, notify: false }),
      ),
    )
    await stores[0]?.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
    expect(await Promise.all(stores.map((store) => store.head()))).toEqual([1, 0, 1, 0, 1, 0])
  })

  it('warns when an acknowledged commit can be lost', async () => {
    const warnings: string[] = []
    const options = { realm: 'warned', onWarning: (text: string) => warnings.push(text) }
    await (await postgresStore(newSql(url), options)).close()
    expect(warnings).toEqual([
      expect.stringMatching(/^fsync is off/),
      expect.stringMatching(/^synchronous_standby_names is empty/),
    ])
  })

  it('says what is wrong with a database that cannot carry a store', async () => {
    const opening = (address: string, options: Partial<PostgresOptions> = {}) =>
      refusal(postgresStore(newSql(address), { realm: 'r', ...options }))
    expect(await opening('postgres://plinth@127.0.0.1:1/none')).toMatch(
      /^unreachable: the database server cannot be reached/,
    )
    expect(await opening(`${server.url}/none`)).toMatch(/^unreachable: the database does not exist/)
    expect(
      await refusal(postgresStore(newPool('postgres://plinth@127.0.0.1:1/none'), { realm: 'r' })),
    ).toMatch(/^unreachable: /)
    expect(await opening(url, { schema: 'Robert"; drop' })).toMatch(/^invalid: a schema's name/)
    expect(await opening(url, { realm: '' })).toMatch(/^invalid: a realm's name/)
    const latin = await server.database(`encoding 'LATIN1' template template0`)
    expect(await opening(latin)).toMatch(/^unsuitable: the database has encoding LATIN1/)
    const serializable = await server.database()
    await newSql(serializable).unsafe(
      `alter database ${serializable.split('/').at(-1)} set default_transaction_isolation = 'serializable'`,
    )
    expect(await opening(serializable)).toMatch(/^unsuitable: default_transaction_isolation is serializable/)
  })

  it('refuses a single connection by name, and asks nothing of it', async () => {
    const single =
      /^TypeError: client is a single connection.* pass the result of postgres\(…\), or a Pool of pg/
    const opening = (client: unknown) => refusal(postgresStore(client as PostgresClient, { realm: 'single' }))
    expect(await opening(new pg.Client({ connectionString: url }))).toMatch(single)
    const pool = newPool(url)
    const lent = await pool.connect()
    expect(await opening(lent)).toMatch(single)
    lent.release()
    const sql = newSql(url)
    const reserved = await sql.reserve()
    expect(await opening(reserved)).toMatch(single)
    reserved.release()
    expect(await sql.begin((transaction) => opening(transaction))).toMatch(single)
  })

  it('refuses a pool whose only connection announcements would take, and warns of one connection otherwise', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    expect(await refusal(postgresStore(pool, { realm: 'one' }))).toMatch(
      /^TypeError: client has one connection, which notifications need: .* notify: false$/,
    )
    const warnings: string[] = []
    const onWarning = (message: string) => void warnings.push(message)
    await (await postgresStore(pool, { realm: 'one', notify: false, onWarning })).close()
    await pool.end()
    expect(warnings).toContain(
      'the client has one connection: a commit inside a read would wait for that read forever',
    )
  })

  it('leaves a foreign schema and a later version alone', async () => {
    const foreign = await server.database()
    const sql = newSql(foreign)
    await sql.unsafe('create schema plinth; create table plinth.theirs (id int)')
    expect(await refusal(postgresStore(sql, { realm: 'r' }))).toMatch(
      /^foreign: the schema plinth holds tables of another/,
    )
    await (await postgresStore(sql, { realm: 'r', schema: 'ours' })).close()
    await sql.unsafe('insert into ours.migration (version) values (99)')
    expect(await refusal(postgresStore(sql, { realm: 'r', schema: 'ours' }))).toMatch(
      /^wrong_schema: .* has version 99/,
    )
  })

  it('names a missing right', async () => {
    const sql = newSql(url)
    await sql.unsafe('create role guest login')
    expect(await refusal(postgresStore(newSql(url.replace('plinth@', 'guest@')), { realm: 'r' }))).toMatch(
      /^denied: /,
    )
  })
})

describe('the PostgreSQL store, beyond the port', () => {
  it('forgets old commits and their ids beyond the configured number', async () => {
    const store = await postgresStore(newSql(url), { realm: 'forgetful', remember: { commits: 50 } })
    for (let batch = 0; batch < 30; batch += 1)
      await store.commit(
        Array.from({ length: 40 }, (_, at) => ({ id: `${batch}-${at}`, put: [{ key: 'a', value: at }] })),
      )
    // Forgetting runs behind the commits that cause it.
    await expect
      .poll(() => store.changes({ after: 300, prefixes: [''] }).catch((error: StoreError) => error.code))
      .toBe('compacted')
    expect((await store.changes({ after: 1_190, prefixes: [''] })).put).toHaveLength(1)
    await store.close()
  })

  it('keeps realms apart', async () => {
    const [a, b] = await Promise.all([
      postgresStore(newSql(url), { realm: 'a' }),
      postgresStore(newSql(url), { realm: 'b' }),
    ])
    await a.commit([{ id: 'same', put: [{ key: 'k', value: 'a' }] }])
    expect(
      await b.commit([{ id: 'same', expect: [{ key: 'k', rev: 0 }], put: [{ key: 'k', value: 'b' }] }]),
    ).toEqual([{ ok: true, rev: 1 }])
    expect((await a.read((view) => view.get(['k'])))[0]?.value).toBe('a')
    await Promise.all([a.close(), b.close()])
  })

  it('settles a commit whose connection was cut, and says once whether it applied', async () => {
    const address = await server.database()
    const store = await postgresStore(newSql(address), { realm: 'cut' })
    const killer = newSql(url)
    const acks: number[] = []
    let cuts = 0
    for (let n = 1; n <= 60; n += 1) {
      const commit = store.commit([{ id: `n${n}`, put: [{ key: `k${n}`, value: n }] }])
      if (n % 6 === 0) {
        const cut = await killer.unsafe(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${address.split('/').at(-1)}' and query like '%commit_one%'`,
        )
        cuts += cut.length
      }
      const [verdict] = await commit
      acks.push(verdict?.ok === true ? verdict.rev : -1)
    }
    expect(cuts).toBeGreaterThan(5)
    expect(acks).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
    expect(await store.read(async (view) => (await view.scan({ prefix: 'k' })).length)).toBe(60)
    await store.close()
  })

  it('judges twenty thousand commits of one call, in statements of bounded size', async () => {
    const sql = newSql(url)
    let statements = 0
    const counting = intercepted(sql, (query, parameters, options) => {
      if (query.includes('commit_runs')) statements += 1
      return sql.unsafe(query, parameters, options)
    })
    const store = await postgresStore(counting, { realm: 'many' })
    const verdicts = await store.commit(
      Array.from({ length: 20_000 }, (_, at) => ({
        id: `c${at}`,
        expect: at % 2 === 0 ? [] : [{ key: `k${at - 1}`, rev: at }],
        put: [{ key: `k${at}`, value: at }],
      })),
    )
    expect(verdicts).toEqual(Array.from({ length: 20_000 }, (_, at) => ({ ok: true, rev: at + 1 })))
    expect(statements).toBeGreaterThan(20)
    await store.close()
  })

  it('says that the outcome is unknown when a call fails halfway, and settles it under the same ids', async () => {
    const sql = newSql(url)
    let statements = 0
    const failing = intercepted(sql, (query, parameters, options) => {
      if (query.includes('commit_runs')) statements += 1
      return query.includes('commit_runs') && statements === 2
        ? Promise.reject(Object.assign(new Error('no space left on device'), { code: '53100' }))
        : sql.unsafe(query, parameters, options)
    })
    const store = await postgresStore(failing, { realm: 'halfway' })
    const batch = Array.from({ length: 600 }, (_, at) => ({
      id: `h${at}`,
      put: [{ key: `k${at}`, value: at }],
    }))
    await expect(store.commit(batch)).rejects.toMatchObject({
      code: 'unknown',
      message: expect.stringMatching(/^only \d+ of 600 commits have a known outcome/),
      cause: { code: 'disk_full' },
    })
    const verdicts = await store.commit(batch.map((commit) => ({ ...commit, again: true })))
    expect(verdicts).toEqual(batch.map((_, at) => ({ ok: true, rev: at + 1 })))
    await store.close()
  })

  it.each(['EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'CONNECTION_CLOSED', '57P01'])(
    'determines the outcome of a commit whose answer was lost to %s',
    async (code) => {
      const sql = newSql(await server.database())
      let losses = 3
      const client = intercepted(sql, async (query, parameters, options) => {
        const rows = await sql.unsafe(query, parameters, options)
        if (!query.includes('commit_one') || losses === 0) return rows
        losses -= 1
        throw Object.assign(new Error(`the answer was lost: ${code}`), { code })
      })
      const store = await postgresStore(client, { realm: 'lost' })
      expect(
        await store.commit([{ id: '1', expect: [{ key: 'a', rev: 0 }], put: [{ key: 'a', value: 1 }] }]),
      ).toEqual([{ ok: true, rev: 1 }])
      expect(losses).toBe(0)
      expect(await store.head()).toBe(1)
      await store.close()
    },
  )

  // The `postgres` client answers the next statement with the old error, and leaves places of the next result empty
  // (porsager/postgres issues 1223 and 1119).
  it('answers rightly on a connection that was reopened after it broke within a result', async () => {
    const sql = postgres(await server.database(), { max: 1, onnotice: () => undefined })
    onTestFinished(() => sql.end({ timeout: 1 }))
    const lose = () =>
      expect(
        sql`select pg_terminate_backend(pg_backend_pid()) from generate_series(1, 3)`,
      ).rejects.toMatchObject({
        code: 'CONNECTION_CLOSED',
      })
    const entry = { key: 'a', value: 1, created: 1, modified: 1 }
    await postgresStore(sql, { realm: 'first' }).then((store) => store.close())
    await lose()
    const store = await postgresStore(sql, { realm: 'broken' })
    await lose()
    expect(await store.head()).toBe(0)
    await lose()
    expect(await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])).toEqual([{ ok: true, rev: 1 }])
    await lose()
    expect(
      await store.read(async (view) => [view.rev, await view.get(['a']), await view.scan({ prefix: '' })]),
    ).toEqual([1, [entry], [entry]])
    await lose()
    expect(await store.changes({ after: 0, prefixes: [''] })).toEqual({
      rev: 1,
      put: [entry],
      gone: [],
      more: false,
    })
    await store.close()
    const empty = await postgresStore(sql, { realm: 'empty' })
    await lose()
    await empty.import(
      (async function* () {
        yield entry
      })(),
      7,
    )
    expect(await empty.head()).toBe(7)
    await empty.close()
  })

  it.each(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'CONNECT_TIMEOUT', '57P03', '53300', '25006'])(
    'waits for a server that is away for a while, as %s tells',
    async (code) => {
      const sql = newSql(url)
      let refusals = 3
      const client = intercepted(sql, async (query, parameters, options) => {
        if (!query.includes('commit_one') || refusals === 0) return sql.unsafe(query, parameters, options)
        refusals -= 1
        throw Object.assign(new Error('not there'), { code })
      })
      const store = await postgresStore(client, { realm: `away-${code}` })
      expect(await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])).toEqual([{ ok: true, rev: 1 }])
      expect(refusals).toBe(0)
      await store.close()
    },
  )

  it('is opened once the server has started, and not before that has taken as long as it may', async () => {
    const sql = newSql(url)
    // Each question may go over another connection, begun before the server was there.
    const asked = new Map<string, number>()
    let refusals = 2
    const client: PostgresClient = {
      begin: (options, work) => sql.begin(options, work),
      listen: (channel, fn) => sql.listen(channel, fn),
      unsafe: async (query, parameters, options) => {
        const times = (asked.get(query) ?? 0) + 1
        asked.set(query, times)
        if (times > refusals) return sql.unsafe(query, parameters, options)
        throw Object.assign(new Error('the database system is starting up'), { code: '57P03' })
      },
    }
    const store = await postgresStore(client, { realm: 'started' })
    expect(await store.head()).toBe(0)
    await store.close()
    refusals = Number.POSITIVE_INFINITY
    await expect(postgresStore(client, { realm: 'started', settleMs: 20 })).rejects.toThrow(
      'the server is starting or recovering: try again',
    )
  })
})
