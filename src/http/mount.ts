import type { ExchangeHandler } from './exchange.ts'
import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from './fetch.ts'

/**
 * Combines several handlers into one, each at its own place: a path (`/boxes`), a host (`boxes.example.com`), or both
 * (`example.com/boxes`).
 *
 * @remarks
 * The longest path wins, and a place at the request's host takes precedence over one at any host; `/` takes the rest,
 * and without it other requests get 404. Hosts are given without a port. Escaped letters match (`/b%6Fxes`), `/boxes`
 * itself is the service's `/`, and `/boxes2` and `//boxes` do not match.
 *
 * Requests are passed on unchanged, never copied: body, signal, peer and limits stay the same. A service of this
 * package finds its routes below its place and includes the place in its links. Other handlers see the whole URL, as
 * most frameworks expect (`new Hono().basePath('/app')`); the second argument contains the `basePath`. So do the places
 * of a mount inside another mount: they are whole paths.
 *
 * Module clients request `/.well-known/terraform.json` at the root of the host, wherever the registry is mounted: the
 * example answers it there.
 *
 * @throws TypeError for a place that cannot match any request or is given twice, and for a value that is not a
 *   handler
 *
 * @example
 * ```ts
 * import { mount } from 'plinth/http'
 * import { createCatalog } from 'plinth/catalog'
 * import { createRegistry } from 'plinth/registry'
 *
 * const catalog = createCatalog()
 * const registry = createRegistry()
 * const fetch = mount({
 *   '/boxes': catalog.fetch,
 *   '/modules': registry.fetch,
 *   '/.well-known/terraform.json': () => Response.json({ 'modules.v1': '/modules/v1/modules/' }),
 * })
 * const listing = await fetch(new Request('http://example.com/modules/v1/modules'))
 * listing.status // 200
 * await catalog.close()
 * await registry.close()
 * ```
 */
export function mount(handlers: Readonly<Record<string, FetchHandler>>): ServiceFetch {
  /** Handlers by path, for each host; those of the empty host match any. */
  const hosts = new Map<string, Map<string, ExchangeHandler>>()
  let deepest = 0
  for (const [place, handler] of Object.entries(handlers)) {
    // Callers without types may pass a service instead of its fetch.
    if (typeof handler !== 'function')
      throw new TypeError(`${place} is ${typeof handler}: pass a function, such as the fetch of a service`)
    const { host, path } = readPlace(place)
    const paths = hosts.get(host) ?? new Map<string, ExchangeHandler>()
    if (paths.has(path)) throw new TypeError(`two handlers are mounted at ${host}${path || '/'}`)
    hosts.set(host, paths.set(path, exchangeHandlerOf(handler)))
    deepest = Math.max(deepest, path.split('/').length)
  }
  const hostsMatter = hosts.size > 1 || !hosts.has('')

  return fetchOf(async (exchange) => {
    const path = exchange.basePath + exchange.path
    const heads = headsOf(path, deepest)
    for (const host of hostsMatter ? [hostOf(exchange.origin), ''] : [''])
      for (const head of heads) {
        const handler = hosts.get(host)?.get(canonical(head))
        if (handler === undefined) continue
        exchange.mountAt(head)
        return await handler(exchange)
      }
    const body = exchange.method === 'HEAD' ? undefined : `nothing is mounted at ${path}`
    return { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
  })
}

const hostOf = (origin: string): string => (URL.canParse(origin) ? withoutDot(new URL(origin).hostname) : '')

/** An optional host, then segments: no port, no query, nothing empty, no dot segments. */
const placeShape = /^(?:\[[\da-f:.]+\]|[^\s/:?#@\\]*)(?:\/(?!\.{1,2}(?:\/|$))[^\s/?#\\]+)*\/?$/i

/** A place as requests spell it: host in lower case, path escaped and without a trailing slash. */
function readPlace(place: string): { readonly host: string; readonly path: string } {
  const isBelowAny = place.startsWith('/')
  const address = isBelowAny ? `http://any${place}` : `http://${place}`
  if (place === '' || !placeShape.test(place) || !URL.canParse(address))
    throw new TypeError(
      `${JSON.stringify(place)} is not a valid place: use a path such as /boxes, a host such as boxes.example.com, or both, without port and query`,
    )
  const { hostname, pathname } = new URL(address)
  return { host: isBelowAny ? '' : withoutDot(hostname), path: canonical(pathname.replace(/\/$/, '')) }
}

/** The prefixes of a path, the longest first: `/a/b/c` gives `/a/b`, `/a` and the empty path for a depth of 3. */
function headsOf(path: string, depth: number): readonly string[] {
  const segments = path.split('/', depth)
  return segments.map((_, dropped) => segments.slice(0, segments.length - dropped).join('/'))
}

/**
 * A path without unnecessary escapes of letters, digits and `-._~`: both spellings are equivalent (RFC 3986, 6.2.2.2).
 */
const canonical = (path: string): string =>
  path.includes('%')
    ? path.replace(/%[0-9a-f]{2}/gi, (escaped) => {
        const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
        return /[\w.~-]/.test(letter) ? letter : escaped.toUpperCase()
      })
    : path

/** A fully qualified host name may end in a dot, and is the same host. */
const withoutDot = (hostname: string): string => hostname.replace(/\.$/, '')
