import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { collection, replica, type Store, transact } from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'
import { type Workers, workers } from './processes.ts'
import { parcelSweeper, parcels } from './sweeping.ts'

/*
 * What goes on in the background of a realm in PostgreSQL. PLINTH_PAUSE_MS=30000 for a pause as long as machines take.
 */
const pauseMs = Number(process.env['PLINTH_PAUSE_MS'] ?? 0)
const leaseMs = pauseMs === 0 ? 5_000 : 15_000

let server: PostgresServer
let crew: Workers
let url = ''
beforeAll(async () => {
  server = await postgresServer({ fsync: 'off' })
  url = await server.database()
  crew = await workers()
})
afterAll(async () => {
  await crew.remove()
  await server.stop()
})
const newSql = () => {
  const sql = postgres(url, { max: 6, onnotice: () => undefined })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

describe('the log of a realm that is written all the time', () => {
  it('is forgotten meanwhile; a replica that fell behind reads everything again', async () => {
    const sql = newSql()
    const keep = 200
    const writer = await postgresStore(sql, { realm: 'busy', remember: { commits: keep } })
    const followed = await postgresStore(newSql(), { realm: 'busy' })
    const counters = collection<{ readonly id: string; readonly count: number }>({
      name: 'counter',
      key: ({ id }) => [id],
    })
    let isHeld = false
    let compacted = 0
    const slow: Store = {
      ...followed,
      changes: async (since) => {
        if (isHeld && since.waitMs !== undefined) return new Promise(() => undefined)
        return followed.changes(since).catch((error: unknown) => {
          compacted += 1
          throw error
        })
      },
    }
    const view = await replica(writer, [counters])
    const behind = await replica(slow, [counters])
    isHeld = true
    let ids = 0
    const newId = () => {
      ids += 1
      return `c-${ids}`
    }
    const each = 80
    const write = async (id: string) => {
      for (let at = 0; at < each; at += 1)
        await transact(view, newId, (tx) => {
          const count = tx.get(counters, id)?.value.count ?? 0
          tx.put(counters, { id, count: count + 1 })
        })
    }
    const clients = Array.from({ length: 12 }, (_, at) => `k${at + 10}`)
    await Promise.all(clients.map(write))
    const now = await behind.fresh()
    expect(compacted).toBe(1)
    expect(counters.list(now).map(({ value }) => value.count)).toEqual(clients.map(() => each))
    expect(now.rev).toBe(await writer.head())
    // A few rounds of forgetting at most are behind.
    await expect
      .poll(async () => {
        const [log] = await sql`select count(*) as rows from plinth.log`
        return Number(log?.['rows'])
      })
      .toBeLessThan(keep + 1_500)
    await view.close()
    await behind.close()
    await writer.close()
    await followed.close()
  })
})

describe('a sweeper whose process was paused for longer than its lease', () => {
  it('sweeps nothing more while another has the lease: not even what it had decided on before', async () => {
    const store = await postgresStore(newSql(), { realm: 'swept' })
    const view = await replica(store, [parcels])
    const ids = Array.from({ length: 8 }, (_, at) => `p${at}`)
    for (const id of ids)
      await transact(
        view,
        () => `due-${id}`,
        (tx) => tx.put(parcels, { id, dueAt: 1_000 }),
      )
    const first = crew.start('sweep', 'postgres', url, 'swept', 'first', '1', `${leaseMs}`)
    const reported = () => new Promise<string>((resolve) => first.onLine(resolve))
    expect(await Promise.race([first.failed, reported()])).toBe('"paused"')
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    // It sweeps what the first has not decided on: that stays as it was, and only the lease keeps it from being swept.
    const second = await parcelSweeper(store, {
      name: 'second',
      leaseMs,
      before: (id) => {
        if (id !== 'p5') throw new Error(`${id} stays`)
      },
    })
    const sweptBySecond = async () => {
      await second.sweep().catch(() => undefined)
      const found = await store.read((now) => now.get([parcels.keyOf('p5')]))
      return found[0] !== undefined && parcels.stored(found[0]).value.sweptBy === 'second'
    }
    while (!(await sweptBySecond())) await new Promise((resolve) => setTimeout(resolve, 50))
    let ended = false
    const outcome = Promise.race([first.failed, reported()]).finally(() => {
      ended = true
    })
    first.goOn()
    // With each sweep it keeps the lease.
    while (!ended) await second.sweep().catch(() => undefined)
    expect(await outcome).toBe('2')
    const all = await store.read((now) => now.scan({ prefix: parcels.prefix }))
    expect(all.map((entry) => parcels.stored(entry).value.sweptBy)).toEqual([
      'first',
      'first',
      undefined,
      undefined,
      undefined,
      'second',
      undefined,
      undefined,
    ])
    await second.close()
    await view.close()
    await store.close()
  })
})
