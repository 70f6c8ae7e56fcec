import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/store/index.ts'
import { type PostgresClient, postgresJsSettings, postgresStore } from '../../src/store/postgres/index.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'
import { tcpProxy } from './tcp-proxy.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await postgresServer({ fsync: 'off' })
})
afterAll(() => server.stop())

/** A pool as a user makes it, who does not listen for what it tells. */
const newPool = (address: string) => {
  const pool = new pg.Pool({ connectionString: address, max: 6 })
  onTestFinished(() => endPool(pool))
  return pool
}
const endPool = (pool: pg.Pool) => {
  // Its connections hear the server stop before they have closed.
  pool.on('error', () => undefined)
  return pool.end()
}
const newSql = (address: string) => {
  const sql = postgres(address, { max: 6, onnotice: () => undefined, backoff: () => 0.05 })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}
/** Only a notification ends a wait: the polling interval is ten minutes. */
const open = (client: PostgresClient) =>
  postgresStore(client, { realm: 'r', pollMs: 600_000, settleMs: 30_000 })

let commits = 0
const touch = (store: Store) => {
  commits += 1
  return store.commit([{ id: `c${commits}`, touch: ['~\u0001k'] }])
}

/** Commits by one store until a wait of the other has heard of it. */
async function hears(listener: Store, speaker: Store): Promise<void> {
  let heard = false
  const after = await listener.head()
  const waiting = listener.changes({ after, prefixes: ['~'], waitMs: 600_000 }).then(({ put }) => {
    heard = put.length > 0
  })
  while (!heard) {
    await touch(speaker)
    await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 50))])
  }
}

describe.each([
  ['pg', newPool],
  ['postgres.js', newSql],
] as const)('a restart of the server, under a store over %s', (_, newClient) => {
  it('ends no process, though all connections were idle; commits and hints go on', async () => {
    const address = await server.database()
    const [store, other] = [await open(newClient(address)), await open(newClient(address))]
    await Promise.all(Array.from({ length: 4 }, () => touch(store)))
    await hears(other, store)
    const before = await store.head()
    await server.kill()
    await server.start()
    expect(await touch(store)).toEqual([{ ok: true, rev: before + 1 }])
    await hears(other, store)
    await hears(store, other)
    await Promise.all([store.close(), other.close()])
  })
})

describe.each([
  ['pg', newPool],
  [
    'postgres.js with its settings',
    (address: string) => {
      const sql = postgres(address, { max: 6, onnotice: () => undefined, ...postgresJsSettings() })
      onTestFinished(() => sql.end({ timeout: 1 }))
      return sql
    },
  ],
] as const)('connections that carry nothing any more, under a store over %s', (_, newClient) => {
  it('are replaced once a statement got no answer', async () => {
    const address = await server.database()
    const link = await tcpProxy(Number(new URL(address).port))
    onTestFinished(() => link.close())
    const client = newClient(address.replace(/:\d+\//, `:${link.port}/`))
    const store = await postgresStore(client, { realm: 'r', notify: false, settleMs: 1_000 })
    await Promise.all(Array.from({ length: 4 }, () => store.read(async (view) => view.get(['a']))))
    await touch(store)
    link.set('torn')
    await expect(touch(store)).rejects.toMatchObject({ code: 'unknown' })
    link.set('open')
    let isOk = false
    while (!isOk)
      isOk = await touch(store).then(
        ([verdict]) => verdict?.ok === true,
        () => false,
      )
    // None that was given up is lent for ever: the end of the pool would wait for it.
    if (client instanceof pg.Pool) await expect.poll(() => client.totalCount - client.idleCount).toBe(0)
    await store.close()
  })
})

const clients = [
  [
    'pg',
    (address: string) => new pg.Pool({ connectionString: address, max: 1 }),
    (pool: unknown) => endPool(pool as pg.Pool),
  ],
  [
    'postgres.js',
    (address: string) => postgres(address, { max: 1, onnotice: () => undefined, backoff: () => 0.05 }),
    (sql: unknown) => (sql as postgres.Sql).end({ timeout: 1 }),
  ],
] as const
describe.each(clients)('a transaction over %s whose connection breaks', (_, newClient, end) => {
  /** A store over one connection, and a restart after which others have used it again. */
  const over = async () => {
    const client = newClient(await server.database())
    onTestFinished(async () => void (await end(client)))
    const store = await postgresStore(client, { realm: 'r', notify: false, settleMs: 30_000 })
    const restart = async () => {
      await server.kill()
      await server.start()
    }
    return { store, restart }
  }
  const failure = (asked: Promise<unknown>) =>
    asked.then(
      () => 'done',
      (error: { readonly code?: string }) => error.code,
    )

  it('between two questions ends the import, of which nothing is left', async () => {
    const { store, restart } = await over()
    const heads: number[] = []
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const entries = async function* () {
      try {
        for (let at = 0; at < 9_000; at += 1) {
          if (at === 5_000) {
            await restart()
            const head = store.head().then((found) => heads.push(found))
            // Over one connection the question waits for the import, or is answered over it by now.
            await Promise.race([head, new Promise((resolve) => setTimeout(resolve, 500))])
          }
          yield { key: `k${at}`, value: 1, created: 1, modified: 1 }
        }
      } finally {
        end()
      }
    }
    expect(['unknown', 'unreachable']).toContain(await failure(store.import(entries(), 9)))
    await ended
    await expect.poll(() => heads).toEqual([0])
    expect(await store.read((view) => view.scan({ prefix: '' }))).toEqual([])
    await store.import(
      (async function* () {
        yield { key: 'k', value: 1, created: 1, modified: 1 }
      })(),
      9,
    )
    expect(await store.head()).toBe(9)
    await store.close()
  })

  it('between two questions ends the read', async () => {
    const { store, restart } = await over()
    await touch(store)
    let restarted: Promise<void> | undefined
    const reading = store.read(async (view) => {
      restarted = restart()
      await restarted
      return view.scan({ prefix: '' })
    })
    expect(await failure(reading)).toBe('unreachable')
    await restarted
    expect(await touch(store)).toEqual([{ ok: true, rev: 2 }])
    await store.close()
  })

  it('during a question ends it', async () => {
    const { store, restart } = await over()
    await touch(store)
    let restarted: Promise<void> | undefined
    const reading = store.read(async (view) => {
      restarted = restart()
      for (;;) await view.scan({ prefix: '' })
    })
    expect(await failure(reading)).toBe('unreachable')
    await restarted
    expect(await touch(store)).toEqual([{ ok: true, rev: 2 }])
    await store.close()
  })
})

describe('a pool of pg', () => {
  const listeners = (pool: pg.Pool) => pool.listenerCount('error')

  it('has one listener for losses while stores stand on it, and none afterwards', async () => {
    const address = await server.database()
    const pool = newPool(address)
    const stores = await Promise.all(['a', 'b'].map((realm) => postgresStore(pool, { realm, notify: false })))
    expect(listeners(pool)).toBe(1)
    await stores[0]?.close()
    await stores[0]?.close()
    expect(listeners(pool)).toBe(1)
    await stores[1]?.close()
    expect(listeners(pool)).toBe(0)
  })

  it('has none when no store could be opened on it', async () => {
    const pool = newPool(`${server.url}/none`)
    await expect(postgresStore(pool, { realm: 'r' })).rejects.toThrow('does not exist')
    expect(listeners(pool)).toBe(0)
  })

  it('gets its connection for hints back when that breaks', async () => {
    const pool = newPool(await server.database())
    const store = await open(pool)
    await server.kill()
    await server.start()
    await store.head()
    await store.close()
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
  })
})
