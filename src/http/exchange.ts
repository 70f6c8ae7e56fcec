import type { Peer } from './peer.ts'

/**
 * The body of a request, not read yet.
 */
export interface RequestBody {
  /** The value of `Content-Length`; `undefined` if the length is not known beforehand. */
  readonly length: number | undefined
  /**
   * Reads all of it. `admit` is called for each piece with the number of bytes so far; once it returns false, the rest
   * is left unread and the result is `undefined`. Rejects when the client disconnects.
   */
  readonly bytes: (admit: (soFar: number) => boolean) => Promise<Uint8Array | undefined>
  /** The same bytes as a web stream with back-pressure, for uploads. */
  readonly stream: () => ReadableStream<Uint8Array>
}

/**
 * One request on its way through a service: a plain view of the received request, created once by the adapter
 * ({@link FetchHandler}, or the listener of `plinth/node`). Everything is parsed lazily.
 */
export interface Exchange<State = unknown> {
  /** The method as sent. */
  readonly method: string
  /** The path below {@link Exchange.basePath}, percent-encoded as sent; begins with a slash. */
  readonly path: string
  /** The query string with its question mark; empty if there is none. */
  readonly search: string
  /** The path at which the service is mounted, without a trailing slash; empty at the root. */
  readonly basePath: string
  /** The scheme, host and port that the client requested: `https://boxes.example.com`. */
  readonly origin: string
  /** The peer of the connection, if the adapter knows it. */
  readonly peer: Peer | undefined
  /** The largest body this request may have, in bytes, if its listener set a limit. */
  readonly maxBodyBytes: number | undefined
  /** The value of a header by its lower-case name; several of one name are joined by `, `. */
  readonly header: (name: string) => string | undefined
  /** The lower-case names of all headers. */
  readonly headerNames: () => Iterable<string>
  /** The first value of each query parameter, decoded. */
  readonly query: () => Readonly<Record<string, string>>
  /** The body; `undefined` if the request has none. */
  readonly body: RequestBody | undefined
  /** Whether the client has disconnected. */
  readonly isGone: boolean
  /** Aborts when the client disconnects before it is answered. Created on first use. */
  readonly signal: AbortSignal
  /** The request as a web `Request`, for code that needs one. Created on first use. */
  readonly request: () => Request
  /** The state that the stages of the service attach to this request. */
  readonly state: State
}

/**
 * Headers of an answer by lower-case name.
 */
export type AnswerHeaders = Record<string, string | readonly string[]>

/**
 * The answer to an exchange, ready for an adapter to send.
 */
export interface Answered {
  status: number
  readonly headers: AnswerHeaders
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | undefined
  /** Whether the adapter compresses the body, which then is a string; the headers are already set. */
  gzip?: boolean
  /**
   * Called by the adapter with the number of bytes of the body, just before the last of them is sent; with fewer if the
   * client disconnects.
   */
  onSent?: (bytes: number) => void
}

/** Discards a body that is not sent; a stream is cancelled, with its resources. */
export function discardBody(answered: Answered): void {
  const { body } = answered
  if (body instanceof ReadableStream) body.cancel().catch(() => {})
  answered.body = undefined
}

/**
 * Answers an exchange.
 */
export type ExchangeHandler = (exchange: ReceivedExchange) => Promise<Answered>

/** The common part of both adapters: the target of a request, and lazily parsed values. */
export abstract class ReceivedExchange implements Exchange {
  readonly method: string
  path: string
  readonly search: string
  basePath = ''
  origin: string
  peer: Peer | undefined
  maxBodyBytes: number | undefined = undefined
  /** The path at which a framework mounted the handler; still a part of {@link path}. */
  frameworkPath = ''
  /** The path of the matched route, with its captures' names. */
  route: string | undefined = undefined
  state: unknown = undefined
  #query: Readonly<Record<string, string>> | undefined = undefined

  constructor(method: string, target: Target, peer: Peer | undefined) {
    this.method = method
    this.path = target.path
    this.search = target.search
    this.origin = target.origin
    this.peer = peer
  }

  abstract header(name: string): string | undefined
  abstract headerNames(): Iterable<string>
  abstract readonly body: RequestBody | undefined
  abstract readonly isGone: boolean
  abstract readonly signal: AbortSignal
  abstract request(): Request

  query(): Readonly<Record<string, string>> {
    this.#query ??= parseQuery(this.search)
    return this.#query
  }

  /** Moves the exchange below a mount path: `basePath` is a prefix of the whole path. */
  mountAt(basePath: string): void {
    const whole = this.basePath + this.path
    this.frameworkPath = ''
    this.basePath = basePath
    this.path = whole.slice(basePath.length) || '/'
  }
}

/** The target of a request. */
export interface Target {
  readonly origin: string
  readonly path: string
  readonly search: string
}

/** The parts of an absolute URL that is already normalized. */
export function targetOf(url: string): Target {
  const pathAt = url.indexOf('/', url.indexOf('//') + 2)
  const hashAt = url.indexOf('#', pathAt)
  const end = hashAt < 0 ? url.length : hashAt
  const found = url.indexOf('?', pathAt)
  const searchAt = found < 0 || found > end ? end : found
  const search = url.slice(searchAt, end)
  return {
    origin: url.slice(0, pathAt),
    path: url.slice(pathAt, searchAt),
    search: search === '?' ? '' : search,
  }
}

const nothingAsked: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

/** The first value of each name, own properties only. */
function parseQuery(search: string): Readonly<Record<string, string>> {
  if (search === '') return nothingAsked
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(search)) query[name] ??= value
  return query
}
