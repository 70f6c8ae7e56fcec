import { ReceivedExchange } from '../../http/exchange.ts'
import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from '../../http/fetch.ts'

/**
 * Wraps a handler behind a proxy, which appends the address of its client to `X-Forwarded-For`: the last address is the
 * client's. Earlier ones are claims of the client.
 */
export function withForwardedPeer(fetch: FetchHandler): ServiceFetch {
  const handler = exchangeHandlerOf(fetch)
  return fetchOf((exchange) => {
    const address = exchange.header('x-forwarded-for')?.split(',').at(-1)?.trim()
    if (exchange instanceof ReceivedExchange && address !== undefined && isAddress.test(address))
      exchange.peer = { address }
    return handler(exchange)
  })
}

const isAddress = /^[\da-f.:]{2,45}$/i
