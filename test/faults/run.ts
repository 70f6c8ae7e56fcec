import { seededRandom } from '../../src/testing/index.ts'
import { etcdEngine, type Fault, postgresEngine } from './engines.ts'
import { serviceCrew } from './service-crew.ts'
import { storeCrew } from './store-crew.ts'

/** What came of the requests of a crew. */
export interface Found {
  /** How many answers and how many failures there were. */
  readonly answers: number
  readonly failures: number
  /** What must not be; none if the history is strictly serializable, or nothing acknowledged was lost. */
  readonly wrong: readonly string[]
  /** The longest that a call took, answered or not, in milliseconds. */
  readonly slowestMs: number
}

/** What came of a run. */
export interface FaultRun extends Found {
  /** How many faults were made. */
  readonly made: number
  /** The longest from the end of a fault to the next acknowledged write of each server. */
  readonly recoveryMs: number
  /** The same for connections that lost bytes, which only time limits replace. */
  readonly tornRecoveryMs: number
}

/** Processes on an engine, under load. */
export interface Crew {
  readonly members: readonly {
    readonly kill: () => Promise<unknown>
    readonly start: () => unknown
    /** Resolves with the milliseconds until a write that begins from now on is acknowledged. */
    readonly acknowledges: () => Promise<number>
  }[]
  /** Ends the load, and tells what it saw. */
  readonly end: () => Promise<Found>
}

/** What runs on the engine: stores alone, or whole servers with the secrets service and the scheduler. */
export type Level = 'store' | 'services'

const servers = 3
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/**
 * Runs three servers on one database while faults come one after the other, and checks all their answers.
 *
 * @param print - told each fault and what came of it
 */
export async function runFaults(
  kind: 'etcd' | 'postgres',
  level: Level,
  options: { readonly seed: number; readonly faults: number; readonly longestMs: number },
  print: (line: string) => void,
): Promise<FaultRun> {
  const random = seededRandom(options.seed)
  const engine = await (kind === 'etcd' ? etcdEngine : postgresEngine)(servers)
  let crew: Crew | undefined
  try {
    crew = await (level === 'store' ? storeCrew : serviceCrew)(engine, servers, options.seed)
    const { members } = crew
    const killed: Fault[] = members.map(({ kill, start }, at) => ({
      name: `server ${at}: killed`,
      begin: async () => void (await kill()),
      end: async () => {
        await start()
      },
    }))
    const all = [...engine.faults, ...killed]
    let [recoveryMs, tornRecoveryMs, made] = [0, 0, 0]
    await Promise.all(members.map((each) => each.acknowledges()))
    for (; made < options.faults; made += 1) {
      const fault = all[Math.floor(random() * all.length)] as Fault
      const lasts = Math.max(fault.leastMs ?? 0, 200 + Math.floor(random() * options.longestMs))
      await fault.begin()
      await pause(lasts)
      await fault.end()
      const times = await Promise.all(members.map((each) => each.acknowledges()))
      // How long a process takes to start is not the database's affair.
      const longest = Math.max(...times.filter((_, at) => fault !== killed[at]))
      if (fault.leastMs === undefined) recoveryMs = Math.max(recoveryMs, longest)
      else tornRecoveryMs = Math.max(tornRecoveryMs, longest)
      print(
        `${made + 1}. ${fault.name}, ${lasts} ms; writes again after ${times.map((ms) => Math.round(ms)).join(', ')} ms`,
      )
      await pause(200)
    }
    return { made, recoveryMs, tornRecoveryMs, ...(await crew.end()) }
  } finally {
    for (const each of crew?.members ?? []) await each.kill()
    await engine.stop()
  }
}
