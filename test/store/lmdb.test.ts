import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

  it('refuses a file that is truncated, instead of crashing', async () => {
    const store = await lmdbStore(directory, { realm: 'cut' })
    for (let n = 0; n < 50; n += 1)
      await store.commit([{ id: `${n}`, put: [{ key: `k${n}`, value: 'x'.repeat(3000) }] }])
    await store.close()
    await truncate(store.path, 8192)
    expect(await refusal(directory, { realm: 'cut' })).toMatch(/^corrupt: .*truncated: restore a backup/)
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
})
