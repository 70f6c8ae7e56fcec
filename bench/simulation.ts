/**
 * Simulates a cluster with a manual clock: jobs are registered, changed, scaled and stopped, nodes are lost, return and
 * are drained. After every round it checks the invariants, and in the end it reports the memory per allocation. The
 * same seed gives the same run.
 * Run: `npm run bench -- bench/simulation.ts --nodes 1000 --allocations 50000 --rounds 20 --seed 1`
 */
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { seededRandom } from '../src/kernel/seeded-random.ts'
import { hasEnded } from '../src/scheduler/allocations/rules.ts'
import { createScheduler, isTerminalAllocation } from '../src/scheduler/index.ts'
import { memoryStore } from '../src/store/index.ts'
import { testClock } from '../src/testing/index.ts'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    allocations: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
})
const wholeNumber = (name: 'nodes' | 'allocations' | 'rounds' | 'seed'): number => {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 1) return value
  console.error(`--${name} is ${values[name]}: give a whole number of at least 1`)
  process.exit(2)
}
const [nodeCount, wanted, rounds, seed] = [
  wholeNumber('nodes'),
  wholeNumber('allocations'),
  wholeNumber('rounds'),
  wholeNumber('seed'),
]

// A million allocations need more than Node's default heap.
setFlagsFromString('--max-old-space-size=20000')
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const heapNow = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`

const random = seededRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)
const clock = testClock()
const faults: string[] = []
const scheduler = createScheduler({
  store: memoryStore(),
  env: clock.env,
  timers: clock.timers,
  place: true,
  simulate: true,
  collect: { everyMs: 600_000, jobsMs: 600_000, evaluationsMs: 600_000, deploymentsMs: 600_000 },
  onError: (error) => faults.push(String(error)),
})

const perNode = Math.ceil((wanted / nodeCount) * 1.3)
const [cpu, memory] = [perNode * 100, perNode * 300]
const nodeId = (at: number) => `node-${String(at).padStart(6, '0')}`
const emptyHeap = heapNow()
const loaded = await scheduler.load({
  nodes: Array.from({ length: nodeCount }, (_, at) => ({
    ID: nodeId(at),
    Datacenter: `dc${at % 4}`,
    NodeClass: at % 10 === 0 ? 'large' : 'small',
    Meta: { rack: `r${at % 50}` },
    NodeResources: { Cpu: { CpuShares: cpu }, Memory: { MemoryMB: memory } },
  })),
})
if (!loaded.ok) throw new Error(loaded.refusal.message)
const nodesHeap = heapNow()

const counts = new Map<string, number>()
const spreads = [{ Attribute: '${node.datacenter}', Weight: 100 }]
const constraints = [{ LTarget: '${meta.rack}', Operand: '!=', RTarget: 'r7' }]
const register = async (ID: string, Count: number, build: number) => {
  counts.set(ID, Count)
  const answer = await scheduler.registerJob({
    ID,
    Constraints: below(3) === 0 ? constraints : null,
    Spreads: below(4) === 0 ? spreads : null,
    Update: { MaxParallel: 1 + below(50) },
    TaskGroups: [{ Name: 'app', Count, Tasks: [{ Name: 't', Config: { build } }] }],
  })
  if (!answer.ok) throw new Error(answer.refusal.message)
}

/** The invariants whenever no work is left. */
async function check(round: string): Promise<number> {
  const nodes = await scheduler.listNodes()
  const rows = await scheduler.listAllocations({ resources: true })
  const blocked = await scheduler.listEvaluations({ status: 'blocked' })
  const pending = await scheduler.listEvaluations({ status: 'pending' })
  if (!nodes.ok || !rows.ok || !blocked.ok || !pending.ok) throw new Error('a list was refused')
  const down = new Set(nodes.value.filter(({ Status }) => Status === 'down').map(({ ID }) => ID))
  const used = new Map<string, number>()
  const running = new Map<string, number>()
  const names = new Set<string>()
  let live = 0
  for (const row of rows.value) {
    // What was told to stop uses its resources until it has ended.
    if (!hasEnded(row))
      for (const { Cpu } of Object.values(row.AllocatedResources?.Tasks ?? {}))
        used.set(row.NodeID, (used.get(row.NodeID) ?? 0) + Cpu.CpuShares)
    if (isTerminalAllocation(row)) continue
    live += 1
    running.set(row.JobID, (running.get(row.JobID) ?? 0) + 1)
    const name = `${row.Name} of version ${row.JobVersion}`
    if (names.has(name)) faults.push(`${round}: ${name} runs twice`)
    names.add(name)
    if (down.has(row.NodeID)) faults.push(`${round}: ${row.ID} runs on ${row.NodeID}, which is down`)
  }
  for (const [id, taken] of used)
    if (taken > cpu) faults.push(`${round}: ${id} has ${cpu} MHz and gives ${taken}`)
  const waiting = new Set(blocked.value.map(({ JobID }) => JobID))
  for (const [id, count] of counts) {
    const here = running.get(id) ?? 0
    if (here > count || (here < count && !waiting.has(id)))
      faults.push(`${round}: ${id} runs ${here} times, wants ${count}${waiting.has(id) ? ' and waits' : ''}`)
  }
  const stuck = pending.value.filter(({ WaitUntil }) => WaitUntil === null).length
  if (stuck > 0) faults.push(`${round}: ${stuck} evaluations are left pending`)
  const checked = await scheduler.checkSummaries()
  if (!checked.ok || checked.value.Differing.length > 0) faults.push(`${round}: summaries differ`)
  return live
}

const started = performance.now()
let total = 0
let jobs = 0
let reported = 0
while (total < wanted) {
  const count = Math.min(wanted - total, 1 + below(Math.min(5000, Math.ceil(wanted / 20))))
  await register(`job-${jobs}`, count, 0)
  jobs += 1
  total += count
  if (total < reported + wanted / 10) continue
  reported = total
  await scheduler.settled()
  console.log(`${total} asked for and placed after ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
