import type { Answered, Exchange, ServicePage } from '../../../http/index.ts'
import { servicePage, wantsHtml } from '../../../http/service-page.ts'
import type { SecretsOptions } from '../core/options.ts'

export const about =
  'Stores secrets and serves them: key/value engines, auth methods, tokens, policies. `PUT` does what `POST` does. The paths show engines at their usual mounts.'

/** The page for browsers. */
export const pageOf = ({ consoleUrl }: SecretsOptions): ServicePage => ({
  title: 'Secrets service',
  api: '/v1/',
  links: [
    { path: '/v1/sys/seal-status', shows: 'the seal status' },
    { path: '/v1/sys/health', shows: 'its health' },
  ],
  consoleUrl,
})

/** Answers outside the API: `/ui/` is the page for every caller, and `/` redirects other clients than browsers there. */
export function outsideApi(
  page: ServicePage,
): (exchange: Exchange) => Answered | Promise<Answered> | undefined {
  const show = servicePage(page, about)
  return (exchange) => {
    const { method, path } = exchange
    if (path === '/' && !isShown(exchange))
      return { status: 307, headers: { location: '/ui/' }, body: undefined }
    if (path === '/ui') return { status: 301, headers: { location: '/ui/' }, body: undefined }
    return path === '/ui/' && (method === 'GET' || method === 'HEAD') ? show(exchange) : undefined
  }
}

const isShown = (exchange: Exchange): boolean =>
  (exchange.method === 'GET' || exchange.method === 'HEAD') && wantsHtml(exchange)
