import { median } from '../measure.ts'
import { connectTo } from './client.ts'
import { oneRound, type Pace, type Round } from './over-sockets.ts'
import { type Running, start } from './processes.ts'
import type { Row } from './rows.ts'

/** What a kv2 read costs with an audit file and without: medians over the rounds. */
export interface Audited {
  /** The server's processor time for a read, in microseconds. */
  readonly cpu: { readonly without: number; readonly audited: number }
  readonly perSecond: { readonly without: number; readonly audited: number }
  /** Processor time with the file over that without, of the same round. */
  readonly ratio: number
}

/** Runs two servers in turn, one of which writes an audit file; both end with the same reads. */
export async function audited(row: Row, pace: Pace): Promise<Audited> {
  const servers: Running[] = []
  const against = async (name: string): Promise<(ms: number) => Promise<Round>> => {
    const server = await start('plinth', name)
    servers.push(server)
    const client = await connectTo(server.port, row)
    return (ms) => oneRound(server, client, ms)
  }
  try {
    const without = await against('kv2-read')
    const withFile = await against('kv2-read-audited')
    const inTurn = async (ms: number) => ({ without: await without(ms), audited: await withFile(ms) })
    await inTurn(pace.warmupMs)
    const rounds: Awaited<ReturnType<typeof inTurn>>[] = []
    while (rounds.length < pace.rounds) rounds.push(await inTurn(pace.ms))
    const of = (figure: (round: Round) => number) => ({
      without: median(rounds.map((each) => figure(each.without))),
      audited: median(rounds.map((each) => figure(each.audited))),
    })
    return {
      cpu: of(({ perCpuSecond }) => 1e6 / perCpuSecond),
      perSecond: of(({ perSecond }) => perSecond),
      ratio: median(rounds.map((each) => each.without.perCpuSecond / each.audited.perCpuSecond)),
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
