// How fast the module registry answers with 100,000 modules of 10 versions, and one of 1,000 versions.
//   node --import ./scripts/ts-loader.mjs bench/registry.ts [modules] [versions of each]
// Every row is one request through `fetch`, its body read, or one call of the method behind it. Wall time depends on the
// neighbours of the machine; the time the process spent on its processors, garbage collection included, does not.

import { seededRandom } from '../src/kernel/seeded-random.ts'
import { createRegistry, type RegistryRecords } from '../src/registry/index.ts'
import { memoryStore } from '../src/store/index.ts'

const count = Number(process.argv[2] ?? 100_000)
const perModule = Number(process.argv[3] ?? 10)
const random = seededRandom(11)
const pick = (from: string): string => {
  const words = from.split(' ')
  return words[Math.floor(random() * words.length)] ?? ''
}
const nouns =
  'vpc network bucket cluster database queue cache gateway policy role function registry monitor alert dns cdn firewall subnet disk image'
const kinds = 'simple secure private public multi region fast managed shared legacy'
const providers = 'aws azure google kubernetes vault consul nomad github'

const versionsOf = (length: number) =>
  Array.from({ length }, (_, index) => ({
    version: `1.${index}.0`,
    source: `https://example.com/${index}.zip`,
    root: { providers: [{ name: 'aws', version: '>= 5.0' }], readme: 'A module.' },
    submodules: [{ path: 'modules/inner', providers: [{ name: 'aws', version: '>= 5.0' }] }],
  }))
const modules: NonNullable<RegistryRecords['modules']> = Array.from({ length: count }, (_, index) => ({
  namespace: `team-${Math.floor(random() * 5000)}`,
  name: `${pick(kinds)}-${pick(nouns)}-${index}`,
  provider: pick(providers),
  owner: `user${Math.floor(random() * 2000)}`,
  description: `A ${pick(kinds)} ${pick(nouns)} for ${pick(providers)} with ${pick(kinds)} ${pick(nouns)} support and ${pick(nouns)} integration`,
  source: `https://git.example.com/${index}`,
  verified: random() < 0.1,
  downloads: Math.floor(random() ** 8 * 1_000_000),
  versions: versionsOf(perModule),
}))
modules.push({ namespace: 'long', name: 'history', provider: 'aws', versions: versionsOf(1000) })

const registry = createRegistry({ store: memoryStore() })
const timed = async <T>(run: () => Promise<T>): Promise<readonly [number, T]> => {
  const start = performance.now()
  const value = await run()
  return [performance.now() - start, value]
}
const [loadMs, loaded] = await timed(() => registry.load({ modules }))
if (!loaded.ok) throw new Error(loaded.refusal.message)
modules.length = 0
const [indexMs] = await timed(() => registry.search('x'))
globalThis.gc?.()
const heap = Math.round(process.memoryUsage().heapUsed / 1e6)
console.log(
  `${count} modules × ${perModule} versions: loaded in ${(loadMs / 1000).toFixed(1)} s, lists and search built in ${(indexMs / 1000).toFixed(1)} s, heap ${heap} MB, node ${process.version}\n`,
)

const ask = (path: string) => async () => {
  const response = await registry.fetch(new Request(`http://localhost${path}`))
  const body = await response.text()
  if (!response.ok || body.length < 40) throw new Error(`${path}: ${response.status} ${body}`)
}
const cell = (value: number) => value.toFixed(3).padStart(10)
const columns = ['wall p50', 'wall p99', 'cpu p50', 'cpu p99'].map((name) => name.padStart(10)).join('')
console.log(`${''.padEnd(46)}${columns}   ms`)
async function row(name: string, runs: number, make: () => () => Promise<unknown>): Promise<void> {
  for (let warm = 0; warm < 30; warm += 1) await make()()
  const wall: number[] = []
  const cpu: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const call = make()
    const before = process.cpuUsage()
    wall.push((await timed(call))[0])
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1000)
  }
  const at = (times: number[], share: number) => {
    times.sort((a, b) => a - b)
    return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  }
  console.log(
    `${name.padEnd(46)}${cell(at(wall, 0.5))}${cell(at(wall, 0.99))}${cell(at(cpu, 0.5))}${cell(at(cpu, 0.99))}`,
  )
}

const base = '/v1/modules'
const offsets = (total: number) => Math.floor(random() * total)
await row('list, first page of 15', 500, () => ask(base))
await row('list, any depth, 100 of all', 500, () => ask(`${base}?limit=100&offset=${offsets(count - 100)}`))
await row(
  'list, any depth, the method alone',
  500,
  () => () => registry.list({ limit: 100, offset: offsets(count) }),
)
await row('list, any depth, provider and verified', 500, () =>
  ask(`${base}?limit=100&verified=true&provider=${pick(providers)}&offset=${offsets(count / 100)}`),
)
await row('search, one common word', 300, () => ask(`${base}/search?q=${pick(nouns)}`))
await row('search, 5 letters of a word', 300, () => ask(`${base}/search?q=${pick(kinds).slice(0, 5)}`))
await row('search, the inside of a word', 300, () => ask(`${base}/search?q=${pick(nouns).slice(1, 4)}`))
await row('search, two words', 300, () => ask(`${base}/search?q=${pick(nouns)}+${pick(providers)}`))
await row('search, words joined by a dash', 300, () => ask(`${base}/search?q=${pick(kinds)}-${pick(nouns)}`))
await row('search, an owner', 300, () => ask(`${base}/search?q=user${offsets(2000)}`))
await row('search, one letter', 300, () => ask(`${base}/search?q=${'aeiost'[offsets(6)]}`))
await row('search, a filter on a common word', 300, () =>
  ask(`${base}/search?q=${pick(nouns)}&verified=true`),
)
await row('search, page 50 of a common word', 300, () => ask(`${base}/search?q=${pick(nouns)}&offset=735`))
const mix = [
  () => pick(nouns),
  () => pick(nouns),
  () => pick(kinds).slice(0, 5),
  () => pick(nouns).slice(1, 4),
  () => `${pick(nouns)}+${pick(providers)}`,
  () => `user${offsets(2000)}`,
]
await row('search, mixed', 1000, () => ask(`${base}/search?q=${mix[offsets(mix.length)]?.()}`))
await row(
  'search, mixed, the method alone',
  1000,
  () => () => registry.search(String(mix[offsets(mix.length)]?.()).replace('+', ' ')),
)
await row('versions of a module with 1,000', 300, () => ask(`${base}/long/history/aws/versions`))
await row(
  'versions, the method alone',
  300,
  () => () => registry.listVersions({ namespace: 'long', name: 'history', provider: 'aws' }),
)
await row('detail of its latest version', 300, () => ask(`${base}/long/history/aws`))
let minor = 0
await row('publish a version, and list it', 300, () => async () => {
  minor += 1
  const address = { namespace: 'long', name: 'history', provider: 'aws' }
  const outcome = await registry.publishVersion(address, {
    version: `2.${minor}.0`,
    source: 'https://example.com/x.zip',
  })
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  await registry.list()
})
await row('publish a module with a version, and list it', 300, () => async () => {
  minor += 1
  const address = { namespace: 'mid', name: `new-${minor}`, provider: 'aws' }
  await registry.publishModule(address)
  await registry.publishVersion(address, { version: '1.0.0', source: 'https://example.com/x.zip' })
  await registry.list()
})
await registry.close()
