import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Entry, replica, restoreRealm, type Store, saveRealm } from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { postgresServer } from './postgres-server.ts'
import { type Workers, workers } from './processes.ts'
import { openDatabase } from './sqlite-driver.ts'

let crew: Workers
let directory = ''
beforeAll(async () => {
  crew = await workers()
  directory = await mkdtemp(join(tmpdir(), 'plinth-import-'))
})
afterAll(async () => {
  await crew.remove()
  await rm(directory, { recursive: true, force: true })
})

const open = (name: string) => sqliteStore(join(directory, `${name}.sqlite`))
const entry = (key: string): Entry => ({ key, value: 1, created: 1, modified: 1 })
/** Entries, and what happens before each thousandth of them. */
async function* many(count: number, meanwhile: (at: number) => unknown = () => {}): AsyncIterable<Entry> {
  for (let at = 0; at < count; at += 1) {
    if (at % 1000 === 0) await meanwhile(at)
    yield entry(`k${at}`)
  }
}
async function* ofKeys(given: readonly string[]): AsyncIterable<Entry> {
  for (const key of given) yield entry(key)
}
const keys = (store: Store) =>
  store.read(async (view) => (await view.scan({ prefix: '' })).map(({ key }) => key))
const code = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error: { readonly code?: string }) => error.code,
  )
const isNotWhole = async (store: Store) => {
  const commit = store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
  const changes = store.changes({ after: 0, prefixes: [''] })
  expect(await Promise.all([store.head(), keys(store), commit, changes].map(code))).toEqual(
    Array.from({ length: 4 }, () => 'locked'),
  )
}

