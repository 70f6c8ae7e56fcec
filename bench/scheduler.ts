/**
 * The job scheduler on the memory store: pages of 100 out of 100,000 jobs against hand-written loops over the same
 * rows, what HTTP adds, and long polls. Run: `node --import ./scripts/ts-loader.mjs bench/scheduler.ts`
 */
import { setMaxListeners } from 'node:events'
import { createScheduler, type Job, type JobSummary, jobStub } from '../src/scheduler/index.ts'
import { JobSpec } from '../src/scheduler/jobs/model.ts'
import { memoryStore } from '../src/store/index.ts'
import { measure, median, printTable, time } from './measure.ts'

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
/** The rows as a person would hold them: whole jobs in order, each with its summary. */
const full: (Job & { readonly JobSummary: JobSummary | null })[] = []
for (const { ID, JobSummary } of every.value) {
  const job = await scheduler.readJob(ID)
  if (job.ok) full.push(Object.assign(job.value, { JobSummary }))
}

/** What a person writes: walk the rows from where the page begins, make stubs of what matches, stop one past the page. */
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
const nextToken = `default.${records[middle]?.ID}`
const pages = [
  ['first page, no filter', 0, undefined, () => true],
  ['page at 50,000, no filter', middle, undefined, () => true],
  ['filter passes 2/3', middle, 'Meta.team != "web"', (job) => job.Meta?.['team'] !== 'web'],
  ['filter passes 1/64', middle, 'Meta.shard == "7"', (job) => job.Meta?.['shard'] === '7'],
  ['filter passes none', 0, 'Priority == 101', (job) => job.Priority === 101],
] as const satisfies readonly (readonly [string, number, string | undefined, (job: Job) => boolean])[]

const rows = [['a page of 100', 'method', 'hand loop', 'ratio', 'filter, then slice', 'slower by']]
for (const [name, from, filter, keep] of pages) {
  const call = { perPage: 100, filter, nextToken: from === 0 ? undefined : nextToken }
  const few = filter === undefined || filter.includes('team') ? 1000 : filter.includes('shard') ? 100 : 10
  const repeat = (run: () => unknown) => () => {
    for (let n = 0; n < few; n += 1) run()
  }
  const [method, hand, slice] = await measure([
    {
      name: 'method',
      operations: few,
      run: async () => {
        for (let n = 0; n < few; n += 1) await scheduler.listJobs(call)
      },
    },
    { name: 'hand', operations: few, run: repeat(() => byHand(from, keep)) },
    {
      name: 'slice',
      operations: 1,
      run: () => {
        const kept = full.slice(from).filter(keep)
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

const url = 'http://localhost/v1/jobs?per_page=100&next_token=default.job-0050000'
const times = (count: number, run: () => Promise<unknown>) => async () => {
  for (let n = 0; n < count; n += 1) await run()
}
const jsonOfPage = async () => {
  const found = await scheduler.listJobs({ perPage: 100, nextToken: 'default.job-0050000' })
  return JSON.stringify(found.ok && found.value)
}
const headers = { 'content-type': 'application/json', 'x-scheduler-index': '1' }
const asked = new Request(url)
const [asMethod, asResponse, asFetch] = await measure([
  { name: 'method and JSON', operations: 1000, run: times(1000, jsonOfPage) },
  {
    name: 'the same in a bare Response',
    operations: 1000,
    run: times(1000, async () => new Response(await jsonOfPage(), { headers })),
  },
  { name: 'fetch', operations: 1000, run: times(1000, () => scheduler.fetch(asked)) },
])
if (asMethod && asResponse && asFetch) {
  const over = (other: typeof asFetch) => time(Math.max(0, asFetch.nanoseconds - other.nanoseconds))
  console.log(
    `\nthe same page through fetch: ${time(asFetch.nanoseconds)}; ${over(asMethod)} over method and JSON, ` +
      `${over(asResponse)} over the same in a bare Response`,
  )
}

const registered = 10_000
const specs = Array.from({ length: registered }, (_, n) =>
  JobSpec.parse({
    ID: `job-${n}`,
    Name: `job-${n}`,
    TaskGroups: [{ Name: 'web', Tasks: [{ Name: 'main', Driver: 'exec' }] }],
  }),
)
const rates: number[] = []
for (let round = 0; round < 5; round += 1) {
  const empty = createScheduler({ store: memoryStore() })
  const start = process.hrtime.bigint()
  for (const spec of specs) {
    const answer = await empty.registerJob(spec)
    if (!answer.ok) throw new Error(answer.refusal.message)
  }
  rates.push(registered / (Number(process.hrtime.bigint() - start) / 1e9))
  await empty.close()
}
console.log(
  `\nregister, one after the other on the memory store: ${Math.round(median(rates))} jobs/s (median of 5)`,
)

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
