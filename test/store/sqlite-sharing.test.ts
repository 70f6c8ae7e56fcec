import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { replica, type Store } from '../../src/store/index.ts'
import { type SqliteOptions, sqliteStore } from '../../src/store/sqlite/index.ts'
import { driverOptions, openDatabase } from './sqlite-driver.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-sharing-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const put = (id: string, value: number) => ({ id, put: [{ key: 'a', value }] })
const at = (name: string) => join(directory, name)
const open = (name: string, more: SqliteOptions = {}) => sqliteStore(at(name), { ...driverOptions, ...more })
const storedIn = async (store: Store) => (await store.read((view) => view.get(['a'])))[0]?.value
/** The descriptors of this process on a file, its log and its shared memory. */
const descriptors = (name: string) =>
  readdirSync('/proc/self/fd').filter((each) => {
    try {
      return readlinkSync(`/proc/self/fd/${each}`).startsWith(at(name))
    } catch {
      return false
    }
  }).length
const node = (program: string, ...given: readonly string[]) =>
  promisify(execFile)(
    process.execPath,
    ['--import', './scripts/ts-loader.mjs', '--input-type=module', '--eval', program, ...given],
    { cwd: join(import.meta.dirname, '../..') },
  )
/** A program that opens a store, which another process has open, and closes it in an orderly way. */
const openAndClose = `const { sqliteStore } = await import('./src/store/sqlite/index.ts')
await (await sqliteStore(process.argv[1], { realm: 'other' })).close()`

describe('connections to a SQLite file', () => {
  it('are shared by the realms of a process, which commit together', async () => {
    let transactions = 0
    const counting: SqliteOptions = {
      open: (file) => {
        const database = openDatabase(file)
        return {
          prepare: (sql) => database.prepare(sql),
          close: () => database.close(),
          exec: (sql) => {
            if (sql === 'begin immediate') transactions += 1
            return database.exec(sql)
          },
        }
      },
    }
    const stores = [
      await open('shared.sqlite', { realm: 'a', ...counting }),
      await open('shared.sqlite', { realm: 'b', ...counting }),
      await open('shared.sqlite', { realm: 'c', ...counting }),
    ]
    await Promise.all(stores.map((store) => store.commit([put('1', 1)])))
    const [before, opened] = [transactions, descriptors('shared.sqlite')]
    await Promise.all(stores.map((store) => store.commit([put('2', 2)])))
    expect(transactions).toBe(before + 1)
    const another = await open('shared.sqlite', { realm: 'd' })
    expect(descriptors('shared.sqlite')).toBe(opened)
    for (const store of [...stores, another]) await store.close()
  })

  it('fail alone: one realm that cannot write does not affect the others of its transaction', async () => {
    const [good, bad] = [
      await open('alone.sqlite', { realm: 'good' }),
      await open('alone.sqlite', { realm: 'bad' }),
    ]
    await bad.commit([put('1', 1)])
    const raw = openDatabase(at('alone.sqlite'))
    raw.exec(`update realms set importing = 'interrupted' where name = 'bad'`)
    raw.close()
    const [kept, refused] = await Promise.allSettled([good.commit([put('1', 7)]), bad.commit([put('2', 2)])])
    expect(kept).toMatchObject({ status: 'fulfilled', value: [{ ok: true, rev: 1 }] })
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'locked' } })
    expect(await storedIn(good)).toBe(7)
    await good.close()
    await bad.close()
  })

  it('end with the last store, and so does the log', async () => {
    for (let round = 0; round < 10; round += 1) {
      const store = await open('closed.sqlite')
      await store.commit([put(`${round}`, round)])
      await Promise.all([storedIn(store), storedIn(store)])
      await store.close()
    }
    expect(descriptors('closed.sqlite')).toBe(0)
    expect(existsSync(at('closed.sqlite-wal'))).toBe(false)
  })

  it('keep their locks: another process that opens and closes the file takes nothing away', async () => {
    const [store, second] = [await open('locks.sqlite'), await open('locks.sqlite', { realm: 'second' })]
    await store.commit([put('1', 1)])
    await store.backup(at('locks-copy.sqlite'))
    await node(openAndClose, at('locks.sqlite'))
    expect(existsSync(at('locks.sqlite-wal'))).toBe(true)
    expect(await store.commit([put('2', 2)])).toEqual([{ ok: true, rev: 2 }])
    // What a killed process leaves behind is what is in the files now.
    for (const ending of ['', '-wal']) await copyFile(at(`locks.sqlite${ending}`), at(`left.sqlite${ending}`))
    const left = await open('left.sqlite')
    expect(await storedIn(left)).toBe(2)
    for (const each of [store, second, left]) await each.close()
  })

  it('are readable only by the owner, and so are copies', async () => {
    const before = process.umask(0)
    try {
      const store = await open('private.sqlite')
      await store.commit([put('1', 1)])
      await store.backup(at('private-copy.sqlite'))
      for (const name of [
        'private.sqlite',
        'private.sqlite-wal',
        'private.sqlite-shm',
        'private-copy.sqlite',
      ])
        expect([name, statSync(at(name)).mode & 0o777]).toEqual([name, 0o600])
      await store.close()
    } finally {
      process.umask(before)
    }
  })
})

