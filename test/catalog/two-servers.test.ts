import { expect, it } from 'vitest'
import { createCatalog, fixedWindow } from '../../src/catalog/index.ts'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { coalesced, memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { asking, served } from './catalog.ts'

/** Two servers on one store and the same blobs, each with a clock of its own. */
async function pair(options: { readonly limiter?: () => ReturnType<typeof fixedWindow> } = {}) {
  const shared = { store: coalesced(memoryStore()), blobs: memoryBlobs(nodeHashing) }
  const one = await served({ ...shared, limiter: options.limiter?.() })
  const clock = testClock({ seed: 2 })
  const catalog = createCatalog({
    ...shared,
    limiter: options.limiter?.(),
    env: clock.env,
    timers: clock.timers,
    crypto: nodeCrypto({ scryptLogN: 4 }),
  })
  return { one, two: { catalog, clock, alice: asking(catalog, one.token), ask: asking(catalog) } }
}

it('downloads at both servers add up; one that is killed loses those of its last second', async () => {
  const { one, two } = await pair()
  await one.alice('POST /api/v2/boxes', { name: 'tiny', is_private: false })
  const { box } = unwrap(await two.catalog.readBox({ username: 'alice', name: 'tiny' }))
  await one.catalog.countDownload(box.id)
  await two.catalog.countDownload(box.id)
  await two.catalog.countDownload(box.id)
  await one.clock.advance(1_000)
  await two.clock.advance(1_000)
  const downloads = async (server: typeof one.alice) =>
    (await server('GET /api/v2/box/alice/tiny')).body.downloads
  expect([await downloads(one.alice), await downloads(two.alice)]).toEqual([3, 3])
  // The clock of the other stands still from here on, as that of a killed process.
  await two.catalog.countDownload(box.id)
  await one.catalog.countDownload(box.id)
  await one.clock.advance(60_000)
  expect(await downloads(one.alice)).toBe(4)
})

it('an upload that one server was asked for is taken by the other', async () => {
  const { one, two } = await pair()
  const path = '/api/v2/box/alice/tiny/version/1.0.0'
  await one.alice('POST /api/v2/boxes', { name: 'tiny', is_private: false })
  await one.alice('POST /api/v2/box/alice/tiny/versions', { version: '1.0.0' })
  await one.alice(`POST ${path}/providers`, { name: 'qemu', architecture: 'amd64' })
  const { upload_path: url } = (await one.alice(`GET ${path}/provider/qemu/amd64/upload`)).body
  expect((await two.catalog.fetch(new Request(url, { method: 'PUT', body: 'image' }))).status).toBe(200)
  await two.alice(`PUT ${path}/release`)
  const image = 'http://service.test/alice/boxes/tiny/versions/1.0.0/providers/qemu/amd64/vagrant.box'
  expect(await (await one.catalog.fetch(new Request(image))).text()).toBe('image')
})

it('wrong two-factor codes count for all servers; wrong passwords and requests for each by itself', async () => {
  const { one, two } = await pair({ limiter: () => fixedWindow({ limit: 60, windowSeconds: 60 }) })
  const logIn = async (server: typeof two, login: string, password: string) => {
    const body = { user: { login, password }, two_factor: { code: 'wrong' } }
    return (await server.ask('POST /api/v1/authenticate', body)).status
  }
  unwrap(await one.catalog.putUser({ username: 'alice', totpSecret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }))
  unwrap(await one.catalog.putUser({ username: 'bob', password: 'battery staple' }))
  for (const [login, password, atOther] of [
    ['alice', 'correct horse', 429],
    ['bob', 'wrong', 401],
  ] as const) {
    for (let count = 0; count < 10; count += 1) expect(await logIn(one, login, password)).toBe(401)
    expect([await logIn(one, login, password), await logIn(two, login, password)]).toEqual([429, atOther])
  }
  const search = async (server: typeof two) => (await server.ask('GET /api/v2/search')).status
  let status = 200
  while (status !== 429) status = await search(one)
  expect(await search(two)).toBe(200)
})
