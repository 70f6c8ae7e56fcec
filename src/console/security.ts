import type { Exchange } from '../http/exchange.ts'

/** Headers of the console's own pages: scripts and styles from this origin only, nothing inline, no frames. */
export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Headers of the services' answers: opened as a page, an answer runs nothing on the console's origin. */
export const inertHeaders = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
} as const

/**
 * Whether a page of another site made the request. Browsers say so in `Sec-Fetch-Site` (`same-origin` for our pages,
 * `none` for what a person typed) and in `Origin`; other programs send neither.
 */
export function isForeign(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site')
  // Behind a proxy that terminates TLS, the origin that the browser knows differs from the one that arrives here.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const origin = exchange.header('origin')
  return origin !== undefined && origin !== exchange.origin
}
