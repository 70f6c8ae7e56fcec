import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { UserError } from './user-error.ts'

const mostRedirects = 10

/** Checks a URL before it is requested; returns how its host is looked up, if not as usual. */
export type Reach = (url: URL) => LookupFunction | undefined

/**
 * Requests a URL with GET; redirects are followed. The caller's headers are sent to the original host only, except
 * `range` and `if-range`. Rejects with a UserError if another attempt would fail the same way.
 */
export async function openUrl(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  reach?: Reach,
): Promise<IncomingMessage> {
  let at = new URL(url)
  for (let redirects = 0; ; redirects += 1) {
    const answer = await get(
      at,
      at.origin === new URL(url).origin ? headers : onlyRange(headers),
      signal,
      reach,
    )
    const { statusCode: status = 0, headers: received } = answer
    const isRedirect = status >= 300 && status < 400 && status !== 304 && received.location !== undefined
    if (!isRedirect) return answer
    answer.destroy()
    if (redirects === mostRedirects) throw new UserError('too many redirects')
    const next = webUrl(received.location ?? '', at.href)
    if (next === undefined)
      throw new UserError(`the server redirects to "${received.location}", which is not an http or https URL`)
    at = next
  }
}

/** The http or https URL that a text is, as seen from another one. */
export function webUrl(text: string, from: string): URL | undefined {
  const url = URL.canParse(text, from) ? new URL(text, from) : undefined
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined
}

const onlyRange = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'range' || name === 'if-range'))

/** The timeout of an idle connection. */
const idleMs = 120_000

const get = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  reach: Reach | undefined,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const lookup = reach?.(url)
    const start = url.protocol === 'https:' ? tlsRequest : plainRequest
    const request = start(url, { headers, signal, timeout: idleMs, ...(lookup ? { lookup } : {}) }, resolve)
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('no data arrived for too long')))
    request.end()
  })
