import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { systemTimers } from '../../kernel/index.ts'

/** The options of `postgres` (postgres.js) that {@link postgresJsSettings} returns. */
export interface PostgresJsSettings {
  /** Opens the socket of a connection. */
  readonly socket: (address: PostgresJsAddress) => Socket
  /**
   * False: the client would ask each new connection for the database's array types, and end the process if the connection
   * broke meanwhile (porsager/postgres issue 1192). A store does not need them; your own array parameters do.
   */
  readonly fetch_types: boolean
  /** In seconds. */
  readonly connect_timeout: number
  /** In seconds. */
  readonly keep_alive: number
  /** The delay before another attempt, in seconds. */
  readonly backoff: () => number
}

/** Where `postgres` connects to: a path, or hosts with a port each. */
export interface PostgresJsAddress {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path?: string | false | undefined
}

/** Closes those connections of a client over which nothing arrived for some milliseconds. */
type CloseSilent = (ms: number) => void

const closers = new WeakMap<object, CloseSilent>()

/** What closes the silent connections of a client with {@link postgresJsSettings}. */
export function closerOf(client: object): CloseSilent {
  const options: unknown = 'options' in client ? client.options : undefined
  const socket: unknown =
    typeof options === 'object' && options !== null && 'socket' in options ? options.socket : undefined
  return (typeof socket === 'function' ? closers.get(socket) : undefined) ?? (() => {})
}

/** How often the connections are looked at, in milliseconds. */
const lookMs = 250

/**
 * Options of `postgres` (postgres.js) with which a store replaces lost connections within seconds.
 *
 * @remarks
 * The client alone keeps a connection whose answers no longer arrive, such as one that a firewall has forgotten, until
 * TCP gives it up, which takes up to a quarter of an hour. With these options a statement without an answer within
 * `settleMs` closes all connections that were silent for as long. Use the result for one client only.
 *
 * @example
 * ```ts
 * import { postgresJsSettings, postgresStore } from 'plinth/store/postgres'
 * import postgres from 'postgres'
 *
 * const sql = postgres('postgres://localhost/plinth', { max: 8, ...postgresJsSettings() })
 * const store = await postgresStore(sql, { realm: 'secrets' })
 * await store.close()
 * await sql.end()
 * ```
 */
export function postgresJsSettings(): PostgresJsSettings {
  const sockets = new Map<Socket, { bytes: number; heard: number }>()
  let attempts = 0
  let lookedAt = performance.now()
  let isLooking = false
  const look = () => {
    for (const [socket, seen] of sockets) {
      // With TLS, only the counters of the socket below tell of what arrives.
      if (socket.bytesRead === seen.bytes) continue
      seen.bytes = socket.bytesRead
      seen.heard = lookedAt
    }
    lookedAt = performance.now()
  }
  const keepLooking = () => {
    isLooking = sockets.size > 0
    if (!isLooking) return
    look()
    systemTimers.after(lookMs, keepLooking)
  }
  const settings: PostgresJsSettings = {
    socket: ({ host, port, path }) => {
      const at = attempts % host.length
      attempts += 1
      const to: NetConnectOpts = path ? { path } : { host: host[at] ?? 'localhost', port: port[at] ?? 5432 }
      // The client verifies the certificate for `host` of its socket.
      const socket = Object.assign(connect({ ...to, noDelay: true }), { host: host[at] })
      sockets.set(socket, { bytes: 0, heard: performance.now() })
      socket.once('close', () => sockets.delete(socket))
      if (!isLooking) keepLooking()
      return socket
    },
    fetch_types: false,
    connect_timeout: 2,
    keep_alive: 5,
    backoff: () => 0.2,
  }
  closers.set(settings.socket, (ms) => {
    // After a pause of this process, what has arrived meanwhile is read first.
    setImmediate(() => {
      look()
      for (const [socket, { heard }] of sockets) if (performance.now() - heard >= ms) socket.destroy()
    })
  })
  return settings
}
