import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { crashConformance, historyConformance, memoryStore, type Store } from '../../../src/store/index.ts'
import { commandOf, etcd, needing } from '../../programs.ts'
import { type EtcdCluster, etcdCluster } from '../etcd-server.ts'
import { type PostgresServer, postgresServer } from '../postgres-server.ts'
import { overEtcd, overPostgres, sqlite } from './open-adapter.ts'

/*
 * The suites of several processes over the adapters. PLINTH_CRASH_ROUNDS=1000 for a night of kills.
 */
const rounds = Number(process.env['PLINTH_CRASH_ROUNDS'] ?? 3) * 8

let server: PostgresServer
let cluster: EtcdCluster | undefined
let directory = ''
beforeAll(async () => {
  server = await postgresServer({ fsync: 'off' })
  directory = await mkdtemp(join(tmpdir(), 'plinth-processes-'))
  process.env['PLINTH_TEST_STORES'] = directory
  process.env['PLINTH_TEST_POSTGRES'] = await server.database()
  if (commandOf(etcd) !== undefined) cluster = await etcdCluster()
  process.env['PLINTH_TEST_ETCD'] = cluster?.urls[0]
})
afterAll(async () => {
  await server.stop()
  await cluster?.stop()
  await rm(directory, { recursive: true, force: true })
})

const module = resolve(import.meta.dirname, 'open-adapter.ts')
const nodeFlags = ['--import', pathToFileURL(resolve('scripts/ts-loader.mjs')).href]

for (const [adapter, ...described] of [
  [sqlite, ...needing('SQLite, in several processes')],
  [overPostgres, ...needing('PostgreSQL, in several processes')],
  [overEtcd, ...needing('etcd, in several processes', etcd)],
] as const)
  describe(...described, () => {
    const realms = new WeakMap<Store, string>()
    const open = async (realm: string) => {
      const store = await adapter(realm)
      realms.set(store, realm)
      return store
    }
    const peer = (store: Store) => open(realms.get(store) ?? '')
    const harness = { test, peer, module, export: adapter.name, nodeFlags, rounds, neighbours: 1 }
    crashConformance(open, harness)
    historyConformance(open, harness)
  })

describe('the suites of several processes', () => {
  const collected = () => {
    const cases = new Map<string, () => Promise<void>>()
    return { cases, test: (sentence: string, run: () => Promise<void>) => cases.set(sentence, run) }
  }

  it('say what they need', () => {
    expect(() => crashConformance(async () => memoryStore(), { test })).toThrow(/needs `module`/)
  })

  it('tell what a child process complained of', async () => {
    const { cases, test: collect } = collected()
    crashConformance(async () => memoryStore(), { test: collect, module, export: 'none', nodeFlags })
    const [run] = cases.values()
    await expect(run?.()).rejects.toThrow(/a child process ended with 1: .*open/s)
  })

  it('find a store that keeps nothing when its process dies', async () => {
    const { cases, test: collect } = collected()
    const harness = { test: collect, module, export: 'memory', nodeFlags, rounds: 8 }
    crashConformance(async () => memoryStore(), harness)
    const [run] = cases.values()
    await expect(run?.()).rejects.toThrow(/which was acknowledged at \d+: got null/)
  })
})
