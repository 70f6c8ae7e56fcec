/**
 * All services in one process under constant use, with clients that leave, filters of any names, stores that fail and
 * services that are opened and closed: heap, handles and descriptors must not grow.
 * Run: `npm run test:soak -- --minutes 30 --seed 1`
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCatalog } from '../src/catalog/index.ts'
import { columns, compile } from '../src/filter/index.ts'
import { createGateway } from '../src/gateway/index.ts'
import { directoryBlobs, toNodeListener } from '../src/http/node/index.ts'
import { seededRandom } from '../src/kernel/seeded-random.ts'
import { createRegistry } from '../src/registry/index.ts'
import { createScheduler } from '../src/scheduler/index.ts'
import { devSecrets } from '../src/secrets/index.ts'
import { faulty, memoryStore } from '../src/store/index.ts'
import { sqliteStore } from '../src/store/sqlite/index.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('give --minutes above 0 and --seed as a whole number')
  process.exit(2)
}
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const random = seededRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)

const errors: unknown[] = []
const onError = (error: unknown) => errors.push(error)
process.on('unhandledRejection', onError)
process.on('uncaughtException', onError)

const folder = mkdtempSync(join(tmpdir(), 'plinth-soak-'))
const file = join(folder, 'plinth.db')
const openStore = (realm: string) => sqliteStore(file, { realm })
const stores = {
  registry: await openStore('registry'),
  catalog: await openStore('catalog'),
  scheduler: await openStore('scheduler'),
}
const catalog = createCatalog({
  store: stores.catalog,
  blobs: await directoryBlobs(join(folder, 'blobs')),
  onError,
})
const registry = createRegistry({ store: stores.registry, onError })
const scheduler = createScheduler({
  store: stores.scheduler,
  place: true,
  simulate: true,
  collect: { everyMs: 1_000, jobsMs: 1_000, evaluationsMs: 1_000, batchMs: 1_000, deploymentsMs: 1_000 },
  onError,
})
const { service: secrets, rootToken } = await devSecrets({ onError })
const gateway = createGateway({ onError })
const services = { catalog, registry, scheduler, secrets, gateway }
const servers = await Promise.all(
  Object.values(services).map(async ({ fetch }) => {
    const server = createServer(toNodeListener(fetch))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
)
const paths = ['/api/v2/search', '/v1/modules', '/v1/jobs', '/v1/sys/health', '/health']

await catalog.putUser({ username: 'ada' })
await catalog.createBox({ username: 'ada', name: 'tiny' })
await scheduler.load({}).catch(() => undefined)

/** Rows whose labels a tenant names as it likes. */
const rows = Array.from({ length: 2_000 }, (_, n) => ({
  Name: `row-${n}`,
  Labels: { [`label-${n % 50}`]: `value-${n % 7}` },
}))
const table = columns(rows, { maxBytes: 4 * 1024 * 1024 })

