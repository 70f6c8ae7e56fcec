import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as lmdb from 'lmdb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LmdbStore, lmdbStore } from '../../src/store/lmdb/index.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-damage-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const everything = (store: LmdbStore) => store.read((view) => view.scan({ prefix: '' }))
const raw = (realm: string) => {
  const settings = { encoding: 'binary', keyEncoding: 'binary' } as const
  const root = lmdb.open<Buffer, Buffer>({
    path: join(directory, `${realm}.lmdb`),
    noSubdir: true,
    maxDbs: 8,
    ...settings,
  })
  return { root, table: (name: string) => root.openDB<Buffer, Buffer>({ name, ...settings }) }
}
const rev = (n: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(n))
  return bytes
}

/** Three commits of one key each, as this version writes them, and their file changed by `damage`. */
async function damaged(realm: string, damage: (bytes: Buffer) => void): Promise<LmdbStore> {
  const store = await lmdbStore(directory, { realm })
  for (let n = 1; n <= 3; n += 1)
    await store.commit([{ id: `commit-${n}`, put: [{ key: `key-${n}`, value: { amount: 1000 + n } }] }])
  await store.close()
  const bytes = await readFile(store.path)
  damage(bytes)
  await writeFile(store.path, bytes)
  return lmdbStore(directory, { realm })
}
/** Replaces a text wherever it stands: old pages keep copies. */
const replace = (bytes: Buffer, text: string, by: string) => {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes.write(by, at)
}

