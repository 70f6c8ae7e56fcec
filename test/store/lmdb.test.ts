import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as lmdb from 'lmdb'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { systemTimers } from '../../src/kernel/index.ts'
import { type Range, replica, type Store, StoreError, storeConformance } from '../../src/store/index.ts'
import { committing } from '../../src/store/lmdb/commit.ts'
import { type LmdbStore, lmdbStore } from '../../src/store/lmdb/index.ts'
import { entryBytes, headKey, keyBytes, scanTable } from '../../src/store/lmdb/layout.ts'
import { openFile } from '../../src/store/lmdb/open.ts'
import { sessionOf } from '../../src/store/lmdb/session.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-lmdb-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

describe('the lmdb store', () => {
  let realms = 0
  const names = new WeakMap<Store, string>()
  const open = async (realm: string): Promise<LmdbStore> => {
    const store = await lmdbStore(directory, { realm })
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
    retaining: (remember) => lmdbStore(directory, { realm: `realm-${++realms}`, remember }),
    sequences: 15,
    rounds: 20,
  })
})

describe('the lmdb store, beyond the port', () => {
  const put = (id: string, value: number) => ({ id, put: [{ key: 'a', value }] })

  it('keeps what was acknowledged across a reopening', async () => {
    const store = await lmdbStore(directory, { realm: 'reopened' })
    await store.commit([put('1', 1), put('2', 2)])
    await store.close()
    const again = await lmdbStore(directory, { realm: 'reopened' })
    expect(await again.read((view) => view.get(['a']))).toEqual([
      { key: 'a', value: 2, created: 1, modified: 2 },
    ])
    expect(await again.commit([put('2', 9)])).toEqual([{ ok: true, rev: 2 }])
    await again.close()
  })

  it('writes a backup that opens as a store, while commits go on', async () => {
    const store = await lmdbStore(directory, { realm: 'live' })
    await store.commit([put('1', 1)])
    const backup = store.backup(join(directory, 'copies', 'saved.lmdb'))
    await Promise.all([backup, store.commit([put('2', 2)])])
    const copy = await lmdbStore(join(directory, 'copies'), { realm: 'saved' })
    expect(await copy.head()).toBeGreaterThanOrEqual(1)
    await Promise.all([copy.close(), store.close()])
  })

  it('writes backups to one file that begin at the same time, each whole, and leaves nothing beside it', async () => {
    const store = await lmdbStore(directory, { realm: 'twice' })
    await store.commit([put('1', 1)])
    const folder = join(directory, 'at-once')
    await Promise.all(Array.from({ length: 4 }, () => store.backup(join(folder, 'saved.lmdb'))))
    expect(await readdir(folder)).toEqual(['saved.lmdb'])
    const copy = await lmdbStore(folder, { realm: 'saved' })
    expect(await copy.head()).toBe(1)
    await Promise.all([copy.close(), store.close()])
  })

  it('lets others of its process go on between the pages of a realm that is read as a whole', async () => {
    const store = await lmdbStore(directory, { realm: 'paged' })
    const entries = async function* () {
      for (let n = 0; n < 25_000; n += 1) yield { key: `k\u0001${n}`, value: n, created: 1, modified: 1 }
    }
    await store.import(entries(), 1)
    let turns = 0
    let isLoading = true
    const turn = () => {
      turns += 1
      if (isLoading) setImmediate(turn)
    }
    setImmediate(turn)
    const view = await replica(store, ['k'])
    isLoading = false
    expect(turns).toBeGreaterThanOrEqual(5)
    await view.close()
    await store.close()
  })

  it('forgets old commits and their ids beyond what it was told to remember', async () => {
    const store = await lmdbStore(directory, { realm: 'forgetful', remember: 20 })
    for (let n = 1; n <= 100; n += 1) await store.commit([put(`c${n}`, n)])
    await expect(store.changes({ after: 70, prefixes: [''] })).rejects.toMatchObject({ code: 'compacted' })
    expect((await store.changes({ after: 85, prefixes: [''] })).put).toHaveLength(1)
    expect(await store.commit([put('c99', 1), put('c1', 2)])).toEqual([
      { ok: true, rev: 99 },
      { ok: true, rev: 101 },
    ])
    await store.close()
  })

  it('writes nothing of a transaction in which the engine failed half-way', async () => {
    const tables = await openFile(join(directory, 'failing.lmdb'))
    let logged = 0
    const log = Object.create(tables.log, {
      putSync: {
        value: (key: Buffer, value: Buffer) => {
          logged += 1
          if (logged === 2) throw new Error('MDB_MAP_FULL')
          return tables.log.putSync(key, value)
        },
      },
    })
    const session = sessionOf('failing.lmdb', { ...tables, log }, systemTimers)
    const submit = committing(session, 100)
    const codes = await Promise.all(
      ['1', '2', '3'].map((id) => submit([put(id, 1)]).catch((error: StoreError) => error.code)),
    )
    expect(codes).toEqual(['disk_full', 'disk_full', 'disk_full'])
    expect([session.number(headKey), tables.entries.getCount(), tables.ids.getCount()]).toEqual([0, 0, 0])
    expect(await submit([put('2', 2)])).toEqual([{ ok: true, rev: 1 }])
    await tables.root.close()
  })

  const refusal = (path: string, options = {}) =>
    lmdbStore(path, options).then(
      () => 'opened',
      (error: unknown) => (error instanceof StoreError ? `${error.code}: ${error.message}` : String(error)),
    )

  it('says what is wrong with a directory that cannot be a store', async () => {
    const file = join(directory, 'a-file')
    await writeFile(file, 'not a directory')
    expect(await refusal(join(file, 'below'))).toMatch(/^denied: .*below.main\.lmdb cannot be a store/)
    expect(await refusal(directory, { realm: '../escape' })).toMatch(/^invalid: a realm's name/)
    await mkdir(join(directory, 'dir.lmdb'))
    expect(await refusal(directory, { realm: 'dir' })).toMatch(/^denied: /)
  })

  it('refuses a file that is not LMDB, or another program’s, and leaves it as it was', async () => {
    const text = 'some notes, not a database at all\n'.repeat(500)
    await writeFile(join(directory, 'notes.lmdb'), text)
    expect(await refusal(directory, { realm: 'notes' })).toMatch(/^foreign: .*notes\.lmdb is not a store/)
    expect(await readFile(join(directory, 'notes.lmdb'), 'utf8')).toBe(text)

    const other = lmdb.open({ path: join(directory, 'other.lmdb'), noSubdir: true })
    await other.put('theirs', 1)
    await other.close()
    expect(await refusal(directory, { realm: 'other' })).toMatch(/^foreign: .*another program/)
  })

  it('refuses a file that was cut off, instead of crashing on it', async () => {
    const store = await lmdbStore(directory, { realm: 'cut' })
    for (let n = 0; n < 50; n += 1)
      await store.commit([{ id: `${n}`, put: [{ key: `k${n}`, value: 'x'.repeat(3000) }] }])
    await store.close()
    await truncate(store.path, 8192)
    expect(await refusal(directory, { realm: 'cut' })).toMatch(/^corrupt: .*cut off: restore a backup/)
    await truncate(store.path, 100)
    expect(await refusal(directory, { realm: 'cut' })).toMatch(/^foreign: /)
  })

  it('names the key whose value is damaged, and shows nothing of it', async () => {
    const store = await lmdbStore(directory, { realm: 'damaged' })
    await store.commit([{ id: '1', put: [{ key: 'secret\u0001a', value: { password: 'hunter2' } }] }])
    await store.close()
    const bytes = await readFile(store.path)
    for (let at = bytes.indexOf('{"password'); at >= 0; at = bytes.indexOf('{"password', at)) bytes[at] = 0x7e
    await writeFile(store.path, bytes)
    const again = await lmdbStore(directory, { realm: 'damaged' })
    const failure = again
      .read((view) => view.scan({ prefix: '' }))
      .then(
        () => undefined,
        (error: StoreError) => error,
      )
    expect(await failure).toMatchObject({
      code: 'corrupt',
      message: 'the value of "secret/a" is damaged: restore a backup',
    })
    expect(String((await failure)?.cause)).not.toContain('hunter2')
    await again.close()
  })

  it('notices when the engine ends in the middle, as it does at some damaged pages', async () => {
    const { root, entries } = await openFile(join(directory, 'ending.lmdb'))
    for (const key of ['a', 'b', 'c', 'd']) await entries.put(keyBytes(key), entryBytes(key, 1, 1, 1))
    const ending = new Proxy(entries, {
      get: (table, name) =>
        name === 'getRange'
          ? (range: object) => table.getRange({ ...range, limit: 2 })
          : Reflect.get(table, name),
    })
    const keys = (range: Partial<Range>, table = ending) =>
      scanTable({ entries: table, unchecked: 0 }, { prefix: '', ...range }, undefined).map(({ key }) => key)
    for (const reverse of [false, true]) {
      expect(() => keys({ reverse })).toThrow(/^a part of the realm cannot be read: restore a backup$/)
      expect(keys({ reverse }, entries)).toHaveLength(4)
    }
    expect([keys({ limit: 2 }), keys({ from: 'c' }), keys({ from: 'b', reverse: true })]).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['b', 'a'],
    ])
    expect([keys({ from: 'e' }), keys({ prefix: 'a' }), keys({ after: 'd' })]).toEqual([[], ['a'], []])
    await root.close()
  })

  it('refuses a file of a later format', async () => {
    const store = await lmdbStore(directory, { realm: 'later' })
    await store.close()
    const raw = lmdb.open({
      path: store.path,
      noSubdir: true,
      maxDbs: 8,
      encoding: 'binary',
      keyEncoding: 'binary',
    })
    const meta = raw.openDB({ name: 'meta', encoding: 'binary', keyEncoding: 'binary' })
    await meta.put(Buffer.from('plinth format'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 9]))
    await raw.close()
    expect(await refusal(directory, { realm: 'later' })).toMatch(
      /^wrong_schema: .*has format 9; .*reads formats 1 and 2/,
    )
  })
})
