import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import postgres from 'postgres'
import {
  collection,
  hub,
  keyOf,
  markOf,
  memoryStore,
  replica,
  type Store,
  saveRealm,
  table,
  transact,
} from '../src/store/index.ts'
import { emptyTree, setEntry } from '../src/store/memory/tree.ts'
import { postgresStore } from '../src/store/postgres/index.ts'
import { findDriver } from '../src/store/sqlite/driver.ts'
import { sqliteStore } from '../src/store/sqlite/index.ts'
import { postgresServer } from '../test/store/postgres-server.ts'

/*
 * What the stores cost, with the bare driver beside them in the same run: node --import ./scripts/ts-loader.mjs
 * bench/store.ts [memory] [sqlite] [postgres] [million]. Medians of three runs. Durable settings: SQLite
 * syncs before it answers, PostgreSQL runs with fsync and synchronous_commit on.
 */
const asked = process.argv.slice(2)
const wants = (name: string) => asked.length === 0 || asked.includes(name)
const value = (n: number) => ({ id: n, name: `record ${n}`, tags: ['a', 'b'], padding: 'x'.repeat(60) })

let ids = 0
const newId = () => {
  ids += 1
  return `b${ids}`
}

async function median(work: () => Promise<number> | number, runs = 3): Promise<number> {
  const found: number[] = []
  for (let run = 0; run < runs; run += 1) found.push(await work())
  return found.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN
}
/** The same for several, in turns: what slows the machine for a while slows each of them. */
async function mediansOf(works: readonly (() => Promise<number>)[], runs = 5): Promise<number[]> {
  const found: number[][] = works.map(() => [])
  for (let run = 0; run < runs; run += 1)
    for (const [at, work] of works.entries()) found[at]?.push(await work())
  return found.map((rates) => rates.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN)
}
/** Operations per second of processor time, garbage collection included: independent of other load on the machine. */
const cpuRate = async (count: number, work: (n: number) => unknown): Promise<number> => {
  const start = process.cpuUsage()
  for (let n = 0; n < count; n += 1) await work(n)
  const { user, system } = process.cpuUsage(start)
  return (count / (user + system)) * 1e6
}
/** Operations per second. */
const rate = async (count: number, work: (n: number) => unknown): Promise<number> => {
  const start = performance.now()
  for (let n = 0; n < count; n += 1) await work(n)
  return (count / (performance.now() - start)) * 1000
}
/** The same with many callers concurrently. */
const rateOf = async (
  callers: number,
  each: number,
  work: (n: number) => Promise<unknown>,
): Promise<number> => {
  const start = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let n = 0; n < each; n += 1) await work(caller * each + n)
    }),
  )
  return ((callers * each) / (performance.now() - start)) * 1000
}
const micros = (count: number, work: (n: number) => unknown): number => {
  const start = performance.now()
  for (let n = 0; n < count; n += 1) work(n)
  return ((performance.now() - start) / count) * 1000
}
const line = (what: string, figure: string, goal = '') =>
  console.log(what.padEnd(66), figure.padStart(16), goal)
const perSecond = (n: number) => `${Math.round(n).toLocaleString('en')}/s`

const put = (store: Store, n: number) =>
  store.commit([{ id: newId(), put: [{ key: keyOf('job', 'default', n), value: value(n) }] }])

