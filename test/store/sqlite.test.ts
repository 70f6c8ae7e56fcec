import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { createScheduler } from '../../src/scheduler/index.ts'
import { type Store, storeConformance } from '../../src/store/index.ts'
import {
  type SqliteDatabase,
  type SqliteOptions,
  type SqliteStore,
  sqliteStore,
} from '../../src/store/sqlite/index.ts'
import { driverOptions, openDatabase } from './sqlite-driver.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-sqlite-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

describe('the SQLite store', () => {
  let realms = 0
  const names = new WeakMap<Store, string>()
  const open = async (realm: string): Promise<SqliteStore> => {
    const store = await sqliteStore(join(directory, 'all.sqlite'), { realm, ...driverOptions })
    names.set(store, realm)
    return store
  }
  storeConformance(() => open(`realm-${++realms}`), {
    test,
    peer: (store) => open(names.get(store) ?? ''),
    reopen: async (store) => {
      await store.close()
      return open(names.get(store) ?? '')
    },
    retaining: (remember) =>
      sqliteStore(join(directory, 'all.sqlite'), { realm: `realm-${++realms}`, remember, ...driverOptions }),
    neighbours: 1,
    sequences: 15,
    rounds: 20,
  })
})

describe('the SQLite store, beyond the port', () => {
  const put = (id: string, value: number) => ({ id, put: [{ key: 'a', value }] })
  const open = (name: string, more: SqliteOptions = {}) =>
    sqliteStore(join(directory, name), { ...driverOptions, ...more })

  it('keeps realms of one file apart', async () => {
    const [one, two] = [
      await open('realms.sqlite', { realm: 'one' }),
      await open('realms.sqlite', { realm: 'two' }),
    ]
    expect(await Promise.all([one.commit([put('1', 1)]), two.commit([put('1', 2)])])).toEqual([
      [{ ok: true, rev: 1 }],
      [{ ok: true, rev: 1 }],
    ])
    expect((await two.read((view) => view.get(['a'])))[0]?.value).toBe(2)
    await Promise.all([one.close(), two.close()])
  })

  it('writes backups that open as stores with every realm, while commits go on', async () => {
    const [store, other] = [await open('live.sqlite'), await open('live.sqlite', { realm: 'other' })]
    await other.commit([put('1', 1)])
    await store.commit([put('1', 1)])
    const copies = ['a', 'b'].map((name) => join(directory, 'copies', `${name}.sqlite`))
    await Promise.all([...copies.map((file) => store.backup(file)), store.commit([put('2', 2)])])
    for (const name of ['a', 'b'])
      for (const realm of ['main', 'other']) {
        const copy = await open(join('copies', `${name}.sqlite`), { realm })
        expect(await copy.head()).toBeGreaterThanOrEqual(1)
        await copy.close()
      }
    await Promise.all([store.close(), other.close()])
  })

  it('syncs once for commits of many callers', async () => {
    const store = await open('gathered.sqlite')
    let transactions = 0
    const counting = await open('gathered.sqlite', {
      realm: 'counted',
      open: (file) => {
        const database = openDatabase(file)
        return {
          exec: (sql) => database.exec(sql),
          close: () => database.close(),
          prepare: (sql) => {
            const statement = database.prepare(sql)
            if (sql !== 'begin immediate') return statement
            const run = () => {
              transactions += 1
              return statement.run()
            }
            return { run, get: run, all: () => [run()] }
          },
        }
      },
    })
    await Promise.all(Array.from({ length: 64 }, (_, n) => counting.commit([put(`${n}`, n)])))
    expect(await counting.head()).toBe(64)
    expect(transactions).toBeLessThanOrEqual(2)
    await Promise.all([store.close(), counting.close()])
  })

  it('answers nothing from damaged values or a damaged log', async () => {
    const store = await open('damaged.sqlite')
    for (let n = 1; n <= 3; n += 1)
      await store.commit([{ id: `${n}`, put: [{ key: `secret\u0001${n}`, value: { amount: 1000 + n } }] }])
    await store.close()
    const raw = openDatabase(join(directory, 'damaged.sqlite'))
    // Still JSON, and not what was written.
    raw.exec(`update entries set value = replace(value, '1002', '9002')`)
    raw.exec(`update log set keys = replace(keys, '3', '7') where rev = 3`)
    raw.close()
    const again = await open('damaged.sqlite')
    const keyed = (n: number) => again.read((view) => view.get([`secret\u0001${n}`]))
    expect((await keyed(1))[0]?.value).toEqual({ amount: 1001 })
    await expect(keyed(2)).rejects.toMatchObject({
      code: 'corrupt',
      message: 'the value of "secret/2" is damaged: restore a backup',
    })
    await expect(again.changes({ after: 2, prefixes: [''] })).rejects.toMatchObject({ code: 'corrupt' })
    await again.close()
    const holed = openDatabase(join(directory, 'damaged.sqlite'))
    holed.exec('delete from log where rev = 2')
    holed.close()
    const last = await open('damaged.sqlite')
    await expect(last.changes({ after: 1, prefixes: [] })).rejects.toMatchObject({ code: 'corrupt' })
    await last.close()
  })

  it('waits for another process that writes, and lets the event loop go on', async () => {
    const store = await open('busy.sqlite')
    const other = openDatabase(store.path)
    other.exec('begin immediate')
    const commit = store.commit([put('1', 1)])
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2))
    expect(await store.head()).toBe(0)
    other.exec('rollback')
    expect(await commit).toEqual([{ ok: true, rev: 1 }])
    other.close()
    await store.close()
  })
})

describe('a SQLite file that may not grow any more', () => {
  it('is 507 for a service, which goes on once there is space, and has all that it acknowledged', async () => {
    const file = join(directory, 'full.sqlite')
    const opened: SqliteDatabase[] = []
    // The engine fails a statement then as it does on a full disk.
    const limit = (database: SqliteDatabase, pages: number) =>
      database.exec(`pragma max_page_count = ${pages}`)
    const open = (path: string) => {
      const database = openDatabase(path)
      limit(database, 60)
      opened.push(database)
      return database
    }
    const errors: unknown[] = []
    const service = createScheduler({
      store: await sqliteStore(file, { open }),
      onError: (error) => errors.push(error),
    })
    const register = async (ID: string) => {
      const Job = {
        ID,
        Meta: { note: 'x'.repeat(8_000) },
        TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }],
      }
      const request = new Request('http://scheduler/v1/jobs', {
        method: 'PUT',
        body: JSON.stringify({ Job }),
      })
      return (await service.fetch(request)).status
    }
    const acknowledged: string[] = []
    let status = 200
    for (let n = 0; status === 200 && n < 100; n += 1) {
      status = await register(`job-${n}`)
      if (status === 200) acknowledged.push(`job-${n}`)
    }
    expect([status, errors]).toEqual([507, [expect.objectContaining({ code: 'disk_full' })]])
    expect(acknowledged.length).toBeGreaterThan(0)
    for (const database of opened) limit(database, 1_000)
    expect(await register('later')).toBe(200)
    await service.close()
    const again = createScheduler({ store: await sqliteStore(file, driverOptions) })
    for (const id of [...acknowledged, 'later'])
      expect((await again.fetch(new Request(`http://scheduler/v1/job/${id}`))).status).toBe(200)
    await again.close()
  })
})
