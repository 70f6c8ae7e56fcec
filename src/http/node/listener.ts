import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Socket } from 'node:net'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import type { FetchHandler } from '../mount.ts'
import { setPeer } from '../peer.ts'
import { readersWithin } from './answer-pace.ts'
import { expectBody } from './body-pace.ts'
import { inTurn } from './in-turn.ts'
import { methodOf } from './list-verb.ts'
import { bodyOf, wasRead } from './request-body.ts'
import { send } from './send.ts'

/**
 * Options of {@link toNodeListener}.
 *
 * @public
 */
export interface NodeListenerOptions {
  /**
   * Hears of what a handler throws, and of what its body breaks off with, once the client was answered; by default
   * nobody does. Services never throw: they have an `onError` of their own. Nor is it heard when the client went away.
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * How long a client may take for each 16 KiB of a body that is waited for, in milliseconds; a minute by default,
   * `Infinity` for as long as it likes. Whoever is slower is answered 408 and loses the connection.
   */
  readonly bodyTimeoutMs?: number | undefined
  /**
   * How long a client may leave an answer unread, in milliseconds; five minutes by default, `Infinity` for as long as it
   * likes. Whoever takes fewer than 16 KiB of what is there within that time loses the connection; who waits for something
   * to come may wait. What a client took shows in large steps, for the host buffers much: give slow ones time for some
   * megabytes.
   */
  readonly answerTimeoutMs?: number | undefined
}

/**
 * What {@link toNodeListener} makes: a listener for the requests of `node:http` and of `node:http2`.
 *
 * @public
 */
export interface NodeListener {
  (message: Http2ServerRequest, response: Http2ServerResponse): void
  (message: IncomingMessage, response: ServerResponse): void
}

/**
 * Turns a fetch handler into a listener for `node:http`, `node:http2`, Express (`app.use`) and whatever takes
 * `(req, res)`.
 *
 * @remarks
 * Bodies stream both ways, so it stands ahead of body parsers such as `express.json()`. When the client goes away,
 * the request's signal aborts. A handler that throws is answered with 500 and an empty body, and `onError` hears of it;
 * services never throw.
 *
 * The requests of one connection are answered one after the other, whether or not their client waits, and a client that
 * sends or reads nothing for long is cut off. Over HTTP/2 both are the server's: requests there are independent, and
 * `server.setTimeout` says how long a silent connection lasts. What only a server can set, {@link prepareServer} does: how
 * long it waits for heads and whole requests, and the `LIST` method.
 *
 * Headers are those that came over the wire: what a middleware writes into `headers` of its own request is not seen. Set
 * it on the request that the handler is given: `request.headers.set('X-Scheduler-Token', token)`. What a middleware sets on
 * the response stays (`response.setHeader`: CORS, security), unless the answer has the same header; `Vary` and
 * `Set-Cookie` say both.
 *
 * Under Express the handler sees the whole path, also below a mount path: `app.use('/v1', toNodeListener(fetch))`. A
 * service below a path that it does not know is mounted there, with `mount` of `plinth/http`:
 *
 * ```js
 * app.use(toNodeListener(mount({ '/registry': registry.fetch })))
 * ```
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createRegistry } from 'plinth/registry'
 * import { toNodeListener } from 'plinth/node'
 *
 * const registry = createRegistry()
 * const server = createServer(toNodeListener(registry.fetch))
 * server.close()
 * await registry.close()
 * ```
 *
 * @public
 */
