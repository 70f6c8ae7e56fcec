import type { Answered, ReceivedExchange } from '../../http/exchange.ts'
import { exchangeHandlerOf, fetchOf, type ServiceFetch } from '../../http/fetch.ts'
import type { MemoryBlobs } from '../../store/blobs/blobs.ts'
import { type MemoryStore, memoryStore } from '../../store/memory/memory.ts'
import { type TestClock, testClock } from '../clock.ts'
import { checkMatching, type Faults, faultsOver, type Matching, type RecordedRequest } from './faults.ts'

/**
 * Options of every test server.
 */
export interface StartOptions<Service> {
  /** The port; any free one by default. */
  readonly port?: number | undefined
  /** Its clock: by default a running one, which starts at the present. */
  readonly clock?: TestClock | undefined
  /** Fills the service before it is ready; `reset` returns to the state that this leaves. */
  readonly prepare?: ((service: Service) => void | Promise<void>) | undefined
}

/**
 * A service of a test on a port of its own, with everything in memory.
 */
export interface Started<Service> extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  readonly url: string
  /** A token with all rights. */
  readonly token: string
  /** The variables that clients read their address and token from: spread them into those of a child process. */
  readonly env: Readonly<Record<string, string>>
  /** Its clock. `await clock.advance(60_000)` is a minute later. */
  readonly clock: TestClock
  /** The service itself, for its methods; another one after `reset`. */
  readonly service: Service
  /** The requests that were received since the start or the last `reset`. */
  readonly requests: readonly RecordedRequest[]
  /** Answers requests without a socket, with faults and records. */
  readonly fetch: ServiceFetch
  /**
   * Starts another server with the same content and token: in constant time, because the two share what neither has
   * changed. It has a clock of its own at the same instant, unless `clock` was given.
   */
  readonly fork: () => Promise<this>
  /** Returns to the state in which the server was started or forked: content, requests and faults. */
  readonly reset: () => Promise<void>
  /** Answers matching requests with an error: 500 unless there is a `status`. */
  readonly fail: (matching?: Matching & { readonly status?: number | undefined }) => void
  /** Delays the answers to matching requests, by the time of its clock. */
  readonly delay: (ms: number, matching?: Matching) => void
  /** Revokes the token, as if it had expired. */
  readonly expire: () => Promise<void>
  /** Ends the server and its service. */
  readonly close: () => Promise<void>
}

/** What a server has in memory, and with what it is opened. */
export interface Held<Credentials> {
  readonly store: MemoryStore
  readonly blobs: MemoryBlobs | undefined
  /** `undefined` before the first start. */
  readonly credentials: Credentials | undefined
}

interface Opened<Service, Credentials> {
  readonly service: Service
  readonly credentials: Credentials
}

interface AnyService {
  readonly fetch: ServiceFetch
  readonly close: () => Promise<void>
}

/** How one kind of service is opened for tests. */
export interface Kind<Service extends AnyService, Credentials extends { readonly token: string }, More> {
  readonly open: (held: Held<Credentials>, clock: TestClock) => Promise<Opened<Service, Credentials>>
  readonly blobs?: () => Promise<MemoryBlobs>
  readonly env: (url: string, token: string) => Readonly<Record<string, string>>
  readonly expire: (service: Service, credentials: Credentials) => Promise<unknown>
  /** Ends waiting calls. */
  readonly drain?: (service: Service) => void
  /** What only this kind has. */
  readonly more: (current: () => Opened<Service, Credentials>) => More
}

/** Starts a server of a kind. */
export async function start<Service extends AnyService, Credentials extends { readonly token: string }, More>(
  kind: Kind<Service, Credentials, More>,
  options: StartOptions<Service>,
): Promise<Started<Service> & More> {
  const clock = options.clock ?? testClock({ running: true })
  const empty = {
    store: memoryStore({ timers: clock.timers }),
    blobs: await kind.blobs?.(),
    credentials: undefined,
  }
  const opened = await kind.open(empty, clock)
  await options.prepare?.(opened.service)
  return listen(kind, options, clock, { ...empty, credentials: opened.credentials }, opened)
}

const copyOf = <Credentials>(held: Held<Credentials>): Held<Credentials> => ({
  ...held,
  store: held.store.fork(),
  blobs: held.blobs?.fork(),
})

async function listen<Service extends AnyService, Credentials extends { readonly token: string }, More>(
  kind: Kind<Service, Credentials, More>,
  options: StartOptions<Service>,
  clock: TestClock,
  first: Held<Credentials>,
  openedFirst: Opened<Service, Credentials>,
): Promise<Started<Service> & More> {
  const { serve } = await import('../../http/node/serve.ts')
  let held = first
  let opened = openedFirst
  const base = copyOf(held)
  const requests: RecordedRequest[] = []
  const faults = faultsOver(clock.timers)
  const fetch = fetchOf(recording(requests, faults, () => opened.service))
  const listening = await serve({ fetch, port: options.port ?? 0 })
  const end = async () => {
    kind.drain?.(opened.service)
    await opened.service.close()
    await held.store.close()
  }
  const close = async () => {
    kind.drain?.(opened.service)
    await listening.close({ drainMs: 0 })
    await end()
    await base.store.close()
  }
  const started = {
    url: listening.url,
    token: opened.credentials.token,
    env: kind.env(listening.url, opened.credentials.token),
    clock,
    get service() {
      return opened.service
    },
    requests,
    fetch,
    fork: async () => {
      const copy = copyOf(held)
      const own = options.clock ?? testClock({ running: true, now: clock.now() })
      return listen(kind, { ...options, port: 0 }, own, copy, await kind.open(copy, own))
    },
    reset: async () => {
      const next = copyOf(base)
      const reopened = await kind.open(next, clock)
      await end()
      held = next
      opened = reopened
      requests.length = 0
      faults.clear()
    },
    ...injecting(faults),
    expire: async () => void (await kind.expire(opened.service, opened.credentials)),
    close,
    [Symbol.asyncDispose]: close,
  }
  return Object.defineProperties(
    started,
    Object.getOwnPropertyDescriptors(kind.more(() => opened)),
  ) as Started<Service> & More
}

/** Answers by the present service, unless a fault is due, and records the requests. */
function recording(requests: RecordedRequest[], faults: Faults, service: () => AnyService) {
  return async (exchange: ReceivedExchange): Promise<Answered> => {
    const headers: Record<string, string> = {}
    for (const name of exchange.headerNames()) headers[name] = exchange.header(name) ?? ''
    const { method, path } = exchange
    const request: RecordedRequest = { method, path, query: exchange.query(), headers, status: undefined }
    requests.push(request)
    const status = await faults.suffer(request)
    const answered =
      status === undefined ? await exchangeHandlerOf(service().fetch)(exchange) : failed(status)
    request.status = answered.status
    return answered
  }
}

const injecting = (faults: Faults): Pick<Started<AnyService>, 'fail' | 'delay'> => ({
  fail: (matching = {}) => {
    checkMatching('fail', matching, { status: true })
    faults.add(matching, { status: matching.status ?? 500 })
  },
  delay: (ms, matching = {}) => {
    checkMatching('delay', matching, {})
    faults.add(matching, { ms })
  },
})

const failed = (status: number): Answered => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: '{"errors":["a fault that the test injected"]}',
})
