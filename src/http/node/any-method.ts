import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { requestFraming } from './framing.ts'

/** Per connection, in order of arrival: the method of each request that the parser was shown as `GET`. */
const hidden = new WeakMap<Socket, (string | undefined)[]>()

/**
 * Makes a server accept methods that Node's parser does not know, `LIST` above all, and addresses with bytes beyond
 * ASCII, with keep-alive, pipelining and TLS.
 *
 * @remarks
 * Node's HTTP/1.1 parser answers 400 to a method it does not know before any handler runs, and its method
 * table is fixed. So each connection's bytes are watched on their way from the socket to the parser: message
 * framing tells where a request begins (a body that contains `LIST ` is never touched), and a first line with an unknown
 * method reaches the parser as `GET`. The method itself is kept beside the connection, in order, so
 * that no header is needed which a client could forge. An address with bytes beyond ASCII, which the parser refuses
 * without a word, reaches it escaped.
 */
export function acceptAnyMethod(server: Server): void {
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    const order: (string | undefined)[] = []
    hidden.set(socket, order)
    const framing = requestFraming((method) => order.push(method))
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
    // The parser otherwise reads from the handle directly, past `push`; a data listener makes it let go.
    socket.on('data', ignore)
  })
  // Before any handler sees the request.
  server.prependListener('request', restoreMethod)
  // A client that asks before it sends its body (curl does, for files) is told to go on, as Node does by default.
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    response.writeContinue()
    server.emit('request', message, response)
  })
  // Any other expectation is refused, as Node does by default; but it is a request, and takes its place in the order.
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
