import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import type { FetchHandler } from '../fetch.ts'
import { type NodeListenerOptions, toNodeListener } from './listener.ts'
import { prepareServer } from './prepare-server.ts'

/**
 * Where and how to listen.
 */
export interface ServeOptions extends NodeListenerOptions {
  /** The handler: a service's `fetch`. */
  readonly fetch: FetchHandler
  /** The port; 0 (the default) takes any free one. */
  readonly port?: number | undefined
  /** The address; `127.0.0.1` by default. */
  readonly host?: string | undefined
  /** Certificate and key in PEM; without them the listener uses plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

const serveOptions: OptionNames<ServeOptions> = {
  fetch: true,
  port: true,
  host: true,
  tls: { cert: true, key: true },
  bodyTimeoutMs: true,
  answerTimeoutMs: true,
  onError: true,
}

/**
 * An open listener.
 */
export interface Listening {
  /** `scheme://host:port`. */
  readonly url: string
  readonly port: number
  /** Replaces the certificate and key for new connections; throws for those that `tls` would refuse. */
  readonly replaceTls: (tls: { readonly cert: string; readonly key: string }) => void
  /**
   * Stops accepting, lets requests in progress finish, and closes the remaining connections after `drainMs` (10 s by
   * default).
   */
  readonly close: (options?: { readonly drainMs?: number | undefined }) => Promise<void>
}

/**
 * Serves a fetch handler over HTTP/1.1, including the `LIST` method. The requests of one connection are answered one
 * after the other, even if they are pipelined.
 *
 * @throws TypeError if there is no handler
 * @throws Error that says what to fix when the port is invalid or taken, the address is not of this machine, or
 * certificate and key are not PEM or not a pair
 *
 * @example
 * ```ts
 * import { serve } from 'plinth/node'
 *
 * const listening = await serve({ fetch: (request) => new Response(request.method) })
 * const answer = await fetch(listening.url)
 * await answer.text() // 'GET'
 * await listening.close()
 * ```
 */
export async function serve(options: ServeOptions): Promise<Listening> {
  // A service has a `fetch` too, so that the compiler does not find this mistake.
  if (typeof options === 'function' || (typeof options === 'object' && options && 'routes' in options))
    throw new TypeError('serve takes options: serve({ fetch: service.fetch })')
  // Before anything is opened, because it refuses values that are not handlers.
  const listener = toNodeListener(options?.fetch, options)
  checkOptions('serve', options, serveOptions)
  const { host = '127.0.0.1' } = options
  const wanted = options.port ?? 0
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535)
    throw new Error(
      `${wanted} is not a valid port: use a whole number from 1 to 65535, or 0 for any free port`,
    )
  // Filters are part of the URL: one that is far too long is refused by its service, with the reason.
  const settings = { maxHeaderSize: 512 * 1024 }
  const secure = options.tls && createHttpsServer({ ...settings, ...checkedTls(options.tls) }, listener)
  const server: Server = secure ?? createHttpServer(settings, listener)
  prepareServer(server)
  const port = await listen(server, wanted, host)
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `${options.tls ? 'https' : 'http'}://${name}:${port}`,
    port,
    replaceTls: (tls) => {
      if (!secure) throw new TypeError('this listener uses plain HTTP: pass tls to serve() at the start')
      secure.setSecureContext(checkedTls(tls))
    },
    close: async ({ drainMs = 10_000 } = {}) => {
      checkNumbers({ least: 0, unit: 'milliseconds' }, { drainMs })
      await close(server, drainMs)
    },
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(explain(error, port, host))))
    // A burst of connections is queued: the host's default of 511 drops or resets the rest.
    server.listen({ port, host, backlog: 4096 }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

type Tls = NonNullable<ServeOptions['tls']>

/** The same certificate and key, once they are known to be valid and a pair; neither is ever part of a message. */
function checkedTls({ cert, key }: Tls): Tls {
  const shapes = [
    ['cert', cert, 'CERTIFICATE', /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/],
    ['key', key, 'PRIVATE KEY', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/],
  ] as const
  for (const [name, pem, label, shape] of shapes)
    if (!shape.test(pem))
      throw new Error(
        `tls.${name} is not PEM: pass the text of the file, which has a line -----BEGIN ${label}-----, not its path`,
      )
  for (const [name, part] of [
    ['cert', { cert }],
    ['key', { key }],
  ] as const)
    try {
      createSecureContext(part)
    } catch (error) {
      throw new Error(
        `tls.${name} cannot be read: its PEM is damaged, cut short or encrypted (${reasonOf(error)})`,
      )
    }
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new Error(`tls.cert and tls.key do not belong together (${reasonOf(error)})`)
  }
  return { cert, key }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (/[^:]+$/.exec(error.message)?.[0] ?? error.message) : 'unknown'

const explain = (error: NodeJS.ErrnoException, port: number, host: string): string => {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is already in use; choose another one, or 0 for any free port`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine`
    case 'EACCES':
      return `no permission to listen on port ${port} of ${host}; ports below 1024 need privileges`
    default:
      return `cannot listen on ${host}:${port}: ${error.message}`
  }
}

function close(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), drainMs)
    const idle = setInterval(() => server.closeIdleConnections(), 50)
    server.close(() => {
      clearTimeout(cut)
      clearInterval(idle)
      resolve()
    })
    server.closeIdleConnections()
  })
}
