import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from './fetch.ts'

/** Wraps a handler so that it builds links from this origin and ignores the `Host` header. */
export function withOrigin(fetch: FetchHandler, origin: () => string): ServiceFetch {
  const handler = exchangeHandlerOf(fetch)
  return fetchOf((exchange) => {
    exchange.origin = origin()
    return handler(exchange)
  })
}
