import { fork } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemTimers } from '../../src/kernel/index.ts'
import { recordChecksum } from '../../src/store/files/checksum.ts'
import { replica, type Store } from '../../src/store/index.ts'
import { type SqliteDatabase, type SqliteOptions, sqliteStore } from '../../src/store/sqlite/index.ts'
import { type Bundled, bundled } from './bundled.ts'
import { driverOptions, openDatabase } from './sqlite-driver.ts'

/*
 * What the SQLite store leaves behind: connections, descriptors, transactions, and work without an end.
 */
let directory = ''
let programs: Bundled
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-sqlite-connections-'))
  programs = await bundled('opener')
})
afterAll(async () => {
  await programs.remove()
  await rm(directory, { recursive: true, force: true })
})

/** A process or thread of `opener.ts`. */
interface Opener {
  ask(file: string): Promise<unknown>
  end(): Promise<unknown>
}
const forked = (): Opener => {
  const child = fork(programs.file('opener'), { execArgv: [] })
  return {
    ask: async (file) => {
      child.send(file)
      return (await once(child, 'message'))[0]
    },
    end: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
const threaded = (): Opener => {
  const thread = new Worker(programs.file('opener'), { execArgv: [] })
  return {
    ask: async (file) => {
      thread.postMessage(file)
      return (await once(thread, 'message'))[0]
    },
    end: () => thread.terminate(),
  }
}
const clustered = (): Opener => {
  cluster.setupPrimary({ exec: programs.file('opener'), execArgv: [] })
  const worker = cluster.fork()
  const ready = once(worker, 'message')
  return {
    ask: async (file) => {
      await ready
      worker.send(file)
      return (await once(worker, 'message'))[0]
    },
    end: async () => {
      worker.disconnect()
      await once(worker, 'exit')
    },
  }
}

const put = (id: string, value: number) => ({ id, put: [{ key: 'a', value }] })
const open = (name: string, more: SqliteOptions = {}) =>
  sqliteStore(join(directory, name), { ...driverOptions, ...more })

describe('of sixty files that four openers create at the same moment, each is opened by all four', () => {
  it.each([
    ['processes', forked],
    ['worker threads', threaded],
    ['workers of a cluster', clustered],
  ])('%s', async (name, start) => {
    const openers = Array.from({ length: 4 }, start)
    onTestFinished(async () => void (await Promise.all(openers.map((opener) => opener.end()))))
    const answers: unknown[] = []
    for (let round = 0; round < 60; round += 1) {
      const file = join(directory, `${name}-${round}.sqlite`)
      const revs = await Promise.all(openers.map((opener) => opener.ask(file)))
      answers.push(revs.sort())
      for (const opener of openers) expect(await opener.ask('')).toBe('closed')
    }
    expect(answers).toEqual(answers.map(() => [1, 2, 3, 4]))
  })
})

describe('a SQLite store that is closed', () => {
  it('leaves no descriptor and no log after 600 openings and closings', async () => {
    const folder = await mkdtemp(join(directory, 'many-'))
    for (let time = 1; time <= 600; time += 1) {
      const store = await sqliteStore(join(folder, 'a.sqlite'), driverOptions)
      await store.commit([put(`${time}`, time)])
      expect(await store.read(async (view) => view.rev)).toBe(time)
      await store.close()
    }
    // Where the host shows them.
    const held = await readdir('/proc/self/fd').catch(() => [])
    const links = await Promise.all(held.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
    expect(links.filter((link) => link.startsWith(folder))).toEqual([])
    expect(await readdir(folder)).toEqual(['a.sqlite'])
  })
})

describe('a SQLite store whose driver leaves a failed statement open', () => {
  /** As libsql does: `begin immediate` that failed keeps a read, and with it an old snapshot. */
  const leavingOpen = () => {
    let fail: () => void = () => {}
    const failed = new Promise<void>((resolve) => {
      fail = resolve
    })
    const left: unknown[] = []
    const connect = (file: string): SqliteDatabase => {
      const database = openDatabase(file)
      const noting = (sql: string, isPrepared: boolean, work: () => unknown) => {
        try {
          return work()
        } catch (error) {
          if (/^\s*begin immediate/i.test(sql)) {
            fail()
            if (isPrepared) {
              // Every driver has it.
              const read = database.prepare('select name from sqlite_schema') as unknown as {
                iterate(): Iterator<unknown>
              }
              const rows = read.iterate()
              left.push(rows, rows.next())
            }
          }
          throw error
        }
      }
      return {
        exec: (sql) => noting(sql, false, () => database.exec(sql)),
        close: () => database.close(),
        prepare: (sql) => {
          const statement = database.prepare(sql)
          return {
            run: (...values) => noting(sql, true, () => statement.run(...values)),
            get: (...values) => noting(sql, true, () => statement.get(...values)),
            all: (...values) => statement.all(...values),
          }
        },
      }
    }
    return { open: connect, failed }
  }

  it('sees what another process commits between its attempts, and leaves no read behind', async () => {
    const driver = leavingOpen()
    const store = await open('left.sqlite', { open: driver.open })
    await store.commit([put('1', 1)])
    let calls = 0
    const port: Store = {
      ...store,
      changes: (since) => {
        calls += 1
        // What never rests would not let the test end.
        return calls > 1_000 ? new Promise(() => undefined) : store.changes(since)
      },
    }
    const view = await replica(port, [''])

    const other = openDatabase(store.path)
    other.exec('begin immediate')
    const commit = store.commit([put('3', 3)])
    await driver.failed
    const keys = '["b"]'
    other
      .prepare("insert into log (realm, rev, id, keys, crc) select id, 2, '2', ?, ? from realms")
      .run(keys, recordChecksum('2 2', keys))
    other.exec('commit')
    // In this turn of the event loop, before the next attempt: a read that went on would still show the first.
    expect(await store.head()).toBe(2)
    expect(await commit).toEqual([{ ok: true, rev: 3 }])
    expect((await view.reached(3)).get('a')?.value).toBe(3)
    const asked = calls
    expect(asked).toBeLessThan(100)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2))
    expect(calls - asked).toBeLessThanOrEqual(1)

    // The log can be emptied only if nothing of it is read.
    expect(other.prepare('pragma wal_checkpoint(truncate)').get()).toMatchObject({ busy: 0 })
    other.close()
    await view.close()
    await store.close()
  })
})

describe('callers that read a SQLite store at once', () => {
  it('use the same connections when they read again', async () => {
    let opened = 0
    const store = await open('at-once.sqlite', {
      open: (file) => {
        opened += 1
        return openDatabase(file)
      },
    })
    await store.commit([put('1', 1)])
    const readAtOnce = () =>
      Promise.all(Array.from({ length: 32 }, () => store.read((view) => view.get(['1']))))
    await readAtOnce()
    const before = opened
    await readAtOnce()
    expect(opened).toBe(before)
    await store.close()
  })
})

describe('a SQLite store without news', () => {
  it('asks its file a few questions for each poll of a waiting caller, and no more', async () => {
    let [statements, polls] = [0, 0]
    let enough: () => void = () => {}
    const polled = new Promise<void>((resolve) => {
      enough = resolve
    })
    const store = await open('idle.sqlite', {
      timers: {
        after: (ms, fn, options) =>
          systemTimers.after(
            ms,
            () => {
              polls += 1
              if (polls === 30) enough()
              fn()
            },
            options,
          ),
      },
      open: (file) => {
        const database = openDatabase(file)
        return {
          exec: (sql) => database.exec(sql),
          close: () => database.close(),
          prepare: (sql) => {
            const statement = database.prepare(sql)
            const counted = <T>(work: () => T): T => {
              statements += 1
              return work()
            }
            return {
              run: (...values) => counted(() => statement.run(...values)),
              get: (...values) => counted(() => statement.get(...values)),
              all: (...values) => counted(() => statement.all(...values)),
            }
          },
        }
      },
    })
    await store.commit([put('1', 1)])
    const stop = new AbortController()
    const waiting = store.changes({ after: 1, prefixes: [''], waitMs: 60_000, signal: stop.signal })
    const before = { statements, polls }
    await polled
    expect(statements - before.statements).toBeLessThanOrEqual((polls - before.polls) * 3)
    stop.abort()
    await waiting
    await store.close()
  })
})
