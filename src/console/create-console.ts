import type { Answered, ExchangeHandler, ReceivedExchange } from '../http/exchange.ts'
import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from '../http/fetch.ts'
import { checkOptions, type OptionNames } from '../kernel/check-options.ts'
import { ownValue } from '../kernel/objects.ts'
import { version } from '../version.ts'
import { assets } from './generated/assets.ts'
import { page } from './page.ts'
import { remoteService } from './remote-service.ts'
import { inertHeaders, isForeign, pageHeaders } from './security.ts'

/**
 * A service for the console: the service itself, its fetch handler, or the URL of a server.
 */
export type ConsoleService = FetchHandler | { readonly fetch: FetchHandler } | string | URL

/**
 * Options of {@link createConsole}: the services to show. Omitted ones do not appear.
 */
export interface ConsoleOptions {
  /** The secrets service, or its URL. */
  readonly secrets?: ConsoleService | undefined
  /** The scheduler, or its URL. */
  readonly scheduler?: ConsoleService | undefined
  /** The gateway, or its URL. */
  readonly gateway?: ConsoleService | undefined
  /** The box catalog, or its URL. */
  readonly catalog?: ConsoleService | undefined
  /** The module registry, or its URL. */
  readonly registry?: ConsoleService | undefined
  /**
   * Where clients reach the services, for the snippets that the pages show; a service that is given by its URL is
   * reached there. Without one the snippets name the console's own address.
   */
  readonly addresses?: Readonly<Partial<Record<ConsoleServiceName, string>>> | undefined
  /**
   * Whether a browser tab keeps its sign-ins across reloads, in its session storage, until sign-out (default true).
   * With `false`, tokens stay in the page's memory.
   */
  readonly keepSignIns?: boolean | undefined
}

/**
 * The name of a service in a console.
 */
export type ConsoleServiceName = (typeof serviceNames)[number]

const serviceNames = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry'] as const

/**
 * The result of {@link createConsole}.
 */
export interface Console {
  /** Answers the pages of the console, and passes on what they ask of the services below `/services/NAME`. */
  readonly fetch: ServiceFetch
}

const names: OptionNames<ConsoleOptions> = {
  secrets: true,
  scheduler: true,
  gateway: true,
  catalog: true,
  registry: true,
  addresses: true,
  keepSignIns: true,
}

/**
 * Creates the console of some services: a browser application and everything it needs, on one origin.
 *
 * @remarks
 * The pages call the public HTTP interfaces of the services, with the token that is typed into them and no rights of
 * their own. The tab keeps the token until sign-out (`keepSignIns`). Requests that another site's page makes are
 * refused (403), and answers of services carry a policy under which a browser runs nothing of theirs.
 *
 * Mount it like a service: `mount({ '/console': console.fetch })`, `toNodeListener(console.fetch)`.
 *
 * @throws TypeError for an unknown service, no service at all, or one that is neither handler nor URL
 *
 * @example
 * ```ts
 * import { createConsole } from 'plinth/console'
 * import { createRegistry } from 'plinth/registry'
 *
 * const registry = createRegistry()
 * const { fetch } = createConsole({ registry })
 * const page = await fetch(new Request('http://localhost/registry', { headers: { accept: 'text/html' } }))
 * page.headers.get('content-type') // 'text/html; charset=utf-8'
 * const passedOn = await fetch(new Request('http://localhost/services/registry/v1/modules'))
 * passedOn.status // 200
 * await registry.close()
 * ```
 */
export function createConsole(options: ConsoleOptions): Console {
  checkOptions('createConsole', options, names)
  const handlers = new Map<string, ExchangeHandler>()
  const addresses: Record<string, string> = { ...options.addresses }
  for (const name of serviceNames) {
    const service = options[name]
    if (service === undefined) continue
    handlers.set(name, handlerOf(name, service))
    if (typeof service === 'string' || service instanceof URL) addresses[name] ??= String(service)
  }
  if (handlers.size === 0)
    throw new TypeError('createConsole: pass at least one service, such as { scheduler }')
  const about = JSON.stringify({
    version,
    services: [...handlers.keys()],
    addresses,
    keepsSignIns: options.keepSignIns ?? true,
  })

  const passOn = async (exchange: ReceivedExchange, name: string): Promise<Answered> => {
    const handler = handlers.get(name)
    if (handler === undefined) return plain(404, `this console has no service ${name}`)
    if (isForeign(exchange)) return plain(403, 'the console serves only its own pages')
    exchange.mountAt(`${exchange.basePath}/services/${name}`)
    const answered = await handler(exchange)
    return { ...answered, headers: { ...answered.headers, ...inertHeaders } }
  }

  return {
    fetch: fetchOf(async (exchange) => {
      const { path, method } = exchange
      const [, room = '', name = ''] = path.split('/', 3)
      if (room === 'services' && name !== '') return passOn(exchange, name)
      if (method !== 'GET' && method !== 'HEAD')
        return { ...plain(405, 'the console answers GET and HEAD'), headers: { allow: 'GET, HEAD' } }
      const answered =
        path === '/services.json'
          ? {
              status: 200,
              headers: { ...pageHeaders, 'content-type': 'application/json', 'cache-control': 'no-store' },
              body: about,
            }
          : room === 'assets'
            ? assetAt(path.slice('/assets/'.length))
            : pageAt(exchange.basePath, about)
      return method === 'HEAD' ? { ...answered, body: undefined } : answered
    }),
  }
}

const plain = (status: number, body: string): Answered => ({
  status,
  headers: { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8' },
  body,
})

const pageAt = (basePath: string, about: string): Answered => ({
  status: 200,
  headers: { ...pageHeaders, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
  body: page(basePath, about),
})

/** Assets have a hash of their content in their names, so that a browser never requests them twice. */
function assetAt(name: string): Answered {
  const asset = ownValue(assets, name)
  if (asset === undefined) return plain(404, `there is no asset ${name}`)
  return {
    status: 200,
    headers: {
      ...pageHeaders,
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
    },
    body: asset.body,
  }
}

function handlerOf(name: string, service: ConsoleService): ExchangeHandler {
  if (typeof service === 'function') return exchangeHandlerOf(service)
  if (typeof service === 'string' || service instanceof URL) return remoteService(name, service)
  if (typeof service?.fetch === 'function') return exchangeHandlerOf(service.fetch)
  throw new TypeError(`createConsole: ${name} is neither a service, a fetch handler nor a URL`)
}
