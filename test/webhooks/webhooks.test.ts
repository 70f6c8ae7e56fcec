import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { webhookSender } from '../../src/http/node/index.ts'
import { eventEmitter } from '../../src/kernel/event-emitter.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, memoryStore, type Store } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import type { WebhookSender } from '../../src/webhooks/model.ts'
import { outbox } from '../../src/webhooks/outbox.ts'
import { read } from '../client.ts'

interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate()
}

/** A receiver that answers as it is told, and what it got. */
function receiver(answer: (nth: number) => number | Error = () => 204) {
  const posted: Posted[] = []
  const sender = {
    problem: ({ hostname }: URL) => (hostname === '10.0.0.1' ? '10.0.0.1 is a private address' : undefined),
    post: async (url: URL, headers: Readonly<Record<string, string>>, body: string) => {
      posted.push({ url: url.href, headers, body })
      const status = answer(posted.length)
      if (status instanceof Error) throw status
      return status
    },
  }
  return { posted, sender, has: (count: number) => until(() => posted.length === count) }
}

const typesOf = (posted: readonly Posted[]) => posted.map(({ body }) => JSON.parse(body).type)

/** A catalog whose alice publishes boxes, and whose boss manages webhooks. */
async function company(answer?: (nth: number) => number | Error, store = memoryStore()) {
  const clock = testClock()
  const received = receiver(answer)
  const options = { store, blobs: memoryBlobs(nodeHashing), env: clock.env, timers: clock.timers }
  const catalog = createCatalog({ ...options, webhooks: received.sender })
  await catalog.putUser({ username: 'alice' })
  await catalog.putUser({ username: 'boss', administrator: true })
  const alice = catalog.as({ kind: 'user', username: 'alice' })
  const publish = async (number: string) => {
    const version = { username: 'alice', name: 'tiny', version: number }
    await alice.createBox({ ...version, private: false })
    unwrap(await alice.createVersion(version, { version: number }))
    unwrap(await alice.createProvider(version, { name: 'qemu', url: 'https://example.com/a.box' }))
    return unwrap(await alice.releaseVersion(version))
  }
  const as = async (username: string) => {
    const { token } = unwrap(await catalog.createToken(username))
    return async (method: string, path = '/plinth/v1/webhooks', body?: object) =>
      read(
        await catalog.fetch(
          new Request(`http://service.test${path}`, {
            method,
            headers: { authorization: `Bearer ${token}` },
            ...(body && { body: JSON.stringify(body) }),
          }),
        ),
      )
  }
  return { catalog, clock, options, publish, as, ...received }
}

const url = 'https://ci.example.com/hook?key=secret'

