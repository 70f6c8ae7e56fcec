import type { IncomingMessage } from 'node:http'
import { ReceivedExchange, type RequestBody, type Target } from '../exchange.ts'

/** Whether the client of a request disconnected before it was answered. */
export class Departure {
  isGone = false
  /** The platform's `Request` follows a signal weakly: if it were collected, its own signal would never abort. */
  heldFor: Request | undefined = undefined
  #controller: AbortController | undefined = undefined

  /** Created on first use: an abort is expensive, with an error object and every signal that follows. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.isGone) this.#controller.abort()
    }
    return this.#controller.signal
  }

  leave(): void {
    this.isGone = true
    this.#controller?.abort()
  }
}

/** A request of `node:http` or `node:http2` as an exchange. */
export class NodeExchange extends ReceivedExchange {
  readonly body: RequestBody | undefined
  readonly #message: IncomingMessage
  readonly #headers: RequestHeaders
  readonly #departure: Departure
  #request: Request | undefined = undefined

  constructor(
    message: IncomingMessage,
    headers: RequestHeaders,
    target: Target,
    departure: Departure,
    body: RequestBody | undefined,
  ) {
    const address = message.socket.remoteAddress
    super(message.method ?? 'GET', target, address === undefined ? undefined : { address })
    this.body = body
    this.#message = message
    this.#headers = headers
    this.#departure = departure
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)
  }

  headerNames(): Iterable<string> {
    return this.#headers.names()
  }

  get isGone(): boolean {
    return this.#departure.isGone
  }

  get signal(): AbortSignal {
    return this.#departure.signal
  }

  request(): Request {
    this.#request ??= this.#makeRequest()
    this.#departure.heldFor = this.#request
    return this.#request
  }

  #makeRequest(): Request {
    const headers = new Headers()
    const { rawHeaders } = this.#message
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? ''
      // HTTP/2 has method and path among its headers.
      if (!name.startsWith(':')) headers.append(name, rawHeaders[at + 1] ?? '')
    }
    const { method, signal, origin, basePath, path, search } = this
    const body = method === 'GET' || method === 'HEAD' ? undefined : this.body?.stream()
    const url = origin + basePath + path + search
    return new Request(url, { method, headers, signal, ...(body ? { body, duplex: 'half' } : {}) })
  }
}

/** The headers of a request by lower-case name; several of one name are joined. */
export class RequestHeaders {
  readonly #values = new Map<string, string>()

  constructor(rawHeaders: readonly string[]) {
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = (rawHeaders[at] ?? '').toLowerCase()
      const value = rawHeaders[at + 1] ?? ''
      const before = this.#values.get(name)
      this.#values.set(name, before === undefined ? value : `${before}, ${value}`)
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name)
  }

  names(): Iterable<string> {
    return this.#values.keys()
  }
}