async function memory(): Promise<void> {
  const commits = (measure: typeof rate) =>
    median(() => {
      const store = memoryStore()
      return measure(100_000, async (n) => {
        await put(store, (n * 7919) % 100_000)
        store.snapshot()
      })
    }, 3)
  line(
    'memory: commits of one put, a snapshot after each',
    perSecond(await commits(rate)),
    'goal ≥ 100,000/s',
  )
  line('  by processor time', perSecond(await commits(cpuRate)))
  const bare = await median(() => {
    let tree = emptyTree()
    return cpuRate(100_000, (n) => {
      const key = keyOf('job', 'default', (n * 7919) % 100_000)
      tree = tree.clone()
      setEntry(tree, { key, value: value(n), created: n, modified: n })
    })
  }, 3)
  line('  the bare tree: a copy and a set, by processor time', perSecond(bare))
  const marked = await median(() => {
    const store = memoryStore()
    return rate(50_000, (n) =>
      store.commit([
        {
          id: newId(),
          put: [{ key: keyOf('job', n), value: value(n) }],
          touch: [
            markOf('job'),
            markOf('job', 'default'),
            markOf('job', `pool-${n % 10}`),
            markOf('job', 'x'),
          ],
        },
      ]),
    )
  })
  line('memory: commits of one put and four touches', perSecond(marked))

  const jobs = collection<ReturnType<typeof value>>({ name: 'job', key: (job) => [job.id] })
  const store = memoryStore()
  const view = await replica(store, [jobs])
  for (let n = 0; n < 100_000; n += 50)
    await transact(view, newId, (tx) => {
      for (let at = n; at < n + 50; at += 1) tx.put(jobs, value(at))
    })
  line(
    'memory: transact of one record',
    perSecond(await median(() => rate(20_000, (n) => transact(view, newId, (tx) => tx.put(jobs, value(n)))))),
  )
  const now = view.stale()
  for (const [where, depth] of [
    ['at the beginning', 0],
    ['in the middle', 50_000],
    ['at the end', 99_800],
  ] as const) {
    const page = await median(() =>
      micros(5_000, (n) =>
        now.scan({ prefix: jobs.prefix, from: jobs.keyOf(depth + (n % 100)), limit: 100 }),
      ),
    )
    line(`memory: page of 100 out of 100,000, ${where}`, `${page.toFixed(1)} µs`, 'goal < 50 µs')
  }
  const rows = table(view, [jobs], (snapshot, id) => jobs.get(snapshot, id)?.value)
  const build = micros(1, () => rows.at(view.stale()))
  line('table: first read of 100,000 rows', `${(build / 1000).toFixed(0)} ms`)
  const read = rows.at(view.stale())
  line(
    'table: page of 100 at the end',
    `${(await median(() => micros(5_000, () => read.scan({ from: '000000000185d0', limit: 100 })))).toFixed(1)} µs`,
    'goal < 50 µs',
  )
  const plain = read.scan()
  const wanted = (row: { readonly id: number }) => row.id % 64 === 0
  const loop = () => {
    const found: unknown[] = []
    for (const row of plain) if (wanted(row)) found.push(row)
    return found
  }
  const chunks = () => {
    const found: unknown[] = []
    for (const run of read.chunks()) for (const row of run) if (wanted(row)) found.push(row)
    return found
  }
  const [byHand, byChunk] = [await median(() => micros(100, loop)), await median(() => micros(100, chunks))]
  line(
    'table: filter all rows chunk by chunk, against a loop over one array',
    `${(byChunk / byHand).toFixed(2)}×`,
    'goal ≤ 1.3×',
  )

  const polls = hub(view)
  const wake = await median(async () => {
    let woken = 0
    const after = store.snapshot().rev
    for (let n = 0; n < 10_000; n += 1) void polls.wait([markOf('job')], after).done.then(() => (woken += 1))
    const start = performance.now()
    await store.commit([{ id: newId(), touch: [markOf('job')] }])
    while (woken < 10_000) await undefined
    return performance.now() - start
  })
  line('hub: one write wakes 10,000 waiters', `${wake.toFixed(1)} ms`, 'goal < 5 ms')
}

async function sqlite(directory: string): Promise<void> {
  const bare = findDriver().open(join(directory, 'bare.sqlite'))
  bare.exec('pragma journal_mode = wal; pragma synchronous = full')
  bare.exec('create table bare (key text primary key, value text) without rowid')
  const upsert = bare.prepare(
    'insert into bare values (?, ?) on conflict do update set value = excluded.value',
  )
  const store = await sqliteStore(join(directory, 'bench.sqlite'))
  // Never the same value twice: the engine does not write unchanged values.
  bare.exec('create table bare_log (rev integer primary key, id text, keys text)')
  const [begin, commit] = [bare.prepare('begin immediate'), bare.prepare('commit')]
  const select = bare.prepare('select value from bare where key = ?')
  const append = bare.prepare('insert into bare_log (id, keys) values (?, ?)')
  /** The work of a commit. */
  const bareCommit = (n: number) => {
    begin.run()
    select.get('head')
    select.get(`k${n}`)
    upsert.run(`k${n}`, JSON.stringify({ ...value(n), id: newId() }))
    append.run(newId(), `["k${n}"]`)
    commit.run()
  }
  const [commitAlone = 0, bareAlone = 0, alone = 0] = await mediansOf(
    [
      () => rate(100, (n) => bareCommit(n % 500)),
      () => rate(100, (n) => upsert.run(`k${n % 500}`, JSON.stringify({ ...value(n), id: newId() }))),
      () => rate(100, (n) => put(store, n % 500)),
    ],
    25,
  )
  line('SQLite: commits one after another', perSecond(alone))
  line(
    '  the bare driver’s upsert',
    perSecond(bareAlone),
    `ratio ${(alone / bareAlone).toFixed(2)}, goal ≥ 0.8`,
  )
  line(
    '  the bare driver’s transaction of two selects, the upsert and a log',
    perSecond(commitAlone),
    `ratio ${(alone / commitAlone).toFixed(2)}`,
  )
  line(
    'SQLite: commits of 64 callers',
    perSecond(await median(() => rateOf(64, 100, (n) => put(store, n % 5000)))),
  )
  bare.close()
  await wakeUps('SQLite', store, await sqliteStore(join(directory, 'bench.sqlite')))
  await store.close()
}

