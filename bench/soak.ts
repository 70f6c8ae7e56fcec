/**
 * A cluster under constant change, whose heap must not grow: jobs are registered, changed, scaled, stopped and purged,
 * nodes send heartbeats, are lost and return, lists are read and long polls wait. Finished objects are collected.
 * Run: `npm run bench -- bench/soak.ts --minutes 15 --seed 1`
 */
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { seededRandom } from '../src/kernel/seeded-random.ts'
import { createScheduler } from '../src/scheduler/index.ts'
import { memoryStore } from '../src/store/index.ts'
import { testClock } from '../src/testing/index.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, seed: { type: 'string', default: '1' } },
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('give --minutes above 0 and --seed as a whole number')
  process.exit(2)
}
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`

const random = seededRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)
const clock = testClock()
const begun = clock.env().now
const errors: unknown[] = []
const hour = 3_600_000
const scheduler = createScheduler({
  store: memoryStore(),
  env: clock.env,
  timers: clock.timers,
  place: true,
  simulate: true,
  heartbeatTtlMs: hour / 2,
  collect: {
    everyMs: hour / 6,
    jobsMs: hour,
    evaluationsMs: hour,
    batchMs: hour,
    deploymentsMs: hour,
    nodesMs: 24 * hour,
  },
  onError: (error) => errors.push(error),
})
const nodes = Array.from({ length: 50 }, (_, at) => `n${at}`)
await scheduler.load({
  nodes: nodes.map((ID) => ({
    ID,
    NodeResources: { Cpu: { CpuShares: 20_000 }, Memory: { MemoryMB: 60_000 } },
  })),
})

let build = 0
const register = (ID: string, Type: 'service' | 'batch' = 'service') => {
  build += 1
  return scheduler.registerJob({
    ID,
    Type,
    Update: Type === 'service' ? { MaxParallel: 10 } : null,
    TaskGroups: [{ Name: 'app', Count: 1 + below(20), Tasks: [{ Name: 't', Config: { build } }] }],
  })
}
/** A long poll that is abandoned after a while, as by a client that disconnects. */
const poll = async () => {
  const leave = new AbortController()
  const found = await scheduler.listAllocations({ perPage: 1 })
  const waiting = scheduler.listAllocations({
    index: found.ok ? found.index : 1,
    perPage: 20,
    signal: leave.signal,
  })
  waiting.catch(() => {})
  return () => leave.abort()
}

async function round(): Promise<void> {
  const away = await poll()
  for (let step = 0; step < 10; step += 1) {
    const ID = `job-${below(40)}`
    const what = below(9)
    if (what <= 3) await register(ID)
    else if (what === 4) await scheduler.scaleJob(ID, { group: 'app', count: below(20) })
    else if (what === 5) await scheduler.deregisterJob(ID, { purge: below(2) === 0 })
    else if (what === 6) {
      const batch = `batch-${build}`
      await register(batch, 'batch')
      await scheduler.deregisterJob(batch)
    } else if (what === 7) await scheduler.moveNode(nodes[below(nodes.length)] ?? '', 'lose')
    else
      await scheduler.fetch(
        new Request(
          `http://localhost/v1/allocations?per_page=50&filter=${encodeURIComponent(`JobID == "${ID}"`)}`,
        ),
      )
  }
  for (const id of nodes) if (below(3) === 0) await scheduler.heartbeatNode(id)
  await scheduler.settled()
  away()
  await clock.advance(hour / 10)
}

const heaps: number[] = []
const [started, end] = [performance.now(), performance.now() + minutes * 60_000]
const parts = 15
let [rounds, next] = [0, started]
while (performance.now() < end) {
  await round()
  rounds += 1
  if (performance.now() < next) continue
  next += (minutes * 60_000) / parts
  await scheduler.settled()
  collectGarbage()
  heaps.push(process.memoryUsage().heapUsed)
  const found = await scheduler.listAllocations()
  console.log(
    `${((performance.now() - started) / 60_000).toFixed(1)} min, ${rounds} rounds, ${((clock.env().now - begun) / hour).toFixed(0)} h by the clock: ${mb(heaps.at(-1) ?? 0)}, ${found.ok ? found.value.length : 0} allocations`,
  )
}
await scheduler.close()
// The first third fills versions, evaluations and caches.
const third = Math.ceil(heaps.length / 3)
const [second, last] = [median(heaps.slice(third, 2 * third)), median(heaps.slice(2 * third))]
console.log(
  `heap of the last third beside the second: ${mb(last)} and ${mb(second)}, ${(last / second).toFixed(2)}× (flat: 1); ${errors.length} errors; ${build} registrations`,
)
process.exitCode = errors.length === 0 && last / second < 1.1 ? 0 : 1
