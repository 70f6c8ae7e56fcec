import type { Exchange } from '../../http/index.ts'

/**
 * The web pages of other origins that may call.
 */
export interface CrossOriginRules {
  /** Origins such as `https://app.example.com`, or `*` alone for all of them. */
  readonly allowedOrigins: readonly string[]
  /** Request headers beyond the usual ones. */
  readonly allowedHeaders: readonly string[]
}

/** The result of a request under the CORS rules. */
export type CrossOriginVerdict =
  | { readonly kind: 'same-origin' }
  | { readonly kind: 'refused'; readonly status: 403 | 405; readonly message: string }
  | { readonly kind: 'preflight' | 'allowed'; readonly headers: ReadonlyMap<string, string> }

const methods = ['DELETE', 'GET', 'LIST', 'OPTIONS', 'PATCH', 'POST', 'PUT']

const usualHeaders = ['Authorization', 'Content-Type', 'X-Requested-With']

/** The service's own request headers, without the word. */
const ownHeaders = ['Token', 'Namespace', 'Wrap-TTL', 'Request']

/** Every request header that pages of other origins may send. */
export const allowedHeaders = (rules: CrossOriginRules, words: readonly string[]): readonly string[] => [
  ...usualHeaders,
  ...words.flatMap((word) => ownHeaders.map((suffix) => `X-${word}-${suffix}`)),
  ...rules.allowedHeaders,
]

/**
 * Checks a request's `Origin`. A request without one does not come from a web page, and is allowed.
 *
 * @example
 * ```ts
 * import { judgeOrigin } from 'plinth/secrets'
 *
 * const rules = { allowedOrigins: ['https://console.example.com'], allowedHeaders: [] }
 * const from = (origin: string) => ({
 *   method: 'GET',
 *   header: (name: string) => (name === 'origin' ? origin : undefined),
 * })
 * judgeOrigin(from('https://console.example.com'), rules, ['Secrets']).kind // 'allowed'
 * judgeOrigin(from('https://elsewhere.example'), rules, ['Secrets']).kind // 'refused'
 * ```
 */
export function judgeOrigin(
  request: Pick<Exchange, 'method' | 'header'>,
  rules: CrossOriginRules,
  words: readonly string[],
): CrossOriginVerdict {
  const origin = request.header('origin')
  if (origin === undefined) return { kind: 'same-origin' }
  const anyOrigin = rules.allowedOrigins.length === 1 && rules.allowedOrigins[0] === '*'
  if (!anyOrigin && !rules.allowedOrigins.includes(origin))
    return { kind: 'refused', status: 403, message: 'origin not allowed' }
  const headers = new Map([
    ['Access-Control-Allow-Origin', origin],
    ['Vary', 'Origin'],
  ])
  const wanted = request.header('access-control-request-method')
  if (request.method !== 'OPTIONS' || wanted === undefined) return { kind: 'allowed', headers }
  if (!methods.includes(wanted.toUpperCase()))
    return { kind: 'refused', status: 405, message: `method ${wanted} is not allowed across origins` }
  headers.set('Access-Control-Allow-Methods', methods.join(', '))
  headers.set('Access-Control-Allow-Headers', allowedHeaders(rules, words).join(', '))
  headers.set('Access-Control-Max-Age', '300')
  return { kind: 'preflight', headers }
}
