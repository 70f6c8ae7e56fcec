import type * as z from 'zod'
import { baseUrlOf } from '../../http/base-url.ts'
import { bearerOf } from '../../http/bearer.ts'
import {
  defineService,
  type ErrorDialect,
  type Exchange,
  errorsWithSuccess,
  type HttpService,
  type Words,
  words,
} from '../../http/index.ts'
import { requestHead } from '../../http/request-head.ts'
import { moreWords } from '../../http/words.ts'
import { type Refusal, type Refused, refuse } from '../../kernel/index.ts'
import { anonymous, type Caller } from '../accounts/access.ts'
import { tokenOperations } from '../operations/tokens.ts'
import type { Core } from '../service/core.ts'
import type { CatalogOptions, RateVerdict } from '../service/options.ts'
import { guestCaller, trustedCallers } from '../service/trust.ts'
import { boxTexts } from '../wire/box-texts.ts'
import { ErrorReply } from '../wire/replies.ts'
import { authenticateRoute, tokenRoutes } from './accounts.ts'
import { administrationRoutes } from './administration.ts'
import { boxRoutes } from './boxes.ts'
import { clientRoutes } from './client.ts'
import { access, type CatalogContext } from './context.ts'
import { memberRoutes } from './members.ts'
import { ownAccountRoutes } from './own-account.ts'
import { deleteDefaultRoute, providerRoutes, uploadRoute } from './providers.ts'
import { quotaRoutes } from './quota.ts'
import { statusOf } from './statuses.ts'
import { versionRoutes } from './versions.ts'
import { webhookRoutes } from './webhooks.ts'

export type { CatalogContext } from './context.ts'

const routes = [
  ...([1, 2] as const).flatMap((api) => [
    authenticateRoute(api),
    ...boxRoutes(api),
    ...versionRoutes(api),
    ...providerRoutes(api),
  ]),
  deleteDefaultRoute,
  ...tokenRoutes,
  ...administrationRoutes,
  ...memberRoutes,
  ...quotaRoutes,
  ...webhookRoutes,
  ...ownAccountRoutes,
  uploadRoute,
  ...clientRoutes,
]

/** A two-factor refusal tells clients how they can get a code. */
const dialect: ErrorDialect = Object.assign(
  (refusal: Refusal, status: number) => {
    const { content, type } = errorsWithSuccess(refusal, status)
    const methods = refusal.detail?.['deliveryMethods']
    if (!Array.isArray(methods)) return { content, type }
    const two_factor = { default_delivery_method: methods[0], delivery_methods: methods }
    return { content: JSON.stringify({ ...JSON.parse(content), two_factor }), type }
  },
  { schema: ErrorReply },
)

/** Whether the documentation of a route requires a token. */
const asked: Readonly<Record<string, 'always' | 'sometimes' | 'never'>> = {
  [access.open]: 'never',
  [access.read]: 'sometimes',
  [access.write]: 'always',
}

const badToken = refuse('bad_token', 'Bad access token!')

/** The three ways to send a token, in order of precedence. */
function tokenOf(exchange: Exchange, names: Words): string | undefined {
  return bearerOf(exchange) || names.read(exchange, 'Token') || exchange.query()['access_token'] || undefined
}

/**
 * The secret of an upload authorises it, so request records must not contain it: neither in the upload URL, nor in the
 * URL that finalizes it, nor in a misspelt URL, in which any long run of letters may be the secret.
 */
const withoutSecret = (path: string): string =>
  path.replace(/^(\/+api\/+upload\/+).+/i, '$1…').replace(/(?:[\da-z]|%[\da-f]{2}){32,}/gi, '…')

/** The state of one request. */
interface RequestState {
  verdict: RateVerdict | undefined
}

/** Whether to handle a request at all. */
const admitter = ({ env }: Core, options: CatalogOptions) => {
  const clientOf = options.clientOf ?? (({ peer }: Exchange) => peer?.address ?? '')
  return async (
    exchange: Exchange<RequestState>,
  ): Promise<Refused<'turned_away' | 'rate_limited'> | undefined> => {
    const { now } = env()
    const verdict = await options.limiter?.(clientOf(exchange), now)
    exchange.state.verdict = verdict
    const pause = options.turnAway?.(exchange)
    if (pause !== undefined) {
      const seconds = String(Math.max(1, Math.ceil(pause)))
      return refuse('turned_away', `The catalog accepts no requests right now: try again in ${seconds} s`, {
        headers: { 'retry-after': seconds },
      })
    }
    if (!verdict || verdict.allowed) return undefined
    const wait = Math.max(1, Math.ceil((verdict.resetAt - now) / 1000))
    return refuse('rate_limited', `Too many requests: wait ${wait} seconds before the next one`, {
      headers: { 'retry-after': String(wait) },
    })
  }
}

