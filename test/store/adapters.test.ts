import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hub,
  keyOf,
  markOf,
  memoryStore,
  replica,
  restoreRealm,
  type Store,
  type StoreError,
  saveRealm,
} from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

let server: PostgresServer
let directory = ''
let sql: postgres.Sql
let url = ''
beforeAll(async () => {
  server = await postgresServer({ fsync: 'off' })
  url = await server.database()
  sql = postgres(url, { max: 6, onnotice: () => undefined })
  directory = await mkdtemp(join(tmpdir(), 'plinth-adapters-'))
})
afterAll(async () => {
  await sql.end()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

const everything = (store: Store) => store.read((view) => view.scan({ prefix: '' }))

describe('a realm moves', () => {
  it('from memory to one file, to PostgreSQL and back, and no revision falls', async () => {
    const memory = memoryStore()
    for (let n = 0; n < 3000; n += 1)
      await memory.commit([
        {
          id: `c${n}`,
          put: [{ key: keyOf('k', n % 2100, '😀'), value: { n, text: 'é "quoted" \\ \u0000 \ud800' } }],
          touch: [markOf('k')],
        },
      ])
    const wanted = await everything(memory)
    const stores: Store[] = [
      memory,
      await sqliteStore(join(directory, 'a.sqlite'), { realm: 'moved' }),
      await postgresStore(sql, { realm: 'moved' }),
      memoryStore(),
    ]
    for (const [at, store] of stores.entries()) {
      const from = stores[at - 1]
      if (from === undefined) continue
      const pieces: string[] = []
      expect(await saveRealm(from, (text) => pieces.push(text))).toBe(3000)
      expect(await restoreRealm(store, pieces)).toBe(3000)
      expect(await everything(store)).toEqual(wanted)
    }
    for (const store of stores) {
      expect(await store.commit([{ id: 'after', touch: [markOf('k')] }])).toEqual([{ ok: true, rev: 3001 }])
      const before = await store.changes({ after: 2999, prefixes: [] }).then(
        () => 'remembered',
        (error: StoreError) => error.code,
      )
      expect(before).toBe(store === memory ? 'remembered' : 'compacted')
      await store.close()
    }
  })
})

describe('many processes behave as one', () => {
  it('a blocking query of one wakes with the commit of another', async () => {
    const other = postgres(url, { max: 4, onnotice: () => undefined })
    for (const [mine, theirs] of [
      [await postgresStore(sql, { realm: 'woken' }), await postgresStore(other, { realm: 'woken' })],
      [await sqliteStore(join(directory, 'a.sqlite')), await sqliteStore(join(directory, 'a.sqlite'))],
    ] as const) {
      const view = await replica(mine, ['job'])
      const polls = hub(view)
      for (let n = 0; n < 20; n += 1) {
        const after = (await view.fresh()).rev
        const woken = polls.wait([markOf('job')], after)
        await theirs.commit([
          { id: `w${n}`, put: [{ key: keyOf('job', n), value: n }], touch: [markOf('job')] },
        ])
        await woken.done
        // What woke the waiter is in the replica already.
        expect(view.stale().get(keyOf('job', n))?.value).toBe(n)
      }
      polls.close()
      await view.close()
      await Promise.all([mine.close(), theirs.close()])
    }
    await other.end()
  })
})
