import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** So many may wait behind a request of their connection; no more are read then. */
const mostWaiting = 32

/**
 * Has the requests of a connection answered one after the other, in the order in which they came.
 *
 * @remarks
 * A client may send requests without waiting for answers. Node hands all of them over at once; but the second may rest on
 * what the first changes (RFC 9112, 9.3.2), and who sends thousands and reads no answer would have all of them kept ready.
 */
export function inTurn(listener: RequestListener): RequestListener {
  /** What waits behind the request that is being answered; nothing does on most connections. */
  const lines = new WeakMap<Socket, (() => void)[]>()

  const begin = (message: IncomingMessage, response: ServerResponse, line: (() => void)[]): void => {
    const { socket } = message
    response.once('close', () => {
      const next = line.shift()
      if (next === undefined) lines.delete(socket)
      // Whoever went away waits for nothing.
      else if (!socket.destroyed) next()
      // Node reads on where a request ends.
      if (line.length > mostWaiting) socket.pause()
      else if (line.length === mostWaiting) socket.resume()
    })
    listener(message, response)
  }

  return (message, response) => {
    const { socket } = message
    const line = lines.get(socket)
    if (line === undefined) {
      const behind: (() => void)[] = []
      lines.set(socket, behind)
      begin(message, response, behind)
    } else {
      line.push(() => begin(message, response, line))
      if (line.length > mostWaiting) socket.pause()
    }
  }
}