describe('a SQLite file that is opened for the first time', () => {
  it('by several processes and threads at once, opens for each of them', async () => {
    const program = `const { sqliteStore } = await import('./src/store/sqlite/index.ts')
      const stores = []
      for (let round = 0; round < 8; round += 1) stores.push(await sqliteStore(process.argv[1] + round + '.sqlite'))
      for (const store of stores) await store.close()`
    const threads = [1, 2].map(
      () =>
        new Promise<void>((resolve, reject) => {
          const thread = new Worker(program, {
            eval: true,
            argv: [at('first-')],
            execArgv: ['--import', './scripts/ts-loader.mjs', '--input-type=module'],
          })
          thread.once('error', reject)
          thread.once('exit', (code) =>
            code === 0 ? resolve() : reject(new Error(`a thread ended with ${code}`)),
          )
        }),
    )
    await Promise.all([node(program, at('first-')), node(program, at('first-')), ...threads])
  })
})

describe('a SQLite file that is not the one at its path any more', () => {
  const lose: readonly (readonly [string, (file: string) => void])[] = [
    ['it was moved', (file) => renameSync(file, `${file}.moved`)],
    ['its log was removed', (file) => unlinkSync(`${file}-wal`)],
    [
      'it was replaced',
      (file) => {
        const other = openDatabase(`${file}.other`)
        other.exec('create table t (a)')
        other.close()
        renameSync(`${file}.other`, file)
      },
    ],
  ]
  it.each(lose)('takes no more writes: %s', async (how, happens) => {
    const name = `${how.replaceAll(' ', '-')}.sqlite`
    const store = await open(name)
    await store.commit([put('1', 1)])
    happens(at(name))
    // It is looked for once a second.
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 1_000)
    onTestFinished(() => clock.mockRestore())
    await expect(store.commit([put('2', 2)])).rejects.toMatchObject({
      code: 'replaced',
      message: expect.stringContaining('was moved, removed or replaced while the store was open'),
    })
    await expect(store.head()).rejects.toMatchObject({ code: 'replaced' })
    const logged = existsSync(at(`${name}-wal`))
    await store.close()
    // The log may be another's by now.
    expect(existsSync(at(`${name}-wal`))).toBe(logged)
  })
})

describe('a follower', () => {
  it('rests after an answer without changes, so that a store that claims news holds up nothing', async () => {
    const store = await open('resting.sqlite')
    await store.commit([put('1', 1)])
    let calls = 0
    const view = await replica(
      {
        ...store,
        changes: async ({ after }) => {
          calls += 1
          return { rev: after, put: [], gone: [], more: false }
        },
      },
      ['a'],
    )
    const before = calls
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(calls - before).toBeLessThanOrEqual(2)
    await view.close()
    await store.close()
  })
})
