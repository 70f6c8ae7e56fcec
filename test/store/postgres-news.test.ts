import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { collection, type Replica, replica, type Snapshot, transact } from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await postgresServer({ fsync: 'off' })
})
afterAll(() => server.stop())

interface Counter {
  readonly id: string
  readonly count: number
}
const counters = collection<Counter>({ name: 'counter', key: ({ id }) => [id] })
let ids = 0
const add = (view: Replica, id: string) =>
  transact(
    view,
    () => `c${++ids}`,
    (tx) => tx.put(counters, { id, count: (tx.get(counters, id)?.value.count ?? 0) + 1 }),
  )
const drop = (view: Replica, id: string) =>
  transact(
    view,
    () => `c${++ids}`,
    (tx) => tx.delete(counters, id),
  )
const counts = (now: Snapshot) => counters.list(now).map(({ value }) => `${value.id}=${value.count}`)

/** A process on a database: its replica, and the questions that it asks. */
async function newProcess(url: string) {
  const sql = postgres(url, { max: 6, onnotice: () => undefined })
  const asked: string[] = []
  const client = {
    ...{ begin: sql.begin, listen: sql.listen, options: sql.options },
    unsafe: (text: string, ...rest: unknown[]) => {
      asked.push(text)
      return Reflect.apply(sql.unsafe, sql, [text, ...rest])
    },
  }
  const store = await postgresStore(client, { realm: 'r' })
  const view = await replica(store, [counters])
  onTestFinished(async () => {
    await view.close()
    await store.close()
    await sql.end({ timeout: 1 })
  })
  const questions = (part: string) => asked.filter((text) => text.includes(part)).length
  /** Everything as it is in the database. */
  const truth = () =>
    store.read(async (now) =>
      (await now.scan({ prefix: counters.prefix })).map((each) => [each.key, each.value, each.modified]),
    )
  return { view, store, sql, questions, truth }
}
/** Until the follower knows a revision, without asking for it. */
const until = (view: Replica, rev: number) => expect.poll(() => view.stale().rev).toBeGreaterThanOrEqual(rev)

describe('the answer to a commit in PostgreSQL', () => {
  it('brings its writes to the replica of the same process, which does not ask for them', async () => {
    const { view, questions } = await newProcess(await server.database())
    await until(view, (await add(view, 'a')).rev)
    const before = questions('select * from "plinth".changes_since')
    for (const id of ['a', 'b', 'c', 'a']) await until(view, (await add(view, id)).rev)
    await until(view, (await drop(view, 'b')).rev)
    expect(counts(view.stale())).toEqual(['a=3', 'c=1'])
    expect(questions('select * from "plinth".changes_since') - before).toBe(0)
  })

  it('brings what others wrote meanwhile: one that lost is decided again at once', async () => {
    const url = await server.database()
    const [one, other] = [await newProcess(url), await newProcess(url)]
    await until(one.view, (await add(one.view, 'a')).rev)
    let attempts = 0
    // Written elsewhere between the decision and its commit.
    const { rev } = await transact(
      {
        ...one.view,
        store: {
          ...one.store,
          commit: async (batch) => {
            if (attempts === 1) await add(other.view, 'a')
            return one.store.commit(batch)
          },
        },
      },
      () => `c${++ids}`,
      (tx) => {
        attempts += 1
        tx.put(counters, { id: 'a', count: (tx.get(counters, 'a')?.value.count ?? 0) + 10 })
      },
    )
    expect(attempts).toBe(2)
    await until(one.view, rev)
    expect(counts(one.view.stale())).toEqual(['a=12'])
  })

  it('leaves replicas as the database is, with writers, deletions and marks on several servers at once', async () => {
    const url = await server.database()
    const all = await Promise.all([newProcess(url), newProcess(url), newProcess(url)])
    await Promise.all(
      all.flatMap(({ view }, at) =>
        Array.from({ length: 4 }, async (_, caller) => {
          for (let n = 0; n < 40; n += 1) {
            const id = `k${(n * 7 + at * 3 + caller) % 11}`
            await (n % 5 === 4 ? drop(view, id) : add(view, id))
          }
        }),
      ),
    )
    const head = await all[0].store.head()
    const truth = await all[0].truth()
    for (const { view } of all) {
      await until(view, head)
      const held = view.stale().scan({ prefix: counters.prefix })
      expect(held.map(({ key, value, modified }) => [key, value, modified])).toEqual(truth)
    }
  })

  it('leaves a follower that is far behind, or reads other keys, to ask for itself', async () => {
    const { view, store, sql } = await newProcess(await server.database())
    await until(view, (await add(view, 'a')).rev)
    // Elsewhere, and not announced.
    await sql.unsafe(`
      insert into plinth.log select 1, n, 'elsewhere' || n, array[]::text[] from generate_series(2, 2000) n;
      update plinth.realm set rev = 2000`)
    const { rev } = await add(view, 'a')
    expect(rev).toBe(2001)
    await until(view, rev)
    expect(counts(view.stale())).toEqual(['a=2'])
    const { put, gone } = await store.changes({
      after: 1,
      prefixes: ['nothing'],
      waitMs: 1_000,
      background: true,
    })
    expect([put, gone]).toEqual([[], []])
  })
})

describe('an announcement without a revision, as earlier versions send it', () => {
  it('makes followers ask', async () => {
    const url = await server.database()
    const [one, other] = [await newProcess(url), await newProcess(url)]
    await until(one.view, (await add(one.view, 'a')).rev)
    await until(other.view, 1)
    const before = one.questions('changes_since($1')
    await other.sql.unsafe(`select pg_notify('plinth_commits', '1')`)
    await expect.poll(() => one.questions('changes_since($1')).toBeGreaterThan(before)
  })
})
