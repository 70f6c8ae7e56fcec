/**
 * The job scheduler on the memory store: registrations beside their bare commits, a job of many task groups, what
 * placing costs by the size of jobs and clusters, pages of
 * 100 out of 100,000 jobs against hand-written loops over the same rows, what HTTP adds, and long polls.
 * Run: `node --import ./scripts/ts-loader.mjs bench/scheduler.ts`
 */
import { setMaxListeners } from 'node:events'
import {
  createScheduler,
  type Job,
  JobSpec,
  type JobSummary,
  jobStub,
  NodeRecord,
} from '../src/scheduler/index.ts'
import { type Commit, memoryStore } from '../src/store/index.ts'
import { measure, median, printTable, time } from './measure.ts'
import { benchClusters, benchCounts, benchRegistrations } from './scheduler/placing.ts'

/** Registrations, one after the other, and as a baseline their commits on a store without a scheduler. */
async function benchRegistering(): Promise<void> {
  const registered = 10_000
  const body = (n: number) => ({
    ID: `job-${n}`,
    Name: `job-${n}`,
    TaskGroups: [{ Name: 'web', Tasks: [{ Name: 'main', Driver: 'exec' }] }],
  })
  // Created again for every round, because stored objects are frozen.
  const specs = () => Array.from({ length: registered }, (_, n) => JobSpec.parse(body(n)))
  const bodies = Array.from({ length: registered }, (_, n) => JSON.stringify({ Job: body(n) }))
  const inner = memoryStore()
  const commits: Commit[] = []
  const recording = createScheduler({
    store: {
      ...inner,
      commit: (batch) => {
        commits.push(...batch)
        return inner.commit(batch)
      },
    },
  })
  for (const spec of specs()) await recording.registerJob(spec)
  await recording.close()

  const times: { [Way in 'method' | 'fetch' | 'commits']: number[] } = { method: [], fetch: [], commits: [] }
  const timed = async (way: keyof typeof times, run: () => Promise<void>) => {
    const start = process.hrtime.bigint()
    await run()
    times[way].push(Number(process.hrtime.bigint() - start) / registered)
  }
  const warmups = 2
  for (let round = 0; round < warmups + 5; round += 1) {
    const fresh = specs()
    const copies = structuredClone(commits)
    const [called, asked, bare] = [
      createScheduler({ store: memoryStore() }),
      createScheduler({ store: memoryStore() }),
      memoryStore(),
    ]
    await timed('method', async () => {
      for (const spec of fresh) {
        const answer = await called.registerJob(spec)
        if (!answer.ok) throw new Error(answer.refusal.message)
      }
    })
    await timed('commits', async () => {
      for (const commit of copies) {
        await bare.commit([commit])
        bare.snapshot()
      }
    })
    await timed('fetch', async () => {
      for (const text of bodies) {
        const request = new Request('http://localhost/v1/jobs', { method: 'POST', body: text })
        const response = await asked.fetch(request)
        if (response.status !== 200) throw new Error(await response.text())
      }
    })
    await called.close()
    await asked.close()
    if (round < warmups) for (const each of Object.values(times)) each.length = 0
  }
  const perSecond = (way: keyof typeof times) => `${Math.round(1e9 / median(times[way]))}/s`
  const over = (way: keyof typeof times) =>
    `${(median(times[way]) / median(times.commits)).toFixed(1)}× its bare commit`
  printTable([
    ['register, one after the other (median of 5)', 'jobs', ''],
    ['method', perSecond('method'), over('method')],
    ['fetch, Request included', perSecond('fetch'), over('fetch')],
    ['the same commits on the bare store', perSecond('commits'), ''],
  ])
}

/** A job of many task groups on few nodes: the cost of one group, compared with a small job. */
async function benchGroups(): Promise<void> {
  const room = { Cpu: { CpuShares: 10_000_000 }, Memory: { MemoryMB: 10_000_000 } }
  const nodes = Array.from({ length: 4 }, (_, n) => NodeRecord.parse({ ID: `n${n}`, NodeResources: room }))
  const placed = async (groups: number) => {
    const placing = createScheduler({ store: memoryStore(), place: true, simulate: true })
    await placing.load({ nodes })
    const TaskGroups = Array.from({ length: groups }, (_, n) => ({ Name: `g${n}`, Tasks: [{ Name: 't' }] }))
    const start = process.hrtime.bigint()
    await placing.registerJob(JobSpec.parse({ ID: 'wide', TaskGroups }))
    await placing.settled()
    const elapsed = Number(process.hrtime.bigint() - start) / groups
    await placing.close()
    return elapsed
  }
  await placed(100)
  const [few, many] = [[] as number[], [] as number[]]
  for (let round = 0; round < 3; round += 1) {
    few.push(await placed(250))
    many.push(await placed(2000))
  }
  const ratio = (median(many) / median(few)).toFixed(1)
  console.log(
    `\na task group placed, in a job of 250: ${time(median(few))}; in one of 2,000: ${time(median(many))}, ${ratio}× (linear: 1)\n`,
  )
}