let count = 0
const tasks: readonly (() => Promise<unknown>)[] = [
  async () => registry.publishModule({ namespace: 'acme', name: `m-${below(50)}`, provider: 'aws' }),
  async () => registry.removeModule({ namespace: 'acme', name: `m-${below(50)}`, provider: 'aws' }),
  async () => catalog.createVersion({ username: 'ada', name: 'tiny' }, { version: `1.0.${below(40)}` }),
  async () => catalog.search({ q: `t${below(100)}` }),
  async () => secrets.kv().write(`app-${below(50)}`, { value: `secret-${count}` }),
  async () => secrets.kv().read(`app-${below(50)}`),
  async () => {
    const made = await secrets.tokens.create({ policies: ['default'], ttlSeconds: 1 })
    return made.ok ? secrets.tokens.revoke({ token: made.value.token }) : undefined
  },
  async () =>
    scheduler.registerJob({
      ID: `job-${below(20)}`,
      TaskGroups: [{ Name: 'g', Count: below(5), Tasks: [{ Name: 't', Config: { count } }] }],
    }),
  async () => scheduler.deregisterJob(`job-${below(20)}`, { purge: below(2) === 0 }),
  // Filters of names that are never used again, and edits.
  async () => {
    compile(`Labels["name-${count}"] == "value-${below(7)}"`)
      .over(table)
      .count()
    const row = rows[below(rows.length)]
    if (row !== undefined) table.update(row, row)
  },
  async () => compile('Name ==').test({}),
  // Over HTTP, with clients that leave.
  async () => {
    const at = below(servers.length)
    const leave = new AbortController()
    if (below(3) === 0) setImmediate(() => leave.abort())
    const answer = await fetch(`${servers[at]?.url}${paths[at]}`, {
      signal: leave.signal,
      headers: { 'x-vault-token': rootToken },
    })
    return answer.text()
  },
  async () => {
    const leave = new AbortController()
    const url = `${servers[2]?.url}/v1/jobs?index=${2 ** 40}&wait=60s`
    const waiting = fetch(url, { signal: leave.signal }).catch(() => undefined)
    setTimeout(() => leave.abort(), 20)
    return waiting
  },
  // Services that come and go, on stores that fail.
  async () => {
    const store = faulty(memoryStore(), { seed: count, faults: { unreachable: 0.3, unknownApplied: 0.2 } })
    const brief = createRegistry({ store, onError: () => {} })
    await brief.publishModule({ namespace: 'acme', name: 'x', provider: 'aws' }).catch(() => undefined)
    await brief.close()
  },
  async () => {
    const store = await openStore(`brief-${below(3)}`)
    const brief = createScheduler({ store, onError: () => {} })
    await brief.upsertPool({ Name: `pool-${below(5)}` })
    await brief.close()
    await store.close()
  },
]

const round = async () => {
  count += 1
  const chosen = Array.from({ length: 8 }, () => tasks[below(tasks.length)] ?? tasks[0])
  await Promise.all(chosen.map((task) => task?.().catch(() => undefined)))
}

interface Reading {
  readonly heap: number
  readonly external: number
  readonly handles: number
  readonly descriptors: number
}
const descriptorsNow = () => readdirSync('/proc/self/fd').length
const reading = async (): Promise<Reading> => {
  await scheduler.settled()
  collectGarbage()
  await new Promise((resolve) => setTimeout(resolve, 100))
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return {
    heap: heapUsed,
    external,
    handles: process.getActiveResourcesInfo().length,
    descriptors: descriptorsNow(),
  }
}

const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`
const readings: Reading[] = []
const [started, parts] = [performance.now(), 15]
const end = started + minutes * 60_000
let next = started
while (performance.now() < end) {
  await round()
  if (performance.now() < next) continue
  next += (minutes * 60_000) / parts
  const now = await reading()
  readings.push(now)
  const since = ((performance.now() - started) / 60_000).toFixed(1)
  console.log(
    `${since} min, ${count} rounds: heap ${mb(now.heap)}, external ${mb(now.external)}, ${now.handles} handles, ${now.descriptors} descriptors`,
  )
}
await Promise.all(Object.values(services).map((service) => service.close()))
await Promise.all(Object.values(stores).map((store) => store.close()))
for (const { server } of servers) {
  server.closeAllConnections()
  server.close()
}
rmSync(folder, { recursive: true, force: true })

// The first third fills versions and caches.
const third = Math.ceil(readings.length / 3)
const growth = (of: (reading: Reading) => number): number =>
  median(readings.slice(2 * third).map(of)) / median(readings.slice(third, 2 * third).map(of))
const heap = growth((each) => each.heap)
const handles = growth((each) => each.handles)
const descriptors = growth((each) => each.descriptors)
console.log(
  `the last third beside the second: heap ${heap.toFixed(2)}×, handles ${handles.toFixed(2)}×, descriptors ${descriptors.toFixed(2)}× (flat: 1); ${errors.length} errors`,
)
for (const error of errors.slice(0, 5)) console.log(error)
process.exitCode = errors.length === 0 && heap < 1.1 && handles < 1.5 && descriptors < 1.2 ? 0 : 1
