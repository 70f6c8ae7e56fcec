import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type FetchHandler,
  type Listening,
  type ServeOptions,
  serve,
  toNodeListener,
} from '../../../src/http/node/index.ts'

/** A server of one's own, with a listener that is told the same as `serve`. */
async function ownServer({ fetch, tls, ...options }: ServeOptions): Promise<Listening> {
  const listener = toNodeListener(fetch, options)
  const server = tls ? createSecureServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    replaceTls: (next) => {
      if (tls) (server as ReturnType<typeof createSecureServer>).setSecureContext(next)
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Starts to serve a handler. */
export type Start = (options: ServeOptions) => Promise<Listening>

/** Starts handlers for the time of a test, and keeps what they complain of. */
export const upWith =
  (start: Start, usual: Partial<ServeOptions> = {}) =>
  async (fetch: FetchHandler, options: Partial<ServeOptions> = {}) => {
    const errors: unknown[] = []
    const listening = await start({ fetch, onError: (error) => errors.push(error), ...usual, ...options })
    onTestFinished(() => listening.close({ drainMs: 0 }))
    return { ...listening, errors }
  }

/** The two ways to have a handler served: what clients see of either is the same. */
export const servers: readonly [name: string, start: Start][] = [
  ['serve', serve],
  ["a listener behind a server of one's own", ownServer],
]
