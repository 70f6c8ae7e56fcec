/**
 * A function that answers web requests: what every service's `fetch` is.
 *
 * @public
 */
export type FetchHandler = (request: Request) => Promise<Response> | Response

/** The path that each mounted request was mounted below. */
const basePaths = new WeakMap<Request, string>()

/**
 * The path that a request's service is mounted below, without a last slash; empty when it has the host to itself.
 * Whoever writes a link that begins with a slash puts it in front.
 *
 * @example
 * ```ts
 * import { basePathOf, mount } from 'plinth/http'
 *
 * const fetch = mount({ '/apps/shop': (request) => new Response(basePathOf(request)) })
 * const answer = await fetch(new Request('http://localhost/apps/shop/cart'))
 * await answer.text() // '/apps/shop'
 * ```
 *
 * @public
 */
export const basePathOf = (request: Request): string => basePaths.get(request) ?? ''

/** A request's address as its service knows it: without the path that the service is mounted below. */
export function addressOf(request: Request): URL {
  const { url } = request
  const basePath = basePathOf(request)
  if (basePath === '') return new URL(url)
  const pathAt = url.indexOf('/', url.indexOf('//') + 2)
  return new URL(url.slice(0, pathAt) + url.slice(pathAt + basePath.length))
}

/**
 * Makes one handler of several, each at a place of its own: a path (`/boxes`), a host (`boxes.example.com`), or both
 * (`example.com/boxes`).
 *
 * @remarks
 * The longest path wins, and one at the request's host before one at any; `/` takes what is left, and without it
 * the rest is answered 404. Hosts are named without a port. Escaped letters are the letters (`/b%6Fxes`), `/boxes`
 * itself is the service's `/`, and `/boxes2` and `//boxes` are elsewhere.
 *
 * Requests are passed on as they are, never copied: body, signal, peer and limits stay what they were. A service of this
 * package finds its routes below its place and writes it into its links. Any other handler sees the whole
 * address, as most frameworks want it (`new Hono().basePath('/app')`); {@link basePathOf} tells it what comes first. So
 * do places in a mount that itself stands in one: they are whole paths.
 *
 * Clients of modules look for `/.well-known/terraform.json` at the top of the host, wherever the registry is: the
 * example answers it there.
 *
 * @throws TypeError that names a place which can have no requests or is given twice, or a handler that is none
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
 *
 * @public
 */
export function mount(
  handlers: Readonly<Record<string, FetchHandler>>,
): (request: Request) => Promise<Response> {
  /** Handlers by path, for each host; those of the empty host are for any. */
  const hosts = new Map<string, Map<string, FetchHandler>>()
  let deepest = 0
  for (const [place, handler] of Object.entries(handlers)) {
    // Programs without types give a service instead of its fetch.
    if (typeof handler !== 'function')
      throw new TypeError(`${place} is ${typeof handler}: give a function, such as the fetch of a service`)
    const { host, path } = readPlace(place)
    const paths = hosts.get(host) ?? new Map<string, FetchHandler>()
    if (paths.has(path)) throw new TypeError(`two handlers are mounted at ${host}${path || '/'}`)
    hosts.set(host, paths.set(path, handler))
    deepest = Math.max(deepest, path.split('/').length)
  }

  return async (request) => {
    const { hostname, pathname } = new URL(request.url)
    const heads = headsOf(pathname, deepest)
    for (const host of [withoutDot(hostname), ''])
      for (const head of heads) {
        const handler = hosts.get(host)?.get(canonical(head))
        if (handler === undefined) continue
        basePaths.set(request, head)
        return await handler(request)
      }
    return new Response(request.method === 'HEAD' ? null : `nothing is mounted at ${pathname}`, {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  }
}

/** Perhaps a host, then segments: no port, no query, nothing empty, nothing that an address would resolve away. */
const placeShape = /^(?:\[[\da-f:.]+\]|[^\s/:?#@\\]*)(?:\/(?!\.{1,2}(?:\/|$))[^\s/?#\\]+)*\/?$/i

/** A place as requests spell it: host in lower case, path escaped and without a last slash. */
function readPlace(place: string): { readonly host: string; readonly path: string } {
  const isBelowAny = place.startsWith('/')
  const address = isBelowAny ? `http://any${place}` : `http://${place}`
  if (place === '' || !placeShape.test(place) || !URL.canParse(address))
    throw new TypeError(
      `${JSON.stringify(place)} is no place: give a path as in /boxes, a host as in boxes.example.com, or both, without port and query`,
    )
  const { hostname, pathname } = new URL(address)
  return { host: isBelowAny ? '' : withoutDot(hostname), path: canonical(pathname.replace(/\/$/, '')) }
}

/** The first segments of a path, the most first: `/a/b/c` is `/a/b`, `/a` and the empty path for a depth of 3. */
function headsOf(path: string, depth: number): readonly string[] {
  const segments = path.split('/', depth)
  return segments.map((_, dropped) => segments.slice(0, segments.length - dropped).join('/'))
}

/** A path whose letters, digits and `-._~` are not escaped: both spellings are one address (RFC 3986, 6.2.2.2). */
const canonical = (path: string): string =>
  path.includes('%')
    ? path.replace(/%[0-9a-f]{2}/gi, (escaped) => {
        const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
        return /[\w.~-]/.test(letter) ? letter : escaped.toUpperCase()
      })
    : path

/** A complete host name may end in a dot, and is the same host. */
const withoutDot = (hostname: string): string => hostname.replace(/\.$/, '')
