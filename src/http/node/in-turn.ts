import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** So many may wait behind a request of their connection; no more are read then. */
const mostWaiting = 32

/** What waits behind the request of a connection that is being answered; nothing does on most. */
const lines = new WeakMap<Socket, (() => void)[]>()

/**
 * Has the requests of a connection answered one after the other, in the order in which they came.
 *
 * @remarks
 * A client may send requests without waiting for answers. Node hands all of them over at once; but the second may rest on
 * what the first changes (RFC 9112, 9.3.2), and who sends thousands and reads no answer would have all of them kept ready.
 *
 * @param answer - called when it is the turn of this request, which may be never, and ends when `response` closes
 */
export function inTurn({ socket }: IncomingMessage, response: ServerResponse, answer: () => void): void {
  const line = lines.get(socket)
  if (line !== undefined) {
    line.push(() => begin(socket, response, answer, line))
    if (line.length > mostWaiting) socket.pause()
    return
  }
  const behind: (() => void)[] = []
  lines.set(socket, behind)
  begin(socket, response, answer, behind)
}

function begin(socket: Socket, response: ServerResponse, answer: () => void, line: (() => void)[]): void {
  response.once('close', () => {
    const next = line.shift()
    if (next === undefined) lines.delete(socket)
    // Whoever went away waits for nothing.
    else if (!socket.destroyed) next()
    // Node reads on where a request ends.
    if (line.length > mostWaiting) socket.pause()
    else if (line.length === mostWaiting) socket.resume()
  })
  answer()
}
