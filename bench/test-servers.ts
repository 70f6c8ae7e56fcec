// What `plinth/testing` costs in the built package: the start of each server on a port, `fork` by content, and isolated
// tests that start, use over HTTP and close a server of their own, beside a bare server of `node:http`.
// npm run build && npm run bench -- bench/test-servers.ts [secrets in the largest fork] [rounds]
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { unwrap } from 'plinth'
import { startCatalog, startRegistry, startScheduler, startSecrets } from 'plinth/testing'
import { median, printTable } from './measure.ts'

const largest = Number(process.argv[2] ?? 100_000)
const rounds = Number(process.argv[3] ?? 30)

const timed = async <Result>(work: () => Promise<Result>): Promise<[ms: number, result: Result]> => {
  const before = performance.now()
  const result = await work()
  return [performance.now() - before, result]
}

const kinds = {
  secrets: startSecrets,
  scheduler: startScheduler,
  catalog: startCatalog,
  registry: startRegistry,
} as const

const starts = [['start with a port', 'first', 'median', 'slowest']]
for (const [name, start] of Object.entries(kinds)) {
  const times: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const [time, server] = await timed<{ readonly close: () => Promise<void> }>(() => start())
    times.push(time)
    await server.close()
  }
  const [first = Number.NaN, ...rest] = times
  starts.push([name, ...[first, median(rest), Math.max(...rest)].map((ms) => `${ms.toFixed(1)} ms`)])
}
printTable(starts)
console.log()

const forks = [['secrets in what is forked', 'fork', 'slowest', 'a read of the fork']]
for (const count of [100, largest]) {
  await using filled = await startSecrets({
    prepare: async ({ kv }) => {
      const secrets = kv()
      for (let at = 0; at < count; at += 64)
        await Promise.all(
          Array.from({ length: Math.min(64, count - at) }, async (_, next) =>
            unwrap(
              await secrets.write(`team-${(at + next) % 1000}/app-${at + next}`, { password: 'hunter2' }),
            ),
          ),
        )
    },
  })
  const times: number[] = []
  const reads: number[] = []
  for (let round = -3; round < rounds; round += 1) {
    const [time, copy] = await timed(() => filled.fork())
    const [read] = await timed(async () => unwrap(await copy.service.kv().read('team-7/app-7')))
    if (round >= 0) {
      times.push(time)
      reads.push(read)
    }
    await copy.close()
  }
  forks.push([
    count.toLocaleString('en'),
    ...[median(times), Math.max(...times), median(reads)].map((ms) => `${ms.toFixed(2)} ms`),
  ])
}
printTable(forks)

/** One request that writes, and one that reads. */
async function use(url: string, headers: Record<string, string>): Promise<void> {
  const written = await fetch(url, { method: 'POST', headers, body: '{"data":{"password":"hunter2"}}' })
  const read = await fetch(url, { headers })
  if (!written.ok || !read.ok) throw new Error(`the test's secret was answered with ${read.status}`)
  await Promise.all([written.arrayBuffer(), read.arrayBuffer()])
}

const tests = 400
const ways: Readonly<Record<string, () => Promise<void>>> = {
  'startSecrets, use, close': async () => {
    await using server = await startSecrets()
    await use(`${server.url}/v1/secret/data/db`, { 'X-Vault-Token': server.token })
  },
  'fork, use, close': async () => {
    await using server = await shared.fork()
    await use(`${server.url}/v1/secret/data/db`, { 'X-Vault-Token': server.token })
  },
  'createServer of node:http, use, close': async () => {
    const server = createServer((request, response) => request.resume().on('end', () => response.end('{}')))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {})
    server.close()
    server.closeAllConnections()
  },
}
await using shared = await startSecrets()
const spent = new Map(Object.keys(ways).map((way) => [way, 0]))
for (let test = 0; test < tests; test += 1)
  for (const [way, run] of Object.entries(ways)) spent.set(way, (spent.get(way) ?? 0) + (await timed(run))[0])
console.log()
printTable([
  [`${tests} isolated tests, in turn`, 'all of them'],
  ...[...spent].map(([way, ms]) => [way, `${(ms / 1000).toFixed(1)} s`]),
])
