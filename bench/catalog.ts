// How fast the box catalog answers with 100,000 boxes, and how fast images stream through it.
//   node --expose-gc --import ./scripts/ts-loader.mjs bench/catalog.ts [boxes] [MiB of an image]
// A search row is one call of the method or one request through `fetch`, its body read. Wall time and the time the
// process spent on its processors, garbage collection included: only the latter ignores the neighbours of the machine.
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type BoxQuery, createCatalog, host } from '../src/catalog/index.ts'
import { boxIndex } from '../src/catalog/search/box-index.ts'
import type { BoxRow } from '../src/catalog/search/row.ts'
import { serve } from '../src/http/node/index.ts'
import { seededRandom } from '../src/kernel/seeded-random.ts'
import { directoryBlobs } from '../src/store/blobs/directory.ts'
import { memoryStore } from '../src/store/index.ts'

const count = Number(process.argv[2] ?? 100_000)
const megabytes = Number(process.argv[3] ?? 512)
const random = seededRandom(5)
const upTo = (total: number) => Math.floor(random() * total)
const pick = (from: string): string => {
  const words = from.split(' ')
  return words[upTo(words.length)] ?? ''
}
const systems = 'ubuntu debian centos fedora alpine arch freebsd windows rocky alma opensuse gentoo'
const kinds = 'minimal server desktop docker kubernetes jenkins lamp rails nodejs golang hardened test'
const numbers = '16.04 18.04 20.04 22.04 7 8 9 10 11 12 39 40'
const providers = 'virtualbox libvirt vmware_desktop qemu hyperv parallels'

