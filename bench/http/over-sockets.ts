import { median } from '../measure.ts'
import { type Client, connectTo } from './client.ts'
import { answerOf, type Running, start } from './processes.ts'
import type { Row } from './rows.ts'

/** The length of a run, the runs of each server, and the length of the warm-up before them. */
export interface Pace {
  readonly ms: number
  readonly rounds: number
  readonly warmupMs: number
}

/** The rate of Plinth over that of another server. */
export interface Ratio {
  readonly perSecond: number
  /** Per second of the server's CPU time, which ignores what else the machine does. */
  readonly perCpuSecond: number
}

/** The result of one row: medians over its rounds. */
export interface Measured {
  readonly perSecond: { readonly [Kind in 'bare' | 'plinth' | 'fastify']: number }
  readonly besideBare: Ratio
  readonly besideFastify: Ratio
  /** CPU seconds of the client per second of the bare server's runs. */
  readonly client: number
}

/** The result of one run against one server. */
export interface Round {
  readonly perSecond: number
  readonly perCpuSecond: number
  readonly client: number
}

/** Runs the three servers in turn, so that a change in the machine's speed affects all of them. */
export async function overSockets(name: string, row: Row, pace: Pace): Promise<Measured> {
  const servers: Running[] = []
  const clients: Client[] = []
  const join = async (server: Running): Promise<(ms: number) => Promise<Round>> => {
    servers.push(server)
    const client = await connectTo(server.port, row, { from: 1 })
    clients.push(client)
    return (ms) => oneRound(server, client, ms)
  }
  try {
    const plinth = await start('plinth', name)
    const first = await join(plinth)
    const answer = await answerOf(plinth.port, row.ask(0))
    const runs = {
      bare: await join(await start('bare', name, answer)),
      plinth: first,
      fastify: await join(await start('fastify', name, answer)),
    }
    const inTurn = async (ms: number) => ({
      bare: await runs.bare(ms),
      plinth: await runs.plinth(ms),
      fastify: await runs.fastify(ms),
    })
    await inTurn(pace.warmupMs)
    const rounds: Awaited<ReturnType<typeof inTurn>>[] = []
    while (rounds.length < pace.rounds) rounds.push(await inTurn(pace.ms))
    const ratio = (to: 'bare' | 'fastify'): Ratio => ({
      perSecond: median(rounds.map((each) => each.plinth.perSecond / each[to].perSecond)),
      perCpuSecond: median(rounds.map((each) => each.plinth.perCpuSecond / each[to].perCpuSecond)),
    })
    const perSecond = (kind: keyof typeof runs) => median(rounds.map((each) => each[kind].perSecond))
    return {
      perSecond: { bare: perSecond('bare'), plinth: perSecond('plinth'), fastify: perSecond('fastify') },
      besideBare: ratio('bare'),
      besideFastify: ratio('fastify'),
      client: median(rounds.map(({ bare }) => bare.client)),
    }
  } finally {
    for (const client of clients) client.close()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** Runs a client for `ms` milliseconds or `most` requests, and measures the CPU time of both sides. */
export async function oneRound(
  server: Running,
  client: Client,
  ms: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Round> {
  const before = await server.cpu()
  const own = process.cpuUsage()
  const { requests, seconds } = await client.run({ ms, requests: most })
  const { user, system } = process.cpuUsage(own)
  const used = (await server.cpu()) - before
  return {
    perSecond: requests / seconds,
    perCpuSecond: (requests / used) * 1e6,
    client: (user + system) / 1e6 / seconds,
  }
}