export const toNodeListener = (
  fetch: FetchHandler,
  { onError, bodyTimeoutMs = 60_000, answerTimeoutMs = 300_000 }: NodeListenerOptions = {},
): NodeListener => {
  // Programs without types can leave it out, and every request would be answered with 500.
  if (typeof fetch !== 'function')
    throw new TypeError(`fetch is ${typeof fetch}: give a function, such as the fetch of a service`)
  checkNumbers({ least: 1, unit: 'milliseconds' }, { bodyTimeoutMs, answerTimeoutMs })
  const report = eventEmitter(onError)
  const expectReader = readersWithin(answerTimeoutMs)
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    const gone = new AbortController()
    // Whoever was answered has not gone away, and an abort is dear: an error object, and every signal that follows.
    response.on('close', () => {
      // HTTP/2 calls finished what the client closed, too.
      if (!response.writableEnded || !response.writableFinished) gone.abort()
    })
    // Or went while a middleware before this one was busy, and nothing more will be heard of it.
    if (response.destroyed) gone.abort()
    respond(fetch, message, response, gone.signal).catch((error: unknown) => {
      // What the handler was doing for a client that is gone comes to an end: nothing is wrong with it.
      const isUnforeseen = !gone.signal.aborted
      // An answer that breaks off must not look whole.
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
      if (isUnforeseen) report(error)
    })
  }
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    // Nothing more is heard of an answer that is over already.
    if (!hasConnection(message) || response.destroyed) answer(message, response)
    else
      inTurn(message, response, () => {
        expectBody(message, response, bodyTimeoutMs)
        expectReader(message.socket, response)
        answer(message, response)
      })
  }
  // What HTTP/2 gives has all that is used here of its elders.
  return listener as NodeListener
}

/**
 * Whether what comes and goes on the socket is this request and its answer, and nothing besides. Over HTTP/2 it is shared;
 * requests made up for tests have something that resembles one.
 */
const hasConnection = ({ httpVersionMajor, socket }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && socket instanceof Socket

async function respond(
  fetch: FetchHandler,
  message: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  // The platform's `Request` cannot carry these.
  if (/^(?:TRACE|TRACK|CONNECT)$/i.test(message.method ?? ''))
    return sayPlainly(response, 501, `${message.method} is not supported`)
  if (wasRead(message))
    return sayPlainly(
      response,
      500,
      'the body was read before the request came here: mount this handler ahead of body parsers',
    )
  const request = toRequest(message, signal)
  if (request === undefined) return sayPlainly(response, 400, 'malformed request target')
  await send(await fetch(request), response, message)
}

function toRequest(message: IncomingMessage, signal: AbortSignal): Request | undefined {
  const headers = new Headers()
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    const name = message.rawHeaders[at] ?? ''
    // HTTP/2 has method and path among its headers.
    if (!name.startsWith(':')) headers.append(name, message.rawHeaders[at + 1] ?? '')
  }
  const address = wholeAddress(message, headers)
  if (address === undefined) return undefined
  const method = methodOf(message)
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(message)
  try {
    const request = new Request(address, {
      method,
      headers,
      signal,
      ...(body ? { body, duplex: 'half' } : {}),
    })
    if (message.socket.remoteAddress !== undefined)
      setPeer(request, { address: message.socket.remoteAddress })
    return request
  } catch {
    return undefined
  }
}

/**
 * The whole address of a request. Host and path never mix: what is missing or strange in the one must not be made up
 * for from the other, as a lenient reader of addresses would.
 */
function wholeAddress(message: IncomingMessage, headers: Headers): string | undefined {
  // Express strips the mount path from `url` and keeps the whole in `originalUrl`.
  const target = 'originalUrl' in message ? String(message.originalUrl) : (message.url ?? '/')
  if (leadsElsewhere(target)) return undefined
  if (/^https?:\/\/[^/\\]/i.test(target)) return target
  const scheme = 'encrypted' in message.socket ? 'https' : 'http'
  // Two of them come as one that no address can have. An empty one says nothing.
  const host = (headers.get('host') ?? message.headers[':authority']) || 'localhost'
  // Beyond these letters it would be more than a host, such as the beginning of a path.
  if (/[/?#@\\]/.test(String(host))) return undefined
  return `${scheme}://${host}${target.startsWith('/') ? target : `/${target}`}`
}

/**
 * Whether a reader of addresses would make another path of the one that stands there: of `/public/../secret`, for one,
 * which whoever stands before this server took for something public.
 */
const leadsElsewhere = (target: string): boolean =>
  /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(target.split(/[?#]/, 1)[0] ?? '')

function sayPlainly(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