await scheduler.settled()
const placedIn = performance.now() - started
let live = await check('placed')
const placedHeap = heapNow()
console.log(
  `${live} allocations of ${jobs} jobs placed on ${nodeCount} nodes in ${(placedIn / 1000).toFixed(1)} s, ${((placedIn * 1000) / live).toFixed(0)} µs each`,
)
console.log(
  `memory: ${mb(nodesHeap - emptyHeap)} for the nodes, ${mb(placedHeap - nodesHeap)} for the allocations, ${Math.round((placedHeap - nodesHeap) / live)} bytes each`,
)

const lost = new Set<string>()
const names = [...counts.keys()]
for (let round = 1; round <= rounds; round += 1) {
  const done: string[] = []
  for (let step = 0; step < 4; step += 1) {
    const id = names[below(names.length)] ?? ''
    const node = nodeId(below(nodeCount))
    const what = below(6)
    done.push(['update', 'scale', 'lose', 'return', 'drain', 'end drain'][what] ?? '')
    if (what === 0) await register(id, counts.get(id) ?? 1, round)
    else if (what === 1) {
      const count = 1 + below(2 * (counts.get(id) ?? 1))
      const scaled = await scheduler.scaleJob(id, { group: 'app', count })
      if (scaled.ok) counts.set(id, count)
    } else if (what === 2) {
      lost.add(node)
      await scheduler.moveNode(node, 'lose')
    } else if (what === 3) {
      const [back] = lost
      if (back !== undefined) await scheduler.moveNode(back, 'ready')
      lost.delete(back ?? '')
    } else if (what === 4)
      await scheduler.drainNode(node, { spec: { deadline: -1, ignoreSystemJobs: false } })
    else await scheduler.drainNode(node, { spec: null, markEligible: true })
    await scheduler.settled()
  }
  await clock.advance(1_800_000)
  await scheduler.settled()
  live = await check(`round ${round}`)
  console.log(`round ${round}: ${done.join(', ')}: ${live} live allocations, ${mb(heapNow())}`)
  if (faults.length > 0) break
}
await scheduler.close()
for (const fault of faults.slice(0, 20)) console.error(fault)
console.log(
  faults.length === 0
    ? `seed ${seed}: every invariant held; peak resident memory ${mb(process.resourceUsage().maxRSS * 1024)}, ${((performance.now() - started) / 1000).toFixed(0)} s`
    : `seed ${seed}: ${faults.length} faults`,
)
process.exitCode = faults.length === 0 ? 0 : 1
