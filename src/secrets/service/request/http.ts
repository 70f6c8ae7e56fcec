import {
  type Answered,
  defineService,
  type Exchange,
  type HttpService,
  type RequestRecord,
} from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/objects.ts'
import { judgeOrigin } from '../../headers/cross-origin.ts'
import type { Token } from '../../tokens/index.ts'
import type { SecretsContext } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { encodeAnswer } from '../core/envelope.ts'
import { describeField } from '../core/fields.ts'
import type { SecretsOptions } from '../core/options.ts'
import { edgeNow } from '../edge/settings.ts'
import { secretLimits } from '../kv/kept-text.ts'
import { revokeToken } from '../tokens/revocation.ts'
import { wrapReply } from '../wrapping/wrap-answer.ts'
import { auditedPath, callerOf, decisionOf } from './audit.ts'
import { requestAudit } from './audit-requests.ts'
import { authenticate, contextOf, denied, parametersProblem } from './context.ts'
import { secretsDialect } from './dialect.ts'
import { documented } from './documented.ts'
import { pathsAboutItself, shownRoutes } from './mount-types.ts'
import { about, outsideApi, pageOf } from './page.ts'
import { rateLimited } from './rate-limits.ts'
import { statusOf } from './refused.ts'
import { arrive } from './resolve.ts'
import type { RequestState } from './state.ts'
import { warnOfUnknownFields } from './unknown-fields.ts'

/** The largest body of an unauthenticated caller: passwords and key shares are short. */
const maxUnauthenticatedBytes = 64 * 1024

/** The service over HTTP: the tables of all mount types. */
export function secretsHttp(core: Core): HttpService<SecretsContext> {
  const unauthenticatedBytes = Math.min(core.options.maxBodyBytes ?? Infinity, maxUnauthenticatedBytes)
  const namespaceHeaders = core.words.all.map((word) => `x-${word}-namespace`.toLowerCase())
  const auditing = requestAudit(core)
  const { onRequest } = core.options
  const page = pageOf(core.options)
  const outside = outsideApi(page)
  return defineService<SecretsContext, keyof typeof statusOf, RequestState>({
    name: 'secrets',
    about,
    page,
    routes: shownRoutes(),
    ...documented(core.words),
    decisiveHeaders: ['Token', 'Namespace'],
    statusOf,
    dialect: secretsDialect,
    encode: (body, { state }) => {
      const encoded = encodeAnswer(body)
      if (state.turn) state.sent = { body, content: encoded.content }
      return encoded
    },
    forms: true,
    newId: () => core.env().newId('error'),
    jsonLimits: secretLimits,
    maxBodyBytes: core.options.maxBodyBytes,
    maxBufferedBytes: core.options.maxBufferedBytes,
    foreseen: core.barrier.interrupted,
    onError: core.options.onError,
    onRequest: onRequest && recorder(onRequest),
    now: () => core.env().now,
    invalid: (part, error) => refuse(`invalid_${part}`, describeField(error)),
    state: newState,
    first: (exchange) =>
      (exchange.header('origin') === undefined ? undefined : otherOrigin(core, exchange)) ??
      withoutEmptySegments(exchange) ??
      (exchange.path.startsWith('/v1/') ? undefined : outside(exchange)) ??
      (exchange.method === 'OPTIONS' ? verbsProblem(core, exchange) : undefined),
    resolve: async (exchange) => {
      const { match, arrival } = await arrive(core, exchange)
      exchange.state.arrival ??= arrival
      return match
    },
    context: (exchange, found) => contextOf(core, exchange, found),
    bodyLimit: ({ access }) => (access === 'none' ? unauthenticatedBytes : undefined),
    afterBody: async (call) => {
      const { exchange, json } = call
      const { state } = exchange
      const limited = state.limitNeedsBody
        ? rateLimited(core, exchange, isObject(json) ? json : {})
        : undefined
      if (limited) return limited
      return (state.turn && (await auditing.request(state.turn, call))) ?? parametersProblem(call)
    },
    afterReply: (reply, call) => {
      const { route, json, context } = call
      const warned = route.body && isObject(json) ? warnOfUnknownFields(reply, call, json) : reply
      return context.wrapTtlSeconds === 0 ? warned : wrapReply(warned, call)
    },
    finish: (answered, exchange) => {
      const { spent, turn, headers } = exchange.state
      for (const [name, value] of headers) answered.headers[name] = value
      if (exchange.path.startsWith('/ui')) addPageHeaders(core, answered)
      answered.headers['cache-control'] = 'no-store'
      // The answer repeats the namespace header of the client, with the same product word.
      for (const name of namespaceHeaders) {
        const namespace = exchange.header(name)
        if (namespace) answered.headers[name] = namespace
      }
      const over = turn && auditing.response(turn, answered, exchange)
      if (over === undefined) return spent && bury(core, spent)
      return spent ? over.then(() => bury(core, spent)) : over
    },
  })
}

