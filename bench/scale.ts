import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import postgres from 'postgres'
import { collection, replica, type Store, transact } from '../src/store/index.ts'
import { postgresJsSettings, postgresStore } from '../src/store/postgres/index.ts'
import { postgresServer } from '../test/store/postgres-server.ts'
import { printTable } from './measure.ts'

/*
 * What more servers on one PostgreSQL bring: node --import ./scripts/ts-loader.mjs bench/scale.ts [seconds a phase].
 * Each server has a replica and 16 callers: a write decides on one of 2,000 records and commits it; a default read waits
 * for the newest state and takes a page of 20 records. The database is pinned to one core and each server to one of the
 * others: compare processor time for each operation, not the rates. Linux only: it reads /proc.
 */
const callers = 16
const records = 2_000

type Work = 'write' | 'read'
interface Phase {
  readonly work: Work
  readonly callers: number
  readonly seconds: number
}
interface Done {
  readonly operations: number
  /** Decisions made, of which all beyond the writes were retries. */
  readonly decisions: number
  readonly cpuMs: number
  /** From the decision of another process until its commit is in the local replica, in milliseconds. */
  readonly lags: readonly number[]
}

interface Item {
  readonly id: string
  readonly count: number
  readonly at: number
  readonly by: number
  readonly padding: string
}
const items = collection<Item>({ name: 'item', key: ({ id }) => [id] })
const now = () => performance.timeOrigin + performance.now()

/** A server process: follows the realm, and runs the phases of its parent. */
async function serve(url: string): Promise<void> {
  const sql = postgres(url, { max: 10, onnotice: () => undefined, ...postgresJsSettings() })
  const store: Store = await postgresStore(sql, { realm: 'scale' })
  const view = await replica(store, [items])
  const me = process.pid
  let lags: number[] = []
  view.onChange((_, keys) => {
    const seen = view.stale()
    for (const key of keys) {
      const item = seen.get(key)?.value as Item | null | undefined
      if (item && item.by !== me && item.at > 0) lags.push(now() - item.at)
    }
  })
  let ids = 0
  const newId = () => `${me}-${++ids}`
  const run = async ({ work, callers: own, seconds }: Phase): Promise<Done> => {
    lags = []
    const cpu = process.cpuUsage()
    const done = { operations: 0, decisions: 0 }
    const end = now() + seconds * 1_000
    const operations = {
      write: async () => {
        const id = String(Math.floor(Math.random() * records))
        await transact(view, newId, (tx) => {
          done.decisions += 1
          const count = (tx.get(items, id)?.value.count ?? 0) + 1
          tx.put(items, { id, count, at: now(), by: me, padding: 'x'.repeat(200) })
        })
      },
      read: async () => {
        const page = (await view.fresh()).scan({ prefix: items.prefix, limit: 20 })
        if (page.length > 20) throw new Error('a page is too long')
      },
    }
    const call = async () => {
      for (; now() < end; done.operations += 1) await operations[work]()
    }
    await Promise.all(Array.from({ length: own }, call))
    const { user, system } = process.cpuUsage(cpu)
    return { ...done, cpuMs: (user + system) / 1_000, lags }
  }
  process.on('message', (phase: Phase) => void run(phase).then((done) => process.send?.(done)))
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}

const cores = cpus().length
/** The cores of the servers: all but the first, which is the database's. */
const coreOf = (server: number) => (cores === 1 ? 0 : 1 + (server % (cores - 1)))

/** The processor time of the processes below another one, in milliseconds; those that ended count with their parent. */
function cpuMsBelow(parent: number): number {
  let ticks = 0
  for (const pid of [...childrenOf(parent), parent]) {
    // utime and stime, and for the parent cutime and cstime (proc(5)).
    ticks += sum(timesOf(pid).slice(11, pid === parent ? 15 : 13))
  }
  return ticks * 10
}
const childrenOf = (parent: number): readonly number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)
/** The fields of a process after its name; none if it has ended, as workers of autovacuum do. */
const timesOf = (pid: number): readonly number[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number)
  } catch {
    return []
  }
}

const next = <T>(child: ChildProcess) =>
  new Promise<T>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)))
  })
const together = (children: readonly ChildProcess[], work: Work, seconds: number): Promise<Done[]> =>
  Promise.all(
    children.map((child) => {
      const done = next<Done>(child)
      child.send({ work, seconds, callers } satisfies Phase)
      return done
    }),
  )
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
const at = (numbers: readonly number[], share: number) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN

async function measure(servers: number, seconds: number): Promise<string[]> {
  const database = await postgresServer()
  const url = await database.database()
  const pid = Number(execFileSync('pgrep', ['-of', `port=${new URL(url).port}`], { encoding: 'utf8' }).trim())
  execFileSync('taskset', ['-pc', '0', String(pid)])
  const children: ChildProcess[] = []
  try {
    for (let n = 0; n < servers; n += 1) {
      const program = [process.execPath, ...process.execArgv, import.meta.filename, 'serve', url]
      const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
      const child = spawn('taskset', ['-c', String(coreOf(n)), ...program], { stdio: [...stdio] })
      await next(child)
      children.push(child)
    }
    // Warm, and every record exists.
    await together(children, 'write', 2)
    const cells = [String(servers)]
    for (const work of ['write', 'read'] as const) {
      const before = cpuMsBelow(pid)
      const done = await together(children, work, seconds)
      const [operations, cpuMs] = [sum(done.map((each) => each.operations)), cpuMsBelow(pid) - before]
      const each = (ms: number) => `${((ms * 1_000) / operations).toFixed(0)} µs`
      cells.push((operations / seconds).toFixed(0), each(cpuMs), each(sum(done.map((one) => one.cpuMs))))
      if (work === 'read') continue
      const lags = done.flatMap((one) => one.lags)
      const decisions = sum(done.map((one) => one.decisions))
      cells.push(
        servers === 1 ? '–' : `${at(lags, 0.5).toFixed(0)} / ${at(lags, 0.99).toFixed(0)} ms`,
        `${(((decisions - operations) / operations) * 100).toFixed(1)} %`,
      )
    }
    return cells
  } finally {
    for (const child of children) child.disconnect()
    await database.stop()
  }
}

if (process.argv[2] === 'serve') await serve(process.argv[3] ?? '')
else {
  const seconds = Number(process.argv[2] ?? 5)
  console.log(`${cores} cores: the database on the first, the servers on the others`)
  const rows: string[][] = [
    [
      'servers',
      'writes/s',
      'database, a write',
      'servers, a write',
      'decision to follower p50/p99',
      'retries',
      'reads/s',
      'database, a read',
      'servers, a read',
    ],
  ]
  for (const servers of [1, 2, 3, 4]) rows.push(await measure(servers, seconds))
  printTable(rows)
}
