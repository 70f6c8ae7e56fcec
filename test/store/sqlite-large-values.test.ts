import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Json, Rev, Store } from '../../src/store/index.ts'
import { type SqliteOptions, type SqliteStore, sqliteStore } from '../../src/store/sqlite/index.ts'
import { type Workers, workers } from './processes.ts'
import { driverOptions, openDatabase } from './sqlite-driver.ts'
import { makeVersion1 } from './sqlite-version-1.ts'

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>()
  return { ...actual, statfs: vi.fn(actual.statfs) }
})

let crew: Workers
let directory = ''
beforeAll(async () => {
  crew = await workers()
  directory = await mkdtemp(join(tmpdir(), 'plinth-large-'))
})
afterAll(async () => {
  await crew.remove()
  await rm(directory, { recursive: true, force: true })
})

const fileOf = (name: string) => join(directory, `${name}.sqlite`)
const open = (name: string, more: SqliteOptions = {}) =>
  sqliteStore(fileOf(name), { ...driverOptions, ...more })
const put = (id: string, key: string, value: Json) => ({ id, put: [{ key, value }] })
const storedIn = async (store: Store, key: string) => (await store.read((view) => view.get([key])))[0]?.value
const mega = 1024 * 1024
/** A text of some pieces, which differs from those of other letters. */
const large = (letter: string, pieces = 3) => letter.repeat(pieces * mega)

/** Runs statements on the file beside the store. */
function beside<Result>(name: string, work: (raw: ReturnType<typeof openDatabase>) => Result): Result {
  const raw = openDatabase(fileOf(name))
  try {
    return work(raw)
  } finally {
    raw.close()
  }
}
/** A driver that tells of each statement before it runs. */
const telling = (seen: (sql: string) => void): SqliteOptions => ({
  open: (file) => {
    const database = openDatabase(file)
    return {
      close: () => database.close(),
      exec: (sql) => {
        seen(sql)
        return database.exec(sql)
      },
      prepare: (sql) => {
        const statement = database.prepare(sql)
        const run: typeof statement.run = (...values) => {
          seen(sql)
          return statement.run(...values)
        }
        return { run, get: statement.get.bind(statement), all: statement.all.bind(statement) }
      },
    }
  },
})
const count = (name: string, from: string) =>
  beside(name, (raw) => Number((raw.prepare(`select count(*) as n from ${from}`).get() as { n: number }).n))
/** Waits for the sweep in the background, until the file has so many pieces, and nothing more to delete. */
const expectPieces = (name: string, pieces: number) =>
  vi.waitFor(
    () => expect([count(name, 'pieces'), count(name, 'loose where since = 0')]).toEqual([pieces, 0]),
    { timeout: 60_000 },
  )