const rateHeaders = (verdict: RateVerdict | undefined) =>
  verdict && {
    'x-ratelimit-limit': String(verdict.limit),
    'x-ratelimit-remaining': String(verdict.remaining),
    'x-ratelimit-reset': String(Math.ceil(verdict.resetAt / 1000)),
  }

type FoundCaller = Caller | Refused<'bad_token' | 'provider_unavailable'>

/** Finds the caller of a token: a job of another issuer, a user, or a guest of the embedding program. */
function callersOf(host: Core, options: CatalogOptions): (token: string) => Promise<FoundCaller> {
  const trusted = trustedCallers(host, options)
  return async (token) => {
    const known = (await trusted(token)) ?? (await tokenOperations.authenticate.run(host, token))
    if (known) return known
    const guest = await options.guests?.(token)
    return guest ? guestCaller(guest) : badToken
  }
}

/** How callers send a token, for the OpenAPI document. */
const credentialsOf = (names: Words, { trust }: CatalogOptions) => ({
  schemes: {
    bearer: { type: 'http', scheme: 'bearer' },
    header: { type: 'apiKey', in: 'header', name: `X-${names.canonical}-Token` },
    parameter: {
      type: 'apiKey',
      in: 'query',
      name: 'access_token',
      description: 'Deprecated: URLs are stored in logs.',
    },
  } as const,
  asked: (route: { readonly access?: string | undefined }) => asked[route.access ?? access.read] ?? 'always',
  refusals: trust ? [badToken.refusal.code, 'provider_unavailable' as const] : [badToken.refusal.code],
})

/** Says each problem as the original does. */
const invalid = (part: string, error: z.ZodError) =>
  refuse(part === 'body' ? 'invalid_body' : 'invalid_query', error.message, {
    errors: error.issues.map(({ path, message }) =>
      / parameter is required!$/.test(message)
        ? message
        : `${path.join('.') || `The ${part}`} is invalid: ${message.replace(/^Invalid input: /, '')}`,
    ),
  })

/** Puts a catalog's methods on HTTP. */
export function catalogHttp(host: Core, options: CatalogOptions): HttpService<CatalogContext> {
  const { env } = host
  const { onRequest } = options
  const names = words(['Legacy', 'Atlas', ...moreWords(options.words)])
  const base = baseUrlOf(options.baseUrl)
  const boxText = boxTexts()
  const callerOf = callersOf(host, options)

  return defineService<CatalogContext, keyof typeof statusOf, RequestState>({
    name: 'Box catalog',
    about: 'Hosts boxes: versions of virtual-machine images for providers and architectures.',
    page: { title: 'Box catalog', api: '/api/v2/', consoleUrl: options.consoleUrl },
    routes,
    statusOf,
    dialect,
    words: names,
    decisiveHeaders: ['Token'],
    credentials: credentialsOf(names, options),
    texts: {
      no_route: 'Resource not found!',
      malformed_path: 'Resource not found!',
      method_not_allowed: 'Method Not Allowed',
    },
    invalid,
    state: () => ({ verdict: undefined }),
    first: admitter(host, options),
    context: async (exchange, { route }) => {
      const token = route.access === access.open ? undefined : tokenOf(exchange, names)
      const user =
        route.access === access.open ? undefined : await options.authenticate?.(requestHead(exchange))
      const caller: FoundCaller = user
        ? { kind: 'user', username: user.username, administrator: user.administrator }
        : token === undefined
          ? anonymous
          : await callerOf(token)
      if ('ok' in caller) return caller
      return {
        caller,
        token,
        core: Object.assign({}, host, { caller }),
        host,
        base: base ?? exchange.origin + exchange.basePath,
        boxText,
      }
    },
    finish: ({ status, headers }, exchange) => {
      // Shared caches know only one of the ways to send a token as a reason not to store an answer (RFC 9111, 3.5).
      if (tokenOf(exchange, names) !== undefined) headers['cache-control'] ??= 'private'
      // A 401 names the authentication scheme (RFC 9110, 15.5.2).
      if (status === 401) headers['www-authenticate'] = 'Bearer'
      Object.assign(headers, rateHeaders(exchange.state.verdict))
    },
    bodyLimit: () => 1024 * 1024,
    maxBufferedBytes: options.maxBufferedBytes,
    gzip: true,
    newId: () => env().newId('error'),
    onError: options.onError,
    onRequest:
      onRequest && ((record) => onRequest(Object.assign({}, record, { path: withoutSecret(record.path) }))),
    callerOf: ({ caller }) => (caller.kind === 'user' ? caller.username : undefined),
    now: () => env().now,
  })
}