describe('a webhook', () => {
  it('gets a signed message for each release of its owner', async () => {
    const { catalog, publish, posted, has, clock } = await company()
    const { id, secret } = unwrap(
      await catalog.createWebhook({ url, owner: 'Alice', events: ['version.released'] }),
    )
    await catalog.createWebhook({ url: 'https://other.example.com', owner: 'acme' })
    await publish('1.0')
    await has(1)
    const { headers = {}, body = '' } = posted[0] ?? {}
    expect(JSON.parse(body)).toEqual({
      type: 'version.released',
      timestamp: new Date(clock.env().now).toISOString(),
      data: { subject: 'alice/tiny', by: 'alice', version: '1.0' },
    })
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    )
    await until(async () =>
      unwrap(await catalog.listWebhooks()).some((each) => each.id === id && each.last?.problem === null),
    )
    await catalog.close()
  })

  it('gets a message again until it was taken, with the same id, and then the next', async () => {
    const { catalog, publish, posted, has, clock } = await company((nth) =>
      nth === 1 ? 500 : nth === 2 ? new Error('refused') : 200,
    )
    unwrap(await catalog.createWebhook({ url, events: ['version.released'] }))
    await publish('1.0')
    await has(1)
    const problem = async () => unwrap(await catalog.listWebhooks())[0]?.last?.problem
    await until(async () => (await problem()) === 'answered 500')
    await clock.advance(9_999)
    expect(posted).toHaveLength(1)
    await clock.advance(1)
    await until(async () => (await problem()) === 'refused')
    await clock.advance(60_000)
    await until(async () => (await problem()) === null)
    expect(posted).toHaveLength(3)
    expect(new Set(posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await catalog.close()
  })

  it('gets after a restart what was not taken before it', async () => {
    const store = memoryStore()
    const first = await company(() => new Error('down'), store)
    unwrap(await first.catalog.createWebhook({ url }))
    await first.publish('1.0')
    await first.has(1)
    await until(async () => unwrap(await first.catalog.listWebhooks())[0]?.last?.problem === 'down')
    await first.catalog.close()
    await first.clock.advance(10_000)
    const { sender, posted, has } = receiver()
    const catalog = createCatalog({ ...first.options, webhooks: sender })
    await catalog.sweep()
    await has(1)
    expect(posted[0]?.headers['webhook-id']).toBe(first.posted[0]?.headers['webhook-id'])
    await catalog.close()
  })

  it('is managed by administrators alone, whose audit trail has neither its secret nor its path', async () => {
    const { catalog, as } = await company()
    const [alice, boss] = [await as('alice'), await as('boss')]
    expect((await alice('POST', undefined, { url })).status).toBe(403)
    expect((await alice('GET')).status).toBe(403)
    const made = (await boss('POST', undefined, { url })).body
    expect(made.secret).toMatch(/^whsec_/)
    const listed = await boss('GET')
    expect(listed.body.webhooks[0]).toMatchObject({ id: made.id, url, last: null })
    expect(listed.text).not.toContain('whsec_')
    const { changes } = unwrap(await catalog.readAudit({ filter: 'type starts with "webhook"' }))
    expect(changes[0]?.detail).toEqual({ to: 'https://ci.example.com', webhook: made.id })
    expect((await alice('DELETE', `/plinth/v1/webhooks/${made.id}`)).status).toBe(403)
    expect((await boss('DELETE', `/plinth/v1/webhooks/${made.id}`)).status).toBe(204)
    expect((await boss('DELETE', `/plinth/v1/webhooks/${made.id}`)).status).toBe(404)
    await catalog.close()
  })

  it.each([
    { url: 'ftp://example.com' },
    { url: 'https://user:word@example.com' },
    { url: 'http://10.0.0.1/latest' },
    { url: 'nothing' },
    { url, events: [] },
    { url, events: ['box.created'] },
    { url, eventz: [] },
  ])('is not %j', async (input) => {
    const { catalog, as } = await company()
    expect((await (await as('boss'))('POST', undefined, input)).status).toBe(422)
    expect(unwrap(await catalog.listWebhooks())).toEqual([])
    await catalog.close()
  })

  it('of a registry gets the versions that are published', async () => {
    const { sender, posted, has } = receiver()
    const registry = createRegistry({ webhooks: sender })
    unwrap(await registry.createWebhook({ url, owner: 'acme' }))
    const vpc = { namespace: 'Acme', name: 'vpc', provider: 'aws' }
    await registry.publishModule(vpc)
    unwrap(await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://example.com/a.zip' }))
    unwrap(await registry.deprecateVersion(vpc, '1.0.0', { reason: 'old' }))
    await has(2)
    expect(typesOf(posted)).toEqual(['version.published', 'version.deprecated'])
    await registry.close()
  })

  it('is refused where nothing is sent', async () => {
    const registry = createRegistry()
    const refused = await registry.createWebhook({ url })
    expect(refused.ok ? '' : refused.refusal.code).toBe('webhooks_not_sent')
    await registry.close()
  })
})

describe('the sender', () => {
  it.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest',
    'http://localhost:8300/',
    'http://a.localhost/',
    'http://0.0.0.0/',
    'http://192.168.1.1/',
  ])('refuses %s before it is called', (address) => {
    expect(webhookSender().problem(new URL(address))).toMatch(/is a private address/)
    expect(webhookSender({ allow: ['203.0.113.7'] }).problem(new URL(address))).toMatch(
      /is a private address/,
    )
  })

  it('posts to an allowed network, follows no redirect, and refuses a host that leads to a private address', async () => {
    const bodies: string[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      bodies.push(`${request.method} ${request.headers['webhook-id']} ${body}`)
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const within = webhookSender({ allow: ['127.0.0.0/8'] })
    const at = new URL(`http://127.0.0.1:${port}/hook`)
    expect(within.problem(at)).toBeUndefined()
    expect(await within.post(at, { 'webhook-id': 'm1' }, 'ü')).toBe(302)
    expect(bodies).toEqual(['POST m1 ü'])
    await expect(webhookSender().post(new URL(`http://localhost:${port}/`), {}, '')).rejects.toThrow(
      'localhost is a private address',
    )
    expect(bodies).toHaveLength(1)
    await new Promise((resolve) => server.close(resolve))
  })
})

/** How a sender fails, beside an answer that is no success. */
const failures: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('broken')
  },
  rejects: () => Promise.reject(new Error('broken')),
  'rejects with nothing': () => Promise.reject(),
  'never settles': () => new Promise(() => {}),
  'is a thenable that throws': () => ({
    // biome-ignore lint/suspicious/noThenProperty: what a sender may return
    then: () => {
      throw new Error('broken')
    },
  }),
  'answers without a status': () => Promise.resolve(undefined),
}

