import type { Answered, Exchange, ExchangeHandler } from '../http/exchange.ts'
import { toAnswered } from '../http/fetch.ts'

/** Request headers that belong to the connection or to the browser, and not to the service. */
const ownHeaders = [
  'host',
  'connection',
  'origin',
  'referer',
  'cookie',
  'accept-encoding',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
]

/** Passes exchanges on to the server at a URL; an unreachable one is 502. */
export function remoteService(name: string, url: string | URL): ExchangeHandler {
  if (!URL.canParse(String(url)) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`createConsole: ${name} is not an http or https URL: ${String(url)}`)
  const base = new URL(url).href.replace(/\/$/, '')
  return async (exchange) => {
    try {
      return decoded(await fetch(base + exchange.path + exchange.search, requestOf(exchange)))
    } catch (error) {
      if (exchange.isGone) throw error
      const reason =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      return {
        status: 502,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: `the ${name} service at ${base} cannot be reached: ${reason}`,
      }
    }
  }
}

function requestOf(exchange: Exchange): RequestInit {
  const headers = new Headers(exchange.request().headers)
  for (const name of [...headers.keys()])
    if (ownHeaders.includes(name) || name.startsWith('sec-')) headers.delete(name)
  const body = exchange.body?.stream()
  return {
    method: exchange.method,
    headers,
    redirect: 'manual',
    signal: exchange.signal,
    ...(body === undefined ? {} : { body, duplex: 'half' as const }),
  }
}

/** The host's fetch has decoded the body, so its length is unknown. */
function decoded(response: Response): Answered {
  const answered = toAnswered(response)
  if (response.headers.has('content-encoding')) delete answered.headers['content-length']
  for (const name of ['content-encoding', 'transfer-encoding', 'connection', 'keep-alive', 'set-cookie'])
    delete answered.headers[name]
  return answered
}
