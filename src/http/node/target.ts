import type { IncomingMessage } from 'node:http'
import { type Target, targetOf } from '../exchange.ts'
import type { RequestHeaders } from './node-exchange.ts'

/**
 * The target of a request; `undefined` when it is malformed. Host and path are parsed separately: a part that is
 * missing or malformed in one must not be taken from the other, as a lenient URL parser would do.
 */
export function readTarget(message: IncomingMessage, headers: RequestHeaders): Target | undefined {
  // Frameworks strip a mount path from `url`: see frameworkPathOf.
  const target = 'originalUrl' in message ? String(message.originalUrl) : (message.url ?? '/')
  if (leadsElsewhere(target)) return undefined
  if (/^https?:\/\/[^/\\]/i.test(target)) return parse(target)
  const scheme = 'encrypted' in message.socket ? 'https' : 'http'
  // Two of them arrive joined, which is not a valid host. An empty one is ignored.
  const host = headers.get('host') || headers.get(':authority') || 'localhost'
  const origin = `${scheme}://${host}`
  const path = target.startsWith('/') ? target : `/${target}`
  if (!plainHost.test(host)) return /[/?#@\\]/.test(host) ? undefined : parse(origin + path)
  return plainPath.test(path) ? targetOf(origin + path) : parse(origin + path)
}

const octet = '(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])'

/** A host in lower case, without the default port of its scheme: as URL parsers normalise it. */
const plainHost = new RegExp(
  `^(?:(?:[a-z\\d-]+\\.)*[a-wyz][a-z\\d-]*|(?:${octet}\\.){3}${octet})(?::(?!80$|443$)(?:[1-9]\\d{0,3}|[1-5]\\d{4}))?$`,
)

/** A path and query that URL parsers leave unchanged. */
const plainPath = /^\/[\w\-.~!$&()*+,;=:@%/]*(?:\?[\w\-.~!$&()*+,;=:@%/?]*)?$/

function parse(url: string): Target | undefined {
  return URL.canParse(url) ? targetOf(new URL(url).href) : undefined
}

/**
 * The path at which a framework mounted the listener: Express keeps it in `baseUrl`; Connect and h3 take it off `url`,
 * and keep the whole in `originalUrl`.
 */
export function frameworkPathOf(message: IncomingMessage): string {
  if (!('originalUrl' in message)) return ''
  if ('baseUrl' in message) return String(message.baseUrl)
  const whole = pathOf(String(message.originalUrl))
  const below = pathOf(message.url ?? '/')
  if (below === '/' && !whole.endsWith('/')) return whole
  return whole.endsWith(below) ? whole.slice(0, whole.length - below.length) : ''
}

const pathOf = (target: string): string => target.split('?', 1)[0] ?? ''

/**
 * Whether a URL parser would resolve the path to another one: `/public/../secret`, for example, which a proxy in front
 * of this server may have treated as public.
 */
const leadsElsewhere = (target: string): boolean =>
  /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(target.split(/[?#]/, 1)[0] ?? '')
