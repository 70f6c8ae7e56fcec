import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { acceptAnyMethod } from './any-method.ts'

/**
 * Gives a server of your own what {@link serve} gives its server and no listener can: it accepts the `LIST` method, with
 * which clients list secrets, and addresses with letters beyond ASCII that their client did not escape; waits a minute for
 * the head of a request, and as long as it takes for an upload that goes on; keeps connections that rest for 65 seconds; and
 * finds out which clients vanished.
 *
 * @remarks
 * Call it before the server listens. It takes servers of `node:http` and `node:https`, with a listener of
 * {@link toNodeListener} or a framework around one. The limit on the request head is set where the server is created:
 * `createServer({ maxHeaderSize: 512 * 1024 })` leaves room for filters.
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
 *
 * @public
 */
export function prepareServer<OneServer extends Server>(server: OneServer): OneServer {
  // Uploads take as long as they take, while they go on. A head does not; unless told, it would have what the whole
  // request has.
  server.requestTimeout = 0
  server.headersTimeout = 60_000
  server.keepAliveTimeout = 65_000
  // A client that lost its power never says goodbye: its connection is asked now and then.
  server.on('connection', (socket: Socket) => socket.setKeepAlive(true, 60_000))
  acceptAnyMethod(server)
  return server
}