async function wakeUps(name: string, mine: Store, theirs: Store): Promise<void> {
  const lags: number[] = []
  for (let n = 0; n < 200; n += 1) {
    const after = await mine.head()
    const waiting = mine.changes({ after, prefixes: [], waitMs: 5_000 })
    await new Promise((resolve) => setTimeout(resolve, 5 + (n % 7)))
    await theirs.commit([{ id: newId(), touch: [markOf('wake')] }])
    const acknowledged = performance.now()
    await waiting
    lags.push(performance.now() - acknowledged)
  }
  lags.sort((a, b) => a - b)
  line(
    `${name}: from ack to another handle’s wake-up, p50 and p99`,
    `${lags[100]?.toFixed(1)} / ${lags[197]?.toFixed(1)} ms`,
    'goal p50 < 50, p99 < 100 ms',
  )
  await theirs.close()
}

async function database(): Promise<void> {
  const server = await postgresServer()
  const url = await server.database()
  const options = { max: 10, onnotice: () => undefined }
  const sql = postgres(url, options)
  await sql`create table bare (key text primary key, value text not null)`
  const text = JSON.stringify(value(1))
  const upsert = (n: number) =>
    sql`insert into bare values (${`k${n}`}, ${text}) on conflict (key) do update set value = excluded.value`
  // The minimum work of a commit, as one function: count, log, and store the record.
  await sql.unsafe(`
    create table bare_count (rev bigint not null) with (fillfactor = 50);
    insert into bare_count values (0);
    create table bare_log (rev bigint primary key, id text not null unique, keys text[] not null,
      at timestamptz not null default now());
    create function bare_commit(new_id text, new_key text, new_value text) returns bigint language plpgsql as $$
    declare head bigint;
    begin
      update bare_count c set rev = c.rev + 1 returning c.rev into head;
      insert into bare values (new_key, new_value) on conflict (key) do update set value = excluded.value;
      insert into bare_log (rev, id, keys) values (head, new_id, array[new_key]);
      return head;
    end $$`)
  const bareCommit = (n: number) => sql`select bare_commit(${newId()}, ${`k${n}`}, ${text})`
  const store = await postgresStore(sql, { realm: 'bench' })
  const [upsertAlone = 0, commitAlone = 0, alone = 0] = await mediansOf([
    () => rate(300, (n) => upsert(n)),
    () => rate(300, (n) => bareCommit(n)),
    () => rate(300, (n) => put(store, n)),
  ])
  line('PostgreSQL: commits one after another', perSecond(alone), 'goal ≥ 1,000/s')
  line('  the bare driver’s upsert', perSecond(upsertAlone), `ratio ${(alone / upsertAlone).toFixed(2)}`)
  line(
    '  the bare driver’s call of a function that counts, logs and upserts',
    perSecond(commitAlone),
    `ratio ${(alone / commitAlone).toFixed(2)}`,
  )
  const [upsertMany = 0, many = 0] = await mediansOf([
    () => rateOf(64, 60, (n) => upsert(n % 2000)),
    () => rateOf(64, 200, (n) => put(store, n % 2000)),
  ])
  line('PostgreSQL: commits of 64 callers, coalesced', perSecond(many), 'goal ≥ 10,000/s')
  line('  the bare driver’s upsert', perSecond(upsertMany), `ratio ${(many / upsertMany).toFixed(2)}`)
  line('PostgreSQL: head', perSecond(await median(() => rate(1_000, () => store.head()))))
  line(
    'PostgreSQL: read of one key',
    perSecond(
      await median(() => rate(500, (n) => store.read((view) => view.get([keyOf('job', 'default', n)])))),
    ),
  )
  const other = postgres(url, options)
  await wakeUps('PostgreSQL with NOTIFY', store, await postgresStore(other, { realm: 'bench' }))
  const quiet = await postgresStore(sql, { realm: 'bench', notify: false })
  await wakeUps('PostgreSQL by polling', quiet, await postgresStore(other, { realm: 'bench', notify: false }))
  await Promise.all([store.close(), quiet.close()])
  await Promise.all([sql.end(), other.end()])
  await server.stop()
}

