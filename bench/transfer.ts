// How fast images and modules move over real sockets: an upload, a download and a publish against bare node:http on the
// same disk, and `plinth box mirror` against `curl` between the same two servers.
//   node --import ./scripts/ts-loader.mjs bench/transfer.ts [MiB of an image]
// Each row is the median of some rounds in turn; a ratio of 1 is as fast as the bare program. A publish takes some
// dozens of milliseconds: it has more rounds, and two before they count, as in measure.ts.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { createCatalog } from '../src/catalog/index.ts'
import { type Listening, serve } from '../src/http/node/index.ts'
import { unwrap } from '../src/kernel/index.ts'
import { createRegistry } from '../src/registry/index.ts'
import { directoryBlobs } from '../src/store/blobs/directory.ts'
import { memoryStore } from '../src/store/index.ts'
import { median } from './measure.ts'

const megabytes = Number(process.argv[2] ?? 1024)
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'plinth-transfer-'))
const image = join(folder, 'image')
const block = randomBytes(1024 * 1024)
await pipeline(async function* () {
  for (let sent = 0; sent < megabytes; sent += 1) yield block
}, createWriteStream(image))

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
/** Times two ways to do the same thing, in turns. */
async function against(
  what: string,
  aim: number,
  bare: () => Promise<unknown>,
  ours: () => Promise<unknown>,
  { rounds = 3, warmups = 0 } = {},
) {
  const [bareTimes, ourTimes]: [number[], number[]] = [[], []]
  for (let round = -warmups; round < rounds; round += 1) {
    const [theirs, mine] = [await seconds(bare), await seconds(ours)]
    if (round < 0) continue
    bareTimes.push(theirs)
    ourTimes.push(mine)
  }
  const [theirs, mine] = [median(bareTimes), median(ourTimes)]
  console.log(
    `${what.padEnd(48)}${theirs.toFixed(3).padStart(9)} s ${mine.toFixed(3).padStart(9)} s   ratio ${(theirs / mine).toFixed(2)}   aim ${aim}`,
  )
}
async function sendFile(url: string, method: string, path: string, headers: Record<string, string> = {}) {
  const sending = request(url, { method, headers: { 'content-length': String(sizeOf(path)), ...headers } })
  const answered = once(sending, 'response')
  await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), sending)
  const [answer] = await answered
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode}`)
}
const sizes = new Map<string, number>([[image, megabytes * block.length]])
const sizeOf = (path: string) => sizes.get(path) ?? 0
async function fetchAway(url: string) {
  const asking = request(url).end()
  const [answer] = await once(asking, 'response')
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`)
  for await (const _ of answer);
}

const bareServer = createServer(async (incoming, outgoing) => {
  if (incoming.method === 'GET') return void (await pipeline(createReadStream(image), outgoing))
  const file = createWriteStream(join(folder, 'bare'), { flush: true })
  await pipeline(incoming, file)
  outgoing.end()
})
bareServer.listen(0, '127.0.0.1')
await once(bareServer, 'listening')
const bound = bareServer.address()
const bare = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/`

/** A catalog with a box whose image is the file, if given. */
async function catalogIn(name: string) {
  const catalog = createCatalog({
    store: memoryStore(),
    blobs: await directoryBlobs(join(folder, name)),
  })
  unwrap(await catalog.putUser({ username: 'acme' }))
  const { token } = unwrap(await catalog.createToken('acme'))
  const at = await serve({ fetch: catalog.fetch })
  return { catalog, token, at }
}
const [from, to] = [await catalogIn('from'), await catalogIn('to')]
const acme = from.catalog.as({ kind: 'user', username: 'acme' })
const box = { username: 'acme', name: 'base' }
const version = { ...box, version: '1.0.0' }
unwrap(await acme.createBox({ ...box, private: false }))
unwrap(await acme.createVersion(box, { version: '1.0.0' }))
unwrap(await acme.createProvider(version, { name: 'qemu', architecture: 'amd64' }))
const uploadTo = async ({ url }: Listening) =>
  `${url}/api/upload/${unwrap(await acme.requestUpload(version, { name: 'qemu' }, 'standard')).secret}`

console.log(`${''.padEnd(48)}${'bare'.padStart(11)}${'plinth'.padStart(12)}`)
await against(
  `upload of ${megabytes} MiB, synced, against node:http`,
  0.85,
  () => sendFile(bare, 'PUT', image),
  async () => sendFile(await uploadTo(from.at), 'PUT', image),
)
unwrap(await acme.releaseVersion(version))
const imageUrl = `${from.at.url}/acme/boxes/base/versions/1.0.0/providers/qemu/amd64/vagrant.box`
await against(
  `download of ${megabytes} MiB, against node:http`,
  0.85,
  () => fetchAway(bare),
  () => fetchAway(imageUrl),
)

/** Inputs and resources as modules have them, about 400 characters each pair. */
const configuration = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `variable "subnet_${at}" {
  type        = object({ cidr = string, zones = optional(list(string), []) })
  description = "The subnet number ${at} of the network, in these zones"
  default     = { cidr = "10.0.${at}.0/24", zones = ["a", "b"] }
}

