/**
 * The client of a connection, if the listener knows it.
 */
export interface Peer {
  /** The IP address of the connection, without port. */
  readonly address: string
}