describe('a large value in SQLite', () => {
  it('comes back as it was written: from every read, another handle, a copy, and a file that is opened again', async () => {
    // Pairs of surrogates that begin at an odd place, so that pieces would end within one.
    const value = { odd: `x${'😀'.repeat(mega)}`, list: Array.from({ length: 1000 }, (_, n) => `é${n}`) }
    const [store, other] = [await open('whole'), await open('whole')]
    expect(await store.commit([put('1', 'a', value), put('2', 'b', 'small')])).toEqual([
      { ok: true, rev: 1 },
      { ok: true, rev: 2 },
    ])
    await store.backup(fileOf('copy'))
    const entry = { key: 'a', value, created: 1, modified: 1 }
    const seenBy = async (reader: SqliteStore) => {
      const [[got], [scanned], { put: changed }] = [
        await reader.read((view) => view.get(['a'])),
        await reader.read((view) => view.scan({ prefix: '' })),
        await reader.changes({ after: 0, prefixes: ['a'] }),
      ]
      expect([got, scanned, changed[0]]).toEqual([entry, entry, entry])
      expect(Object.isFrozen(got?.value)).toBe(true)
      expect(await reader.check()).toEqual({ rev: 2, entries: 2, commits: 2, faults: [] })
    }
    for (const reader of [store, other, await open('copy')]) {
      await seenBy(reader)
      await reader.close()
    }
    const again = await open('whole')
    await seenBy(again)
    await again.close()
  })

  it('is written and read in turns of the event loop, between which other commits are answered', async () => {
    const store = await open('turns')
    await store.commit([put('first', 'b', 0)])
    let isDone = false
    const written = store.commit([put('large', 'a', large('x', 8))]).finally(() => {
      isDone = true
    })
    let others = 0
    for (; !isDone; others += 1) await store.commit([put(`b${others}`, 'b', others)])
    expect(others).toBeGreaterThan(8)
    await written
    let turns = 0
    isDone = false
    const turn = () => {
      turns += 1
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    expect(await storedIn(store, 'a')).toBe(large('x', 8))
    isDone = true
    expect(turns).toBeGreaterThan(1)
    await store.close()
  })

  it('leaves nothing in the file once it is replaced, deleted, or refused', async () => {
    const store = await open('swept')
    await store.commit([put('1', 'a', large('a')), put('2', 'b', large('b', 5))])
    await expectPieces('swept', 10)
    await store.commit([put('3', 'a', large('c'))])
    await expectPieces('swept', 10)
    const stale = { ...put('4', 'a', large('d')), expect: [{ key: 'a', rev: 1 }] }
    expect(await store.commit([stale])).toMatchObject([{ ok: false, stale: ['a'] }])
    await expectPieces('swept', 10)
    await store.commit([put('5', 'a', 'small'), { id: '6', del: ['b'] }])
    // The next commit of any process finds what is left.
    await store.commit([put('7', 'c', 'small')])
    await expectPieces('swept', 0)
    expect(await store.read((view) => view.scan({ prefix: '' }))).toMatchObject([
      { key: 'a', value: 'small' },
      { key: 'c', value: 'small' },
    ])
    await store.close()
  })

  it('is stored for each commit of a batch, although two have the same object', async () => {
    const store = await open('shared')
    const same = [{ key: 'a', value: large('a') }]
    const commit = { id: '1', put: same }
    const asked = [
      commit,
      { id: '2', put: same },
      commit,
      { id: '3', put: [{ key: 'b', value: large('b') }] },
    ]
    expect(await store.commit(asked)).toMatchObject([{ rev: 1 }, { rev: 2 }, { rev: 1 }, { rev: 3 }])
    expect([await storedIn(store, 'a'), await storedIn(store, 'b')]).toEqual([large('a'), large('b')])
    await store.commit([put('4', 'c', 'small')])
    await expectPieces('shared', 8)
    await store.close()
  })

  it('that is too large once it is text is refused whole', async () => {
    const store = await open('refused')
    const escapes = '\u0001'.repeat(7 * mega)
    await expect(store.commit([put('1', 'a', large('a')), put('2', 'b', escapes)])).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/at most 41943040 bytes/),
    })
    expect(await store.head()).toBe(0)
    await expectPieces('refused', 0)
    await store.close()
  })

  it('is imported, and leaves nothing if the import fails', async () => {
    const store = await open('imported')
    const entries = async function* (fails: boolean) {
      yield { key: 'a', value: large('a'), created: 1, modified: 2 }
      // However long the source takes, the value is in its entry.
      expect(count('imported', 'loose')).toBe(0)
      if (fails) throw new Error('the source ended')
      yield { key: 'b', value: 'small', created: 3, modified: 3 }
    }
    await expect(store.import(entries(true), 3)).rejects.toThrow('the source ended')
    await expectPieces('imported', 0)
    await store.import(entries(false), 3)
    expect(await storedIn(store, 'a')).toBe(large('a'))
    expect((await store.check()).faults).toEqual([])
    await expectPieces('imported', 4)
    await store.close()
  })
})

