import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Socket } from 'node:net'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import { discardBody, type ExchangeHandler } from '../exchange.ts'
import { alreadyRead, exchangeHandlerOf, type FetchHandler } from '../fetch.ts'
import { readersWithin } from './answer-pace.ts'
import { bodiesWithin } from './body-pace.ts'
import { endOfTurn } from './end-of-turn.ts'
import { Departure, NodeExchange, RequestHeaders } from './node-exchange.ts'
import { bodyOf, hasBody, takenOver, wasRead } from './request-body.ts'
import { send } from './send.ts'
import { frameworkPathOf, readTarget } from './target.ts'
import { endTurn, type Turns, takeTurn, turnsOf } from './turn-taking.ts'

/**
 * Options of {@link toNodeListener}.
 */
export interface NodeListenerOptions {
  /**
   * Called with errors that a handler throws, or that interrupt its response body, after the client was answered;
   * ignored by default. Services never throw: they have their own `onError`. It is not called when the client
   * disconnects.
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * How long a client may take for each 16 KiB of a body, in milliseconds; a minute by default, `Infinity` for no
   * limit. A slower client is answered 408 and disconnected.
   */
  readonly bodyTimeoutMs?: number | undefined
  /**
   * How long a client may leave an answer unread, in milliseconds; five minutes by default, `Infinity` for no limit. A
   * client that takes less than 16 KiB of the available data within that time is disconnected; waiting for data that is
   * not available yet does not count. Progress is visible only in large steps because the host buffers: allow slow
   * clients enough time for some megabytes.
   */
  readonly answerTimeoutMs?: number | undefined
}

/**
 * The result of {@link toNodeListener}: a listener for the requests of `node:http` and of `node:http2`.
 */
export interface NodeListener {
  (message: Http2ServerRequest, response: Http2ServerResponse): void
  (message: IncomingMessage, response: ServerResponse): void
}

/**
 * Turns a fetch handler into a listener for `node:http`, `node:http2`, Express (`app.use`) and anything else that takes
 * `(req, res)`.
 *
 * @remarks
 * Bodies stream both ways, so mount it before body parsers such as `express.json()`. Of a body that was parsed before,
 * `request.rawBody` or `request.body` is taken if it is bytes, a text, or the value of a JSON body; otherwise the client
 * gets 500 with the reason. When the client disconnects, the
 * request's signal aborts. If a handler throws, the client gets 500 with an empty body, and `onError` gets the error;
 * services never throw.
 *
 * The requests of one connection are answered in order, also pipelined ones, and a client that neither sends nor reads
 * for long is disconnected. Over HTTP/2 both are up to the server: requests there are independent, and
 * `server.setTimeout` limits idle connections. {@link prepareServer} sets what only a server can: the timeouts of heads
 * and whole requests, and the `LIST` method.
 *
 * Headers are those of the wire: changes that a middleware makes to `headers` of its own request object are not
 * visible. Set a header on the request that the handler receives: `request.headers.set('X-Scheduler-Token', token)`.
 * Headers that a middleware sets on the response stay (`response.setHeader`: CORS, security), unless the answer has the
 * same header; `Vary` and `Set-Cookie` are combined.
 *
 * Under Express a service is mounted at any path: `app.use('/registry', toNodeListener(registry.fetch))`. The path is
 * taken off and included in links, unless the service's own paths begin with it (`app.use('/v1', …)`). Handlers of your
 * own, and `mount` of `plinth/http`, see the whole path. Connect and h3 mount the same way.
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
 */
export const toNodeListener = (fetch: FetchHandler, options: NodeListenerOptions = {}): NodeListener =>
  listenerAt(fetch, options, frameworkPathOf)

/** The same, for a framework that mounted it at a path of each request. */
export function listenerAt(
  fetch: FetchHandler,
  { onError, bodyTimeoutMs = 60_000, answerTimeoutMs = 300_000 }: NodeListenerOptions,
  frameworkPath: (message: IncomingMessage) => string,
): NodeListener {
  // Programs without types can omit it, and every request would be answered with 500.
  if (typeof fetch !== 'function')
    throw new TypeError(`fetch is ${typeof fetch}: pass a function, such as the fetch of a service`)
  checkNumbers({ least: 1, unit: 'milliseconds' }, { bodyTimeoutMs, answerTimeoutMs })
  const report = eventEmitter(onError)
  const handler = exchangeHandlerOf(fetch)
  const watchReader = readersWithin(answerTimeoutMs)
  const bodies = bodiesWithin(bodyTimeoutMs)
  const answer = (message: IncomingMessage, response: ServerResponse, turns: Turns | undefined): void => {
    const departure = new Departure()
    response.on('close', () => {
      // HTTP/2 also reports streams that the client closed as finished.
      if (!response.writableEnded || !response.writableFinished) departure.leave()
      if (turns === undefined) return
      bodies.answered(message)
      endTurn(turns, message.socket)
    })
    // Or it disconnected while an earlier middleware was busy, and no further event follows.
    if (response.destroyed) departure.leave()
    respond(handler, message, response, departure, frameworkPath).catch((error: unknown) => {
      // Work for a disconnected client ends quietly: this is not an error.
      const isUnforeseen = !departure.isGone
      // An interrupted answer must not look complete.
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
      if (isUnforeseen) report(error)
    })
  }
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    // A finished answer emits no further event.
    if (!hasConnection(message) || response.destroyed) {
      answer(message, response, undefined)
      return
    }
    const { socket } = message
    const turns = turnsOf(socket)
    takeTurn(turns, socket, () => {
      if (hasBody(message)) bodies.add(message, response)
      watchReader(socket, response)
      answer(message, response, turns)
    })
  }
  // HTTP/2 objects have all members of their HTTP/1 counterparts that are used here.
  return listener as NodeListener
}

/**
 * Whether this request and its answer are all the traffic of the socket. Over HTTP/2 it is shared; mock requests of
 * tests have a socket-like object.
 */
const hasConnection = ({ httpVersionMajor, socket }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && socket instanceof Socket

async function respond(
  handler: ExchangeHandler,
  message: IncomingMessage,
  response: ServerResponse,
  departure: Departure,
  frameworkPath: (message: IncomingMessage) => string,
): Promise<void> {
  const body = wasRead(message) ? takenOver(message) : bodyOf(message)
  if (body === 'lost') return sayPlainly(response, 500, alreadyRead)
  const headers = new RequestHeaders(message.rawHeaders)
  const target = readTarget(message, headers)
  if (target === undefined) return sayPlainly(response, 400, 'malformed request target')
  const exchange = new NodeExchange(message, headers, target, departure, body)
  exchange.frameworkPath = frameworkPath(message)
  const answered = await handler(exchange)
  await endOfTurn()
  // The client has disconnected, or a middleware with a timeout has answered meanwhile.
  if (departure.isGone || response.headersSent) {
    answered.onSent?.(0)
    return discardBody(answered)
  }
  await send(answered, response, message)
}

function sayPlainly(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
