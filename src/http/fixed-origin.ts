import { ReceivedExchange } from './exchange.ts'
import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from './fetch.ts'

/** A handler for which every request was sent to this address, whatever its `Host` says: links go there. */
export function withOrigin(fetch: FetchHandler, origin: () => string): ServiceFetch {
  const handler = exchangeHandlerOf(fetch)
  return fetchOf((exchange) => {
    if (exchange instanceof ReceivedExchange) exchange.origin = origin()
    return handler(exchange)
  })
}
