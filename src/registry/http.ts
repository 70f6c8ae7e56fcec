import { baseUrlOf } from '../http/base-url.ts'
import { bearerOf } from '../http/bearer.ts'
import {
  defineService,
  type ErrorDialect,
  type Exchange,
  errorsArray,
  type HttpService,
  matcher,
  words as wordsOf,
} from '../http/index.ts'
import { requestHead } from '../http/request-head.ts'
import { moreWords } from '../http/words.ts'
import { type Answer, type Refusal, type Refused, refuse } from '../kernel/index.ts'
import { isRefused } from '../kernel/refusal.ts'
import type { Trusted, TrustRefusal } from '../oidc/index.ts'
import { archiveTickets } from './archive-tickets.ts'
import type { RegistryContext } from './context.ts'
import type { RegistryParts } from './operations/parts.ts'
import type { Publisher } from './operations/publisher.ts'
import type { Reader } from './operations/reader.ts'
import { tokenOperations } from './operations/tokens.ts'
import type { RegistryOptions } from './options.ts'
import { tidyPath } from './paths.ts'
import { access, registryRoutes } from './routes.ts'
import { statusOf } from './statuses.ts'
import { pullingFor } from './upstream.ts'
import { versionListEncoder } from './version-list-encoder.ts'

type FoundCaller = Pick<RegistryContext, 'reader' | 'publisher' | 'ticket'>

/** Who calls, and whether readers need a token. */
function callersOf(options: RegistryOptions, parts: RegistryParts) {
  const { publishers, authenticate: readerOf } = options
  const publisherOf = async (
    token: string | undefined,
  ): Promise<Publisher | Refused<TrustCode> | undefined> => {
    if (token === undefined) return undefined
    const trusted = parts.trust?.judge(token)
    if (trusted !== undefined) return asPublisher(await trusted)
    return (await tokenOperations.findPublisher.run(parts, token)) ?? (await publishers?.(token))
  }
  const ownReader = async (exchange: Exchange): Promise<Reader | Refused<TrustCode> | undefined> => {
    const publisher = await publisherOf(bearerOf(exchange))
    if (publisher === undefined || isRefused(publisher)) return publisher
    return { name: publisher.name, namespaces: publisher.reads }
  }
  const authenticate =
    readerOf === 'tokens' ? ownReader : readerOf && ((exchange: Exchange) => readerOf(requestHead(exchange)))
  const anonymous = { reader: {}, publisher: undefined, ticket: undefined }

  /** The caller, by the access that the route needs; `undefined` if the token is not sufficient. */
  const callerOf = async (
    needed: string | undefined,
    exchange: Exchange,
  ): Promise<FoundCaller | Refused<TrustCode> | undefined> => {
    if (needsToken(needed)) {
      const publisher = await publisherOf(bearerOf(exchange))
      if (publisher === undefined || isRefused(publisher)) return publisher
      return { ...anonymous, publisher }
    }
    if (needed === access.none || !authenticate) return anonymous
    // A ticket names its archive: the route compares.
    const { ticket } = exchange.query()
    if (needed === access.archive && ticket !== undefined) return { ...anonymous, ticket }
    const reader = await authenticate(exchange)
    if (reader === undefined || isRefused(reader)) return reader
    return { ...anonymous, reader }
  }
  return { isPrivate: authenticate !== undefined, callerOf }
}

