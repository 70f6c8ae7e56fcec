// How fast the secrets service writes and reads versioned secrets in memory, against the bare store.
//   node --expose-gc --import ./scripts/ts-loader.mjs bench/secrets.ts [operations]
// Every row awaits one operation after another. `cpu` is the time the process spent on its processors, garbage
// collection included: only it ignores the neighbours of the machine.

import { nodeCrypto } from '../src/crypto/index.ts'
import { devSecrets } from '../src/secrets/index.ts'
import { keyOf, memoryStore } from '../src/store/index.ts'

const count = Number(process.argv[2] ?? 30_000)
const data = { user: 'ada', password: 'correct horse battery staple', url: 'postgres://db.internal:5432/app' }
const paths = Array.from({ length: 1000 }, (_, at) => `app/service-${at}/db`)
const pathAt = (at: number): string => paths[at % paths.length] ?? ''

async function row(name: string, run: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count / 3; at += 1) await run(at)
  globalThis.gc?.()
  const rounds: { wall: number; cpu: number }[] = []
  for (let round = 0; round < 5; round += 1) {
    const begun = process.cpuUsage()
    const start = performance.now()
    for (let at = 0; at < count / 5; at += 1) await run(at)
    const wall = performance.now() - start
    const { user, system } = process.cpuUsage(begun)
    rounds.push({ wall: (wall * 1000) / (count / 5), cpu: (user + system) / (count / 5) })
  }
  rounds.sort((a, b) => a.cpu - b.cpu)
  const { wall, cpu } = rounds[2] ?? { wall: 0, cpu: 0 }
  const each = (us: number) =>
    `${us.toFixed(1).padStart(7)} µs ${Math.round(1e6 / us)
      .toLocaleString('en')
      .padStart(9)}/s`
  console.log(`${name.padEnd(46)} wall ${each(wall)}   cpu ${each(cpu)}`)
}

const bare = memoryStore()
let commits = 0
await row('bare store: commit of two puts', (at) =>
  bare.commit([
    {
      id: String(commits++),
      put: [
        { key: keyOf('a', pathAt(at)), value: data },
        { key: keyOf('b', pathAt(at)), value: data },
      ],
    },
  ]),
)
await row('bare store: read of two keys', (at) =>
  bare.read((view) => view.get([keyOf('a', pathAt(at)), keyOf('b', pathAt(at))])),
)

// What a sealed write cannot do without: its text, one encryption, a commit of two puts and a deletion, and a snapshot.
const sealing = memoryStore()
const { randomBytes, seal } = nodeCrypto()
const key = randomBytes(32)
const life = crypto.randomUUID()
const metadata = {
  mount: life,
  path: pathAt(0),
  incarnation: life,
  versions: Array.from({ length: 20 }, (_, at) => at),
}
await row('bare store: text, one encryption, commit', async (at) => {
  const place = pathAt(at)
  const text = JSON.stringify(['a', metadata, 'b', { life, version: at, json: JSON.stringify(data) }])
  const value = Buffer.from(seal(key, Buffer.from(text))).toString('base64')
  const version = Math.floor(at / paths.length)
  await sealing.commit([
    {
      id: String(commits++),
      put: [
        { key: keyOf('a', place), value: [0, value] },
        { key: keyOf('b', place, version), value: [1, value] },
      ],
      del: [keyOf('b', place, version + 10)],
    },
  ])
  sealing.snapshot().get(keyOf('a', place))
})

// A store that is given has each value sealed on its way; a realm of the service's own is sealed when the service is.
const onStore = await devSecrets({ store: memoryStore() })
const { service, rootToken } = await devSecrets()
for (const [where, kv] of [
  ['own realm', service.kv()],
  ['memory store given', onStore.service.kv()],
] as const) {
  await row(`${where}: write`, (at) => kv.write(pathAt(at), data))
  await row(`${where}: write, 64 callers at once`, async (at) => {
    if (at % 64 === 0)
      await Promise.all(Array.from({ length: 64 }, (_, more) => kv.write(pathAt(at + more), data)))
  })
  await row(`${where}: read`, (at) => kv.read(pathAt(at)))
  await row(`${where}: read of one secret`, () => kv.read(pathAt(0)))
  await row(`${where}: list of 1,000 folders`, (at) => (at % 100 === 0 ? kv.list('app/') : Promise.resolve()))
}
await onStore.service.close()

const headers = { 'X-Secrets-Token': rootToken }
const body = JSON.stringify({ data })
const url = (at: number) => `http://localhost/v1/secret/data/${pathAt(at)}`
await row('a Request and a Response, nothing else', async (at) => {
  const request = new Request(url(at), { headers })
  return new Response(request.url).text()
})
await row('a POST Request whose body is read, and a Response', async (at) => {
  const request = new Request(url(at), { method: 'POST', headers, body })
  return new Response(await request.text()).text()
})
await row('fetch: read', async (at) => (await service.fetch(new Request(url(at), { headers }))).text())
await row('fetch: write', async (at) =>
  (await service.fetch(new Request(url(at), { method: 'POST', headers, body }))).text(),
)
await service.close()

// Machines that log in.
const { service: logins } = await devSecrets()
await logins.mounts.enable({ path: 'auth/approle/', type: 'approle' })
await logins.approle().writeRole('ci', { roleId: 'ci', tokens: { policies: ['deploy'], ttlSeconds: 600 } })
const made = await logins.approle().makeSecretId('ci')
if (!made.ok) throw new Error(made.refusal.message)
const { secretId } = made.value
await row('approle: login', () => logins.approle().login({ roleId: 'ci', secretId }))
await logins.close()

// What a key encrypts, against the same encryption with its text and nothing else.
const { service: keys } = await devSecrets()
await keys.mounts.enable({ path: 'transit/', type: 'transit' })
const transit = keys.transit()
await transit.createKey('orders')
await transit.createKey('contracts', { type: 'ed25519' })
const card = randomBytes(1024)
await row('bare: AES-256-GCM of 1 kB, as base64 text', async () => {
  const sealed = seal(key, card)
  return `vault:v1:${Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).toString('base64')}`
})
await row('transit: encrypt 1 kB', () => transit.encrypt('orders', card))
const ciphertext = await transit.encrypt('orders', card)
if (!ciphertext.ok) throw new Error(ciphertext.refusal.message)
await row('transit: decrypt 1 kB', () => transit.decrypt('orders', ciphertext.value))
await row('transit: sign 1 kB, ed25519', () => transit.sign('contracts', card))
await keys.close()