resource "aws_subnet" "subnet_${at}" {
  vpc_id     = aws_vpc.this[0].id
  cidr_block = var.subnet_${at}.cidr
  tags       = merge({ Name = "\${var.name}-${at}" }, var.tags)
}
`,
  ).join('\n')
// Configuration in 11 folders, some documentation, and for the rest what weighs most: packed functions and pictures.
const module_ = join(folder, 'module')
for (const [name, content] of [
  ['main.tf', configuration(100)],
  ...Array.from({ length: 10 }, (_, at) => [`modules/part-${at}/main.tf`, configuration(30)] as const),
  ['README.md', `# A network\n${configuration(100)}`],
  ...Array.from(
    { length: 10 },
    (_, at) => [`files/function-${at}.zip`, randomBytes(block.length / 2)] as const,
  ),
] as const) {
  mkdirSync(dirname(join(module_, name)), { recursive: true })
  writeFileSync(join(module_, name), content)
}
const { stdout: tar } = await run('tar', ['-cf', '-', '-C', module_, '.'], {
  encoding: 'buffer',
  maxBuffer: 64 * block.length,
})
const archive = join(folder, 'module.tar.gz')
const packed = gzipSync(tar)
writeFileSync(archive, packed)
sizes.set(archive, packed.length)
const registry = createRegistry({
  store: memoryStore(),
  blobs: await directoryBlobs(join(folder, 'modules')),
})
const { token: publishing } = unwrap(await registry.createToken({ name: 'ci' }))
const registryAt = await serve({ fetch: registry.fetch })
let number = 0
await against(
  'publish of a module of 5 MiB, against node:http',
  0.5,
  () => sendFile(bare, 'PUT', archive),
  () => {
    number += 1
    return sendFile(`${registryAt.url}/v1/modules/acme/vpc/aws/1.${number}.0`, 'POST', archive, {
      authorization: `Bearer ${publishing}`,
      'content-type': 'application/gzip',
    })
  },
  { rounds: 9, warmups: 2 },
)

const cli = join(folder, 'cli')
await build({
  entryPoints: ['src/cli/main.ts'],
  outdir: cli,
  ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error' },
  external: ['pg', 'postgres', '@aws-sdk/*'],
})
const target = to.catalog.as({ kind: 'user', username: 'acme' })
const copy = join(folder, 'copy')
await against(
  `mirror of ${megabytes} MiB, against curl to a file and on`,
  0.7,
  async () => {
    await target.deleteBox(box)
    unwrap(await target.createBox({ ...box, private: false }))
    unwrap(await target.createVersion(box, { version: '1.0.0' }))
    unwrap(await target.createProvider(version, { name: 'qemu', architecture: 'amd64' }))
    const leave = unwrap(await target.requestUpload(version, { name: 'qemu' }, 'standard'))
    await run('curl', ['-sSf', '-o', copy, imageUrl])
    await run('curl', ['-sSf', '-T', copy, `${to.at.url}/api/upload/${leave.secret}`])
  },
  async () => {
    await target.deleteBox(box)
    const words = [join(cli, 'main.js'), 'box', 'mirror', from.at.url, 'acme', '--to', to.at.url]
    const { stdout } = await run(process.execPath, words, {
      env: { ...process.env, CATALOG_TOKEN: to.token, TMPDIR: folder },
    })
    if (!stdout.startsWith('1 images copied')) throw new Error(stdout)
  },
)
for (const each of [from.at, to.at, registryAt]) await each.close({ drainMs: 0 })
bareServer.close()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
