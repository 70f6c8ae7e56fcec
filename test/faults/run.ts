import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres from 'postgres'
import { etcdStore } from '../../src/store/etcd/index.ts'
import { type Commit, historyFaults, type Operation, type Store } from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { seededRandom } from '../../src/testing/index.ts'
import { type Engine, etcdEngine, type Fault, postgresEngine } from './engines.ts'
import type { Line } from './server.ts'

/** What came of a run. */
export interface FaultRun {
  /** How many faults were made, how many answers and how many failures there were. */
  readonly made: number
  readonly answers: number
  readonly failures: number
  /** Faults of the history: none if it is strictly serializable. */
  readonly wrong: readonly string[]
  /** The longest that a call took, answered or not, in milliseconds. */
  readonly slowestMs: number
  /** The longest from the end of a fault to the next acknowledged write of each server. */
  readonly recoveryMs: number
  /** The same for connections that lost bytes, which only time limits replace. */
  readonly tornRecoveryMs: number
}

const servers = 3
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
const instant = () => Number(process.hrtime.bigint() / 1000n)

/**
 * Runs three servers on one realm while faults come one after the other, and checks the history of all their answers.
 *
 * @param print - told the seed, each fault and what came of it
 */
export async function runFaults(
  kind: 'etcd' | 'postgres',
  options: { readonly seed: number; readonly faults: number; readonly longestMs: number },
  print: (line: string) => void,
): Promise<FaultRun> {
  const random = seededRandom(options.seed)
  const engine = await (kind === 'etcd' ? etcdEngine : postgresEngine)(servers)
  const realm = 'faults'
  const crew = Array.from({ length: servers }, (_, at) => server(engine, kind, realm, at, options.seed))
  const killed: Fault[] = crew.map((each, at) => ({
    name: `server ${at}: killed`,
    begin: each.kill,
    end: each.start,
  }))
  const all = [...engine.faults, ...killed]
  let [recoveryMs, tornRecoveryMs, made] = [0, 0, 0]
  try {
    await Promise.all(crew.map((each) => each.acknowledges(instant())))
    for (; made < options.faults; made += 1) {
      const fault = all[Math.floor(random() * all.length)] as Fault
      const lasts = Math.max(fault.leastMs ?? 0, 200 + Math.floor(random() * options.longestMs))
      await fault.begin()
      await pause(lasts)
      await fault.end()
      const ended = instant()
      const times = await Promise.all(crew.map((each) => each.acknowledges(ended)))
      // How long a process takes to start is not the database's affair.
      const longest = Math.max(...times.filter((_, at) => fault !== killed[at]))
      if (fault.leastMs === undefined) recoveryMs = Math.max(recoveryMs, longest)
      else tornRecoveryMs = Math.max(tornRecoveryMs, longest)
      print(
        `${made + 1}. ${fault.name}, ${lasts} ms; writes again after ${times.map((ms) => Math.round(ms)).join(', ')} ms`,
      )
      await pause(200)
    }
    await Promise.all(crew.map((each) => each.end()))
    const history = crew.flatMap((each) => each.history)
    const open = new Map(crew.flatMap((each) => [...each.open]))
    history.push(...(await settled(kind, engine.direct, realm, open)))
    return {
      made,
      answers: history.length,
      failures: crew.reduce((sum, each) => sum + each.failures(), 0),
      wrong: historyFaults(history),
      slowestMs: Math.max(...crew.map((each) => each.slowest())),
      recoveryMs,
      tornRecoveryMs,
    }
  } finally {
    for (const each of crew) await each.kill()
    await engine.stop()
  }
}

/** A server process, and what it has told. */
function server(engine: Engine, kind: string, realm: string, at: number, seed: number) {
  const history: Operation[] = []
  /** Commits without an answer. */
  const open = new Map<string, { readonly commit: Commit; readonly start: number }>()
  let child: ChildProcess | undefined
  let [starts, failures, slowest, newest] = [0, 0, 0, 0]
  let heard = () => {}
  const hear = (line: Line) => {
    if ('submitted' in line) open.set(line.submitted.id, { commit: line.submitted, start: instant() })
    else if ('failed' in line) {
      failures += 1
      slowest = Math.max(slowest, line.ms)
    } else {
      const { answered } = line
      history.push(answered)
      if (answered.kind !== 'commit') {
        slowest = Math.max(slowest, (answered.end - answered.start) / 1000)
        return
      }
      open.delete(answered.commit.id)
      newest = Math.max(newest, answered.start)
      heard()
    }
  }
  const start = () => {
    starts += 1
    const args = [join(import.meta.dirname, 'server.ts'), kind, engine.addressesOf(at), realm]
    const loader = pathToFileURL(resolve('scripts/ts-loader.mjs')).href
    const started = spawn(
      process.execPath,
      ['--import', loader, ...args, `s${at}-${starts}`, String(seed * 10 + at + starts * 100)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    child = started
    let rest = ''
    started.stdout.on('data', (bytes: Buffer) => {
      const parts = (rest + bytes.toString()).split('\n')
      rest = parts.pop() ?? ''
      for (const part of parts) hear(JSON.parse(part) as Line)
    })
  }
  const closed = async (act: (child: ChildProcess) => unknown) => {
    const ending = child
    child = undefined
    if (ending === undefined) return
    const ended = new Promise((done) => ending.once('close', done))
    act(ending)
    await ended
  }
  start()
  return {
    history,
    open,
    failures: () => failures,
    slowest: () => slowest,
    start,
    kill: () => closed((each) => each.kill('SIGKILL')),
    end: () => closed((each) => each.stdin?.write('end\n')),
    /** Resolves with the milliseconds until a write that began after an instant is acknowledged. */
    acknowledges: (since: number) =>
      new Promise<number>((done) => {
        const before = newest
        heard = () => {
          if (newest > since && newest > before) done((instant() - since) / 1000)
        }
      }),
  }
}

/** The outcome of the commits of servers that were killed. */
async function settled(
  kind: string,
  addresses: string,
  realm: string,
  open: ReadonlyMap<string, { readonly commit: Commit; readonly start: number }>,
): Promise<readonly Operation[]> {
  const sql = kind === 'etcd' ? undefined : postgres(addresses, { max: 4, onnotice: () => undefined })
  const store: Store =
    sql === undefined ? await etcdStore(addresses.split(','), { realm }) : await postgresStore(sql, { realm })
  const found: Operation[] = []
  for (const { commit, start } of open.values()) {
    const [verdict] = await store.commit([{ ...commit, again: true }])
    if (verdict) found.push({ kind: 'commit', start, end: instant(), commit, verdict })
  }
  await store.close()
  await sql?.end()
  return found
}
