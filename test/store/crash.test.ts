import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Rev } from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { seededRandom } from '../../src/testing/index.ts'
import { crashFaults, writers } from './history.ts'
import { postgresServer } from './postgres-server.ts'
import { type Workers, workers } from './processes.ts'

/*
 * kill -9 in the middle of load. PLINTH_CRASH_ROUNDS=1000 npx vitest run test/store/crash.test.ts for a night of it.
 */
const rounds = Number(process.env['PLINTH_CRASH_ROUNDS'] ?? 25)
const timeout = 600_000 + rounds * 4_000
const random = seededRandom(Date.now())

let crew: Workers
let directory = ''
beforeAll(async () => {
  crew = await workers()
  directory = await mkdtemp(join(tmpdir(), 'plinth-crash-'))
})
afterAll(async () => {
  await crew.remove()
  await rm(directory, { recursive: true, force: true })
})

it('a file that other processes open and close while it is written loses no acknowledged commit', async () => {
  const file = join(directory, 'busy.sqlite')
  const store = await sqliteStore(file)
  const acknowledged = new Map<string, Rev>()
  const load = writers(store, 'w', ([id, rev]) => acknowledged.set(id, rev)).catch((error: unknown) => error)
  const openers = [1, 2, 3].map(() => crew.start('open', 'sqlite', file, 'main', '', '', '100'))
  await Promise.all(openers.map((opener) => opener.finished()))
  expect(await crashFaults(store, new Map(acknowledged))).toEqual([])
  await store.close()
  expect(String(await load)).toContain('the store was closed')
  expect(acknowledged.size).toBeGreaterThan(100)
})

describe('kill -9 in the middle of load', () => {
  it('loses no acknowledged commit of SQLite and tears none, with two processes on one file', {
    timeout,
  }, async () => {
    let total = 0
    for (let round = 0; round < rounds; round += 1) {
      const file = join(directory, `round-${round % 5}.sqlite`)
      const acknowledged = new Map<string, Rev>()
      const pair = ['one', 'two'].map((name) =>
        crew.start('crash', 'sqlite', file, 'main', `${name}-${round}`),
      )
      const goal = 1 + Math.floor(random() * 300)
      const reached = new Promise<void>((resolve) => {
        for (const worker of pair)
          worker.onLine((line) => {
            const [id, rev] = JSON.parse(line) as [string, Rev]
            acknowledged.set(id, rev)
            if (acknowledged.size >= goal) resolve()
          })
      })
      await Promise.race([reached, ...pair.map((worker) => worker.failed)])
      await Promise.all(pair.map((worker) => worker.kill()))
      const store = await sqliteStore(file)
      expect(await crashFaults(store, acknowledged)).toEqual([])
      await store.close()
      total += acknowledged.size
    }
    expect(total).toBeGreaterThan(rounds)
  })

  it('loses no acknowledged commit when the PostgreSQL server dies, and settles every one in flight', {
    timeout,
  }, async () => {
    const server = await postgresServer()
    onTestFinished(() => server.stop())
    const sql = postgres(await server.database(), {
      max: 6,
      onnotice: () => undefined,
      connect_timeout: 2,
      backoff: () => 0.05,
    })
    const store = await postgresStore(sql, { realm: 'crash', settleMs: 30_000 })
    const acknowledged = new Map<string, Rev>()
    let heard = () => {}
    const load = writers(store, 'w', ([id, rev]) => {
      acknowledged.set(id, rev)
      heard()
    }).catch((error: unknown) => error)
    const progress = (commits: number) =>
      new Promise<void>((resolve) => {
        const goal = acknowledged.size + commits
        heard = () => (acknowledged.size >= goal ? resolve() : undefined)
      })
    // Writers that ended have an error to tell, and no commit to wait for.
    const ended = load.then((error) => Promise.reject(error))
    ended.catch(() => undefined)
    for (let round = 0; round < rounds; round += 1) {
      await Promise.race([ended, progress(1 + Math.floor(random() * 200))])
      await server.kill()
      await server.start()
    }
    await Promise.race([ended, progress(20)])
    await store.close()
    expect(String(await load)).toContain('the store was closed')
    const after = await postgresStore(sql, { realm: 'crash' })
    expect(await crashFaults(after, acknowledged)).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(rounds)
    await after.close()
    await sql.end({ timeout: 1 })
  })

  it('loses no acknowledged commit when the PostgreSQL primary dies and its synchronous standby takes over', {
    timeout,
  }, async () => {
    const acknowledged = new Map<string, Rev>()
    const open = async (address: string) => {
      const sql = postgres(address, {
        max: 6,
        onnotice: () => undefined,
        connect_timeout: 2,
        backoff: () => 0.05,
      })
      const warnings: string[] = []
      const store = await postgresStore(sql, {
        realm: 'crash',
        settleMs: 30_000,
        onWarning: (text) => warnings.push(text),
      })
      const close = async () => {
        await store.close()
        await sql.end({ timeout: 1 })
      }
      return { store, warnings, close }
    }
    let primary = await postgresServer()
    onTestFinished(() => primary.stop())
    const database = (await primary.database()).split('/').at(-1)
    for (let round = 0; round < Math.ceil(rounds / 12); round += 1) {
      const [dying, standby] = [primary, await primary.standby()]
      primary = standby
      const before = await open(`${dying.url}/${database}`)
      expect(before.warnings).toEqual([])
      const goal = acknowledged.size + 1 + Math.floor(random() * 200)
      let reached = () => {}
      const progress = new Promise<void>((resolve) => {
        reached = resolve
      })
      const load = writers(before.store, `r${round}`, ([id, rev]) => {
        acknowledged.set(id, rev)
        if (acknowledged.size >= goal) reached()
      })
      await Promise.race([progress, load])
      await dying.kill()
      await before.close()
      await expect(load).rejects.toThrow()
      await dying.stop()

      await standby.promote()
      const after = await open(`${standby.url}/${database}`)
      expect(await crashFaults(after.store, acknowledged)).toEqual([])
      await after.close()
    }
    expect(acknowledged.size).toBeGreaterThan(rounds / 12)
  })
})
