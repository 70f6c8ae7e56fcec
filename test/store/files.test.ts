import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits, replica, StoreError } from '../../src/store/index.ts'
import { type SqliteOptions, type SqliteStore, sqliteStore } from '../../src/store/sqlite/index.ts'
import { driverOptions, openDatabase } from './sqlite-driver.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-files-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const put = (id: string, value: number) => ({ id, put: [{ key: 'a', value }] })
const refusalOf = (opening: Promise<SqliteStore>) =>
  opening.then(
    async (store) => {
      await store.close()
      return 'opened'
    },
    (error: unknown) => (error instanceof StoreError ? `${error.code}: ${error.message}` : String(error)),
  )

describe('a store in a file', () => {
  const open = (folder: string, name: string, options: SqliteOptions = {}) =>
    sqliteStore(join(folder, `${name}.sqlite`), { ...driverOptions, ...options })
  /** Runs a program that writes to a store, in a process that is short of something. */
  const shortOf = async (name: string, setup: string, flags: readonly string[], program: string) => {
    const place = join(directory, name)
    await mkdir(place)
    const text = `const store = await (await import('./src/store/sqlite/index.ts')).sqliteStore(process.argv[1] + '/a.sqlite')\nconst tell = (line) => console.log(JSON.stringify(line))\n${program}`
    const node = [
      process.execPath,
      ...flags,
      '--import',
      './scripts/ts-loader.mjs',
      '--input-type=module',
      '--eval',
    ]
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', `${setup} exec "$@"`, 'bash', ...node, text, place],
      { cwd: join(import.meta.dirname, '../..') },
    )
    return stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
  }

  it('keeps what was acknowledged across a reopening', async () => {
    const store = await open(directory, 'reopened')
    await store.commit([put('1', 1), put('2', 2)])
    await store.close()
    const again = await open(directory, 'reopened')
    expect(await again.read((view) => view.get(['a']))).toEqual([
      { key: 'a', value: 2, created: 1, modified: 2 },
    ])
    expect(await again.commit([put('2', 9)])).toEqual([{ ok: true, rev: 2 }])
    await again.close()
  })

  it('writes backups that open as stores, while commits go on, and leaves nothing beside them', async () => {
    const store = await open(directory, 'live')
    await store.commit([put('1', 1)])
    const copies = join(directory, 'copies')
    const file = join(copies, `saved.sqlite`)
    const backups = Array.from({ length: 4 }, () => store.backup(file))
    await Promise.all([...backups, store.commit([put('2', 2)])])
    expect(await readdir(copies)).toEqual([`saved.sqlite`])
    const copy = await open(copies, 'saved')
    expect(await copy.head()).toBeGreaterThanOrEqual(1)
    await Promise.all([copy.close(), store.close()])
  })

  it('forgets old commits and their ids beyond the configured number', async () => {
    const store = await open(directory, 'forgetful', { remember: 20 })
    for (let n = 1; n <= 100; n += 1) await store.commit([put(`c${n}`, n)])
    await expect(store.changes({ after: 40, prefixes: [''] })).rejects.toMatchObject({ code: 'compacted' })
    expect((await store.changes({ after: 80, prefixes: [''] })).put).toHaveLength(1)
    expect(await store.commit([put('c99', 1), put('c1', 2)])).toEqual([
      { ok: true, rev: 99 },
      { ok: true, rev: 101 },
    ])
    await store.close()
  })

  it('says what is wrong with a path that cannot be a store', async () => {
    const file = join(directory, 'a-file')
    await writeFile(file, 'not a directory')
    expect(await refusalOf(open(file, 'below'))).toMatch(/^denied: .*below\.[a-z]+ cannot be a store/)
    expect(await refusalOf(open(directory, 'x', { realm: '../escape' }))).toMatch(/^invalid: a realm's name/)
    await mkdir(join(directory, `dir.sqlite`))
    expect(await refusalOf(open(directory, 'dir'))).toMatch(/^denied: /)
  })

  it('refuses files of others and of later versions, and leaves them as they were', async () => {
    const fileOf = (name: string) => join(directory, `${name}.sqlite`)
    await writeFile(fileOf('notes'), 'some notes, not a database at all\n'.repeat(500))
    const other = openDatabase(fileOf('other'))
    other.exec('create table theirs (a)')
    other.close()
    await (await open(directory, 'later')).close()
    const later = openDatabase(fileOf('later'))
    later.exec('pragma user_version = 9')
    later.close()
    for (const [name, says] of [
      ['notes', /^foreign: .*is not a SQLite database/],
      ['other', /^foreign: .*another program/],
      ['later', /^wrong_schema: .*has schema 9; .*reads schema 2/],
    ] as const) {
      const before = await readFile(fileOf(name))
      expect(await refusalOf(open(directory, name))).toMatch(says)
      expect((await readFile(fileOf(name))).equals(before)).toBe(true)
    }
  })

  it('lets others of its process go on between the pages of a realm that is read as a whole', async () => {
    const store = await open(directory, 'paged')
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

  it('refuses commits that are far too large, and continues', async () => {
    const store = await open(directory, 'large')
    const keys = Array.from({ length: 100_000 }, (_, at) => ({ key: `k${at}`, value: at }))
    const piece = 'x'.repeat(limits.valueBytes / 2)
    const refused = (commit: object) =>
      expect(store.commit([{ id: 'large', ...commit }])).rejects.toMatchObject({ code: 'invalid' })
    await refused({ put: keys })
    await refused({ touch: keys.map(({ key }) => `~${key}`) })
    // One value of a gigabyte, and several that are too much together only.
    await refused({ put: [{ key: 'a', value: Array.from({ length: 50 }, () => piece) }] })
    await refused({ put: Array.from({ length: 13 }, (_, at) => ({ key: `a${at}`, value: piece })) })
    expect(await store.commit([put('large', 1)])).toEqual([{ ok: true, rev: 1 }])
    await store.close()
  })

  it('refuses commits that the disk does not take, keeps what it acknowledged, and lets the process live', async () => {
    const [codes, message, ...kept] = await shortOf(
      'full',
      // No file may grow past half a mebibyte, which fails the engine's writes as a full disk does.
      `trap '' XFSZ; ulimit -f 512;`,
      [],
      `
      let acknowledged = 0
      const write = async (n) => {
        const [verdict] = await store.commit([{ id: String(n), put: [{ key: 'k' + n, value: 'x'.repeat(3000) }] }])
        if (verdict.ok) acknowledged += 1
      }
      const all = await Promise.allSettled(Array.from({ length: 400 }, (_, n) => write(n)))
      for (let n = 400; n < 800; n += 1) all.push(...(await Promise.allSettled([write(n)])))
      const refusals = all.filter(({ status }) => status === 'rejected').map(({ reason }) => reason)
      tell([...new Set(refusals.map(({ code }) => code))])
      tell(refusals[0].message)
      tell(acknowledged === (await store.head()))
      tell(acknowledged === (await store.read((view) => view.scan({ prefix: 'k' }))).length)
      await store.close()`,
    )
    expect(codes).toEqual(['unknown'])
    expect(message).toMatch(/a\.sqlite/)
    expect(kept).toEqual([true, true])
  })

  it('takes and gives more than the process may keep in memory, under load', async () => {
    expect(
      await shortOf(
        'small',
        '',
        ['--max-old-space-size=128'],
        `
        const text = 'x'.repeat(250_000)
        const each = 40
        let acknowledged = 0
        const write = async (writer) => {
          for (let n = 0; n < each; n += 1) {
            const key = 'k' + writer + '-' + n
            const [verdict] = await store.commit([{ id: key, put: [{ key, value: { key, text } }] }])
            if (verdict.ok) acknowledged += 1
            const [entry] = await store.read((view) => view.get([key]))
            if (entry.value.key !== key) throw new Error(key)
          }
        }
        await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)))
        let found = 0
        for (let after; ; ) {
          const page = await store.read((view) => view.scan({ prefix: 'k', after, limit: 100 }))
          found += page.length
          after = page.at(-1)?.key
          if (page.length < 100) break
        }
        tell([acknowledged, found, await store.head()])
        await store.close()`,
      ),
    ).toEqual([[640, 640, 640]])
  })
})