await benchRegistering()
await benchGroups()
await benchCounts()
await benchClusters()
await benchRegistrations()

const total = Number(process.env['ROWS'] ?? 100_000)
const teams = ['infra', 'data', 'web'] as const

const records = Array.from({ length: total }, (_, n) => ({
  ID: `job-${String(n).padStart(7, '0')}`,
  Priority: 1 + (n % 100),
  Meta: { team: teams[n % 3] ?? 'infra', shard: String(n % 64) },
  Status: n % 5 === 0 ? 'dead' : 'running',
}))

const scheduler = createScheduler({ store: memoryStore() })
const started = process.hrtime.bigint()
const loaded = await scheduler.load({ jobs: records })
if (!loaded.ok) throw new Error(loaded.refusal.message)
await scheduler.listJobs({ perPage: 1 })
console.log(`${total} jobs loaded and first listed in ${time(Number(process.hrtime.bigint() - started))}`)

const every = await scheduler.listJobs()
if (!every.ok) throw new Error(every.refusal.message)
/** The rows as a hand-written program would hold them: whole jobs in order, each with its summary. */
const full: (Job & { readonly JobSummary: JobSummary | null })[] = []
for (const { ID, JobSummary } of every.value) {
  const job = await scheduler.readJob(ID)
  if (job.ok) full.push({ JobSummary, ...job.value })
}

/**
 * A hand-written loop: walks the rows from the start of the page, makes stubs of those that match, stops one past the
 * page.
 */
function byHand(from: number, keep: (job: Job) => boolean) {
  const page: object[] = []
  for (let at = from; at < full.length; at += 1) {
    const job = full[at]
    if (job === undefined || !keep(job)) continue
    if (page.length === 100) return { page, next: job.ID }
    page.push(jobStub(job, job.JobSummary))
  }
  return { page, next: undefined }
}

const middle = Math.floor(total / 2)
/** Starts of pages around the middle, far enough apart that one page does not help with the next fifty. */
const around = (n: number) => middle + ((n * 389) % Math.floor(total / 5))
const still = (from: number) => () => from
const pages = [
  ['first page, no filter', still(0), undefined, () => true],
  ['page at 50,000, no filter', still(middle), undefined, () => true],
  ['another page each time, no filter', around, undefined, () => true],
  [
    'filter passes 2/3, the same page',
    still(middle),
    'Meta.team != "web"',
    (job) => job.Meta?.['team'] !== 'web',
  ],
  ['filter passes 2/3, another page', around, 'Meta.team != "web"', (job) => job.Meta?.['team'] !== 'web'],
  ['filter passes 1/64, another page', around, 'Meta.shard == "7"', (job) => job.Meta?.['shard'] === '7'],
  ['filter passes none', still(0), 'Priority == 101', (job) => job.Priority === 101],
] as const satisfies readonly (readonly [
  name: string,
  from: (n: number) => number,
  filter: string | undefined,
  keep: (job: Job) => boolean,
])[]

const rows = [['a page of 100', 'method', 'hand loop', 'ratio', 'filter, then slice', 'slower by']]
for (const [name, from, filter, keep] of pages) {
  const few = filter === undefined || filter.includes('team') ? 1000 : filter.includes('shard') ? 100 : 10
  const calls = Array.from({ length: few }, (_, n) => ({
    perPage: 100,
    filter,
    nextToken: from(n) === 0 ? undefined : `default.${records[from(n)]?.ID}`,
  }))
  const [method, hand, slice] = await measure([
    {
      name: 'method',
      operations: few,
      run: async () => {
        for (const call of calls) await scheduler.listJobs(call)
      },
    },
    {
      name: 'hand',
      operations: few,
      run: () => {
        for (let n = 0; n < few; n += 1) byHand(from(n), keep)
      },
    },
    {
      name: 'slice',
      operations: 1,
      run: () => {
        const kept = full.slice(from(0)).filter(keep)
        return kept.slice(0, 100).map((job) => jobStub(job, job.JobSummary))
      },
    },
  ])
  if (!method || !hand || !slice) continue
  const ratio = (method.nanoseconds / hand.nanoseconds).toFixed(2)
  const slower = `${(slice.nanoseconds / method.nanoseconds).toFixed(0)}×`
  rows.push([name, time(method.nanoseconds), time(hand.nanoseconds), ratio, time(slice.nanoseconds), slower])
}
printTable(rows)

