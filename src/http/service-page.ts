import { baseUrlOf } from './base-url.ts'
import type { BrowserView, ViewContent } from './browser-view.ts'
import type { Answered, Exchange } from './exchange.ts'
import type { OpenApiDocument } from './openapi.ts'

/**
 * The page that a browser gets at the root of a service.
 */
export interface ServicePage {
  /** The title of the service: `Box catalog`. */
  readonly title: string
  /** The path of its API, below the service's root: `/v1/`. */
  readonly api: string
  /** Useful links below the service's root, with descriptions. */
  readonly links?: readonly { readonly path: string; readonly shows: string }[] | undefined
  /** The address of a console for the service; a function is asked for each page. */
  readonly consoleUrl?: ConsoleUrl | undefined
}

/**
 * The URL of a console; a function if it is known only once all listeners are ready.
 */
export type ConsoleUrl = string | (() => string | undefined)

type BrowserAnswer = (exchange: Exchange) => Answered | Promise<Answered> | undefined

/** The path of the OpenAPI document of a service with a page. */
const documentPath = '/openapi.json'

/**
 * What a `GET` answers browsers, by path: a page at `/`, and the OpenAPI document it links to. A request at `/` that does
 * not accept HTML is left to the service.
 *
 * @throws TypeError for an invalid console URL
 */
export function browserAnswers(
  page: ServicePage,
  about: string,
  document: () => OpenApiDocument,
): ReadonlyMap<string, BrowserAnswer> {
  const show = servicePage(page, about)
  return new Map<string, BrowserAnswer>([
    ['/', (exchange) => (wantsHtml(exchange) ? show(exchange) : undefined)],
    [documentPath, (exchange) => described(document(), exchange)],
  ])
}

/**
 * Renders the page of a service.
 *
 * @throws TypeError for an invalid console URL
 */
export function servicePage(
  { title, api, links = [], consoleUrl }: ServicePage,
  about: string,
): (exchange: Exchange) => Promise<Answered> {
  if (typeof consoleUrl === 'string') baseUrlOf(consoleUrl, 'consoleUrl')
  return async ({ basePath }) => {
    const console = urlOf(consoleUrl)
    const items = [
      ...(console === undefined ? [] : [link(console, 'Console', 'use it in the browser')]),
      link(basePath + documentPath, 'OpenAPI document', 'every endpoint, for tools that generate clients'),
      ...links.map(({ path, shows }) => link(basePath + path, `<code>${escaped(path)}</code>`, shows)),
    ]
    return htmlPage(
      title,
      `<p>${escaped(about).replace(/`([^`]*)`/g, '<code>$1</code>')}</p>
<p>The API is at <code>${escaped(basePath + api)}</code>.</p>
<ul>
${items.join('\n')}
</ul>`,
    )
  }
}

const urlOf = (consoleUrl: ConsoleUrl | undefined): string | undefined =>
  typeof consoleUrl === 'function' ? consoleUrl() : consoleUrl

/** A console that listens on the loopback interface only is of use to browsers on the same machine. */
const loopback = /^(?:localhost|127\.|0\.0\.0\.0|\[::1?\])/

/** Answers a route that has a page: browsers are sent to the console or shown the page, clients get the answer. */
export async function answerWithPage<Context>(
  page: ServicePage,
  {
    browser,
    params,
  }: {
    readonly browser: BrowserView<Context>
    readonly params: Readonly<Record<string, string>>
  },
  exchange: Exchange,
  call: () => Promise<{ readonly answered: Answered; readonly context?: Context }>,
): Promise<Answered> {
  const isBrowser = wantsHtml(exchange)
  const moved = isBrowser ? consoleView(page, browser.path(params), exchange) : undefined
  if (moved) return moved
  const { answered, context } = await call()
  // What a cache holds for a browser is not for a client.
  answered.headers['vary'] = 'Accept'
  return isBrowser ? viewPage(answered, browser, context, exchange) : answered
}

/** Redirects a browser to the view of the console; `undefined` if there is none that it can reach. */
function consoleView({ consoleUrl }: ServicePage, path: string, exchange: Exchange): Answered | undefined {
  const console = urlOf(consoleUrl)
  if (console === undefined) return undefined
  const isReachable = !loopback.test(new URL(console).host) || loopback.test(exchange.header('host') ?? '')
  const location = `${console.replace(/\/$/, '')}${path}`
  return isReachable ? { status: 302, headers: { location, vary: 'Accept' }, body: undefined } : undefined
}

/** The page of an answer of a route: of its contents, or of its error. */
async function viewPage<Context>(
  answered: Answered,
  { content }: BrowserView<Context>,
  context: Context | undefined,
  exchange: Exchange,
): Promise<Answered> {
  const { status, headers, body } = answered
  if (status >= 300 && status < 400) return answered
  const found = status === 200 && typeof body === 'string' && context !== undefined
  const { title, about, snippet, html }: ViewContent = found
    ? await content(body, context, exchange)
    : {
        title: status === 401 ? 'Not signed in' : status === 404 ? 'Not found' : `Error ${status}`,
        about: 'There is nothing here, or it is not public.',
        snippet: '',
        html: '',
      }
  const shown = await htmlPage(
    title,
    `<p>${escaped(about)}</p>${snippet === '' ? '' : `\n<pre>${escaped(snippet)}</pre>`}
${html}`,
  )
  return { status, headers: Object.assign(headers, shown.headers), body: shown.body }
}

/** A static page, without scripts, in a policy that allows nothing but its own style. */
async function htmlPage(title: string, main: string): Promise<Answered> {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${style}</style>
<main>
<h1>${escaped(title)}</h1>
${main}
</main>
</html>
`
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': await policy(),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      vary: 'Accept',
    },
    body,
  }
}

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
:root { color-scheme: light dark }
code { font-size: 1em }
pre { overflow: auto }
table { border-collapse: collapse; display: block; overflow: auto }
th, td { border: 1px solid; padding: .2em .6em }
`

let made: Promise<string> | undefined

/** The style is allowed by its digest, so that no other style and no script runs. */
const policy = (): Promise<string> => {
  made ??= crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)).then((digest) => {
    const sha256 = btoa(String.fromCharCode(...new Uint8Array(digest)))
    return `default-src 'none'; style-src 'sha256-${sha256}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  })
  return made
}

const described = (document: OpenApiDocument, { basePath }: Exchange): Answered => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(basePath === '' ? document : { ...document, servers: [{ url: basePath }] }),
})

/** Whether a request names HTML; the wildcard that programs send does not. */
export const wantsHtml = (exchange: Exchange): boolean =>
  /(?:^|[\s,])text\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(exchange.header('accept') ?? '')

const link = (href: string, label: string, shows: string): string =>
  `  <li><a href="${escaped(href)}">${label}</a>: ${escaped(shows)}</li>`

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
