import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { continueOnRead } from './continue.ts'
import { requestFraming } from './framing.ts'

/** Per connection, in order of arrival: the method of each request that the parser was shown as `GET`. */
const hidden = new WeakMap<Socket, (string | undefined)[]>()

/** Bytes that were rewritten twice would be restored wrongly. */
const prepared = new WeakSet<Server>()

/**
 * Makes a server accept methods that Node's parser does not know, `LIST` above all, and URLs with bytes beyond ASCII,
 * with keep-alive, pipelining and TLS. A second call changes nothing.
 *
 * @remarks
 * Node's HTTP/1.1 parser answers 400 to an unknown method before any handler runs, and its method table is fixed.
 * Therefore this rewrites each connection's bytes between the socket and the parser: message framing determines where a
 * request begins (a body that contains `LIST ` is never changed), and a first line with an unknown method reaches the
 * parser as `GET`. The method itself is stored beside the connection, in order, so there is no header that a client
 * could forge. A URL with bytes beyond ASCII, which the parser refuses, is escaped.
 */
export function acceptAnyMethod(server: Server): void {
  if (prepared.has(server)) return
  prepared.add(server)
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    const order: (string | undefined)[] = []
    hidden.set(socket, order)
    const framing = requestFraming(
      (method) => order.push(method),
      () => server.listenerCount('upgrade') > 0,
    )
    const push = socket.push.bind(socket)
    socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk === null) {
        const held = framing.flush()
        if (held.byteLength > 0) push(held)
        return push(null)
      }
      if (!Buffer.isBuffer(chunk)) return push(chunk, encoding)
      const rewritten = framing.write(chunk)
      return rewritten.byteLength === 0 ? true : push(rewritten)
    }
    // The parser would otherwise read from the handle directly, bypassing `push`; a data listener prevents that.
    socket.on('data', ignore)
  })
  // Before any handler sees the request.
  server.prependListener('request', restoreMethod)
  // Node would send 100 Continue to a client that asks for it (curl does, for files) before any handler runs.
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    continueOnRead(message, response)
    server.emit('request', message, response)
  })
  // Any other expectation is refused, as by Node; but it is a request, and takes its place in the order.
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    restoreMethod(message)
    response.writeHead(417).end()
  })
}

const ignore = (): void => {}

const restoreMethod = (message: IncomingMessage): void => {
  const method = hidden.get(message.socket)?.shift()
  if (method !== undefined) message.method = method
}
