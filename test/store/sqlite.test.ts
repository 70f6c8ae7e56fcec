import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type Store, StoreError, storeConformance } from '../../src/store/index.ts'
import { findDriver } from '../../src/store/sqlite/driver.ts'
import {
  type SqliteDatabase,
  type SqliteOptions,
  type SqliteStore,
  sqliteStore,
} from '../../src/store/sqlite/index.ts'

/*
 * Over the driver that the store finds by itself; PLINTH_SQLITE_DRIVER=/path/of/better-sqlite3/lib/index.js takes another.
 */
const named = process.env['PLINTH_SQLITE_DRIVER']
const driver = named === undefined ? undefined : ((await import(named)) as { default: DatabaseClass }).default
type DatabaseClass = new (file: string) => SqliteDatabase
const options = driver && { open: (file: string) => new driver(file) }

const { open: found } = findDriver()
const defaultOpen = options?.open ?? found

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-sqlite-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

describe('the SQLite store', () => {
  let realms = 0
  const names = new WeakMap<Store, string>()
  const open = async (realm: string): Promise<SqliteStore> => {
    const store = await sqliteStore(join(directory, 'all.sqlite'), { realm, ...options })
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
      sqliteStore(join(directory, 'all.sqlite'), { realm: `realm-${++realms}`, remember, ...options }),
    sequences: 15,
    rounds: 20,
  })
})

describe('the SQLite store, beyond the port', () => {
  const put = (id: string, value: number) => ({ id, put: [{ key: 'a', value }] })
  const open = (name: string, more: SqliteOptions = {}) =>
    sqliteStore(join(directory, name), { ...options, ...more })

  it('keeps what was acknowledged across a reopening', async () => {
    const store = await open('reopened.sqlite')
    await store.commit([put('1', 1), put('2', 2)])
    await store.close()
    const again = await open('reopened.sqlite')
    expect(await again.read((view) => view.get(['a']))).toEqual([
      { key: 'a', value: 2, created: 1, modified: 2 },
    ])
    expect(await again.commit([put('2', 9)])).toEqual([{ ok: true, rev: 2 }])
    await again.close()
  })

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

  it('forgets old commits and their ids beyond what it was told to remember', async () => {
    const store = await open('forgetful.sqlite', { remember: 20 })
    for (let n = 1; n <= 100; n += 1) await store.commit([put(`c${n}`, n)])
    await expect(store.changes({ after: 40, prefixes: [''] })).rejects.toMatchObject({ code: 'compacted' })
    expect((await store.changes({ after: 80, prefixes: [''] })).put).toHaveLength(1)
    expect(await store.commit([put('c99', 1), put('c1', 2)])).toEqual([
      { ok: true, rev: 99 },
      { ok: true, rev: 101 },
    ])
    await store.close()
  })

  it('syncs once for commits of many callers', async () => {
    const store = await open('gathered.sqlite')
    let transactions = 0
    const counting = await open('gathered.sqlite', {
      realm: 'counted',
      open: (file) => {
        const database = defaultOpen(file)
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

  const refusal = (name: string, more: SqliteOptions = {}) =>
    open(name, more).then(
      () => 'opened',
      (error: unknown) => (error instanceof StoreError ? `${error.code}: ${error.message}` : String(error)),
    )

  it('says what is wrong with a path that cannot be a store', async () => {
    await writeFile(join(directory, 'a-file'), 'not a directory')
    expect(await refusal('a-file/below.sqlite')).toMatch(/^denied: .*below.sqlite cannot be a store/)
    await mkdir(join(directory, 'dir.sqlite'))
    expect(await refusal('dir.sqlite')).toMatch(/^denied: /)
    expect(await refusal('x.sqlite', { realm: '../escape' })).toMatch(/^invalid: a realm's name/)
    expect(await refusal('\u0000')).toMatch(/^invalid: /)
  })

  it('refuses a file that is not SQLite, another program’s or a later version’s, and leaves it as it was', async () => {
    const text = 'some notes, not a database at all\n'.repeat(500)
    await writeFile(join(directory, 'notes.sqlite'), text)
    expect(await refusal('notes.sqlite')).toMatch(/^foreign: .*notes\.sqlite is not a SQLite database/)
    expect(await readFile(join(directory, 'notes.sqlite'), 'utf8')).toBe(text)

    const other = defaultOpen(join(directory, 'other.sqlite'))
    other.exec('create table theirs (a)')
    other.close()
    const before = await readFile(join(directory, 'other.sqlite'))
    expect(await refusal('other.sqlite')).toMatch(/^foreign: .*another program/)
    expect(await readFile(join(directory, 'other.sqlite'))).toEqual(before)

    await (await open('later.sqlite')).close()
    const later = defaultOpen(join(directory, 'later.sqlite'))
    later.exec('pragma user_version = 9')
    later.close()
    expect(await refusal('later.sqlite')).toMatch(/^wrong_schema: .*has schema 9; .*reads schema 1/)
  })

  it('answers nothing from damaged values or a damaged log', async () => {
    const store = await open('damaged.sqlite')
    for (let n = 1; n <= 3; n += 1)
      await store.commit([{ id: `${n}`, put: [{ key: `secret\u0001${n}`, value: { amount: 1000 + n } }] }])
    await store.close()
    const raw = defaultOpen(join(directory, 'damaged.sqlite'))
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
    const holed = defaultOpen(join(directory, 'damaged.sqlite'))
    holed.exec('delete from log where rev = 2')
    holed.close()
    const last = await open('damaged.sqlite')
    await expect(last.changes({ after: 1, prefixes: [] })).rejects.toMatchObject({ code: 'corrupt' })
    await last.close()
  })

  it('waits for another process that writes, and lets the event loop go on', async () => {
    const store = await open('busy.sqlite')
    const other = defaultOpen(store.path)
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
