import { baseUrlOf } from './base-url.ts'
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

/** The path of the OpenAPI document of a service with a page. */
const documentPath = '/openapi.json'

/**
 * Answers browsers: a page at `/`, and the OpenAPI document it links to. A request at `/` that does not accept HTML is
 * left to the service.
 *
 * @throws TypeError for an invalid console URL
 */
export function browserAnswers(
  page: ServicePage,
  about: string,
  document: () => OpenApiDocument,
): (exchange: Exchange) => Answered | Promise<Answered> | undefined {
  const show = servicePage(page, about)
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined
    if (exchange.path === '/') return wantsHtml(exchange) ? show(exchange) : undefined
    return exchange.path === documentPath ? described(document(), exchange) : undefined
  }
}

/**
 * Renders the page of a service: static, without scripts, in a policy that allows nothing but its own style.
 *
 * @throws TypeError for an invalid console URL
 */
export function servicePage(
  { title, api, links = [], consoleUrl }: ServicePage,
  about: string,
): (exchange: Exchange) => Promise<Answered> {
  if (typeof consoleUrl === 'string') baseUrlOf(consoleUrl, 'consoleUrl')
  return async ({ basePath }) => {
    const console = typeof consoleUrl === 'function' ? consoleUrl() : consoleUrl
    const items = [
      ...(console === undefined ? [] : [link(console, 'Console', 'use it in the browser')]),
      link(basePath + documentPath, 'OpenAPI document', 'every endpoint, for tools that generate clients'),
      ...links.map(({ path, shows }) => link(basePath + path, `<code>${escaped(path)}</code>`, shows)),
    ]
    const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${style}</style>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(about).replace(/`([^`]*)`/g, '<code>$1</code>')}</p>
<p>The API is at <code>${escaped(basePath + api)}</code>.</p>
<ul>
${items.join('\n')}
</ul>
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
        vary: 'accept',
      },
      body,
    }
  }
}

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
:root { color-scheme: light dark }
code { font-size: 1em }
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