/** Resident memory without the pages of mapped files; all of it if the system does not report that. */
function ownMemory(): number {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return Number(kilobytes) * 1024
  } catch {
    return process.memoryUsage().rss
  }
}

/** The cost of a million records: with node --expose-gc, the memory of a record, too. */
async function million(directory: string): Promise<void> {
  const count = 1_000_000
  const used = () => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const timed = async <T>(what: string, goal: string, work: () => Promise<T>): Promise<T> => {
    const [start, cpu] = [performance.now(), process.cpuUsage()]
    const result = await work()
    const { user, system } = process.cpuUsage(cpu)
    const seconds = (performance.now() - start) / 1000
    line(what, `${seconds.toFixed(1)} s`, `${((user + system) / 1e6).toFixed(1)} s of processor time${goal}`)
    return result
  }
  const jobsWith = (values: 'held' | 'read') =>
    collection<ReturnType<typeof value>>({ name: 'job', key: (job) => [job.id], values })
  const file = join(directory, 'million.sqlite')
  const filled = await sqliteStore(file)
  const entries = async function* () {
    for (let n = 0; n < count; n += 1)
      yield { key: keyOf('job', n), value: value(n), created: n + 1, modified: n + 1 }
  }
  await timed('a million records: import into SQLite', '', () => filled.import(entries(), count))
  await filled.close()
  const store = await timed('  cold open', ', goal ≤ 3 s', () => sqliteStore(file))
  /*
   * The memory that a save needs shows when garbage is collected during it (--expose-gc); otherwise the garbage that V8
   * has not collected yet counts too, and V8 waits the longer, the larger the heap is. Pages of the mapped file are not
   * memory of the process: they are counted separately.
   */
  const saved = async () => {
    const resting = { heap: used(), own: ownMemory() }
    let pieces = 0
    const most = { heap: 0, held: 0, own: 0 }
    const write = (collects: boolean) => async () => {
      pieces += 1
      const { heapUsed, external } = process.memoryUsage()
      most.heap = Math.max(most.heap, heapUsed + external - resting.heap)
      most.own = Math.max(most.own, ownMemory() - resting.own)
      if (collects && pieces % 100 === 0) most.held = Math.max(most.held, used() - resting.heap)
      await nextTurn()
    }
    await timed('  saved as text', '', () => saveRealm(store, write(false)))
    const [heap, own] = [most.heap, most.own].map((bytes) => `${(bytes / 1e6).toFixed(0)} MB`)
    line('    its memory', `${heap} of heap`, `${own} of RSS without mapped files; goal ≤ 150 MB`)
    if (globalThis.gc === undefined) return
    await saveRealm(store, write(true))
    line('    what it holds at once', `${(most.held / 1e6).toFixed(1)} MB`)
  }
  await saved()
  for (const values of ['held', 'read'] as const) {
    const before = used()
    const view = await timed(`  a replica, its values ${values}`, '', () =>
      replica(store, [jobsWith(values)]),
    )
    const bytes = (used() - before) / count
    line('    a record takes', `${bytes.toFixed(0)} bytes`, values === 'read' ? 'goal ≤ 250' : '')
    await saved()
    await view.close()
  }
  await store.close()
}

// Waiting alone does not keep the process alive.
const alive = setInterval(() => undefined, 1000)
const directory = await mkdtemp(join(tmpdir(), 'plinth-bench-'))
try {
  if (wants('memory')) await memory()
  if (wants('sqlite')) await sqlite(directory)
  if (wants('postgres')) await database()
  if (wants('million')) await million(directory)
} finally {
  clearInterval(alive)
  await rm(directory, { recursive: true, force: true })
}
process.exit()
