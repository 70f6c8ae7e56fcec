import type { Exchange } from './exchange.ts'

/** The request of an exchange without its body, for code that decides about it before the body is read. */
export function requestHead(exchange: Exchange): Request {
  const headers = new Headers()
  // HTTP/2 has method and path among its headers.
  for (const name of exchange.headerNames())
    if (!name.startsWith(':')) headers.set(name, exchange.header(name) ?? '')
  const { method, origin, basePath, path, search } = exchange
  return new Request(origin + basePath + path + search, { method, headers })
}
