import { retrying, tellRetry } from '../retry.ts'
import { type Sent, type SentAnswer, send } from '../send.ts'
import { type AddressSources, serverAddress } from '../server-address.ts'
import { UserError } from '../user-error.ts'

/** A client of a catalog, as one user. */
export interface CatalogClient {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Sends a request below `/api/v2/`; retries if the catalog has a problem. */
  readonly call: (method: Sent['method'], parts: readonly string[], more?: CallMore) => Promise<SentAnswer>
  /** The same below `/plinth/v1/`, where administrators manage accounts and tokens. */
  readonly administer: CatalogClient['call']
  /** Rewrites a URL from the catalog to the address at which it was reached, because a proxy may be in between. */
  readonly at: (given: string) => string
}

export interface CallMore {
  readonly json?: object
  readonly query?: string
  /** The maximum number of attempts. */
  readonly tries?: number
}

export function catalogClient(sources: AddressSources, token: string | undefined): CatalogClient {
  const url = serverAddress(sources, { port: 8300, api: /\/api\/v[12]$/ })
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new UserError('the token contains a space or another character that tokens cannot have', 2)
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const base = new URL(url).pathname.replace(/\/$/, '')
  const below =
    (root: string): CatalogClient['call'] =>
    (method, parts, { json, query = '', tries } = {}) => {
      const path = parts.map(encodeURIComponent).join('/')
      const asked = { accept: 'application/json', ...headers }
      return persistently({ method, url: `${url}/${root}/${path}${query}`, headers: asked, json }, tries)
    }
  return {
    url,
    headers,
    at: (given) => {
      const { pathname, search } = new URL(given, `${url}/`)
      return `${url}${pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname}${search}`
    },
    call: below('api/v2'),
    administer: below('plinth/v1'),
  }
}

/** The catalog to write to, by `--to` and the environment. */
export function targetOf(to: string | undefined, env = process.env): CatalogClient {
  const token = env['CATALOG_TOKEN']?.trim() ?? ''
  if (token === '') throw new UserError('CATALOG_TOKEN is not set: this needs a token of the catalog')
  return catalogClient({ '--to': to, CATALOG_ADDR: env['CATALOG_ADDR'] }, token)
}

/** Sends a request, with retries. */
export const persistently = (sent: Sent, tries?: number): Promise<SentAnswer> =>
  retrying(() => send(sent), { onRetry: tellRetry, ...(tries === undefined ? {} : { attempts: tries }) })

export type Fields = Readonly<Record<string, unknown>>

/** A refusal of this one request: others may succeed. */
export class Declined extends UserError {}

/** The JSON object of an answer that must succeed; `undefined` for 404. */
export function found({ status, headers, text, why }: SentAnswer, what: string): Fields | undefined {
  if (status === 404) return undefined
  const body = objectOf(text)
  if (status >= 200 && status < 300) {
    if (body === undefined && text !== '')
      throw new UserError(`${what}: the answer is not that of a catalog; is the address right?`)
    return body ?? {}
  }
  if (status >= 300 && status < 400)
    throw new UserError(`${what}: the server redirects to ${headers.location}: use the address that it names`)
  const errors = body?.['errors']
  const said = Array.isArray(errors) ? errors.map(String).join('; ') : (why ?? 'the catalog refused')
  const hint = status === 401 ? '; is the token one of this catalog?' : ''
  const message = `${what}: ${said}${hint}${status === 0 ? '' : ` (${status})`}`
  throw [403, 409, 422].includes(status) ? new Declined(message) : new UserError(message)
}

/** The same, but 404 is an error, too. */
export function made(answer: SentAnswer, what: string): Fields {
  const body = found(answer, what)
  if (body === undefined) throw new Declined(`${what}: not found, or the token may not see it (404)`)
  return body
}

function objectOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

export const textOf = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const listOf = (fields: Fields, name: string): readonly Fields[] => {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}