/** Creates the HTTP interface of a registry's methods. */
export function registryHttp(options: RegistryOptions, parts: RegistryParts): HttpService<RegistryContext> {
  const { turnAway, login } = options
  const { isPrivate, callerOf } = callersOf(options, parts)
  const { env, archiveLimits } = parts
  const tickets = isPrivate ? archiveTickets(parts) : undefined
  const words = wordsOf(['Registry', 'Terraform', ...moreWords(options.words)])
  const baseUrl = baseUrlOf(options.baseUrl)
  const spellVersions = versionListEncoder()
  const table = matcher(registryRoutes)

  return defineService<RegistryContext, keyof typeof statusOf>({
    name: 'registry',
    about: 'Lists, searches and resolves modules by namespace, name and provider.',
    page: {
      title: 'Module registry',
      api: '/v1/modules/',
      links: [{ path: '/.well-known/registry.json', shows: 'service discovery for clients' }],
      consoleUrl: options.consoleUrl,
    },
    routes: registryRoutes,
    words,
    credentials: {
      schemes: { bearer: { type: 'http', scheme: 'bearer' } },
      asked: ({ access: needed }) => {
        if (needsToken(needed)) return 'always'
        if (needed === access.none || !isPrivate) return 'never'
        return needed === access.archive ? 'sometimes' : 'always'
      },
      refusals: parts.trust ? ['unauthorized', 'provider_unavailable'] : ['unauthorized'],
    },
    statusOf,
    dialect: plainNotFound,
    // Forms of logins, read before the caller is known.
    bodyLimit: (route) => (route.access === access.none ? 64 * 1024 : undefined),
    gzip: true,
    // OAuth clients send their code as a form.
    forms: true,
    resolve: ({ method, path }) => table(method, tidyPath(path)),
    first: (exchange) => turnedAway(turnAway?.(exchange)),
    context: async (exchange, { route }) => {
      const caller = await callerOf(route.access, exchange)
      if (!caller) return unauthorizedFor(route.access)
      if (isRefused(caller)) return caller
      const base = baseUrl ?? exchange.basePath
      const downloadBody = options.download === 'both'
      const { archiveBytes } = archiveLimits
      const by = caller.publisher?.name
      const via = exchange.header('via')
      return {
        parts: by === undefined ? (via === undefined ? parts : askedVia(parts, via)) : parts.actingAs(by),
        ...caller,
        tickets,
        login,
        words,
        base,
        spellVersions,
        archiveBytes,
        downloadBody,
      }
    },
    finish: ({ headers }) => {
      const { location } = headers
      if (baseUrl !== undefined && typeof location === 'string' && location.startsWith('/'))
        headers['location'] = baseUrl + location
    },
    newId: () => env().newId('error'),
    onError: options.onError,
    onRequest: options.onRequest,
    callerOf: ({ reader, publisher }) => publisher?.name ?? reader.name,
    now: () => env().now,
  })
}

function turnedAway(seconds: number | undefined): Refused<'turned_away'> | undefined {
  if (seconds === undefined) return undefined
  const wait = String(Math.max(1, Math.ceil(seconds)))
  return refuse('turned_away', `the registry accepts no requests right now: try again in ${wait} s`, {
    headers: { 'retry-after': wait },
  })
}

/** The parts for a request of another registry, which copies from this one. */
function askedVia(parts: RegistryParts, via: string): RegistryParts {
  if (!parts.pulling) return parts
  const { pulling, isLoop } = pullingFor(parts.pulling, via)
  if (isLoop)
    parts.report(
      new Error(
        `${parts.pulling.upstream.name}, from which modules are copied, copies from this registry: it is not asked in turn`,
      ),
    )
  return Object.assign({}, parts, { pulling })
}

/** Why the token of another issuer is not accepted. */
type TrustCode = 'unauthorized' | 'provider_unavailable'

/** The publisher that a token of another issuer stands for. */
function asPublisher(trusted: Answer<Trusted, TrustRefusal>): Publisher | Refused<TrustCode> {
  if (trusted.ok) {
    const { subject, namespaces } = trusted.value
    return { name: subject, namespaces, reads: namespaces }
  }
  const { code, message } = trusted.refusal
  return code === 'provider_unavailable'
    ? refuse(code, message)
    : refuse('unauthorized', message, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
}

/** Whether a route needs a token of a publisher, also if reads are public. */
const needsToken = (needed: string | undefined): boolean =>
  needed === access.publish || needed === access.administer

const unauthorizedFor = (needed: string | undefined) =>
  refuse(
    'unauthorized',
    needsToken(needed)
      ? 'this needs a token of this registry: send it as Authorization: Bearer'
      : 'this registry is private: send a valid token as Authorization: Bearer',
    { headers: { 'www-authenticate': 'Bearer' } },
  )

/** Clients recognise a 404 of such registries only by this text. */
const plainNotFound: ErrorDialect = Object.assign(
  (refusal: Refusal, status: number) =>
    errorsArray(status === 404 ? { ...refusal, message: 'Not Found', detail: {} } : refusal, status),
  { schema: errorsArray.schema },
)
