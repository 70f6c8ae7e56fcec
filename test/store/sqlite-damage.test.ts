import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreError } from '../../src/store/index.ts'
import { type SqliteOptions, type SqliteStore, sqliteStore } from '../../src/store/sqlite/index.ts'
import { driverOptions, openDatabase } from './sqlite-driver.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-damage-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const open = (name: string, more: SqliteOptions = {}) =>
  sqliteStore(join(directory, `${name}.sqlite`), { ...driverOptions, ...more })
const everything = (store: SqliteStore) => store.read((view) => view.scan({ prefix: '' }))

/** Three commits of one key each, and their file changed by `damage`. */
async function damaged(name: string, damage: (bytes: Buffer) => void): Promise<SqliteStore> {
  const store = await open(name)
  for (let n = 1; n <= 3; n += 1)
    await store.commit([{ id: `commit-${n}`, put: [{ key: `key-${n}`, value: { amount: 1000 + n } }] }])
  await store.close()
  const bytes = await readFile(store.path)
  damage(bytes)
  await writeFile(store.path, bytes)
  return open(name)
}
/** The same, by a statement. */
async function changed(name: string, sql: string): Promise<SqliteStore> {
  await (await damaged(name, () => {})).close()
  const raw = openDatabase(join(directory, `${name}.sqlite`))
  raw.exec(sql)
  raw.close()
  return open(name)
}
/** Replaces a text wherever it stands. */
const replace = (bytes: Buffer, text: string, by: string) => {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes.write(by, at)
}