const boxes = Array.from({ length: count }, (_, at) => ({
  username: `user${upTo(count / 10)}`,
  name: `${pick(systems)}-${pick(numbers)}-${pick(kinds)}-${at}`,
  short_description: `A ${pick(kinds)} ${pick(systems)} ${pick(numbers)} box with ${pick(kinds)} and ${pick(kinds)} tools`,
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

const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-'))
const blobs = await directoryBlobs(folder)
const catalog = createCatalog({ store: memoryStore(), blobs })
const timed = async <T>(run: () => T | Promise<T>): Promise<readonly [number, T]> => {
  const start = performance.now()
  const value = await run()
  return [performance.now() - start, value]
}
const cpuSeconds = () => process.cpuUsage().user / 1e6
const begun = cpuSeconds()
const loaded = await catalog.load({ boxes })
if (!loaded.ok) throw new Error(loaded.refusal.message)
const query: BoxQuery = { sort: 'downloads', order: 'desc', offset: 0, limit: 10 }
const filled = cpuSeconds()
await catalog.search({ ...query, q: 'first' })
const indexed = cpuSeconds()
globalThis.gc?.()
console.log(
  `${count} boxes: loaded in ${(filled - begun).toFixed(1)} s, index built in ${(indexed - filled).toFixed(1)} s of processor time, ` +
    `heap ${Math.round(process.memoryUsage().heapUsed / 1e6)} MB, node ${process.version}\n`,
)

const cell = (value: number) => value.toFixed(3).padStart(10)
console.log(
  `${''.padEnd(46)}${['wall p50', 'wall p99', 'cpu p50', 'cpu p99'].map((name) => name.padStart(10)).join('')}   ms`,
)
async function row(name: string, make: () => () => unknown, runs = 500): Promise<void> {
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
  const at = (times: number[], share: number) =>
    times.sort((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Number.NaN
  console.log(
    `${name.padEnd(46)}${cell(at(wall, 0.5))}${cell(at(wall, 0.99))}${cell(at(cpu, 0.5))}${cell(at(cpu, 0.99))}`,
  )
}
const anonymous = catalog.as({ kind: 'anonymous' })
const owner = catalog.as({ kind: 'user', username: boxes.find((box) => box.private)?.username ?? '' })
const find =
  (asked: Partial<BoxQuery>, who = anonymous) =>
  () =>
    who.search({ ...query, ...asked })
const ask = (path: string) => async () => {
  const response = await catalog.fetch(new Request(`http://localhost${path}`))
  if ((await response.text()).length < 10 || !response.ok) throw new Error(`${path}: ${response.status}`)
}
const mixed: readonly (() => string)[] = [
  () => pick(systems),
  () => pick(systems).slice(0, 5),
  () => pick(kinds).slice(1, 4),
  () => `${pick(systems)} ${pick(kinds)}`,
  () => `user${upTo(count / 10)}`,
  () => `${pick(systems)}-${pick(numbers)}`,
]
const anything = () => mixed[upTo(mixed.length)]?.() ?? ''
await row('no q, first page', () => find({}))
await row('no q, any depth', () => find({ offset: upTo(count) }))
await row('no q, any depth, with private boxes', () => find({ offset: upTo(count), sort: 'created' }, owner))
await row('no q, any depth, the host sees everything', () => find({ offset: upTo(count) }, catalog.as(host)))
await row('no q, any depth, through fetch', () => ask(`/api/v2/search?page=${1 + upTo(count / 10)}`))
await row('a provider, any depth', () => find({ provider: pick(providers), offset: upTo(count / 8) }))
await row('q, one common word', () => find({ q: pick(systems) }))
await row('q, the inside of a word', () => find({ q: pick(kinds).slice(1, 4) }))
await row('q, one letter', () => find({ q: pick('a e i o u t') }))
await row('q, two words', () => find({ q: `${pick(systems)} ${pick(kinds)}` }))
await row('q, words joined by a dash', () => find({ q: `${pick(systems)}-${pick(numbers)}` }))
await row('q, one character that is no letter', () => find({ q: pick('/ - .') }))
await row('q, a miss', () => find({ q: `nothing${upTo(9)}` }))
await row('q and provider, deep page', () =>
  find({ q: pick(systems), provider: pick(providers), offset: upTo(1000) }),
)
await row('mixed', () => find({ q: anything() }), 2000)
await row('mixed, through fetch', () => ask(`/api/v2/search?q=${encodeURIComponent(anything())}`), 2000)
await row('a download, and the search that follows', () => {
  const { username, name } = boxes[upTo(count)] ?? { username: '', name: '' }
  return async () => {
    const found = await catalog.readBox({ username, name })
    if (found.ok) await catalog.countDownload(found.value.box.id)
    await find({ q: 'ubuntu' })()
  }
})

// A page of the index by itself, in one typed loop: what the promise of 1 ms is about.
const index = boxIndex()
for (const [id, box] of boxes.entries())
  index.put({
    ...box,
    id: String(id),
    shortDescription: box.short_description,
    createdAt: id,
    updatedAt: id,
    providers: [],
  } satisfies BoxRow)
await row('the index alone: no q, any depth', () => () => index.search({ ...query, offset: upTo(count) }, []))
await row('the index alone: mixed', () => {
  const q = anything()
  return () => index.search({ ...query, q }, [])
})

const chunk = Buffer.alloc(256 * 1024, 7)
async function send(url: string): Promise<number> {
  const sending = request(url, { method: 'PUT', headers: { 'content-length': megabytes * 1024 * 1024 } })
  const answered = once(sending, 'response')
  for (let sent = 0; sent < megabytes * 4; sent += 1) if (!sending.write(chunk)) await once(sending, 'drain')
  sending.end()
  const [answer] = await answered
  answer.resume()
  return answer.statusCode
}
const address = { username: boxes[0]?.username ?? '', name: boxes[0]?.name ?? '' }
const version = { ...address, version: boxes[0]?.versions[0]?.version ?? '' }
const checksum = 'a'.repeat(64)
await catalog.createProvider(version, { name: 'plain' })
await catalog.createProvider(version, { name: 'checked', checksum, checksumType: 'sha256' })
const uploadUrl = async (base: string, name: string) => {
  const leave = await catalog.requestUpload(version, { name }, 'standard')
  if (!leave.ok) throw new Error(leave.refusal.message)
  return `${base}/api/upload/${leave.value.secret}`
}
const bare = createServer(async (incoming, outgoing) => {
  const file = createWriteStream(join(folder, 'bare'))
  await pipeline(incoming, file)
  outgoing.end()
})
await new Promise<void>((listening) => bare.listen(0, '127.0.0.1', listening))
const port = (() => {
  const bound = bare.address()
  return typeof bound === 'object' ? bound?.port : undefined
})()
const listening = await serve({ fetch: catalog.fetch })
const runs: Record<string, number[]> = {}
let grown = 0
for (let round = 0; round < 3; round += 1)
  for (const name of ['bare node:http to a file', 'catalog', 'catalog, SHA-256 on the way']) {
    const url =
      name === 'catalog'
        ? await uploadUrl(listening.url, 'plain')
        : name.startsWith('bare')
          ? `http://127.0.0.1:${port}/`
          : await uploadUrl(listening.url, 'checked')
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let highest = before
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss)
    }, 10)
    const [ms] = await timed(() => send(url))
    clearInterval(watch)
    if (!name.startsWith('bare')) grown = Math.max(grown, highest - before)
    runs[name] ??= []
    runs[name]?.push(ms)
  }
console.log(
  `\nan image of ${megabytes} MiB, median of 3, sender in the same process; memory grew by ${Math.round(grown / 1e6)} MB`,
)
const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[1] ?? Number.NaN
const plain = median(runs['bare node:http to a file'] ?? [])
for (const [name, times] of Object.entries(runs))
  console.log(
    `${name.padEnd(46)}${((megabytes / median(times)) * 1000).toFixed(0).padStart(10)} MiB/s ${((100 * plain) / median(times)).toFixed(0).padStart(6)} %`,
  )
bare.close()
await listening.close({ drainMs: 0 })
await catalog.close()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
