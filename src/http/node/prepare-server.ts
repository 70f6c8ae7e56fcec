import { Server } from 'node:http'
import type { Http2SecureServer, Http2Server } from 'node:http2'
import { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { acceptAnyMethod } from './any-method.ts'
import { closeSilent } from './close-silent.ts'

/**
 * Gives your own server the features of {@link serve} that a listener cannot provide: it accepts the `LIST` method,
 * which clients use to list secrets, and URLs with unescaped letters beyond ASCII; limits the time for a request head
 * to one minute, but not for an upload that makes progress; keeps idle connections for 65 seconds; detects vanished
 * clients; and closes connections that never sent a request together with the server. Upgraded connections (WebSockets,
 * `CONNECT`) are left to your own listeners. Of a server of `node:http2` it detects vanished clients, and closes
 * sessions that are idle together with the server.
 *
 * @remarks
 * Call it before the server listens. The server's listener is one of {@link toNodeListener}, or a framework around one. The limit on the request head is set where the server is created:
 * `createServer({ maxHeaderSize: 512 * 1024 })` leaves room for filters. (The longest path of a secret, 4,096 bytes,
 * has 12 kB once it is percent-encoded, which Node's default of 16 KiB has room for.)
 *
 * @returns the same server
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { prepareServer, toNodeListener } from 'plinth/node'
 * import { devSecrets } from 'plinth/secrets'
 *
 * const { service } = await devSecrets()
 * const server = prepareServer(createServer(toNodeListener(service.fetch)))
 * server.close()
 * await service.close()
 * ```
 */
export function prepareServer<OneServer extends Server | Http2Server | Http2SecureServer>(
  server: OneServer,
): OneServer {
  // A client that lost its power sends no FIN: keep-alive probes detect it.
  server.on('connection', (socket: Socket) => void socket.setKeepAlive(true, 60_000))
  if (server instanceof Server || server instanceof HttpsServer) {
    // Uploads have no time limit while they make progress. Heads do; without this setting they would get the time of
    // the whole request.
    server.requestTimeout = 0
    server.headersTimeout = 60_000
    server.keepAliveTimeout = 65_000
    acceptAnyMethod(server)
  }
  closeSilent(server)
  return server
}