describe('the pieces of a large value', () => {
  it('that another process is writing are left alone, and deleted once it must have ended', async () => {
    const store = await open('others')
    await store.commit([put('1', 'b', 1)])
    const begin = (id: number, since: number) =>
      beside('others', (raw) =>
        raw.exec(`insert into loose values (${id}, ${since}); insert into pieces values (${id}000, 'x')`),
      )
    begin(7, Date.now())
    begin(8, Date.now() - 7_200_000)
    await store.commit([put('2', 'a', 'small')])
    await expectPieces('others', 1)
    expect(count('others', 'pieces where id = 7000')).toBe(1)
    await store.close()
  })

  it('that were given up fail the commit, which can be submitted again', async () => {
    let written = 0
    const store = await open(
      'given-up',
      telling((sql) => {
        if (sql.startsWith('insert into pieces')) written += 1
        if (sql !== 'begin immediate' || written !== 2) return
        // Another process takes it for one that has ended, and sweeps.
        written += 1
        beside('given-up', (raw) => raw.exec('delete from pieces; delete from loose'))
      }),
    )
    const commit = put('1', 'a', large('a'))
    await expect(store.commit([commit])).rejects.toMatchObject({ code: 'unknown' })
    expect(await store.head()).toBe(0)
    expect(await store.commit([{ ...commit, again: true }])).toEqual([{ ok: true, rev: 1 }])
    expect(await storedIn(store, 'a')).toBe(large('a'))
    await expectPieces('given-up', 4)
    await store.close()
  })

  it('that were given up before the commit that refers to them fail it alone, not the others of its turn', async () => {
    let written = 0
    const store = await open(
      'given-up-late',
      telling((sql) => {
        if (sql.startsWith('insert into pieces')) written += 1
        if (sql !== 'begin immediate' || written !== 4) return
        written += 1
        beside('given-up-late', (raw) => raw.exec('update loose set since = 0'))
      }),
    )
    await store.commit([put('first', 'b', 0)])
    let isDone = false
    const refused = expect(store.commit([put('1', 'a', large('a'))])).rejects.toMatchObject({
      code: 'unknown',
    })
    void refused.finally(() => {
      isDone = true
    })
    let others = 1
    for (; !isDone; others += 1)
      expect(await store.commit([put(`b${others}`, 'b', others)])).toMatchObject([{ ok: true }])
    await refused
    expect([await store.head(), await storedIn(store, 'a')]).toEqual([others, undefined])
    await expectPieces('given-up-late', 0)
    await store.close()
  })

  it('that the disk does not take fail the commit, and leave what was there', async () => {
    let left = Number.POSITIVE_INFINITY
    const store = await open(
      'full',
      telling((sql) => {
        if (!sql.startsWith('insert into pieces')) return
        if (left === 0) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
        left -= 1
      }),
    )
    await store.commit([put('1', 'a', large('a'))])
    left = 2
    await expect(store.commit([put('2', 'a', large('b'))])).rejects.toMatchObject({ code: 'disk_full' })
    await expectPieces('full', 4)
    expect([await store.head(), await storedIn(store, 'a')]).toEqual([1, large('a')])
    left = Number.POSITIVE_INFINITY
    expect(await store.commit([put('2', 'a', large('b'))])).toEqual([{ ok: true, rev: 2 }])
    expect(await storedIn(store, 'a')).toBe(large('b'))
    await store.close()
  })

  it('that could not be deleted, as on a full disk, go with the next large value', async () => {
    let [isFull, failed] = [false, 0]
    const store = await open(
      'unswept',
      telling((sql) => {
        if (isFull && /pieces|loose/.test(sql)) {
          failed += 1
          throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
        }
        if (failed === 0 && sql.startsWith('insert into pieces')) isFull = true
      }),
    )
    await expect(store.commit([put('1', 'a', large('a'))])).rejects.toMatchObject({ code: 'disk_full' })
    // The second piece, and the sweep after it.
    await vi.waitFor(() => expect(failed).toBe(2))
    expect(count('unswept', 'pieces')).toBe(1)
    isFull = false
    await store.commit([put('2', 'b', large('b'))])
    await expectPieces('unswept', 4)
    await store.close()
  })

  it('leave enough of the disk for other commits', async () => {
    const store = await open('narrow')
    const disk = await statfs(directory)
    const free = (mebibytes: number) => ({ ...disk, bavail: (mebibytes * mega) / disk.bsize })
    vi.mocked(statfs).mockResolvedValueOnce(free(40)).mockResolvedValueOnce(free(31))
    await expect(store.commit([put('1', 'a', large('a'))])).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/^less than 32 MiB are free for .*narrow.sqlite/),
    })
    await expectPieces('narrow', 0)
    vi.mocked(statfs).mockRejectedValueOnce(new Error('it cannot be told'))
    expect(await store.commit([put('2', 'a', large('a'))])).toEqual([{ ok: true, rev: 1 }])
    await store.close()
  })

  it.each([
    ['one that was changed', `update pieces set text = replace(text, 'aaa', 'aba') where id % 1000 = 1`],
    ['one that is missing', 'delete from pieces where id % 1000 = 2'],
    [
      'those of another value',
      'update pieces set id = -id; update pieces set id = 3000 - abs(id) / 1000 * 1000 + abs(id) % 1000',
    ],
  ])('are found by every read, and by a check, to be damaged: %s', async (name, damage) => {
    const store = await open(name)
    await store.commit([put('1', 'a', large('a')), put('2', 'b', large('b'))])
    await store.close()
    beside(name, (raw) => raw.exec(damage))
    const again = await open(name)
    const damaged = { code: 'corrupt', message: 'the value of "a" is damaged: restore a backup' }
    await expect(storedIn(again, 'a')).rejects.toMatchObject(damaged)
    await expect(again.read((view) => view.scan({ prefix: '' }))).rejects.toMatchObject(damaged)
    await expect(again.changes({ after: 0, prefixes: [''] })).rejects.toMatchObject(damaged)
    expect((await again.check()).faults).toContain(damaged.message)
    await again.close()
  })

  it('are whole after kills in the middle of writes, of two processes on one file', async () => {
    for (let round = 0; round < 4; round += 1) {
      const acknowledged = new Map<string, { readonly rev: Rev; readonly bytes: number }>()
      const pair = ['one', 'two'].map((name) =>
        crew.start('large', 'sqlite', fileOf('killed'), 'main', `${name}-${round}`),
      )
      let heard = 0
      const enough = new Promise<void>((resolve) => {
        for (const worker of pair)
          worker.onLine((line) => {
            // Told by the worker: when it begins a commit, and once it is acknowledged.
            const { key, rev, bytes } = JSON.parse(line) as { key: string; rev?: Rev; bytes: number }
            if (rev !== undefined) acknowledged.set(key, { rev, bytes })
            heard += 1
            if (heard > 3 + round) setTimeout(resolve, 17 * round)
          })
      })
      await Promise.race([enough, ...pair.map(({ failed }) => failed)])
      await Promise.all(pair.map((worker) => worker.kill()))
      const store = await open('killed')
      for (const [key, { rev, bytes }] of acknowledged) {
        const [entry] = await store.read((view) => view.get([key]))
        expect([entry?.modified, String(entry?.value).length]).toEqual([rev, bytes])
      }
      expect((await store.check()).faults).toEqual([])
      await store.close()
    }
    // An hour later, what the killed processes left goes as well.
    beside('killed', (raw) => raw.exec('update loose set since = 1 where since > 0'))
    const store = await open('killed')
    await store.commit([put('last', 'last', large('z'))])
    const referred = beside('killed', (raw) => raw.prepare('select value from entries').all()) as {
      value: string
    }[]
    const pieces = referred.map(({ value }) => Number(/^@\d+ (\d+) /.exec(value)?.[1] ?? 0))
    await expectPieces(
      'killed',
      pieces.reduce((sum, each) => sum + each, 0),
    )
    expect((await store.check()).faults).toEqual([])
    await store.close()
  }, 240_000)
})

