import { checkNumbers } from '../kernel/check-numbers.ts'
import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from './fetch.ts'

/**
 * Limits the request bodies of a handler, for listeners with different limits; otherwise a service's own limit applies.
 *
 * @throws RangeError if `bytes` is not a number from 0
 *
 * @example
 * ```ts
 * import { withBodyLimit } from 'plinth/http'
 * import { devSecrets } from 'plinth/secrets'
 *
 * const { service, rootToken } = await devSecrets()
 * const write = (limit: number) => {
 *   const body = JSON.stringify({ data: { password: 'hunter2' } })
 *   const headers = { 'X-Secrets-Token': rootToken }
 *   const request = new Request('http://localhost/v1/secret/data/app', { method: 'POST', headers, body })
 *   return withBodyLimit(service.fetch, limit)(request)
 * }
 * await write(10).then(({ status }) => status) // 413
 * await write(1000).then(({ status }) => status) // 200
 * await service.close()
 * ```
 */
export function withBodyLimit(fetch: FetchHandler, bytes: number): ServiceFetch {
  checkNumbers({ least: 0, unit: 'bytes' }, { bytes })
  const handler = exchangeHandlerOf(fetch)
  return fetchOf((exchange) => {
    exchange.maxBodyBytes = bytes
    return handler(exchange)
  })
}
