import { parsedJson } from '../../kernel/decoded.ts'
import { manyAttempts, retrying, tellRetry } from '../retry.ts'
import { type Sent, type SentAnswer, saysStarting, send } from '../send.ts'
import { type AddressSources, serverAddress } from '../server-address.ts'
import { UserError } from '../user-error.ts'

/** Returns the current token; one that ends is renewed. */
export type TokenSource = () => Promise<string>

/** A client of a catalog, as one user. */
export interface CatalogClient {
  readonly url: string
  /** The headers that authorise a request. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  /** Sends a request below `/api/v2/`; retries if the catalog has a problem. */
  readonly call: (method: Sent['method'], parts: readonly string[], more?: CallMore) => Promise<SentAnswer>
  /** The same below `/plinth/v1/`, where administrators manage accounts and tokens. */
  readonly administer: CatalogClient['call']
  /** Sends any request of the same conversation, with the same retries. */
  readonly send: (sent: Sent, tries?: number) => Promise<SentAnswer>
  /** Rewrites a URL from the catalog to the address at which it was reached, because a proxy may be in between. */
  readonly at: (given: string) => string
}

export interface CallMore {
  readonly json?: object
  readonly query?: string
  /** The maximum number of attempts. */
  readonly tries?: number
}

export function catalogClient(sources: AddressSources, tokens: TokenSource | undefined): CatalogClient {
  const url = serverAddress(sources, { port: 8300, api: /\/api\/v[12]$/ })
  // Servers that knew two kinds of tokens take that of HCP behind a semicolon.
  let prefix = ''
  const headers: CatalogClient['headers'] = async () => {
    const token = await tokens?.()
    if (token === undefined) return {}
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new UserError('the token contains a space or another character that tokens cannot have', 2)
    return { authorization: `Bearer ${prefix}${token}` }
  }
  const base = new URL(url).pathname.replace(/\/$/, '')
  let hasAnswered = false
  // A catalog that has answered before may be restarting.
  const send: CatalogClient['send'] = async (sent, tries = hasAnswered ? manyAttempts : undefined) => {
    const answer = await persistently(sent, tries)
    hasAnswered ||= answer.status !== 0
    return answer
  }
  const below =
    (root: string): CatalogClient['call'] =>
    async (method, parts, { json, query = '', tries } = {}) => {
      const path = parts.map(encodeURIComponent).join('/')
      const ask = async () =>
        send(
          {
            method,
            url: `${url}/${root}/${path}${query}`,
            headers: { accept: 'application/json', ...(await headers()) },
            json,
          },
          tries,
        )
      const answer = await ask()
      if (answer.status !== 401 || prefix !== '' || !isWebToken(await tokens?.())) return answer
      prefix = ';'
      const again = await ask()
      if (again.status !== 401) return again
      prefix = ''
      return answer
    }
  return {
    url,
    headers,
    at: (given) => {
      const { pathname, search } = new URL(given, `${url}/`)
      return `${url}${pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname}${search}`
    },
    send,
    call: below('api/v2'),
    administer: below('plinth/v1'),
  }
}

/** Whether a token is a JSON Web Token, as those of HCP are. */
const isWebToken = (token: string | undefined): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token ?? '')

/** The catalog of `--to` and the environment, to write to or to read from: public boxes need no token. */
export function targetOf(
  to: string | undefined,
  { env = process.env, isReader = false } = {},
): CatalogClient {
  const token = env['CATALOG_TOKEN']?.trim() ?? ''
  if (token === '' && !isReader)
    throw new UserError('CATALOG_TOKEN is not set: this needs a token of the catalog')
  const tokens = token === '' ? undefined : async () => token
  return catalogClient({ '--to': to, CATALOG_ADDR: env['CATALOG_ADDR'] }, tokens)
}

/** Sends a request, with retries. */
const persistently = (sent: Sent, tries?: number): Promise<SentAnswer> =>
  retrying(() => send(sent), {
    onRetry: tellRetry(sent.url),
    ...(tries === undefined ? {} : { attempts: tries }),
  })

export type Fields = Readonly<Record<string, unknown>>

/** A refusal of this one request: others may succeed. */
export class Declined extends UserError {}

/** The JSON object of an answer that must succeed; `undefined` for 404. */
export function found({ status, headers, text, why }: SentAnswer, what: string): Fields | undefined {
  if (saysStarting(status, text)) throw new UserError(`${what}: ${saidStarting('catalog')}`)
  const body = objectOf(text)
  if (status === 404 && (body !== undefined || text === '')) return undefined
  if (status >= 200 && status < 300) {
    if (body === undefined && text !== '')
      throw new UserError(`${what}: the answer is not that of a catalog; is the address right?`)
    return body ?? {}
  }
  if (status >= 300 && status < 400)
    throw new UserError(`${what}: the server redirects to ${headers.location}: use the address that it names`)
  const errors = body?.['errors']
  if (status !== 0 && !Array.isArray(errors))
    throw new UserError(`${what}: ${saidBetween(status, 'catalog')}`)
  const said = Array.isArray(errors) ? errors.map(String).join('; ') : (why ?? 'no answer')
  const hint = status === 401 ? '; is the token one of this catalog?' : ''
  const message = `${what}: ${said}${hint}${status === 0 ? '' : ` (${status})`}`
  throw [401, 403, 409, 422].includes(status) ? new Declined(message) : new UserError(message)
}

/** The answer of a server that reads its records, as after a restart. */
export const saidStarting = (service: 'catalog' | 'registry'): string =>
  `the ${service} is starting: try again when it has read its records (503)`

/** An answer that a service does not give: it comes from a proxy in front of it, or from its object store. */
export function saidBetween(status: number, service: 'catalog' | 'registry'): string {
  const who = `not the ${service} but a server in between, such as a proxy,`
  if (status === 413)
    return `${who} refuses a body of this size (413): raise its limit (client_max_body_size in nginx)`
  if (status >= 502 && status <= 504) return `${who} answers that it cannot reach the ${service} (${status})`
  return `${who} refuses the request (${status})`
}

/** The same, but 404 is an error, too. */
export function made(answer: SentAnswer, what: string): Fields {
  const body = found(answer, what)
  if (body === undefined) throw new Declined(`${what}: not found, or the token may not see it (404)`)
  return body
}

export function objectOf(text: string): Fields | undefined {
  const value = parsedJson(text)
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}

export const textOf = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const listOf = (fields: Fields, name: string): readonly Fields[] => {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}
