import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { cleanUp, folder, type Server, start } from './server.ts'

/*
 * Three servers on one SQLite file, killed and stopped in turns while clients write to each of them.
 * PLINTH_KILL_ROUNDS=200 for more rounds, with --testTimeout=0; the longest time from a kill to the first acknowledged write is printed then.
 */
const rounds = Number(process.env['PLINTH_KILL_ROUNDS'] ?? 6)

afterAll(cleanUp)

/** Which of the three end in a round, and how. */
const endings: readonly (readonly (NodeJS.Signals | undefined)[])[] = [
  ['SIGKILL', undefined, undefined],
  ['SIGKILL', 'SIGTERM', undefined],
  ['SIGKILL', 'SIGKILL', 'SIGKILL'],
  ['SIGTERM', undefined, 'SIGKILL'],
  ['SIGTERM', 'SIGTERM', 'SIGTERM'],
  [undefined, 'SIGKILL', 'SIGKILL'],
]

/** The writes of each client before the servers are ended. */
const writesOfRound = 8

it('three servers on one file lose nothing that was acknowledged, whichever of them are killed', async () => {
  const data = join(folder(), 'all.sqlite')
  const open = () => start('--only', 'secrets,scheduler', '--data', `sqlite:${data}`)
  const first = await open()
  const token = first.ready.secrets.rootToken ?? ''
  const servers: Server[] = [first, await open(), await open()]

  const secret = (server: Server, path: string, value?: number) =>
    fetch(`${server.ready.secrets.url}/v1/secret/data/${path}`, {
      headers: { 'x-secrets-token': token },
      ...(value === undefined ? {} : { method: 'POST', body: JSON.stringify({ data: { value } }) }),
    })
  const register = async (server: Server, turn: number): Promise<number> => {
    const Job = {
      ID: 'web',
      Meta: { turn: `${turn}` },
      TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'main' }] }],
    }
    const answer = await fetch(`${server.ready.scheduler.url}/v1/jobs`, {
      method: 'PUT',
      body: JSON.stringify({ Job }),
    })
    const { JobModifyIndex } = (await answer.json()) as { readonly JobModifyIndex: number }
    return answer.ok ? JobModifyIndex : Number.NaN
  }

  const acknowledged = new Map<string, number>()
  let index = 0
  let turn = 0
  let slowest = 0
  for (let round = 0; round < rounds; round += 1) {
    let isOver = false
    const counts = [0, 0, 0, 0]
    let enough = () => {}
    const written = new Promise<void>((resolve) => {
      enough = resolve
    })
    const count = (client: number) => {
      counts[client] = (counts[client] ?? 0) + 1
      if (counts.every((each) => each >= writesOfRound)) enough()
    }
    const clients = servers.map(async (server, client) => {
      for (let n = 0; !isOver; n += 1) {
        const path = `${round}-${client}-${n}`
        // A server that ends refuses, or breaks the connection.
        const answer = await secret(server, path, n).catch(() => undefined)
        if (answer?.ok !== true) return expect(isOver).toBe(true)
        acknowledged.set(path, n)
        count(client)
      }
    })
    const registering = async () => {
      while (!isOver) {
        turn += 1
        const server = servers[turn % 3]
        const answered = server && (await register(server, turn).catch(() => undefined))
        if (answered === undefined || Number.isNaN(answered)) return expect(isOver).toBe(true)
        expect(answered).toBeGreaterThan(index)
        index = answered
        count(3)
      }
    }
    const working = Promise.all([...clients, registering()])
    await Promise.race([written, working])
    isOver = true
    const ending = endings[round % endings.length] ?? []
    const ended = performance.now()
    await Promise.all(servers.map((server, at) => ending[at] && server.stop(ending[at])))
    await working
    await Promise.all(
      servers.map(async (_, at) => {
        if (ending[at]) servers[at] = await open()
      }),
    )
    const [reader] = servers
    if (reader === undefined) throw new Error('there are three servers')
    expect((await secret(reader, `first-${round}`, round)).ok).toBe(true)
    slowest = Math.max(slowest, performance.now() - ended)
    acknowledged.set(`first-${round}`, round)
    const isLast = round === rounds - 1
    for (const [path, value] of acknowledged) {
      if (!isLast && !path.startsWith(`${round}-`)) continue
      const answer = (await (await secret(reader, path)).json()) as {
        readonly data?: { readonly data: unknown }
      }
      expect([path, answer.data?.data]).toEqual([path, { value }])
    }
  }
  if (process.env['PLINTH_KILL_ROUNDS'] !== undefined)
    console.log(
      `${rounds} rounds, ${acknowledged.size} secrets and ${turn} registrations; slowest first write after a kill ${Math.round(slowest)} ms`,
    )
  await Promise.all(servers.map((server) => server.stop()))
})
