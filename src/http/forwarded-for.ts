import { addressOf, addressWithin, badCidr } from '../networks/networks.ts'
import { edgeRefusal } from './edge-refusal.ts'
import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from './fetch.ts'

/**
 * Which proxies a server believes when they name their client in `X-Forwarded-For`.
 */
export interface ForwardedForRules {
  /** The proxies: addresses and networks such as `10.0.0.0/8`. The header of any other peer is ignored or refused. */
  readonly authorizedAddrs: readonly string[]
  /** How many of the last addresses to skip, if a chain of proxies appends to the header; 0 by default. */
  readonly hopSkips?: number | undefined
  /** Whether requests without the header are answered 400; true by default. */
  readonly rejectNotPresent?: boolean | undefined
  /** Whether requests with the header from any other peer are answered 400; true by default. */
  readonly rejectNotAuthorized?: boolean | undefined
}

/**
 * Wraps a handler behind proxies that append the address of their client to `X-Forwarded-For`: the peer of a request
 * becomes the last address, or an earlier one with `hopSkips`. Everything that depends on the client's address follows:
 * tokens and roles bound to networks, audit logs, login and rate limits.
 *
 * @remarks
 * Addresses before that one are claims of the client. A header of an authorized proxy without a valid address at that
 * place is answered 400.
 *
 * @throws RangeError if a network or `hopSkips` is invalid
 *
 * @example
 * ```ts
 * import { withForwardedFor } from 'plinth/http'
 * import { createRegistry } from 'plinth/registry'
 *
 * const registry = createRegistry()
 * const fetch = withForwardedFor(registry.fetch, { authorizedAddrs: ['10.0.0.0/8'] })
 * const answer = await fetch(new Request('http://localhost/v1/modules'))
 * answer.status // 400: no proxy has named the client
 * await registry.close()
 * ```
 */
export function withForwardedFor(fetch: FetchHandler, rules: ForwardedForRules): ServiceFetch {
  const { authorizedAddrs, hopSkips = 0, rejectNotPresent = true, rejectNotAuthorized = true } = rules
  const wrong = badCidr(authorizedAddrs)
  if (wrong !== undefined)
    throw new RangeError(`authorizedAddrs: "${wrong}" is neither an address nor a network`)
  if (authorizedAddrs.length === 0)
    throw new RangeError('authorizedAddrs: name at least one address or network')
  if (!Number.isSafeInteger(hopSkips) || hopSkips < 0)
    throw new RangeError(`hopSkips is ${hopSkips}; it must be a whole number, 0 or more`)
  const handler = exchangeHandlerOf(fetch)
  return fetchOf(async (exchange) => {
    const header = exchange.header('x-forwarded-for')
    if (header === undefined)
      return rejectNotPresent
        ? refused('missing X-Forwarded-For header, which this listener requires')
        : handler(exchange)
    if (!addressWithin(authorizedAddrs, exchange.peer?.address))
      return rejectNotAuthorized
        ? refused('this client may not send X-Forwarded-For to this listener')
        : handler(exchange)
    const chain = header.split(',')
    const named = chain.at(-1 - hopSkips)
    const address = named === undefined ? undefined : addressOf(named.trim())
    if (address === undefined)
      return refused(
        named === undefined
          ? `malformed X-Forwarded-For header: it has ${chain.length} addresses, and this listener skips ${hopSkips}`
          : 'malformed X-Forwarded-For header: expected an IP address',
      )
    exchange.peer = { address }
    return handler(exchange)
  })
}

const refused = (message: string) => edgeRefusal(400, message)
