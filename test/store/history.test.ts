import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coalesced, historyFaults, memoryStore, type Operation } from '../../src/store/index.ts'
import { clients } from './history.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'
import { type Workers, workers } from './processes.ts'

/*
 * Concurrent histories, checked by replaying acknowledgements in revision order.
 * PLINTH_HISTORIES=200 npx vitest run test/store/history.test.ts for more of them.
 */
const histories = Number(process.env['PLINTH_HISTORIES'] ?? 2)
const timeout = 600_000 + histories * 20_000

let crew: Workers
let server: PostgresServer
let directory = ''
beforeAll(async () => {
  crew = await workers()
  server = await postgresServer({ fsync: 'off' })
  directory = await mkdtemp(join(tmpdir(), 'plinth-history-'))
})
afterAll(async () => {
  await crew.remove()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Three processes of four clients each on one realm. */
const together = async (
  adapter: string,
  where: string,
  realm: string,
  seed: number,
  count: number,
): Promise<Operation[]> => {
  const crewed = [1, 2, 3].map((n) =>
    crew.start('history', adapter, where, realm, `p${n}`, `${seed * 10 + n}`, `${count}`),
  )
  const lines = await Promise.all(crewed.map((worker) => worker.finished()))
  return lines.flat().map((line) => JSON.parse(line) as Operation)
}

describe('concurrent histories', () => {
  it('of the memory store are strictly serializable', async () => {
    for (let seed = 1; seed <= histories * 10; seed += 1) {
      const store = coalesced(memoryStore())
      expect(historyFaults(await clients(store, { name: 'm', seed, count: 100, clients: 8 }))).toEqual([])
    }
  })

  it('of three processes on one SQLite file are strictly serializable', { timeout }, async () => {
    for (let seed = 1; seed <= histories; seed += 1) {
      const history = await together('sqlite', join(directory, 'a.sqlite'), `h${seed}`, seed, 150)
      expect(history.length).toBeGreaterThan(2000)
      expect(historyFaults(history)).toEqual([])
    }
  })

  it('of three processes on one PostgreSQL database are strictly serializable', { timeout }, async () => {
    const url = await server.database()
    for (let seed = 1; seed <= histories; seed += 1) {
      const history = await together('postgres', url, `h${seed}`, seed, 100)
      expect(history.length).toBeGreaterThan(1500)
      expect(historyFaults(history)).toEqual([])
    }
  })

  it('are refused by the checker when they are not', async () => {
    const history = await clients(memoryStore(), { name: 'm', seed: 1, count: 60 })
    expect(historyFaults(history)).toEqual([])
    const commits = history.filter((each) => each.kind === 'commit' && each.verdict.ok)
    const without = history.filter((each) => each !== commits[5])
    expect(historyFaults(without)).not.toEqual([])
    const reads = history.filter((each) => each.kind === 'scan' && each.found.length > 0)
    const lagging = history.map((each) =>
      each === reads[5] && each.kind === 'scan' ? { ...each, rev: each.rev - 1 } : each,
    )
    expect(historyFaults(lagging)).not.toEqual([])
    const late = history.map((each) =>
      each === commits[3] ? { ...each, start: each.start + 1e9, end: each.end + 1e9 } : each,
    )
    expect(historyFaults(late)).not.toEqual([])
  })
})