describe('a SQLite file of version 1', () => {
  it('is brought to the present version where it is, with everything in it', async () => {
    makeVersion1(fileOf('one'), { small: { n: 1 }, large: large('a') })
    const store = await open('one')
    expect(await store.read((view) => view.scan({ prefix: '' }))).toEqual([
      { key: 'large', value: large('a'), created: 2, modified: 2 },
      { key: 'small', value: { n: 1 }, created: 1, modified: 1 },
    ])
    expect(await store.check()).toMatchObject({ rev: 2, entries: 2, faults: [] })
    expect(await store.commit([put('3', 'large', large('b')), put('4', 'small', 2)])).toEqual([
      { ok: true, rev: 3 },
      { ok: true, rev: 4 },
    ])
    await store.close()
    const again = await open('one')
    expect([await storedIn(again, 'large'), await storedIn(again, 'small')]).toEqual([large('b'), 2])
    expect((await again.check()).faults).toEqual([])
    await again.close()
  })

  it('stays as it is while a process has it open, which may be of the earlier version', async () => {
    makeVersion1(fileOf('held'), { small: 1 })
    const holding = openDatabase(fileOf('held'))
    // Statements would keep libsql from closing it.
    holding.exec('select * from entries')
    let attempts = 0
    const store = await open(
      'held',
      telling((sql) => {
        if (!sql.includes('journal_mode = delete')) return
        attempts += 1
        // The third time, the other process has ended.
        if (attempts === 3) holding.close()
      }),
    )
    expect(attempts).toBe(3)
    expect(await storedIn(store, 'small')).toBe(1)
    await store.close()
  })
})
