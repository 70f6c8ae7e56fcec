import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres from 'postgres'
import { etcdStore } from '../../src/store/etcd/index.ts'
import {
  type Commit,
  historyFaults,
  isStoreError,
  type Operation,
  type Store,
} from '../../src/store/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import type { Engine } from './engines.ts'
import type { Crew } from './run.ts'
import type { Line } from './server.ts'

const instant = () => Number(process.hrtime.bigint() / 1000n)

/** Stores of one realm, each in a process of its own, and the history of all their answers. */
export async function storeCrew(engine: Engine, count: number, seed: number): Promise<Crew> {
  const realm = 'faults'
  const crew = Array.from({ length: count }, (_, at) => server(engine, realm, at, seed))
  return {
    members: crew,
    end: async () => {
      await Promise.all(crew.map((each) => each.end()))
      const history = crew.flatMap((each) => each.history)
      const open = new Map(crew.flatMap((each) => [...each.open]))
      history.push(...(await settled(engine, realm, open)))
      return {
        answers: history.length,
        failures: crew.reduce((sum, each) => sum + each.failures(), 0),
        wrong: historyFaults(history),
        slowestMs: Math.max(...crew.map((each) => each.slowest())),
      }
    },
  }
}

/** A server process, and what it has told. */
function server(engine: Engine, realm: string, at: number, seed: number) {
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
    const args = [
      join(import.meta.dirname, 'server.ts'),
      engine.kind,
      engine.addressesOf(at).join(','),
      realm,
    ]
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
    acknowledges: () =>
      new Promise<number>((done) => {
        const [since, before] = [instant(), newest]
        heard = () => {
          if (newest > since && newest > before) done((instant() - since) / 1000)
        }
      }),
  }
}

/** The outcome of the commits of servers that were killed. */
async function settled(
  { kind, direct }: Engine,
  realm: string,
  open: ReadonlyMap<string, { readonly commit: Commit; readonly start: number }>,
): Promise<readonly Operation[]> {
  const sql = kind === 'etcd' ? undefined : postgres(direct.join(','), { max: 4, onnotice: () => undefined })
  const store: Store =
    sql === undefined ? await etcdStore(direct, { realm }) : await postgresStore(sql, { realm })
  const found: Operation[] = []
  for (const { commit, start } of open.values()) {
    const [verdict] = await insisted(store, { ...commit, again: true })
    if (verdict) found.push({ kind: 'commit', start, end: instant(), commit, verdict })
  }
  await store.close()
  await sql?.end()
  return found
}

/** The outcome of a commit, however long a busy database takes. */
async function insisted(store: Store, commit: Commit) {
  for (;;) {
    try {
      return await store.commit([commit])
    } catch (error) {
      if (!isStoreError(error, 'unknown', 'unreachable')) throw error
    }
  }
}
