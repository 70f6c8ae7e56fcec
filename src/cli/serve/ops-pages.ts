import type { Answered, ExchangeHandler } from '../../http/exchange.ts'
import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from '../../http/fetch.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { Metrics } from './metrics/metrics.ts'

/** Whether the server can work, or what it cannot reach. */
export type Readiness = () => Promise<{
  readonly ready: boolean
  readonly unreachable: readonly string[]
  /** What could not be written: `records`, `uploads`. */
  readonly unwritable: readonly string[]
  /** Why it could not be written; absent if all could. */
  readonly reasons?: readonly string[]
}>

const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Adds pages for operators to the gateway's health endpoint: `/metrics` and `/ready`. */
export function withOpsPages(
  fetch: FetchHandler,
  { metrics, readiness }: { readonly metrics: Metrics; readonly readiness: Readiness },
): ServiceFetch {
  const below = exchangeHandlerOf(fetch)
  const pages: Readonly<Record<string, ExchangeHandler>> = {
    '/metrics': async () => ({
      status: 200,
      headers: { 'content-type': metrics.contentType, ...always },
      body: await metrics.text(),
    }),
    '/ready': async () => {
      const state = await readiness()
      return {
        status: state.ready ? 200 : 503,
        headers: { 'content-type': 'application/json', ...always },
        body: JSON.stringify(state),
      }
    },
  }
  return fetchOf(async (exchange): Promise<Answered> => {
    const page = ownValue(pages, exchange.path)
    if (page === undefined) return below(exchange)
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD')
      return { status: 405, headers: { allow: 'GET, HEAD', ...always }, body: undefined }
    const answered = await page(exchange)
    return exchange.method === 'HEAD' ? { ...answered, body: undefined } : answered
  })
}