const newState = (): RequestState => ({
  arrival: undefined,
  notes: {},
  spent: undefined,
  turn: undefined,
  limitNeedsBody: false,
  sent: undefined,
  headers: new Map(),
})

/** Deletes a token without uses left: it is invalid already, so the answer is sent even if the deletion fails now. */
async function bury(core: Core, spent: Token): Promise<void> {
  await core.barrier.unlessSealed(() => revokeToken(core, spent)).catch(core.report)
}

/** Adds the headers that were set over HTTP for the pages of the user interface. */
function addPageHeaders(core: Core, { headers }: Answered): void {
  for (const [name, values] of Object.entries(edgeNow(core)?.uiHeaders ?? {}))
    headers[name.toLowerCase()] = values.join('; ')
}

/** Several slashes in a row, encoded or not. */
const slashes = /(?:\/|%2f){2,}/gi

/** Redirects a path with empty segments to the one without them, as the original does for every method. */
function withoutEmptySegments({ basePath, path, search }: Exchange): Answered | undefined {
  const clean = path.replace(slashes, '/')
  return clean === path
    ? undefined
    : { status: 301, headers: { location: basePath + clean + search }, body: undefined }
}

/** Applies the CORS rules that were set over HTTP to requests of web pages; a listener can have its own. */
function otherOrigin(core: Core, exchange: Exchange<RequestState>): Answered | Refused<string> | undefined {
  const rules = edgeNow(core)?.cors
  if (!rules) return undefined
  const verdict = judgeOrigin(exchange, rules, core.words.all)
  if (verdict.kind === 'same-origin') return undefined
  if (verdict.kind === 'refused')
    return refuse(verdict.status === 403 ? 'origin_refused' : 'origin_method', verdict.message)
  for (const [name, value] of verdict.headers) exchange.state.headers.set(name.toLowerCase(), value)
  return verdict.kind === 'preflight' ? { status: 204, headers: {}, body: undefined } : undefined
}

/** The verbs of a path reveal what exists there: like help, they are for callers with a token. */
async function verbsProblem(
  core: Core,
  exchange: Exchange<RequestState>,
): Promise<Refused<string> | undefined> {
  const { state } = exchange
  const { arrival } = await arrive(core, exchange)
  state.arrival = { ...arrival, helping: true }
  if (pathsAboutItself.has(exchange.path.slice('/v1/'.length))) return undefined
  await core.fresh()
  const known = await authenticate(core, exchange)
  if (known === undefined) return denied
  state.notes = { token: known.token }
  return undefined
}

/** Completes the records of requests with the data of secrets. */
const recorder =
  (onRequest: NonNullable<SecretsOptions['onRequest']>) => (record: RequestRecord, exchange: Exchange) => {
    // The service below gives every exchange this state.
    const { arrival, notes: noted } = (exchange as Exchange<RequestState>).state
    if (arrival === undefined) return
    return onRequest({
      namespace: arrival.namespace.path,
      operation: arrival.helping ? 'help' : arrival.operation,
      decision: decisionOf(noted),
      ...record,
      path: auditedPath(arrival.path),
      caller: callerOf(noted),
    })
  }