const urlFrom = (n: number) => `http://localhost/v1/jobs?per_page=100&next_token=default.${records[n]?.ID}`
/** As in a server, the event loop turns now and then: until it does, the host keeps every `Response` alive. */
const times = (count: number, run: (n: number) => Promise<unknown>) => async () => {
  for (let n = 0; n < count; n += 1) {
    await run(n)
    if (n % 20 === 19) await new Promise(setImmediate)
  }
}
const pageFrom = (n: number) => scheduler.listJobs({ perPage: 100, nextToken: `default.${records[n]?.ID}` })
const jsonFrom = async (n: number) => {
  const found = await pageFrom(n)
  return JSON.stringify(found.ok && found.value)
}
const headers = { 'content-type': 'application/json', 'x-scheduler-index': '1' }
const pageText = await jsonFrom(middle)
const asked = new Request(urlFrom(middle))
/** Pages that are far apart, each requested once: nothing of them is cached. */
let last = 0
const elsewhereOf = () => {
  last = (last + 7919) % (total - 200)
  return last
}
const calls = 1000
const ways = await measure(
  [
    { name: 'method', operations: calls, run: times(calls, () => pageFrom(middle)) },
    { name: 'method and JSON', operations: calls, run: times(calls, () => jsonFrom(middle)) },
    {
      name: 'bare Response of the text, nothing else',
      operations: calls,
      run: times(calls, async () => new Response(pageText, { headers })),
    },
    {
      name: 'fetch, a page asked for before',
      operations: calls,
      run: times(calls, () => scheduler.fetch(asked)),
    },
    {
      name: 'method and JSON, pages never asked for',
      operations: calls,
      run: times(calls, () => jsonFrom(elsewhereOf())),
    },
    {
      name: 'fetch, pages never asked for',
      operations: calls,
      run: times(calls, () => scheduler.fetch(new Request(urlFrom(elsewhereOf())))),
    },
  ],
  { rounds: 25, warmups: 3 },
)
const nothing = { name: '', nanoseconds: Number.NaN }
const [asMethod = nothing, asJson = nothing, asResponse = nothing] = ways
console.log()
printTable([
  ['the same page', 'time', 'over the method', 'over method and Response', 'over method and JSON'],
  ...ways.map(({ name, nanoseconds }) => [
    name,
    time(nanoseconds),
    ...[
      asMethod.nanoseconds,
      asMethod.nanoseconds + asResponse.nanoseconds,
      name.endsWith('never asked for') ? (ways[4] ?? nothing).nanoseconds : asJson.nanoseconds,
    ].map((base) => (nanoseconds > base ? time(nanoseconds - base) : '–')),
  ]),
])

const pool = (n: number) => ({
  Name: 'gpu',
  Description: String(n),
  Meta: null,
  SchedulerConfiguration: null,
})
const wakes: number[] = []
const responses: number[] = []
const elsewhere: number[] = []
const waiters = 10_000
for (let round = 0; round < 7; round += 1) {
  const pools = await scheduler.listPools()
  const index = pools.ok ? pools.index : 0
  const polls = Array.from({ length: waiters }, () => scheduler.listPools({ index }))
  const leave = new AbortController()
  setMaxListeners(0, leave.signal)
  const others = Array.from({ length: waiters }, () =>
    scheduler.listNodes({ index: 1_000_000, signal: leave.signal }),
  )
  while (scheduler.waiting() < 2 * waiters) await new Promise((resolve) => setTimeout(resolve, 5))
  const start = process.hrtime.bigint()
  await scheduler.upsertPool(pool(round))
  await Promise.all(polls)
  wakes.push(Number(process.hrtime.bigint() - start))
  elsewhere.push(waiters - scheduler.waiting())
  leave.abort()
  await Promise.allSettled(others)
}
console.log(
  `\n${waiters} identical long polls, one write, to the last answer: ${time(median(wakes))} (median of 7)`,
)
console.log(`long polls elsewhere that woke: ${Math.max(...elsewhere)}`)

for (let round = 0; round < 5; round += 1) {
  const pools = await scheduler.listPools()
  const index = pools.ok ? pools.index : 0
  const polls = Array.from({ length: waiters }, () =>
    scheduler.fetch(new Request(`http://localhost/v1/node/pools?index=${index}`)),
  )
  while (scheduler.waiting() < waiters) await new Promise((resolve) => setTimeout(resolve, 5))
  const start = process.hrtime.bigint()
  await scheduler.upsertPool(pool(100 + round))
  await Promise.all(polls)
  responses.push(Number(process.hrtime.bigint() - start))
}
console.log(`the same through fetch, to the last Response: ${time(median(responses))} (median of 5)`)
await scheduler.close()