it.each(Object.entries(failures))(
  'a post that %s is tried eight times, and harms neither other webhooks nor the service',
  async (_way, fail) => {
    const clock = testClock()
    const errors: unknown[] = []
    const posts = { bad: 0, good: 0 }
    const post = ({ hostname }: URL): unknown => {
      const isBad = hostname === 'bad.example.com'
      posts[isBad ? 'bad' : 'good'] += 1
      return isBad ? fail() : Promise.resolve(204)
    }
    const webhooks = { problem: () => undefined, post: post as WebhookSender['post'] }
    const registry = createRegistry({ ...clock, webhooks, onError: (error) => errors.push(error) })
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    for (const host of ['bad', 'good'])
      unwrap(await registry.createWebhook({ url: `https://${host}.example.com/` }))
    unwrap(await registry.publishModule(vpc))
    unwrap(await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://host.test/x.zip' }))
    await until(() => posts.good === 1)
    for (let hours = 0; hours < 100; hours += 1) {
      await clock.advance(3_600_000)
      await setImmediate()
    }
    expect(posts).toEqual({ bad: 8, good: 1 })
    unwrap(await registry.publishVersion(vpc, { version: '1.0.1', source: 'https://host.test/x.zip' }))
    await until(() => posts.good === 2)
    expect(errors).toEqual([])
    await registry.close()
  },
)

it('a post that never settles delays no message of another webhook', async () => {
  const clock = testClock()
  const got: string[] = []
  const webhooks: WebhookSender = {
    problem: () => undefined,
    post: ({ hostname }, _headers, body) => {
      if (hostname === 'stuck.example.com') return new Promise(() => {})
      got.push(JSON.parse(body).data.version)
      return Promise.resolve(204)
    },
  }
  const registry = createRegistry({ ...clock, webhooks })
  for (const host of ['stuck', 'good'])
    unwrap(await registry.createWebhook({ url: `https://${host}.example.com/` }))
  const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
  unwrap(await registry.publishModule(vpc))
  const versions = Array.from({ length: 12 }, (_, at) => `1.0.${at}`)
  for (const version of versions)
    unwrap(await registry.publishVersion(vpc, { version, source: 'https://host.test/x.zip' }))
  await until(() => got.length === versions.length)
  expect(got.toSorted()).toEqual(versions.toSorted())
  await registry.close()
})

describe('of two servers on one store', () => {
  const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
  /** A server whose posts end when the test says so. */
  const server = (shared: { readonly store: Store; readonly clock: ReturnType<typeof testClock> }) => {
    const ends: ((status: number) => void)[] = []
    const post: WebhookSender['post'] = () => new Promise((resolve) => ends.push(resolve))
    const { env, timers } = shared.clock
    const options = { store: shared.store, env, timers, webhooks: { problem: () => undefined, post } }
    return {
      registry: createRegistry(options),
      ends,
      posts: (count: number) => until(() => ends.length === count),
    }
  }
  const pair = async () => {
    const shared = { store: memoryStore(), clock: testClock() }
    const servers = [server(shared), server(shared)] as const
    const [{ registry }, other] = servers
    unwrap(await registry.createWebhook({ url }))
    unwrap(await registry.publishModule(vpc))
    unwrap(await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://example.com/a.zip' }))
    await servers[0].posts(1)
    const problem = async () => unwrap(await registry.listWebhooks())[0]?.last?.problem
    const close = () => Promise.all([registry.close(), other.registry.close()])
    return { clock: shared.clock, first: servers[0], second: other, problem, close }
  }

  it('one posts a message, the other not while the post lasts', async () => {
    const { clock, first, second, problem, close } = await pair()
    for (let seconds = 0; seconds < 59; seconds += 1) {
      await second.registry.sweep()
      await clock.advance(1000)
    }
    expect(second.ends).toEqual([])
    first.ends[0]?.(204)
    await until(async () => (await problem()) === null)
    await clock.advance(86_400_000)
    await second.registry.sweep()
    expect([first.ends.length, second.ends.length]).toEqual([1, 0])
    await close()
  })

  it('none posts again before the pause after a late failure is over', async () => {
    const { clock, first, second, problem, close } = await pair()
    await clock.advance(50_000)
    first.ends[0]?.(500)
    await until(async () => (await problem()) === 'answered 500')
    await clock.advance(9_999)
    await second.registry.sweep()
    expect([first.ends.length, second.ends.length]).toEqual([1, 0])
    await clock.advance(1)
    await until(() => first.ends.length + second.ends.length === 2)
    await close()
  })

  it('the other posts the message of one that ended in the middle', async () => {
    const { clock, first, second, close } = await pair()
    await first.registry.close()
    await clock.advance(89_999)
    await second.registry.sweep()
    await setImmediate()
    expect(second.ends).toEqual([])
    await clock.advance(1)
    await second.registry.sweep()
    await second.posts(1)
    await close()
  })
})

describe('the outbox', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'looks again if it is woken %i microtasks after a look',
    async (later) => {
      const now = memoryStore().snapshot()
      let looks = 0
      const messages = outbox({
        commit: async () => undefined,
        fresh: async () => {
          looks += 1
          if (looks === 1) {
            let waiting: Promise<void> = Promise.resolve()
            for (let at = 0; at < later; at += 1) waiting = waiting.then(() => undefined)
            void waiting.then(() => messages.wake())
          }
          return now
        },
        env: testClock().env,
        timers: testClock().timers,
        crypto: nodeCrypto(),
        sender: receiver().sender,
        fold: (owner) => owner,
        report: eventEmitter(undefined),
      })
      messages.wake()
      await setImmediate()
      expect(looks).toBe(2)
      messages.close()
    },
  )
})
