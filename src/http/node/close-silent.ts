import { Server } from 'node:http'
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'

/**
 * Closes connections that never asked together with the server: Node counts them as busy, and would wait for those that
 * did not begin TLS for two minutes, for the others without end. Sessions of HTTP/2 close after their open requests.
 */
export function closeSilent(server: Server | Http2Server | Http2SecureServer): void {
  const silent = new Map<unknown, Socket | ServerHttp2Session>()
  const hold = (key: unknown, one: Socket | ServerHttp2Session, sign?: 'data' | 'remoteSettings'): void => {
    silent.set(key, one)
    const heard = () => void (silent.get(key) === one && silent.delete(key))
    if (sign !== undefined) one.once(sign, heard)
    one.once('close', heard)
  }
  if (server instanceof TlsServer) {
    server.on('connection', (socket: Socket) => {
      const client = clientOf(socket)
      if (client !== undefined) hold(client, socket)
    })
    server.on('secureConnection', (socket: TLSSocket) => {
      const client = clientOf(socket) ?? socket
      if (socket.alpnProtocol === 'h2') silent.delete(client)
      else hold(client, socket, 'data')
    })
  } else if (server instanceof Server)
    server.on('connection', (socket: Socket) => hold(socket, socket, 'data'))
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session: ServerHttp2Session) => {
    hold(session, session, 'remoteSettings')
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  const close = server.close.bind(server)
  Object.assign(server, {
    close: (done?: (error?: Error) => void) => {
      for (const one of silent.values()) one.destroy()
      for (const session of sessions) session.close()
      return close(done)
    },
  })
}

/** The client of a connection, by which the secure socket of a plain one is known; `undefined` for Unix sockets. */
const clientOf = ({ remoteAddress, remotePort }: Socket): string | undefined =>
  remotePort === undefined ? undefined : `${remoteAddress} ${remotePort}`
