import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Socket } from 'node:net'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import type { ExchangeHandler } from '../exchange.ts'
import { exchangeHandlerOf, type FetchHandler } from '../fetch.ts'
import { readersWithin } from './answer-pace.ts'
import { bodiesWithin } from './body-pace.ts'
import { Departure, NodeExchange, RequestHeaders } from './node-exchange.ts'
import { hasBody, wasRead } from './request-body.ts'
import { send } from './send.ts'
import { readTarget } from './target.ts'
import { endTurn, type Turns, takeTurn, turnsOf } from './turn-taking.ts'

/**
 * Options of {@link toNodeListener}.
 *
 * @public
 */
export interface NodeListenerOptions {
  /**
   * Receives errors that a handler throws, or that break off its response body, after the client was answered; ignored
   * by default. Services never throw: they have an `onError` of their own. It is not called when the client
   * disconnects.
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * How long a client may take for each 16 KiB of a body that is waited for, in milliseconds; a minute by default,
   * `Infinity` for as long as it likes. A slower client is answered 408 and loses the connection.
   */
  readonly bodyTimeoutMs?: number | undefined
  /**
   * How long a client may leave an answer unread, in milliseconds; five minutes by default, `Infinity` for as long as it
   * likes. A client that takes fewer than 16 KiB of what is there within that time loses the connection; who waits for something
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
 * Turns a fetch handler into a listener for `node:http`, `node:http2`, Express (`app.use`) and anything else that takes
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
  const handler = exchangeHandlerOf(fetch)
  const watchReader = readersWithin(answerTimeoutMs)
  const bodies = bodiesWithin(bodyTimeoutMs)
  const answer = (message: IncomingMessage, response: ServerResponse, turns: Turns | undefined): void => {
    const departure = new Departure()
    response.on('close', () => {
      // HTTP/2 calls finished what the client closed, too.
      if (!response.writableEnded || !response.writableFinished) departure.leave()
      if (turns === undefined) return
      bodies.answered(message)
      endTurn(turns, message.socket)
    })
    // Or it went while a middleware before this one was busy, and nothing more will be heard of it.
    if (response.destroyed) departure.leave()
    respond(handler, message, response, departure).catch((error: unknown) => {
      // What the handler was doing for a client that is gone comes to an end: nothing is wrong with it.
      const isUnforeseen = !departure.isGone
      // An answer that breaks off must not look whole.
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
      if (isUnforeseen) report(error)
    })
  }
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    // Nothing more is heard of an answer that is over already.
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
  handler: ExchangeHandler,
  message: IncomingMessage,
  response: ServerResponse,
  departure: Departure,
): Promise<void> {
  if (wasRead(message))
    return sayPlainly(
      response,
      500,
      'the body was read before the request came here: mount this handler ahead of body parsers',
    )
  const headers = new RequestHeaders(message.rawHeaders)
  const target = readTarget(message, headers)
  if (target === undefined) return sayPlainly(response, 400, 'malformed request target')
  await send(await handler(new NodeExchange(message, headers, target, departure)), response, message)
}

function sayPlainly(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
