/** The cost of placing: by the size of the job, by the size of the cluster, and how long other work waits meanwhile. */
import { existsSync, readFileSync } from 'node:fs'
import { createScheduler, type Scheduler } from '../../src/scheduler/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { median, printTable } from '../measure.ts'

const room = { Cpu: { CpuShares: 4_000_000 }, Memory: { MemoryMB: 12_000_000 } }
const nodeIds = (count: number) => Array.from({ length: count }, (_, n) => `n${String(n).padStart(6, '0')}`)
const group = (Count: number) => ({ Name: 'app', Count, Tasks: [{ Name: 't' }] })

/** A scheduler that places, with this many nodes. */
export async function clusterOf(nodes: number, records: object = {}): Promise<Scheduler> {
  const scheduler = createScheduler({
    store: memoryStore(),
    place: true,
    simulate: true,
    onError: (error) => {
      throw error
    },
  })
  const loaded = await scheduler.load({
    nodes: nodeIds(nodes).map((ID) => ({ ID, NodeResources: room })),
    ...records,
  })
  if (!loaded.ok) throw new Error(loaded.refusal.message)
  return scheduler
}

/** Wall time and processor time of something, in milliseconds. */
async function timed(run: () => Promise<unknown>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const [start, used] = [performance.now(), process.cpuUsage()]
  await run()
  const { user, system } = process.cpuUsage(used)
  return { wall: performance.now() - start, cpu: (user + system) / 1000 }
}

/** The processor time of the main thread in milliseconds, if Linux reports it; elsewhere that of the whole process. */
function mainThreadTime(): number {
  const path = `/proc/self/task/${process.pid}/schedstat`
  if (existsSync(path)) return Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Measures how long the event loop is blocked, and the most of the main thread's own time in one turn. */
function watchTurns() {
  let isOn = true
  let [gap, busy] = [0, 0]
  let [last, used] = [performance.now(), mainThreadTime()]
  const turn = () => {
    gap = Math.max(gap, performance.now() - last)
    busy = Math.max(busy, mainThreadTime() - used)
    last = performance.now()
    used = mainThreadTime()
    if (isOn) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    end: () => {
      isOn = false
      return { gap, busy }
    },
  }
}

/** Places one job of this many allocations, and measures the event loop meanwhile. */
async function placed(nodes: number, count: number) {
  const scheduler = await clusterOf(nodes)
  await scheduler.listNodes({ perPage: 1 })
  const turns = watchTurns()
  const took = await timed(async () => {
    await scheduler.registerJob({ ID: 'web', TaskGroups: [group(count)] })
    await scheduler.settled()
  })
  const longest = turns.end()
  const found = await scheduler.readJobSummary('web')
  await scheduler.close()
  if (!found.ok || found.value.Summary['app']?.Running !== count) throw new Error('not all was placed')
  return { ...took, ...longest }
}

/** The cost of one more allocation in jobs of growing size. */
export async function benchCounts(): Promise<void> {
  const sizes = [250, 1000, 2000, 8000] as const
  await placed(200, 250)
  // First, while the heap is small, to measure this job and not the collection of earlier garbage.
  const large = await placed(200, 30_000)
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]))
  for (let round = 0; round < 3; round += 1)
    for (const size of sizes) times.get(size)?.push((await placed(200, size)).cpu)
  const cpu = (size: number) => median(times.get(size) ?? [])
  printTable([
    ['one job on 200 nodes', 'processor time', ''],
    ...sizes.map((size) => [
      `count ${size}`,
      `${cpu(size).toFixed(0)} ms`,
      `${((cpu(size) / size) * 1000).toFixed(0)} µs an allocation`,
    ]),
    ['count 2,000 beside one of 250', `${(cpu(2000) / cpu(250)).toFixed(1)}×`, 'aim: 10×'],
    ['an allocation at 8,000 beside one at 1,000', `${(cpu(8000) / 8 / cpu(1000)).toFixed(2)}×`, 'aim: 1.5×'],
    [
      'longest gap of the event loop while 30,000 are placed',
      `${large.busy.toFixed(0)} ms of the main thread (${large.gap.toFixed(0)} ms by the clock, other programs included)`,
      'aim: 50 ms',
    ],
  ])
}

