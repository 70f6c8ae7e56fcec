import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  collection,
  hub,
  keyOf,
  markOf,
  memoryStore,
  replica,
  type Store,
  type Sweep,
  sweeper,
  transact,
} from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { type TestClock, testClock } from '../../src/testing/index.ts'
import { overPostgres, sqlite } from './conformance/open-adapter.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

/*
 * What is promised when a clock goes wrong: revisions, watchers and waits do not look at it. A record is swept once it
 * is due by the clock of the process that sweeps, so one that is ahead sweeps early, and one that is behind late. A
 * lease keeps others out for twice its length at most, whatever the clocks say.
 */
const hour = 3_600_000

let server: PostgresServer
let directory = ''
let url = ''
beforeAll(async () => {
  server = await postgresServer({ fsync: 'off' })
  url = await server.database()
  directory = await mkdtemp(join(tmpdir(), 'plinth-clocks-'))
  process.env['PLINTH_TEST_STORES'] = directory
  process.env['PLINTH_TEST_POSTGRES'] = url
})
afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})
afterEach(() => void vi.useRealTimers())

interface Parcel {
  readonly id: string
  readonly dueAt: number
}
const parcels = collection<Parcel>({
  name: 'parcel',
  key: ({ id }) => [id],
  indexes: { due: ({ dueAt }) => [dueAt] },
})

const memories = new Map<string, Store>()
/** Its handles are one. */
const memory = async (realm: string): Promise<Store> => {
  const store = memories.get(realm) ?? memoryStore()
  memories.set(realm, store)
  return store
}

