import { type ChildProcess, fork } from 'node:child_process'
import postgres from 'postgres'
import { collection, replica, type Store, transact } from '../src/store/index.ts'
import { postgresStore } from '../src/store/postgres/index.ts'
import { postgresServer } from '../test/store/postgres-server.ts'
import { median, printTable } from './measure.ts'

/*
 * What more processes on one PostgreSQL add: node --import ./scripts/ts-loader.mjs bench/scale.ts [seconds a phase].
 * Each process has a replica and 16 callers of its own. A read waits for the newest state and takes a page of 20
 * records; a write decides on one of 2,000 records and commits it. Everything shares the machine: on few cores, compare
 * the processor time, not the rates.
 */
const callers = 16
const records = 2_000

interface Phase {
  /** The share of writes, from 0 to 1; undefined leaves the process idle. */
  readonly writes: number | undefined
  readonly seconds: number
}
interface Done {
  readonly reads: number
  readonly writes: number
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

/** A server process: follows the realm, and runs the commands of its parent. */
async function serve(url: string): Promise<void> {
  const sql = postgres(url, { max: 10, onnotice: () => undefined })
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
  const run = async ({ writes, seconds }: Phase): Promise<Done> => {
    lags = []
    const cpu = process.cpuUsage()
    const done = { reads: 0, writes: 0, decisions: 0 }
    const end = now() + seconds * 1_000
    const call = async () => {
      while (writes !== undefined && now() < end)
        if (Math.random() < writes) {
          const id = String(Math.floor(Math.random() * records))
          await transact(view, newId, (tx) => {
            done.decisions += 1
            const count = (tx.get(items, id)?.value.count ?? 0) + 1
            tx.put(items, { id, count, at: now(), by: me, padding: 'x'.repeat(200) })
          })
          done.writes += 1
        } else {
          const page = (await view.fresh()).scan({ prefix: items.prefix, limit: 20 })
          if (page.length > 20) throw new Error('a page is too long')
          done.reads += 1
        }
    }
    await Promise.all(Array.from({ length: callers }, call))
    if (writes === undefined) await new Promise((resolve) => setTimeout(resolve, end - now()))
    const { user, system } = process.cpuUsage(cpu)
    return { ...done, cpuMs: (user + system) / 1_000, lags }
  }
  process.on('message', (phase: Phase) => void run(phase).then((done) => process.send?.(done)))
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}

const next = <T>(child: ChildProcess) =>
  new Promise<T>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)))
  })
const together = (children: readonly ChildProcess[], phase: (at: number) => Phase): Promise<Done[]> =>
  Promise.all(
    children.map((child, at) => {
      const done = next<Done>(child)
      child.send(phase(at))
      return done
    }),
  )
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
const at = (numbers: readonly number[], share: number) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN

async function measure(processes: number, seconds: number): Promise<string[]> {
  const server = await postgresServer()
  const url = await server.database()
  const children: ChildProcess[] = []
  try {
    for (let n = 0; n < processes; n += 1) {
      const child = fork(import.meta.filename, ['serve', url])
      await next(child)
      children.push(child)
    }
    await together(children, () => ({ writes: 0.5, seconds: 1 }))
    const oneWrites = await together(children, (n) => ({ writes: n === 0 ? 1 : undefined, seconds }))
    const [writer, ...followers] = oneWrites
    const commits = writer?.writes ?? 0
    const perCommit = (done: Done | undefined) => ((done?.cpuMs ?? 0) * 1_000) / commits
    const followed = median(followers.map(perCommit))
    const lags = followers.flatMap((done) => done.lags)
    const mixes = [0.1, 0.9].map((writes) => () => together(children, () => ({ writes, seconds })))
    const cells: string[] = []
    for (const mix of mixes) {
      const done = await mix()
      const [reads, writes, decisions] = (['reads', 'writes', 'decisions'] as const).map((name) =>
        sum(done.map((each) => each[name])),
      ) as [number, number, number]
      cells.push(
        ((reads + writes) / seconds).toFixed(0),
        (writes / seconds).toFixed(0),
        `${(((decisions - writes) / writes) * 100).toFixed(1)} %`,
      )
    }
    const ofFollowers =
      followers.length === 0
        ? ['–', '–', '–']
        : [
            `${followed.toFixed(0)} µs`,
            (followed / perCommit(writer)).toFixed(2),
            `${at(lags, 0.5).toFixed(1)} / ${at(lags, 0.99).toFixed(1)} ms`,
          ]
    return [
      String(processes),
      (commits / seconds).toFixed(0),
      `${perCommit(writer).toFixed(0)} µs`,
      ...ofFollowers,
      ...cells,
    ]
  } finally {
    for (const child of children) child.disconnect()
    await server.stop()
  }
}

if (process.argv[2] === 'serve') await serve(process.argv[3] ?? '')
else {
  const seconds = Number(process.argv[2] ?? 5)
  const rows: string[][] = [
    [
      'processes',
      'one writes: commits/s',
      'CPU a commit',
      'CPU a commit, follower',
      'ratio',
      'decision to follower p50/p99',
      '10 % writes: requests/s',
      'commits/s',
      'retries',
      '90 % writes: requests/s',
      'commits/s',
      'retries',
    ],
  ]
  for (const processes of [1, 2, 4]) rows.push(await measure(processes, seconds))
  printTable(rows)
}