/** The cost of registering and placing one small job in clusters of growing size. */
export async function benchClusters(): Promise<void> {
  const measured = async (nodes: number, allocations: number) => {
    const ids = nodeIds(nodes)
    const each = 100
    const jobs = Array.from({ length: allocations / each }, (_, n) => ({
      ID: `job-${n}`,
      Status: 'running',
      TaskGroups: [group(each)],
    }))
    const rows = Array.from({ length: allocations }, (_, n) => ({
      ID: `a${String(n).padStart(8, '0')}`,
      JobID: `job-${Math.floor(n / each)}`,
      TaskGroup: 'app',
      NodeID: ids[n % nodes],
      ClientStatus: 'running',
      AllocatedResources: { CpuShares: 100, MemoryMB: 300 },
    }))
    const scheduler = await clusterOf(nodes, { jobs, allocations: rows })
    const times: number[] = []
    for (let at = 0; at < 150; at += 1) {
      const { cpu } = await timed(async () => {
        await scheduler.registerJob({ ID: `new-${at}`, TaskGroups: [group(1)] })
        await scheduler.settled()
      })
      if (at >= 50) times.push(cpu)
    }
    const pages: { readonly wall: number; readonly cpu: number }[] = []
    for (const filter of [`NodeID == "${ids[7]}"`, 'JobID == "job-7"'])
      for (let at = 0; at < 200; at += 1) {
        const url = `http://localhost/v1/allocations?per_page=${50 + (at % 50)}&filter=${encodeURIComponent(filter)}`
        pages.push(await timed(async () => await (await scheduler.fetch(new Request(url))).text()))
      }
    for (let at = 0; at < 400; at += 1) {
      const url = `http://localhost/v1/allocations?per_page=100&next_token=${1 + at}.`
      pages.push(await timed(async () => await (await scheduler.fetch(new Request(url))).text()))
    }
    await scheduler.close()
    const p99 = (of: 'wall' | 'cpu') =>
      pages.map((page) => page[of]).sort((a, b) => a - b)[Math.floor(pages.length * 0.99)] ?? Number.NaN
    return { cpu: median(times), pages: { wall: p99('wall'), cpu: p99('cpu') } }
  }
  await measured(500, 10_000)
  const [small, large] = [await measured(500, 10_000), await measured(5000, 100_000)]
  console.log()
  printTable([
    ['registering and placing one job', 'processor time', ''],
    ['on 500 nodes with 10,000 allocations', `${small.cpu.toFixed(2)} ms`, ''],
    [
      'on 5,000 nodes with 100,000',
      `${large.cpu.toFixed(2)} ms`,
      `${(large.cpu / small.cpu).toFixed(1)}× (aim: 3×)`,
    ],
    [
      'pages of allocations there, through fetch, p99',
      `${large.pages.cpu.toFixed(1)} ms (${large.pages.wall.toFixed(1)} ms by the clock, other programs included)`,
      'aim: 5 ms',
    ],
  ])
}

/** The cost of the twenty thousandth registration of one job, compared with the first ones. */
export async function benchRegistrations(total = 20_000): Promise<void> {
  const scheduler = await clusterOf(1)
  const part = total / 10
  const times: number[] = []
  for (let at = 0; at < 10; at += 1) {
    const { cpu } = await timed(async () => {
      for (let n = 0; n < part; n += 1) {
        await scheduler.registerJob({ ID: 'web', Meta: { build: `${at}.${n}` }, TaskGroups: [group(1)] })
        if (n % 10 === 9) await scheduler.settled()
      }
      await scheduler.settled()
    })
    times.push(cpu / part)
  }
  const found = await scheduler.listJobEvaluations('web')
  await scheduler.close()
  const [, second = 0] = times
  const last = times.at(-1) ?? 0
  console.log(
    `\n${total} registrations of one job that is placed: ${second.toFixed(2)} ms of processor time each among the second tenth, ${last.toFixed(2)} among the last, ${(last / second).toFixed(2)}×; ${found.ok ? found.value.length : 0} evaluations are kept\n`,
  )
}
