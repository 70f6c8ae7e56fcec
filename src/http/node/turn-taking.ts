import type { Socket } from 'node:net'

/** The maximum number of requests queued on a connection; no more are read then. */
const mostWaiting = 32

/** The requests of one connection: whether one is being answered, and the queued ones. */
export interface Turns {
  busy: boolean
  readonly waiting: (() => void)[]
}

const connections = new WeakMap<Socket, Turns>()

/** The queues of a connection. */
export function turnsOf(socket: Socket): Turns {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const turns: Turns = { busy: false, waiting: [] }
  connections.set(socket, turns)
  return turns
}

/**
 * Answers the requests of a connection one after the other, in the order in which they came. {@link endTurn} lets the
 * next one begin.
 *
 * @remarks
 * A client may send requests without waiting for answers. Node emits all of them immediately; but the second may depend
 * on a change of the first (RFC 9112, 9.3.2), and for a client that sends thousands and reads no answer, all answers
 * would be held in memory.
 */
export function takeTurn(turns: Turns, socket: Socket, answer: () => void): void {
  if (!turns.busy) {
    turns.busy = true
    answer()
    return
  }
  turns.waiting.push(answer)
  if (turns.waiting.length > mostWaiting) socket.pause()
}

/** Starts the next queued request of the connection, if any. */
export function endTurn(turns: Turns, socket: Socket): void {
  const next = turns.waiting.shift()
  if (next === undefined) turns.busy = false
  // A client that has disconnected waits for nothing.
  else if (!socket.destroyed) next()
  // Node continues reading after the end of a request.
  if (turns.waiting.length > mostWaiting) socket.pause()
  else if (turns.waiting.length === mostWaiting) socket.resume()
}
