import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets } from '../../src/secrets/index.ts'
import { memoryBlobs, memoryStore, type Store, StoreError } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'

const failures: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('thrown at once')
  },
  rejects: () => Promise.reject(new StoreError('unreachable', 'down')),
  'rejects with nothing': () => Promise.reject(undefined),
  'never settles': () => new Promise(() => {}),
  'answers nothing': () => Promise.resolve(undefined),
  'answers with another type': () => Promise.resolve('yes'),
}

const calls = ['head', 'read', 'commit', 'changes', 'import'] as const
type Call = (typeof calls)[number]

/** A store of another process, of which one call fails while `fault` is set. */
function failing(call: Call) {
  const { snapshot: _snapshot, onCommit: _onCommit, ...kept } = memoryStore()
  const state: { fault: (() => unknown) | undefined } = { fault: undefined }
  const store: Store = {
    ...kept,
    [call]: (...given: readonly never[]) =>
      state.fault === undefined ? Reflect.apply(kept[call], kept, given) : state.fault(),
  }
  return { store, state }
}

interface Opened {
  readonly service: {
    readonly routes: readonly { readonly methods: readonly string[]; readonly path: string }[]
    readonly fetch: (request: Request) => Promise<Response>
    readonly close: () => Promise<void>
  }
  readonly path: string
  readonly write: () => Promise<unknown>
}

interface Common {
  readonly storeTimeoutMs: number
  readonly onError: () => void
}

const services: Readonly<Record<string, (store: Store, common: Common) => Opened>> = {
  catalog: (store, common) => {
    const service = createCatalog({ ...common, store, blobs: memoryBlobs(nodeHashing) })
    return { service, path: '/api/v2/search', write: () => service.putUser({ username: 'ada' }) }
  },
  registry: (store, common) => {
    const service = createRegistry({ ...common, store })
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    return { service, path: '/v1/modules', write: () => service.publishModule(vpc) }
  },
  scheduler: (store, common) => {
    const service = createScheduler({ ...common, store, place: true, collect: true })
    return { service, path: '/v1/jobs', write: () => service.upsertPool({ Name: 'gpu' }) }
  },
  secrets: (store, common) => {
    const service = createSecrets({ ...common, store })
    const write = () => service.seal.initialize({ shares: 1, threshold: 1 })
    return { service, path: '/v1/sys/seal-status', write }
  },
}

const open = (name: string, store: Store): Opened => {
  const made = services[name]?.(store, { storeTimeoutMs: 10, onError: () => {} })
  if (made === undefined) throw new Error(`no service ${name}`)
  return made
}

const ask = ({ service }: Opened, path: string, method = 'GET') =>
  service.fetch(
    new Request(`http://localhost${path}`, {
      method,
      ...(method !== 'GET' && method !== 'HEAD' && { body: '{}' }),
    }),
  )

/** Every typed method of a service, called with plausible input, but for those that end it. */
const methodsOf = (service: object): readonly (() => Promise<unknown>)[] =>
  Object.entries(service).flatMap(([name, member]) =>
    typeof member === 'function'
      ? ['close', 'fetch', 'handle'].includes(name)
        ? []
        : [async () => member.call(service, { namespace: 'x', name: 'x', provider: 'x', path: 'x', id: 'x' })]
      : typeof member === 'object' && member !== null && !Array.isArray(member)
        ? methodsOf(member)
        : [],
  )

/** Unexpected, or expected to pass: never the words of a program's mistake. */
const isFailure = (status: number) => status === 500 || status === 503

const read = ({ service, path }: Opened) =>
  ask({ service, path } as Opened, path).then(({ status }) => status)

describe.each(Object.keys(services))('%s on a store', (name) => {
  describe.each(calls)('whose %s', (call) => {
    it.each(Object.entries(failures))(
      '%s: answers, closes, and works once the store does',
      async (_kind, fault) => {
        const { store, state } = failing(call)
        state.fault = fault
        const first = open(name, store)
        const statuses = await Promise.all(
          first.service.routes.flatMap(({ methods, path }) =>
            methods
              .filter((method) => method !== 'LIST')
              .map((method) =>
                ask(first, path.replaceAll(/:\w+\??|\*\w*/g, 'x'), method).then(({ status }) => status),
              ),
          ),
        )
        expect(statuses.length).toBeGreaterThan(3)
        const called = await Promise.allSettled(methodsOf(first.service).map((method) => method()))
        expect(called.length).toBeGreaterThan(15)
        if (call === 'read') expect(isFailure(await read(first))).toBe(true)
        const written = await first.write().catch((error: unknown) => ({ error }))
        if (call === 'commit') expect(written).toHaveProperty('error')
        // Not closed yet: the same service works once the store does.
        state.fault = undefined
        expect(await read(first)).toBe(200)
        expect(await first.write().then((answer) => typeof answer)).toBe('object')
        state.fault = fault
        await read(first)
        await first.write().catch(() => undefined)
        await first.service.close()
      },
    )

    it.each(Object.entries(failures))(
      '%s: can be closed before it was used, and while it opens',
      async (_kind, fault) => {
        const { store, state } = failing(call)
        state.fault = fault
        await open(name, store).service.close()
        const used = open(name, store)
        const asked = read(used)
        await used.service.close()
        expect([200, 500, 503]).toContain(await asked)
      },
    )
  })
})

describe('the gateway, which keeps nothing in a store,', () => {
  it.each(Object.entries(failures))('answers where what it asks %s', async (kind, fault) => {
    const clock = testClock()
    const gateway = createGateway({
      ...clock,
      isUp: fault as () => boolean,
      worker: { dial: fault as () => Promise<void> },
    })
    const asked = gateway.fetch(new Request('http://localhost/health'))
    await clock.advance(10_000)
    const { status } = await asked
    expect(kind.startsWith('answers') ? [200, 503] : [500, 503]).toContain(status)
    await gateway.close()
  })
})
