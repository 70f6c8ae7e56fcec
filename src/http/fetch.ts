import {
  type Answered,
  type ExchangeHandler,
  ReceivedExchange,
  type RequestBody,
  targetOf,
} from './exchange.ts'
import type { Peer } from './peer.ts'

/**
 * What a listener knows about a request in addition to the `Request`.
 */
export interface RequestContext {
  /** The client of the connection. */
  readonly peer?: Peer | undefined
  /** The path at which the handler is mounted, without a trailing slash; links that begin with a slash include it. */
  readonly basePath?: string | undefined
  /**
   * The path at which a framework mounted the handler, as by `app.use('/boxes', …)` of Express. A service takes it off
   * like a `basePath`, unless its own paths begin with the same segment (`app.use('/v1', …)`).
   */
  readonly frameworkPath?: string | undefined
  /** The largest body, in bytes. */
  readonly maxBodyBytes?: number | undefined
}

/**
 * A function that answers web requests: the type of every service's `fetch`. The second argument is what `mount` and
 * the listener of `plinth/node` know about the request.
 */
export type FetchHandler = (request: Request, context?: RequestContext) => Promise<Response> | Response

/** Returns how many bytes of request bodies the service behind a fetch handler holds. */
const holdsBytes: unique symbol = /* @__PURE__ */ Symbol.for('plinth bytes of request bodies')

/** Marks a fetch handler that also answers exchanges, so that adapters need no `Request` and no `Response`. */
const answersExchanges: unique symbol = /* @__PURE__ */ Symbol.for('plinth answers exchanges')

/**
 * The `fetch` of a service. Adapters of this package recognize it and skip `Request` and `Response`.
 */
export interface ServiceFetch {
  (request: Request, context?: RequestContext): Promise<Response>
  /** @internal */
  readonly [answersExchanges]?: ExchangeHandler
  /** @internal */
  readonly [holdsBytes]?: () => number
}

/** The answer to a request whose body was already consumed: waiting for it would never end. */
export const alreadyRead = 'the body was already read: mount this handler before body parsers'

/** Creates a fetch handler from a handler of exchanges. */
export function fetchOf(handler: ExchangeHandler, heldBytes: () => number = () => 0): ServiceFetch {
  const fetch = async (request: Request, context?: RequestContext): Promise<Response> => {
    // Other implementations have a `Request` of their own.
    if (typeof request?.url !== 'string')
      throw new TypeError("fetch takes a Request, such as new Request('http://localhost/v1/status')")
    if (request.bodyUsed) return new Response(alreadyRead, { status: 500 })
    return toResponse(await handler(new FetchExchange(request, context)))
  }
  return Object.assign(fetch, { [answersExchanges]: handler, [holdsBytes]: heldBytes })
}

/** The number of bytes of request bodies that the service behind a fetch handler holds in memory. */
export const heldBytesOf = (fetch: ServiceFetch): number => fetch[holdsBytes]?.() ?? 0

/** How a fetch handler answers exchanges: directly, or through a `Request` and a `Response`. */
export function exchangeHandlerOf(fetch: FetchHandler | ServiceFetch): ExchangeHandler {
  const direct = answersExchanges in fetch ? fetch[answersExchanges] : undefined
  if (direct) return direct
  return async (exchange) => {
    // The platform's `Request` does not support these.
    if (/^(?:TRACE|TRACK|CONNECT)$/i.test(exchange.method))
      return {
        status: 501,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: `${exchange.method} is not supported`,
      }
    return toAnswered(await fetch(exchange.request(), contextOf(exchange)))
  }
}

const contextOf = (exchange: ReceivedExchange): RequestContext => ({
  peer: exchange.peer,
  basePath: exchange.basePath,
  frameworkPath: exchange.frameworkPath,
  maxBodyBytes: exchange.maxBodyBytes,
})

class FetchExchange extends ReceivedExchange {
  readonly #request: Request

  constructor(request: Request, context: RequestContext | undefined) {
    super(request.method, targetOf(request.url), context?.peer)
    this.#request = request
    if (context?.basePath) this.mountAt(context.basePath)
    this.frameworkPath = context?.frameworkPath ?? ''
    this.maxBodyBytes = context?.maxBodyBytes
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  headerNames(): Iterable<string> {
    return this.#request.headers.keys()
  }

  get body(): RequestBody | undefined {
    const { body, method } = this.#request
    // Some implementations of `Request` have a body, but no stream of it.
    const hidden = body === undefined && method !== 'GET' && method !== 'HEAD'
    if (!hidden && !body) return undefined
    const stream = body ?? lazyStream(() => this.#request.arrayBuffer())
    const declared = this.header('content-length')
    return {
      length: declared === undefined ? undefined : Number(declared),
      bytes: (admit) => readAll(stream, admit),
      stream: () => stream,
    }
  }

  get isGone(): boolean {
    return this.#request.signal.aborted
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  request(): Request {
    return this.#request
  }
}

const lazyStream = (read: () => Promise<ArrayBuffer>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        controller.enqueue(new Uint8Array(await read()))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )

async function readAll(
  stream: ReadableStream<Uint8Array>,
  admit: (soFar: number) => boolean,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, size)
    size += value.byteLength
    if (!admit(size)) {
      await reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

/** The `Response` of an answer. */
export function toResponse({ status, headers, body, gzip, onSent }: Answered): Response {
  const response = new Response(onSent ? counted(bodyOf(body, gzip), onSent) : bodyOf(body, gzip), { status })
  // Passed directly to the response: `Headers` created earlier would be copied name by name.
  const target = response.headers
  // The platform would give a string body a default type; this sets the reply's own type, or none.
  if (typeof body === 'string' && headers['content-type'] === undefined) target.delete('content-type')
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') target.set(name, value)
    else for (const item of value ?? []) target.append(name, item)
  }
  return response
}

const bodyOf = (body: Answered['body'], gzip: boolean | undefined): NonNullable<Answered['body']> | null => {
  if (body === undefined) return null
  return (gzip ? new Response(body).body?.pipeThrough(new CompressionStream('gzip')) : body) ?? null
}

/** The same body, which reports its length once it is known: a stream at its end. */
function counted(
  body: ReturnType<typeof bodyOf>,
  onSent: (bytes: number) => void,
): ReturnType<typeof bodyOf> {
  if (!(body instanceof ReadableStream)) {
    onSent(typeof body === 'string' ? new TextEncoder().encode(body).byteLength : (body?.byteLength ?? 0))
    return body
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  let sent = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((error: unknown) => {
          onSent(sent)
          throw error
        })
        if (done) {
          onSent(sent)
          return controller.close()
        }
        sent += value.byteLength
        controller.enqueue(value)
      },
      cancel: (reason) => {
        onSent(sent)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** A web response as an answer. */
export function toAnswered({ status, headers: given, body }: Response): Answered {
  const headers: Answered['headers'] = {}
  for (const [name, value] of given) if (name !== 'set-cookie') headers[name] = value
  const cookies = given.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  return { status, headers, body: body ?? undefined }
}
