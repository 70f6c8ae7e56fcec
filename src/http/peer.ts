/**
 * Who is at the other end of a request, where the listener knows.
 *
 * @public
 */
export interface Peer {
  /** The IP address of the connection, without port. */
  readonly address: string
}

const peers = new WeakMap<Request, Peer>()

/**
 * Notes a request's peer. A listener calls this; a `Request` itself has no such field.
 *
 * @public
 */
export const setPeer = (request: Request, peer: Peer): void => void peers.set(request, peer)

/**
 * The peer of a request, or `undefined` when its listener said nothing (an in-process call).
 *
 * @example
 * ```ts
 * import { peerOf, setPeer } from 'plinth/http'
 *
 * const request = new Request('http://localhost/')
 * peerOf(request) // undefined
 * setPeer(request, { address: '192.0.2.7' })
 * peerOf(request)?.address // '192.0.2.7'
 * ```
 *
 * @public
 */
export const peerOf = (request: Request): Peer | undefined => peers.get(request)