describe('a damaged SQLite realm', () => {
  it('returns no value that is still JSON but not the one that was written', async () => {
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

  it('shows nothing of a damaged value', async () => {
    const store = await damaged('unparsable', (bytes) => replace(bytes, '{"amount":1003}', '~hunter2_______'))
    const failure = await everything(store).catch((error: StoreError) => error)
    expect(failure).toMatchObject({ code: 'corrupt' })
    expect(failure instanceof StoreError && String(failure.cause)).not.toContain('hunter2')
    await store.close()
  })

  it('returns nothing under a key that is not the one that was written', async () => {
    const store = await damaged('key', (bytes) => replace(bytes, 'key-3', 'key-7'))
    await expect(store.read((view) => view.get(['key-7']))).rejects.toMatchObject({ code: 'corrupt' })
    await expect(
      store.commit([{ id: 'anew', expect: [{ key: 'key-3', rev: 0 }], put: [{ key: 'key-3', value: 1 }] }]),
    ).rejects.toMatchObject({ code: 'corrupt' })
    await expect(store.changes({ after: 0, prefixes: [''] })).rejects.toMatchObject({ code: 'corrupt' })
    await store.close()
  })

  it('ends changes on a damaged log, and judges no commit by it', async () => {
    const store = await damaged('log', (bytes) => replace(bytes, 'commit-2', 'commit-9'))
    await expect(store.changes({ after: 0, prefixes: [''] })).rejects.toMatchObject({ code: 'corrupt' })
    expect((await store.changes({ after: 2, prefixes: [''] })).rev).toBe(3)
    const again = { id: 'commit-2', put: [{ key: 'key-2', value: 'twice' }] }
    await expect(store.commit([again])).rejects.toMatchObject({ code: 'corrupt' })
    expect(await store.head()).toBe(3)
    await store.close()
  })

  it('accepts no commit after a log that has lost its end', async () => {
    const store = await changed('head', 'delete from log where rev = 3')
    expect((await store.check()).faults).not.toEqual([])
    await store.close()
  })

  it('is found whole by a check while it is', async () => {
    const store = await damaged('whole', () => {})
    expect(await store.check()).toEqual({ rev: 3, entries: 3, commits: 3, faults: [] })
    await store.close()
  })

  it('is found by a check that finds an entry of another key, or misses one', async () => {
    const copied = await changed(
      'copied',
      `insert into entries select realm, 'key-4', value, created, modified, crc from entries where key = 'key-3'`,
    )
    expect((await copied.check()).faults).toEqual(['the value of "key-4" is damaged: restore a backup'])
    await copied.close()
  })

  it('is refused if its file is truncated', async () => {
    const store = await open('cut')
    for (let n = 0; n < 50; n += 1)
      await store.commit([{ id: `${n}`, put: [{ key: `k${n}`, value: 'x'.repeat(3000) }] }])
    await store.close()
    await truncate(store.path, 8192)
    await expect(open('cut')).rejects.toMatchObject({ code: 'corrupt' })
    await truncate(store.path, 100)
    await expect(open('cut')).rejects.toMatchObject({ code: expect.stringMatching(/^(?:corrupt|foreign)$/) })
  })
})

describe('a SQLite transaction', () => {
  it('in which the engine fails half-way leaves nothing', async () => {
    let logged = 0
    const store = await open('failing', {
      open: (file) => {
        const database = openDatabase(file)
        return {
          exec: (sql) => database.exec(sql),
          close: () => database.close(),
          prepare: (sql) => {
            const statement = database.prepare(sql)
            const run: typeof statement.run = (...values) => {
              if (sql.startsWith('insert into log')) {
                logged += 1
                if (logged === 2) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
              }
              return statement.run(...values)
            }
            return { run, get: statement.get.bind(statement), all: statement.all.bind(statement) }
          },
        }
      },
    })
    const submit = (id: string) => store.commit([{ id, put: [{ key: 'a', value: id }] }])
    const codes = await Promise.all(
      ['1', '2', '3'].map((id) => submit(id).catch(({ code }: StoreError) => code)),
    )
    expect(codes).toEqual(['disk_full', 'disk_full', 'disk_full'])
    expect([await store.head(), await everything(store)]).toEqual([0, []])
    expect(await submit('2')).toEqual([{ ok: true, rev: 1 }])
    await store.close()
  })
})

/*
 * Damages a copy of a realm, seed by seed, and asks it everything, in a process of its own. The engine has no checksums
 * of its pages: a damaged one may hide entries, which a check finds; no damage may show one that was never written.
 * PLINTH_DAMAGES=5000 tries more.
 */
const damages = Number(process.env['PLINTH_DAMAGES'] ?? 60)

const program = `
  import { readFileSync, rmSync, writeFileSync } from 'node:fs'
  import { isStoreError } from './src/store/index.ts'
  import { sqliteStore } from './src/store/sqlite/index.ts'

  const [directory, first, damages] = process.argv.slice(1)
  const whole = readFileSync(directory + '/pages.sqlite')
  const source = await sqliteStore(directory + '/pages.sqlite')
  const head = await source.head()
  const scan = (store, range) => store.read((view) => view.scan({ prefix: '', ...range }))
  const entries = await scan(source, {})
  const keys = entries.map(({ key }) => key)
  const questions = (store) => [
    () => store.head(),
    () => scan(store, {}),
    () => scan(store, { reverse: true }),
    () => scan(store, { after: keys[40], limit: 30 }),
    ...keys.filter((_, n) => n % 9 === 0).map((key) => () => store.read((view) => view.get([key]))),
    () => store.read((view) => view.get(['absent', 'job/absent', 'z'])),
    () => store.changes({ after: head - 40, prefixes: [''] }),
    () => store.changes({ after: head - 3, prefixes: [''] }),
    ...Array.from({ length: 8 }, (_, n) => () => store.commit([
      { id: 'more-' + n, expect: [{ key: 'new/' + n, rev: 0 }], put: [{ key: 'new/' + n, value: 'x'.repeat(n * 900) }] },
    ])),
    () => scan(store, { prefix: 'new/' }),
  ]
  const itemsOf = (answer) => [answer].flat().flatMap((each) => each?.put ?? each).map((each) => JSON.stringify(each))
  const ask = async (question) => JSON.stringify(await question())
  const right = []
  for (const question of questions(source)) right.push(await ask(question))
  const written = new Set(right.flatMap((answer) => itemsOf(JSON.parse(answer))))
  await source.close()
  for (let seed = Number(first); seed < Number(damages); seed += 1) {
    let state = seed * 7919 + 17
    const below = (n) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return Math.floor((state / 2 ** 32) * n)
    }
    below(1)
    const bytes = Buffer.from(whole)
    const page = below(10) === 0 ? below(2) : below(bytes.length / 4096)
    const kind = ['zeroed page', 'flipped bit', 'flipped bit of a header', 'noise'][seed % 4]
    const flip = (at) => { bytes[at] ^= 1 << below(8) }
    if (kind === 'zeroed page') bytes.fill(0, page * 4096, page * 4096 + 4096)
    else if (kind === 'noise') for (let n = 0; n < 512; n += 1) bytes[page * 4096 + (n ^ (seed & 2048))] = below(256)
    else flip(page * 4096 + below(kind === 'flipped bit' ? 4096 : page < 1 ? 160 : 80))
    const file = directory + '/damaged-' + seed + '.sqlite'
    writeFileSync(file, bytes)
    process.stdout.write(seed + ' ' + kind + ' in page ' + page + ': ')
    const faults = new Set()
    try {
      const store = await sqliteStore(file)
      const check = await store.check().catch((error) => ({ faults: [error.code] }))
      const asked = questions(store)
      for (const [n, question] of asked.entries())
        try {
          // The last question is about the commits before it, of which some may have been refused.
          const isKnown = n < asked.length - 1 || faults.size === 0
          const answer = await ask(question)
          if (!isKnown || answer === right[n]) continue
          const isInvented = itemsOf(JSON.parse(answer)).some((item) => !written.has(item))
          faults.add((isInvented ? 'WRONG ' : 'lacks some: ') + question)
        } catch (error) {
          faults.add(isStoreError(error) ? error.code : 'RAW ' + error)
        }
      if (faults.size > 0 && check.faults.length === 0) faults.add('UNSEEN by a check')
      await store.close()
    } catch (error) {
      faults.add(isStoreError(error) ? 'refused as ' + error.code : 'RAW ' + error)
    }
    console.log([...faults].join(', ') || 'fine')
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
  }
`

describe('the pages of a SQLite realm', () => {
  it('that are damaged show nothing that was not written, and a check finds them', async () => {
    const store = await open('pages', { remember: 100 })
    // Tables that have branches, values on pages of their own, and free pages.
    for (let n = 0; n < 300; n += 10)
      await store.commit(
        Array.from({ length: 10 }, (_, each) => ({
          id: `commit-${n + each}`,
          put: [
            { key: `job/${((n + each) * 37) % 211}`, value: { n, text: 'y'.repeat((n * 7) % 300) } },
            ...(each === 0 ? [{ key: `big/${n % 90}`, value: 'z'.repeat(6_000 + n) }] : []),
          ],
          touch: ['~'],
          del: each === 5 ? [`job/${n % 100}x`] : [],
        })),
      )
    await store.close()
    const node = ['--import', './scripts/ts-loader.mjs', '--input-type=module', '--eval', program]
    const lines: string[] = []
    while (lines.length < damages) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [...node, directory, String(lines.length), String(damages)],
        { cwd: join(import.meta.dirname, '../..'), maxBuffer: 2 ** 26 },
      ).catch((error: Error & { stdout?: string; stderr?: string }) => ({
        // libsql ends the process at text that is not UTF-8.
        stdout: `${error.stdout}${error.stderr?.includes('Utf8Error') ? 'ended by libsql, corrupt' : `ENDED ${error.stderr}`}`,
      }))
      lines.push(...stdout.trim().split('\n'))
    }
    expect(lines.filter((line) => /WRONG|RAW|UNSEEN|ENDED/.test(line))).toEqual([])
    expect(lines).toHaveLength(damages)
    // Of the pages, more than half are in use.
    expect(lines.filter((line) => / corrupt|foreign/.test(line)).length).toBeGreaterThan(damages / 4)
  })
})
