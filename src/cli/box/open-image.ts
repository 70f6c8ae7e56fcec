import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'

const mostRedirects = 10

/**
 * Requests an image; redirects are followed. The caller's headers are sent to the original host only, except `range`
 * and `if-range`.
 */
export async function openImage(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let at = new URL(url)
  for (let redirects = 0; ; redirects += 1) {
    const answer = await get(at, at.origin === new URL(url).origin ? headers : onlyRange(headers), signal)
    const { statusCode: status = 0, headers: told } = answer
    const isRedirect = status >= 300 && status < 400 && status !== 304 && told.location !== undefined
    if (!isRedirect) return answer
    answer.destroy()
    if (redirects === mostRedirects) throw new Error('too many redirects')
    at = new URL(told.location ?? '', at)
  }
}

const onlyRange = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'range' || name === 'if-range'))

/** The timeout of an idle connection. */
const idleMs = 120_000

const get = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? tlsRequest : plainRequest
    const request = start(url, { headers, signal, timeout: idleMs }, resolve)
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('no data arrived for too long')))
    request.end()
  })
