// What a start with many boxes and modules costs: the longest time in which nothing else was answered, the first search
// after a start and those that follow, and what a record costs in memory.
//   node --expose-gc --import ./scripts/ts-loader.mjs bench/start.ts [boxes] [modules]
// The stores are full before the services are made on them, as at a start on data that exist. A timer that is due every
// millisecond tells how long the event loop was held up, by the clock and by the processor time that was spent
// meanwhile: only the latter ignores the neighbours of the machine.
import { createCatalog } from '../src/catalog/index.ts'
import { nodeHashing } from '../src/http/node/index.ts'
import { seededRandom } from '../src/kernel/seeded-random.ts'
import { createRegistry, type RegistryRecords } from '../src/registry/index.ts'
import { memoryBlobs, memoryStore } from '../src/store/index.ts'

const [boxCount, moduleCount] = [Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 100_000)]
const random = seededRandom(5)
const upTo = (total: number) => Math.floor(random() * total)
const pick = (from: string): string => {
  const words = from.split(' ')
  return words[upTo(words.length)] ?? ''
}
const nouns = 'ubuntu debian centos fedora alpine vpc network bucket cluster database queue cache gateway'
const kinds = 'minimal server desktop docker simple secure private public multi region fast managed'
const providers = 'virtualbox libvirt qemu aws azure google'

/** The longest time that the event loop was blocked while something ran, in milliseconds. */
async function held<T>(name: string, work: () => Promise<T>): Promise<T> {
  let [longest, longestCpu, steps] = [0, 0, 0]
  let [last, lastCpu] = [performance.now(), process.cpuUsage()]
  const beat = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(lastCpu)
    longest = Math.max(longest, now - last)
    longestCpu = Math.max(longestCpu, (user + system) / 1000)
    last = now
    lastCpu = process.cpuUsage()
    steps += 1
  }, 1)
  const cpu = process.cpuUsage()
  const start = performance.now()
  const value = await work()
  const [wall, { user, system }] = [performance.now() - start, process.cpuUsage(cpu)]
  // What held it up at the very end is seen by the next beat.
  await new Promise((resolve) => void setTimeout(resolve, 5))
  clearInterval(beat)
  console.log(
    `${name.padEnd(44)}${wall.toFixed(1).padStart(9)} ms wall ${((user + system) / 1000).toFixed(1).padStart(9)} ms cpu   longest gap ${longest.toFixed(1).padStart(6)} ms wall ${longestCpu.toFixed(1).padStart(6)} ms cpu, ${steps} beats`,
  )
  return value
}
const memory = () => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  return { used: heapUsed + arrayBuffers, rss }
}
async function eachSearch(name: string, search: (q: string) => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let run = 0; run < 2000; run += 1) {
    const q = [pick(nouns), pick(kinds).slice(0, 4), `${pick(nouns)} ${pick(kinds)}`][upTo(3)] ?? ''
    const before = process.cpuUsage()
    await search(q)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2)
  console.log(`${name.padEnd(44)}p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   of cpu, first page of 10`)
}

const boxes = Array.from({ length: boxCount }, (_, at) => ({
  username: `user${upTo(boxCount / 10)}`,
  name: `${pick(nouns)}-${pick(kinds)}-${at}`,
  short_description: `A ${pick(kinds)} ${pick(nouns)} box with ${pick(kinds)} tools`,
  private: random() < 0.05,
  downloads: Math.floor(random() ** 6 * 1_000_000),
  created_at: new Date(1.5e12 + upTo(2e11)).toISOString(),
  versions: [
    {
      version: `1.${upTo(30)}.0`,
      status: 'active' as const,
      providers: [{ name: pick(providers), architecture: 'amd64', url: 'https://example.com/a.box' }],
    },
  ],
}))
const modules: NonNullable<RegistryRecords['modules']> = Array.from({ length: moduleCount }, (_, at) => ({
  namespace: `team-${upTo(5000)}`,
  name: `${pick(kinds)}-${pick(nouns)}-${at}`,
  provider: pick('aws azure google'),
  owner: `user${upTo(2000)}`,
  description: `A ${pick(kinds)} ${pick(nouns)} with ${pick(kinds)} ${pick(nouns)} support`,
  source: `https://git.example.com/${at}`,
  downloads: Math.floor(random() ** 8 * 1_000_000),
  versions: [{ version: '1.0.0', source: 'https://example.com/a.zip', root: { readme: 'A module.' } }],
}))
const [boxStore, moduleStore] = [memoryStore(), memoryStore()]
const blobs = memoryBlobs(nodeHashing)
// Node loads its fetch with the first request: 40 to 90 ms that are not of the services.
await new Response(new Request('http://localhost').url).text()
await held('idle', () => new Promise((resolve) => void setTimeout(resolve, 500)))
const empty = memory()
{
  const filler = createCatalog({ store: boxStore, blobs })
  const loaded = await held(`load ${boxCount} boxes`, () => filler.load({ boxes }))
  if (!loaded.ok) throw new Error(loaded.refusal.message)
  await filler.close()
}
boxes.length = 0
const withBoxes = memory()
{
  const filler = createRegistry({ store: moduleStore })
  const loaded = await held(`load ${moduleCount} modules`, () => filler.load({ modules }))
  if (!loaded.ok) throw new Error(loaded.refusal.message)
  await filler.close()
}
modules.length = 0
const withModules = memory()

const catalog = createCatalog({ store: boxStore, blobs })
const registry = createRegistry({ store: moduleStore })
const ask = async (service: { readonly fetch: (request: Request) => Promise<Response> }, path: string) => {
  const answer = await service.fetch(new Request(`http://localhost${path}`))
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  await answer.text()
}
await held('first search of boxes', () => ask(catalog, '/api/v2/search?q=ubuntu'))
await held('first search of modules', () => ask(registry, '/v1/modules/search?q=vpc'))
await held('first page of each order', async () => {
  for (const sort of ['downloads', 'created', 'updated'])
    for (const order of ['asc', 'desc']) await ask(catalog, `/api/v2/search?sort=${sort}&order=${order}`)
})
await held('first list of modules', () => ask(registry, '/v1/modules?limit=100'))
const ready = memory()
await eachSearch('search of boxes', (q) => ask(catalog, `/api/v2/search?q=${encodeURIComponent(q)}&limit=10`))
await eachSearch('search of modules', (q) =>
  ask(registry, `/v1/modules/search?q=${encodeURIComponent(q)}&limit=10`),
)
await catalog.close()
await registry.close()
const kB = (bytes: number, records: number) => `${(bytes / records / 1000).toFixed(2)} kB`
console.log(
  `\nmemory: a box ${kB(withBoxes.used - empty.used, boxCount)} stored, a module ${kB(withModules.used - withBoxes.used, moduleCount)} stored, ` +
    `indexes ${kB(ready.used - withModules.used, boxCount + moduleCount)} a record; RSS ${(ready.rss / 1e6).toFixed(0)} MB, node ${process.version}`,
)
