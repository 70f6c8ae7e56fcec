import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { type Catalog, type CatalogOptions, createCatalog } from '../../src/catalog/index.ts'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { matcher } from '../../src/http/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, memoryStore, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { type Answer, ask } from '../client.ts'

export { read } from '../client.ts'

/** A catalog with the user alice, her token, and a way to ask. */
export async function served(options: Partial<CatalogOptions> = {}, seed = 1) {
  const clock = testClock({ seed })
  const errors: unknown[] = []
  const catalog = createCatalog({
    store: memoryStore(),
    blobs: memoryBlobs(nodeHashing),
    env: clock.env,
    timers: clock.timers,
    crypto: nodeCrypto({ scryptLogN: 4 }),
    onError: (error) => errors.push(error),
    ...options,
  })
  unwrap(await catalog.putUser({ username: 'alice', password: 'correct horse' }))
  const { token } = unwrap(await catalog.createToken('alice', { description: 'test' }))
  return { catalog, clock, errors, token, ask: asking(catalog), alice: asking(catalog, token) }
}

/** alice has a public box with one unreleased version and a private one; bob is another user. */
export async function withBoxes() {
  const world = await served()
  const { catalog, alice } = world
  unwrap(await catalog.putUser({ username: 'bob', password: 'battery staple' }))
  const bob = asking(catalog, unwrap(await catalog.createToken('bob')).token)
  await alice('POST /api/v2/boxes', { box: { name: 'tiny', is_private: false } })
  await alice('POST /api/v2/boxes', { box: { name: 'secret' } })
  await alice('POST /api/v2/box/alice/tiny/versions', { version: { version: '1.0.0' } })
  await alice('POST /api/v2/box/alice/tiny/version/1.0.0/providers', {
    provider: { name: 'qemu', architecture: 'amd64' },
  })
  return { ...world, bob }
}

/** Where its things are, in version 2 of the API. */
export const box = '/api/v2/box/alice/tiny'
export const version = `${box}/version/1.0.0`
export const provider = `${version}/provider/qemu/amd64`

/** Sends requests like `PUT /api/v2/…` with a JSON body, under a token if there is one. */
export const asking =
  (catalog: Pick<Catalog, 'fetch' | 'routes'>, token?: string) =>
  async (line: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await ask(catalog, line, { body, headers: { ...bearer, ...headers } })
    const [method = 'GET', path = '/'] = line.split(' ')
    expectDocumented(catalog, method, new URL(path, 'http://service.test').pathname, answer)
    return answer
  }

/** Checks every response: a success has the status and exactly the fields that the documentation lists. */
function expectDocumented({ routes }: Pick<Catalog, 'routes'>, method: string, path: string, answer: Answer) {
  const found = matcher(routes)(method, path)
  if (found.kind !== 'found' || method === 'HEAD' || answer.status >= 300) return
  const { reply, success } = found.matched.route
  expect(answer.status).toBe(success)
  if (reply) expect(reply.parse(answer.body)).toEqual(answer.body)
}

export const digestOf = (type: string, bytes: string | Uint8Array): string =>
  createHash(type).update(bytes).digest('hex')

/** A store as it looks from another process: nothing but the port. */
export const elsewhere = (store: Store): Store => ({
  head: () => store.head(),
  read: (fn) => store.read(fn),
  commit: (batch) => store.commit(batch),
  changes: (since) => store.changes(since),
  import: (entries, at) => store.import(entries, at),
  close: async () => {},
})
