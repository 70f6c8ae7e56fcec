import { describe, expect, it } from 'vitest'
import { createCatalog, fixedWindow } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { defineService, errorsArray } from '../../src/http/index.ts'
import { serve, toNodeListener } from '../../src/http/node/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets, devSecrets, httpProvider } from '../../src/secrets/index.ts'
import { coalesced, memoryBlobs, memoryStore, replica, sealed, sweeper } from '../../src/store/index.ts'
import { type PostgresJsClient, postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { testClock } from '../../src/testing/index.ts'

const blobs = memoryBlobs(() => ({ update: () => {}, digest: () => '' }))

const bare = {
  name: 'bare',
  routes: [],
  statusOf: {},
  dialect: errorsArray,
  context: () => ({}),
  newId: () => 'id',
}

/** A client that must not be asked. */
const deadClient: PostgresJsClient = {
  unsafe: () => Promise.reject(new Error('asked')),
  begin: () => Promise.reject(new Error('asked')),
  listen: () => Promise.reject(new Error('asked')),
}

const swept = (times: { everyMs?: number; leaseMs?: number; batch?: number }) => async () =>
  sweeper(await replica(memoryStore(), []), [], { name: 'none', ...times })

/** What programs without types give by leaving an argument out. */
const nothing = undefined as never

describe('an option that cannot be is refused, by its name and with what would be right', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a negative lease time',
      () => createSecrets({ defaultLeaseTtlSeconds: -5 }),
      'defaultLeaseTtlSeconds is -5: pass a whole number of seconds, 1 or more',
    ],
    [
      'a lease time that is no number',
      () => createSecrets({ maxLeaseTtlSeconds: Number.NaN }),
      'maxLeaseTtlSeconds is NaN: pass a whole number of seconds, 1 or more',
    ],
    [
      'a lease time without end',
      () => createSecrets({ maxLeaseTtlSeconds: Number.POSITIVE_INFINITY }),
      'maxLeaseTtlSeconds is Infinity: pass a whole number of seconds, 1 or more',
    ],
    [
      'a usual lease time above the longest',
      () => createSecrets({ defaultLeaseTtlSeconds: 60, maxLeaseTtlSeconds: 30 }),
      'defaultLeaseTtlSeconds is 60: it can be no more than maxLeaseTtlSeconds, 30',
    ],
    [
      'a body of no bytes',
      () => createSecrets({ maxBodyBytes: 0 }),
      'maxBodyBytes is 0: pass a number of bytes, 1 or more',
    ],
    [
      'bodies that no service can hold',
      () => createScheduler({ maxBufferedBytes: 0 }),
      'maxBufferedBytes is 0: pass a number of bytes, 1 or more',
    ],
    [
      'a number of bytes that is none',
      () => createCatalog({ maxBufferedBytes: Number.NaN }),
      'maxBufferedBytes is NaN: pass a number of bytes, 1 or more',
    ],
    [
      'a grace before it begins',
      () => createGateway({ graceMs: -1 }),
      'graceMs is -1: pass a number of milliseconds, 0 or more',
    ],
    [
      'heartbeats at no distance',
      () => createScheduler({ heartbeatTtlMs: 0 }),
      'heartbeatTtlMs is 0: pass a number of milliseconds, 1 or more',
    ],
    [
      'waits of a negative length',
      () => createScheduler({ waits: { defaultMs: 1000, maxMs: -1 } }),
      'waits.maxMs is -1: pass a number of milliseconds, 1 or more',
    ],
    [
      'collecting without a pause',
      () => createScheduler({ collect: { everyMs: 0 } }),
      'collect.everyMs is 0: pass a number of milliseconds, 1 or more',
    ],
    [
      'collecting what is not over yet',
      () => createScheduler({ collect: { jobsMs: Number.NaN } }),
      'collect.jobsMs is NaN: pass a number of milliseconds, 0 or more',
    ],
    [
      'uploads that may never begin',
      () => createCatalog({ blobs, uploads: { beginWithinSeconds: -1 } }),
      'uploads.beginWithinSeconds is -1: pass a number of seconds, 1 or more',
    ],
    [
      'a window without length',
      () => fixedWindow({ limit: 10, windowSeconds: 0 }),
      'windowSeconds is 0: pass a number of seconds, 1 or more',
    ],
    [
      'a text, even one that spells a number',
      // Programs without types can give it.
      () => createGateway({ graceMs: '5' as never }),
      'graceMs is "5": pass a number of milliseconds, 0 or more',
    ],
    [
      'a provider that is never waited for',
      () => httpProvider({ timeoutMs: 0 }),
      'timeoutMs is 0: pass a number of milliseconds, 1 or more',
    ],
    [
      'a service of no body at all',
      () => defineService({ ...bare, maxBodyBytes: 0 }),
      'maxBodyBytes is 0: pass a number of bytes, 1 or more',
    ],
    [
      'a store that remembers nothing',
      () => memoryStore({ remember: 0 }),
      'remember is 0: pass a number of commits, 1 or more',
    ],
    [
      'batches of no commits',
      () => coalesced(memoryStore(), { maxCommits: Number.NaN }),
      'maxCommits is NaN: pass a number of commits, 1 or more',
    ],
    [
      'batches of no bytes',
      () => coalesced(memoryStore(), { maxBytes: -1 }),
      'maxBytes is -1: pass a number of bytes, 1 or more',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(new RangeError(message))
  })

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a file that remembers nothing',
      () => sqliteStore('/nowhere/a.sqlite', { remember: Number.NaN }),
      'remember is NaN: pass a number of commits, 1 or more',
    ],
    [
      'looking for news without a pause',
      () => sqliteStore('/nowhere/a.sqlite', { pollMs: 0 }),
      'pollMs is 0: pass a number of milliseconds, 1 or more',
    ],
    [
      'asking a database for news without a pause',
      () => postgresStore(deadClient, { realm: 'r', pollMs: 0 }),
      'pollMs is 0: pass a number of milliseconds, 1 or more',
    ],
    [
      'a database that is never waited for',
      () => postgresStore(deadClient, { realm: 'r', settleMs: -1 }),
      'settleMs is -1: pass a number of milliseconds, 1 or more',
    ],
    [
      'a database that remembers half a commit',
      () => postgresStore(deadClient, { realm: 'r', remember: { commits: 0.5 } }),
      'remember.commits is 0.5: pass a whole number of commits, 1 or more',
    ],
    [
      'a database that remembers for ever',
      () => postgresStore(deadClient, { realm: 'r', remember: { seconds: Number.POSITIVE_INFINITY } }),
      'remember.seconds is Infinity: pass a whole number of seconds, 1 or more',
    ],
    [
      'sweeps without a pause',
      swept({ everyMs: 0 }),
      'everyMs is 0: pass a number of milliseconds, 1 or more',
    ],
    [
      'a lease that ends at once',
      swept({ leaseMs: Number.NaN }),
      'leaseMs is NaN: pass a number of milliseconds, 1 or more',
    ],
    ['sweeps of no record', swept({ batch: 0 }), 'batch is 0: pass a whole number of records, 1 or more'],
  ])('%s', async (_, make, message) => {
    await expect(make()).rejects.toThrow(new RangeError(message))
  })

  it.each<[string, () => unknown, string]>([
    [
      'a catalog whose images would die before its records',
      () => createCatalog({ store: memoryStore() }),
      'blobs is missing: images must live as long as the records in store, so pass await directoryBlobs(path)',
    ],
    [
      'a catalog with the path of its blobs',
      () => createCatalog({ blobs: '/var/blobs' as never }),
      'blobs is not a blob store: pass await directoryBlobs(path)',
    ],
    ...[createSecrets, createScheduler, createCatalog, createRegistry].flatMap((create) => {
      const open = async () => memoryStore()
      const no = [
        [
          'that is not open yet',
          open() as never,
          'store is a promise: await it, as in await sqliteStore(file)',
        ],
        [
          'by its path',
          './data' as never,
          'store is not a store: use memoryStore() of plinth/store, or await',
        ],
      ] as const
      return no.map(([what, store, message]): [string, () => unknown, string] => [
        `${create.name} with a store ${what}`,
        () => create({ store }),
        message,
      ])
    }),
    [
      'a clock that cannot be asked',
      () => createScheduler({ env: {} as never }),
      'env is object: pass a function',
    ],
    [
      'a listener for events that is none',
      () => createSecrets({ onEvent: 'log' as never }),
      'onEvent is string: pass a function',
    ],
    [
      'a catalog without a limit on waiting logins',
      () => createCatalog({ turnAway: 503 as never }),
      'turnAway is number: pass a function',
    ],
    [
      'a registry without an error listener',
      () => createRegistry({ onError: console as never }),
      'onError is object: pass a function',
    ],
    [
      'an unknown error dialect',
      () => createScheduler({ errors: 'nice' as never }),
      'errors is "nice": use one of "spec", "compat"',
    ],
    [
      'a role that no server has',
      () => createSecrets({ role: 'leader' as never }),
      'role is "leader": use one of "active", "standby", "performance-standby", "recovery-secondary"',
    ],
    [
      'a gateway whose health is no question',
      () => createGateway({ isUp: true as never }),
      'isUp is boolean: pass a function',
    ],
    [
      'a worker that dials an address',
      () => createGateway({ worker: { dial: 'wss://up' as never } }),
      'worker.dial is string: pass a function',
    ],
    [
      'a word for headers that is in no list',
      () => createScheduler({ words: 'Nomad' as never }),
      'words is string: pass a list of product words of header names',
    ],
    [
      'a listener that calls nothing',
      () => toNodeListener(nothing),
      'fetch is undefined: pass a function, such as the fetch of a service',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it.each<[string, () => Promise<unknown>, string]>([
    ['serving nothing', () => serve(nothing), 'fetch is undefined: pass a function'],
    ['serving without a handler', () => serve({} as never), 'fetch is undefined: pass a function'],
    [
      'serving a whole service',
      () => serve({ fetch: createGateway() as never }),
      'fetch is object: pass a function, such as the fetch of a service',
    ],
    [
      'a database without a client',
      () => postgresStore(nothing, { realm: 'r' }),
      'client is neither postgres nor pg: pass the result of postgres(…), or a Pool of pg',
    ],
    [
      'a database by its address',
      () => postgresStore('postgres://localhost' as never, { realm: 'r' }),
      'client is neither postgres nor pg',
    ],
    ['a database without options', () => postgresStore(deadClient, nothing), 'realm is missing: pass'],
    ['a database without a realm', () => postgresStore(deadClient, {} as never), 'realm is missing: pass'],
  ])('%s', async (_, make, message) => {
    await expect(make()).rejects.toThrow(TypeError)
    await expect(make()).rejects.toThrow(message)
  })

  const keyring = { seal: () => '', open: () => '' } as never
  it.each<[string, (options: object) => unknown, wrong: object, message: string]>([
    [
      'secrets',
      (options) => createSecrets(options),
      { stor: memoryStore() },
      'createSecrets has no option stor: did you mean store?',
    ],
    [
      'scheduler',
      (options) => createScheduler(options),
      { managmentToken: 'root' },
      'createScheduler has no option managmentToken: did you mean managementToken?',
    ],
    [
      'times of the scheduler',
      (options) => createScheduler(options),
      { waits: { maxMS: 1000 } },
      'createScheduler has no option waits.maxMS: did you mean waits.maxMs?',
    ],
    [
      'gateway',
      (options) => createGateway(options),
      { store: memoryStore() },
      'createGateway has no option store: it has consoleUrl, controller, env, graceMs, isUp, ',
    ],
    [
      'catalog',
      (options) => createCatalog({ blobs, ...options }),
      { baseURL: 'https://boxes.example.com' },
      'createCatalog has no option baseURL: did you mean baseUrl?',
    ],
    [
      'uploads of the catalog',
      (options) => createCatalog({ blobs, ...options }),
      { uploads: { seconds: 5 } },
      'createCatalog has no option uploads.seconds: it has uploads.beginWithinSeconds, uploads.finalizeWithinSeconds',
    ],
    [
      'registry',
      (options) => createRegistry(options),
      { autenticate: () => undefined },
      'createRegistry has no option autenticate: did you mean authenticate?',
    ],
    [
      'store in memory',
      (options) => memoryStore(options),
      { remembers: 5 },
      'memoryStore has no option remembers: did you mean remember?',
    ],
    [
      'batches',
      (options) => coalesced(memoryStore(), options),
      { maxCommit: 5 },
      'coalesced has no option maxCommit: did you mean maxCommits?',
    ],
    [
      'barrier',
      (options) => sealed(memoryStore(), keyring, options),
      { relm: 'main' },
      'sealed has no option relm: did you mean realm?',
    ],
  ])('of the %s, one that there is not', async (_, make, wrong, message) => {
    expect(() => make(wrong)).toThrow(TypeError)
    expect(() => make(wrong)).toThrow(message)
    // What a clock for tests has beside the time is no mistake.
    const made = make({ ...testClock() })
    if (typeof made === 'object' && made !== null && 'close' in made && typeof made.close === 'function')
      await made.close()
  })

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'secrets made for development',
      () => devSecrets({ rootTokn: 'root' } as never),
      'devSecrets has no option rootTokn: did you mean rootToken?',
    ],
    [
      'listener',
      () => serve({ fetch: () => new Response(), ...{ Port: 80 } }),
      'serve has no option Port: did you mean port?',
    ],
    [
      'key pair of the listener',
      () => serve({ fetch: () => new Response(), tls: { cert: '', key: '', ...{ ca: '' } } }),
      'serve has no option tls.ca: it has tls.cert, tls.key',
    ],
    [
      'file',
      () => sqliteStore('/nowhere/a.sqlite', { pollMS: 1 } as never),
      'sqliteStore has no option pollMS: did you mean pollMs?',
    ],
    [
      'database',
      () => postgresStore(deadClient, { realm: 'r', ...{ shema: 'x' } }),
      'postgresStore has no option shema: did you mean schema?',
    ],
    [
      'memory of the database',
      () => postgresStore(deadClient, { realm: 'r', remember: { commit: 5 } as never }),
      'postgresStore has no option remember.commit: did you mean remember.commits?',
    ],
    [
      'replica',
      () => replica(memoryStore(), [], { onErrors: () => {} } as never),
      'replica has no option onErrors: did you mean onError?',
    ],
    ['sweeper', swept({ batches: 5 } as never), 'sweeper has no option batches: did you mean batch?'],
  ])('of the %s, one that there is not', async (_, make, message) => {
    await expect(make()).rejects.toThrow(new TypeError(message))
  })

  it('options that are none', () => {
    expect(() => createScheduler('store' as never)).toThrow(
      'createScheduler: options is string: pass an object',
    )
    expect(() => createGateway(null as never)).toThrow('createGateway: options is null: pass an object')
  })

  it('a time to drain, when a listener closes', async () => {
    const listening = await serve({ fetch: () => new Response() })
    await expect(listening.close({ drainMs: Number.NaN })).rejects.toThrow('drainMs is NaN')
    await listening.close()
  })

  it.each(['boxes.example.com', 'https:///x', 'https://example.com/?a=1', 'ftp://example.com', ''])(
    'addresses that begin with %j',
    (baseUrl) => {
      const message = `baseUrl is ${JSON.stringify(baseUrl)}: use a scheme and a host, such as https://boxes.example.com, and the path of the service if it has one`
      expect(() => createCatalog({ blobs, baseUrl })).toThrow(new TypeError(message))
      expect(() => createRegistry({ baseUrl })).toThrow(new TypeError(message))
    },
  )

  it('no word at all for the identity-provider method', () => {
    const message = 'idpWords is empty: pass at least one, the word of the identity-provider method'
    expect(() => createSecrets({ idpWords: [] as unknown as [string] })).toThrow(new TypeError(message))
  })

  it('a grace given at shutdown, too', async () => {
    const gateway = createGateway()
    await expect(gateway.beginShutdown(Number.NaN)).rejects.toThrow('graceMs is NaN')
    expect(gateway.shutdown().phase).toBe('serving')
  })

  it('while the longest lease time alone lowers the usual one', async () => {
    const service = createSecrets({ maxLeaseTtlSeconds: 3600 })
    await service.close()
  })
})
