import type { Socket } from 'node:net'

/** So many may wait behind a request of their connection; no more are read then. */
const mostWaiting = 32

/** The requests of one connection: whether one is being answered, and those that wait. */
export interface Turns {
  busy: boolean
  readonly waiting: (() => void)[]
}

const connections = new WeakMap<Socket, Turns>()

/** The turns of a connection. */
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
 * A client may send requests without waiting for answers. Node emits all of them at once; but the second may depend on
 * a change of the first (RFC 9112, 9.3.2), and for a client that sends thousands and reads no answer, all answers would
 * be held in memory.
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

/** Has the next request of the connection answered, if one waits. */
export function endTurn(turns: Turns, socket: Socket): void {
  const next = turns.waiting.shift()
  if (next === undefined) turns.busy = false
  // A client that went away waits for nothing.
  else if (!socket.destroyed) next()
  // Node continues reading after the end of a request.
  if (turns.waiting.length > mostWaiting) socket.pause()
  else if (turns.waiting.length === mostWaiting) socket.resume()
}