describe('an import into SQLite', () => {
  it.each([1, 3, 9])(
    'that is killed after %i batches leaves a realm that cannot be opened, until another import fills it',
    async (batches) => {
      const file = join(directory, `killed-${batches}.sqlite`)
      const worker = crew.start('import', 'sqlite', file, 'main', 'half')
      await Promise.race([
        worker.failed,
        new Promise<void>((resolve) => {
          worker.onLine((line) => (Number(line) > batches * 2_000 ? resolve() : undefined))
        }),
      ])
      await worker.kill()
      const store = await sqliteStore(file)
      await isNotWhole(store)
      await expect(store.head()).rejects.toThrow(
        /is incomplete: an import is in progress, or was interrupted/,
      )
      await store.import(many(3), 7)
      expect([await store.head(), await keys(store)]).toEqual([7, ['k0', 'k1', 'k2']])
      await store.close()
    },
  )

  it('keeps few entries in memory, and shows how far it has come', async () => {
    const [from, to] = [await open('from'), await open('to')]
    await from.import(many(20_000), 20_000)
    const text: string[] = []
    await saveRealm(from, (piece) => text.push(piece))
    const other = openDatabase(to.path)
    const count = other.prepare('select count(*) as count from entries')
    const waiting: number[] = []
    await restoreRealm(to, text, {
      onProgress: ({ entries: read }) => {
        waiting.push(read - Number((count.get() as { count: number }).count))
      },
    })
    expect(waiting.length).toBeGreaterThan(15)
    expect(Math.max(...waiting)).toBeLessThanOrEqual(2_000)
    expect((await keys(to)).length).toBe(20_000)
    other.close()
    await Promise.all([from.close(), to.close()])
  })

  it('takes keys in any order, and fills the pages of the file when they come in order', async () => {
    const all = Array.from({ length: 30_000 }, (_, at) => `key ${String(at * 7_919).padStart(9, '0')}`)
    const scattered = all.map((_, at) => all[(at * 12_347) % all.length] ?? '')
    // In order up to a point, and then no longer.
    const begun = [...all.slice(0, 10_000), ...all.slice(20_000), ...all.slice(10_000, 20_000)]
    const sizes: number[] = []
    for (const [at, order] of [all, scattered, begun].entries()) {
      const store = await sqliteStore(join(directory, `order-${at}.sqlite`))
      await store.import(ofKeys(order), 1)
      expect(await keys(store)).toEqual(all)
      sizes.push((await stat(store.path)).size)
      await store.close()
    }
    const [ordered = 0, unordered = 0] = sizes
    expect(ordered).toBeLessThan(0.8 * unordered)
  })

  it.each([
    ['in a row', 'abbc'],
    ['after later ones', 'abca'],
  ])('refuses a key that comes twice, %s', async (_, given) => {
    const store = await open(given)
    await expect(store.import(ofKeys([...given]), 1)).rejects.toThrow(/imported twice: "[ab]"/)
    expect([await store.head(), await keys(store)]).toEqual([0, []])
    await store.close()
  })

  it('blocks other readers and writers until it is complete', async () => {
    const [store, other] = [await open('busy'), await open('busy')]
    await store.import(
      many(5_000, () => isNotWhole(other)),
      5_000,
    )
    expect((await keys(other)).length).toBe(5_000)
    expect(await other.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])).toEqual([
      { ok: true, rev: 5_001 },
    ])
    await Promise.all([store.close(), other.close()])
  })

  it('ends waits for changes once it is complete', async () => {
    const [store, other] = [await open('news'), await open('news')]
    const news = other.changes({ after: 0, prefixes: [''], waitMs: 600_000 }).catch(({ code: why }) => why)
    await store.import(
      many(5_000, () => new Promise((resolve) => setTimeout(resolve, 15))),
      5_000,
    )
    // It cannot be told change by change.
    expect(await news).toBe('compacted')
    await Promise.all([store.close(), other.close()])
  })

  it('gives way to one that begins later, of which nothing is lost', async () => {
    const [store, other] = [await open('twice'), await open('twice')]
    let later: Promise<void> | undefined
    const first = store.import(
      many(9_000, (at) => {
        if (at === 4_000) later = other.import(many(10), 10)
        return later
      }),
      9_000,
    )
    // Whole before the first went on: it is refused, and leaves the realm alone.
    expect(await code(first)).toBe('locked')
    expect([await store.head(), (await keys(store)).length]).toEqual([10, 10])
    await Promise.all([store.close(), other.close()])
  })

  it('leaves the followers of its own store at the empty realm until it is complete', async () => {
    const store = await open('followed')
    const errors: unknown[] = []
    const seen: unknown[] = []
    const view = await replica(store, [''], { onError: (error) => errors.push(error) })
    await store.import(
      many(5_000, async () => {
        const { rev } = await view.fresh()
        seen.push(rev, await store.changes({ after: 0, prefixes: [''], waitMs: 1 }))
      }),
      5_000,
    )
    const empty = { rev: 0, put: [], gone: [], more: false }
    expect(seen).toEqual(Array.from({ length: 5 }, () => [0, empty]).flat())
    expect((await view.fresh()).scan({ prefix: '' }).length).toBe(5_000)
    expect(errors).toEqual([])
    await view.close()
    await store.close()
  })
})

describe('an import into PostgreSQL', () => {
  it('whose server dies leaves the realm empty, and another import fills it', async () => {
    const server = await postgresServer()
    onTestFinished(() => server.stop())
    const sql = postgres(await server.database(), {
      max: 4,
      onnotice: () => undefined,
      backoff: () => 0.05,
    })
    onTestFinished(() => sql.end({ timeout: 1 }))
    const store = await postgresStore(sql, { realm: 'r' })
    for (const dies of [1_000, 9_000]) {
      const seen: unknown[] = []
      const importing = store.import(
        many(20_000, async (at) => {
          if (at === dies - 1_000) seen.push(await store.head(), await keys(store))
          if (at === dies) await server.kill()
        }),
        20_000,
      )
      expect(await code(importing)).toBe('unreachable')
      expect(seen).toEqual([0, []])
      await server.start()
      // The client's connections broke with the server: a question may still meet one of them.
      const asked = async () => [await store.head(), await keys(store)]
      await expect.poll(() => asked().catch(({ code: why }) => why)).toEqual([0, []])
    }
    await store.import(many(3), 7)
    expect([await store.head(), await keys(store)]).toEqual([7, ['k0', 'k1', 'k2']])
    await store.close()
  })
})