describe('a damaged lmdb realm', () => {
  it('answers nothing from a value that is still JSON and not what was written', async () => {
    const store = await damaged('value', (bytes) => replace(bytes, '"amount":1002', '"amount":9002'))
    await expect(everything(store)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(store.read((view) => view.get(['key-2']))).rejects.toMatchObject({
      code: 'corrupt',
      message: 'the value of "key-2" is damaged: restore a backup',
    })
    expect((await store.read((view) => view.get(['key-1'])))[0]?.value).toEqual({ amount: 1001 })
    expect((await store.check()).faults).toEqual(['the value of "key-2" is damaged: restore a backup'])
    await store.close()
  })

  it('answers nothing under a key that is not the one that was written', async () => {
    const store = await damaged('key', (bytes) => replace(bytes, 'key-3', 'key-7'))
    for (const key of ['key-7', 'key-3'])
      await expect(store.read((view) => view.get([key]))).rejects.toMatchObject({ code: 'corrupt' })
    await expect(
      store.commit([{ id: 'anew', expect: [{ key: 'key-3', rev: 0 }], put: [{ key: 'key-3', value: 1 }] }]),
    ).rejects.toMatchObject({ code: 'corrupt' })
    await expect(store.changes({ after: 0, prefixes: [''] })).rejects.toMatchObject({ code: 'corrupt' })
    await store.close()
  })

  it('ends changes on a damaged log, and judges no commit by it', async () => {
    const store = await damaged('log', (bytes) => replace(bytes, '["commit-2"', '["commit-9"'))
    await expect(store.changes({ after: 0, prefixes: [''] })).rejects.toMatchObject({ code: 'corrupt' })
    expect((await store.changes({ after: 2, prefixes: [''] })).rev).toBe(3)
    const again = { id: 'commit-2', put: [{ key: 'key-2', value: 'twice' }] }
    await expect(store.commit([again])).rejects.toMatchObject({ code: 'corrupt' })
    expect(await store.head()).toBe(3)
    await store.close()
  })

  it('ends changes on a log with a gap', async () => {
    await (await damaged('gap', () => {})).close()
    const { root, table } = raw('gap')
    await table('log').remove(rev(2))
    await root.close()
    const store = await lmdbStore(directory, { realm: 'gap' })
    await expect(store.changes({ after: 0, prefixes: [] })).rejects.toMatchObject({ code: 'corrupt' })
    await store.close()
  })

  it('is not counted on from a damaged head', async () => {
    await (await damaged('head', () => {})).close()
    const { root, table } = raw('head')
    const log = table('log')
    const at = Buffer.alloc(8, 0xff)
    const head = Buffer.from(log.get(at) ?? [])
    head[7] = (head[7] ?? 0) ^ 2
    await log.put(at, head)
    await root.close()
    const store = await lmdbStore(directory, { realm: 'head' })
    await expect(store.head()).rejects.toMatchObject({ code: 'corrupt' })
    await expect(store.commit([{ id: 'x', del: ['y'] }])).rejects.toMatchObject({ code: 'corrupt' })
    await store.close()
  })

  it('is found whole by a check while it is', async () => {
    const store = await damaged('whole', () => {})
    expect(await store.check()).toEqual({ rev: 3, entries: 3, commits: 3, unchecked: 0, faults: [] })
    await store.close()
  })

  it('is found by a check that lacks an entry its log has', async () => {
    await (await damaged('lacking', () => {})).close()
    const { root, table } = raw('lacking')
    const entries = table('entries')
    await entries.put(Buffer.from('key-4'), entries.get(Buffer.from('key-3')) ?? Buffer.alloc(0))
    await root.close()
    const store = await lmdbStore(directory, { realm: 'lacking' })
    expect((await store.check()).faults).toEqual(['the value of "key-4" is damaged: restore a backup'])
    await store.close()
  })
})

describe('an lmdb realm of format 1', () => {
  /** What the first format wrote for two commits: no checksum anywhere, and ids in a table of their own. */
  async function writeOld(realm: string): Promise<void> {
    const { root, table } = raw(realm)
    const entry = (value: unknown, created: number, modified: number) => {
      const text = JSON.stringify(value)
      const bytes = Buffer.alloc(16 + Buffer.byteLength(text))
      bytes.writeDoubleBE(created, 0)
      bytes.writeDoubleBE(modified, 8)
      bytes.write(text, 16)
      return bytes
    }
    const [meta, entries, log, ids, refusals] = ['meta', 'entries', 'log', 'ids', 'refusals'].map(table)
    await root.transaction(() => {
      meta?.put(Buffer.from('plinth format'), rev(1))
      meta?.put(Buffer.from('head'), rev(2))
      meta?.put(Buffer.from('floor'), rev(0))
      entries?.put(Buffer.from('a'), entry({ old: true }, 1, 2))
      for (const n of [1, 2]) {
        log?.put(rev(n), Buffer.from(JSON.stringify([`old-${n}`, 'a'])))
        ids?.put(Buffer.from(`old-${n}`), Buffer.from(JSON.stringify({ ok: true, rev: n })))
      }
      const refused = Buffer.from('old-refused')
      ids?.put(refused, Buffer.from(JSON.stringify({ ok: false, rev: 2, stale: ['a'] })))
      refusals?.put(Buffer.concat([rev(2), refused]), Buffer.alloc(0))
    })
    await root.close()
  }

  it('opens with everything it remembers, and gets checksums as it is written', async () => {
    await writeOld('old')
    const store = await lmdbStore(directory, { realm: 'old', remember: 20 })
    expect(await everything(store)).toEqual([{ key: 'a', value: { old: true }, created: 1, modified: 2 }])
    expect(await store.changes({ after: 1, prefixes: [''] })).toMatchObject({ rev: 2, more: false })
    const again = ['old-1', 'old-2', 'old-refused'].map((id) => ({ id, put: [{ key: 'a', value: 1 }] }))
    expect(await store.commit(again)).toEqual([
      { ok: true, rev: 1 },
      { ok: true, rev: 2 },
      { ok: false, rev: 2, stale: ['a'] },
    ])
    expect(await store.check()).toEqual({ rev: 2, entries: 1, commits: 2, unchecked: 1, faults: [] })
    expect(await store.commit([{ id: 'new', put: [{ key: 'a', value: { old: false } }] }])).toEqual([
      { ok: true, rev: 3 },
    ])
    expect(await store.check()).toEqual({ rev: 3, entries: 1, commits: 3, unchecked: 0, faults: [] })
    for (let n = 0; n < 60; n += 1) await store.commit([{ id: `more-${n}`, del: ['b'] }])
    expect(await store.commit([{ id: 'old-1', del: ['b'] }])).toEqual([{ ok: true, rev: 64 }])
    await store.close()
    const reopened = await lmdbStore(directory, { realm: 'old' })
    expect(await reopened.head()).toBe(64)
    await reopened.close()
  })

  it('takes nothing without a checksum that is newer than the upgrade', async () => {
    await writeOld('forged')
    await (await lmdbStore(directory, { realm: 'forged' })).close()
    const { root, table } = raw('forged')
    const bytes = Buffer.concat([Buffer.alloc(16), Buffer.from('true')])
    bytes.writeDoubleBE(1, 0)
    bytes.writeDoubleBE(9, 8)
    await table('entries').put(Buffer.from('b'), bytes)
    await root.close()
    const store = await lmdbStore(directory, { realm: 'forged' })
    await expect(store.read((view) => view.get(['b']))).rejects.toMatchObject({ code: 'corrupt' })
    await store.close()
  })
})