describe.each([
  ['memory', memory],
  ['SQLite', sqlite],
  ['PostgreSQL', overPostgres],
])('%s, when a clock is an hour off', (name, adapter) => {
  const open = async (realm: string) => {
    const store = await adapter(`${name}-${realm}`)
    onTestFinished(() => store.close())
    return store
  }

  it('numbers commits without gaps, wakes watchers and ends waits, when the clock jumps', async () => {
    const [mine, theirs] = [await open('jumps'), await open('jumps')]
    const view = await replica(mine, ['job'])
    const polls = hub(view)
    vi.useFakeTimers({ toFake: ['Date'] })
    const start = Date.now()
    let head = 0
    for (const off of [0, hour, 0, -hour, 25 * hour, 0]) {
      vi.setSystemTime(start + off)
      const woken = polls.wait([markOf('job')], head)
      const wait = theirs.changes({ after: head, prefixes: [''], waitMs: 60_000 })
      head += 1
      const commit = {
        id: `c${head}`,
        put: [{ key: keyOf('job', head), value: off }],
        touch: [markOf('job')],
      }
      expect(await mine.commit([commit])).toEqual([{ ok: true, rev: head }])
      await woken.done
      expect(view.stale().get(keyOf('job', head))?.value).toBe(off)
      expect((await wait).rev).toBe(head)
      // The same attempt has the same answer, and nothing new ends by itself.
      expect(await theirs.commit([commit])).toEqual([{ ok: true, rev: head }])
      expect(await theirs.changes({ after: head, prefixes: [''], waitMs: 5 })).toMatchObject({ put: [] })
    }
    expect((await mine.changes({ after: 0, prefixes: [''] })).put).toHaveLength(head + 1)
    polls.close()
    await view.close()
  })

  /** Processes on one realm; each has a clock of its own, and sweeps when told. */
  const processesOn = async (realm: string, clock: TestClock) => {
    const writer = await replica(await open(realm), [])
    onTestFinished(() => writer.close())
    let ids = 0
    return {
      put: (dueAt: number) => {
        ids += 1
        const parcel = { id: `${ids}`, dueAt }
        const load = [parcels.keyOf(parcel.id)]
        return transact(
          writer,
          () => `put-${parcel.id}`,
          (tx) => tx.put(parcels, parcel),
          { load },
        )
      },
      left: () => writer.store.read((now) => now.scan({ prefix: parcels.prefix })),
      start: async (wrongBy: () => number) => {
        const store = await open(realm)
        let reads = 0
        const read: Store['read'] = (fn) => {
          reads += 1
          return store.read(fn)
        }
        const view = await replica({ ...store, read }, [])
        const sweeps = sweeper(view, [{ collection: parcels, index: 'due' } as Sweep<unknown>], {
          name: 'parcels',
          env: () => ({ ...clock.env(), now: clock.now() + wrongBy() }),
          timers: testClock().timers,
        })
        onTestFinished(async () => {
          await sweeps.close()
          await view.close()
        })
        return { ...sweeps, reads: () => reads }
      },
    }
  }

  it('is swept by processes whose clocks differ: each record goes once, none stays, none looks for ever', async () => {
    const clock = testClock()
    const { put, left, start } = await processesOn('shared', clock)
    const [ahead, right, behind] = [await start(() => hour), await start(() => 0), await start(() => -hour)]
    let swept = 0
    for (let n = 0; n < 20; n += 1) {
      await put(clock.now())
      for (const each of [behind, right, ahead]) swept += await each.sweep()
      await clock.advance(5_000)
    }
    for (const each of [behind, right, ahead]) swept += await each.sweep()
    expect(swept).toBe(20)
    expect(await left()).toEqual([])
    for (const each of [behind, right, ahead]) expect(each.reads()).toBeLessThan(500)
    // The leases of those that are gone last for no hour.
    await ahead.close()
    await put(clock.now())
    await clock.advance(30_000)
    expect(await right.sweep()).toBe(1)
    await right.close()
    await put(clock.now() - hour)
    await clock.advance(30_000)
    expect(await behind.sweep()).toBe(1)
  })

  it('leaves the lease to its holder when its clock goes an hour back or ahead, and hands it on at its end', async () => {
    const clock = testClock()
    let wrongBy = 0
    const { put, left, start } = await processesOn('holder', clock)
    const [holder, other] = [await start(() => wrongBy), await start(() => 0)]
    for (wrongBy of [0, -hour, 0, hour, 0]) {
      await put(clock.now() + wrongBy)
      expect(await holder.sweep()).toBe(1)
    }
    await put(clock.now())
    expect(await other.sweep()).toBe(0)
    wrongBy = hour
    await put(clock.now())
    expect(await holder.sweep()).toBe(2)
    await holder.close()
    await put(clock.now())
    await clock.advance(30_000)
    expect(await other.sweep()).toBe(1)
    expect(await left()).toEqual([])
  })
})

describe('PostgreSQL, when the clock of its server jumps ahead', () => {
  it('still answers the newest commits by their id, and returns their changes', async () => {
    const sql = postgres(url, { max: 4, onnotice: () => undefined })
    onTestFinished(() => sql.end({ timeout: 1 }))
    const store = await postgresStore(sql, { realm: 'jumped' })
    onTestFinished(() => store.close())
    const commitsOf = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({
        id: `c${from + at}`,
        put: [{ key: keyOf('job', (from + at) % 7), value: at }],
      }))
    await store.commit(commitsOf(1, 1_500))
    // As the server sees them a day later; what it forgets, it forgets behind commits.
    await sql`update plinth.log set at = at - interval '1 day'`
    for (let from = 1_501; from < 4_000; from += 500) {
      await store.commit(commitsOf(from, 500))
      await sql`update plinth.log set at = at - interval '1 day'`
    }
    const head = await store.head()
    const floorOf = async () =>
      Number((await sql`select floor from plinth.realm where name = 'jumped'`)[0]?.['floor'])
    await expect.poll(floorOf).toBeGreaterThan(0)
    const newest = commitsOf(head - 900, 901)
    expect((await store.commit(newest)).map(({ rev }) => rev)).toEqual(newest.map((_, at) => head - 900 + at))
    expect((await store.changes({ after: head - 900, prefixes: [''] })).put).toHaveLength(7)
    expect(await store.head()).toBe(head)
  })
})
