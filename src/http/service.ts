import { checkFunctions } from '../kernel/check-functions.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { eventEmitter } from '../kernel/event-emitter.ts'
import type { Refusal, Refused } from '../kernel/index.ts'
import { type BufferedBytes, defaultMaxBufferedBytes } from './body.ts'
import { answerOf, compactJson, compress } from './encode.ts'
import { edgeStatus } from './errors.ts'
import { type Answered, discardBody, type Exchange, type ReceivedExchange } from './exchange.ts'
import { failureOf } from './failure.ts'
import { fetchOf } from './fetch.ts'
import { helpText } from './help.ts'
import { type Match, matcher } from './match.ts'
import { type OpenApiDocument, openapi } from './openapi.ts'
import { type RequestNotes, recorded } from './request-record.ts'
import type { Route } from './route.ts'
import { routeCaller } from './route-call.ts'
import { answerWithPage, browserAnswers } from './service-page.ts'
import type { HttpService, ServiceSpec } from './service-spec.ts'
import { unreadHeader } from './words.ts'

/**
 * Builds a service from its route table. Each request passes these stages: match → authenticate → authorise → parse →
 * handle → encode.
 *
 * @remarks
 * `HEAD` is answered by the `GET` route without its body, `OPTIONS` with the methods of the path. A refusal becomes the
 * status of its row; an unexpected exception becomes 500 with an opaque id, is reported to `onError`, and tells the
 * caller nothing else. A store that is unavailable or contended is 503 with `Retry-After`; one that lost the outcome of
 * a change is 503 without it, and says that the change may have taken effect; one without space is 507.
 *
 * @throws TypeError when a required option is missing, or an option that must be a function is not
 *
 * @example
 * ```ts
 * import { refuse } from 'plinth'
 * import { defineService, errorsArray, reply, route } from 'plinth/http'
 * import * as z from 'zod'
 *
 * const stock = new Map([['bolt', 5]])
 * const take = route<typeof stock>()({
 *   id: 'stock.take',
 *   method: 'POST',
 *   path: '/v1/stock/:name/take',
 *   summary: 'Take some of what there is',
 *   body: z.object({ count: z.int().min(1) }),
 *   refusals: ['too_few'],
 *   handle: ({ context, params, body }) => {
 *     const left = (context.get(params.name) ?? 0) - body.count
 *     if (left < 0) return refuse('too_few', `there are not ${body.count}`)
 *     context.set(params.name, left)
 *     return reply({ left })
 *   },
 * })
 * const service = defineService({
 *   name: 'stock',
 *   routes: [take],
 *   context: () => stock,
 *   statusOf: { too_few: 409 },
 *   dialect: errorsArray,
 *   newId: () => crypto.randomUUID(),
 * })
 *
 * const ask = (count: number) =>
 *   service.fetch(new Request('http://shop/v1/stock/bolt/take', { method: 'POST', body: JSON.stringify({ count }) }))
 * await ask(3).then((answer) => answer.json()) // { left: 2 }
 * await ask(3).then((answer) => answer.status) // 409
 * await ask(0).then((answer) => answer.status) // 400
 * ```
 */
export function defineService<Context, Code extends string = never, State = undefined>(
  spec: ServiceSpec<Context, Code, State>,
): HttpService<Context> {
  for (const name of ['routes', 'statusOf', 'context', 'dialect', 'newId'] as const)
    if (spec[name] === undefined) throw new TypeError(`defineService: ${name} is missing`)
  checkFunctions(spec, ['context', 'dialect', 'newId', 'foreseen', 'onRequest', 'onError'])
  const { find: table, firstSegments } = tableOf(spec.routes)
  const { maxBodyBytes, maxBufferedBytes } = spec
  checkNumbers({ least: 1, unit: 'bytes' }, { maxBodyBytes, maxBufferedBytes })
  const refused = refuserOf(spec)
  /** Created lazily: it takes longer than hundreds of requests, and never changes. */
  let document: OpenApiDocument | undefined
  const describe = (): OpenApiDocument => {
    document ??= openapi(spec.name, spec.about ?? '', spec.routes, spec)
    return document
  }
  const budget: BufferedBytes = { held: 0, most: maxBufferedBytes ?? defaultMaxBufferedBytes }
  const answer = answererOf(spec, { table, describe, refused, call: callerOf(spec, budget, refused) })
  const report = eventEmitter(spec.onError)
  const refusalFor = failuresOf(spec, report)

  const respond = async (received: ReceivedExchange, notes?: RequestNotes): Promise<Answered> => {
    received.state = spec.state?.()
    const exchange = received as Own<State>
    const { frameworkPath } = exchange
    // Unless the service's own paths begin with it: `app.use('/boxes', …)`, but not `app.use('/v1', …)`.
    if (frameworkPath !== '' && !firstSegments.has(firstSegment(frameworkPath)))
      exchange.mountAt(frameworkPath)
    let answered: Answered
    try {
      answered = await answer(exchange, notes)
      await spec.finish?.(answered, exchange)
    } catch (error) {
      if (exchange.isGone) return { status: 499, headers: {}, body: undefined }
      answered = refused(await refusalFor(error))
      await spec.finish?.(answered, exchange)
    }
    answered.headers['x-content-type-options'] ??= 'nosniff'
    if (exchange.basePath !== '') relocate(answered, exchange.basePath)
    if (spec.gzip) compress(answered, exchange, spec.gzip === 'always')
    if (exchange.method === 'HEAD') discardBody(answered)
    return answered
  }

  const { onRequest, now } = spec
  return {
    fetch: fetchOf(
      onRequest === undefined ? respond : recorded(respond, onRequest, { now, onError: report }),
      () => budget.held,
    ),
    routes: spec.routes,
    openapi: describe,
    help: (prefix = '') => helpText(spec.routes, prefix),
    refused: (refusal) => refused(refusal),
  }
}

/** An exchange that carries the state of its service, which is `undefined` without `spec.state`. */
type Own<State> = ReceivedExchange & Exchange<State>

type Refuse = (refusal: Refusal, exchange?: Exchange) => Answered

/** Answers refusals with the statuses and in the dialect of a service. */
function refuserOf<Context, Code extends string, State>(spec: ServiceSpec<Context, Code, State>): Refuse {
  // Not merged into one: services have hundreds of codes, and tests create many services.
  const edge: Readonly<Record<string, number>> = edgeStatus
  const own: Readonly<Record<string, number>> = spec.statusOf
  const { words, decisiveHeaders } = spec
  return (refusal, exchange) => {
    const status = own[refusal.code] ?? edge[refusal.code]
    if (status === undefined)
      throw new Error(`refusal ${refusal.code} has no status: name one in statusOf of service ${spec.name}`)
    const texts = [textOf(spec.texts, refusal)]
    if (words && decisiveHeaders && exchange && (status === 401 || status === 403 || status === 404))
      texts.push(unreadHeader(words, decisiveHeaders, exchange) ?? '')
    const worded = { ...refusal, message: texts.filter(Boolean).join('; ') }
    const raw = spec.dialect(worded, status)
    const headers = headersOf(refusal)
    return answerOf({ status, headers }, raw.content === '' ? undefined : raw)
  }
}

/** The refusals for exceptions: those that the service foresees, and for others one with a reference. */
function failuresOf<Context, Code extends string, State>(
  spec: ServiceSpec<Context, Code, State>,
  report: (error: unknown, id: string) => void,
): (error: unknown) => Promise<Refusal> {
  const reported = (error: unknown): Refusal => {
    const id = spec.newId()
    report(error, id)
    return failureOf(error, id)
  }
  return async (error) => {
    try {
      return (await spec.foreseen?.(error))?.refusal ?? reported(error)
    } catch (cause) {
      return reported(cause)
    }
  }
}

/** Calls a route on behalf of the caller of a request. */
type CallRoute<Context, State> = (
  exchange: Exchange<State>,
  route: Route<Context>,
  params: Readonly<Record<string, string>>,
  notes: RequestNotes | undefined,
) => Promise<{ readonly answered: Answered; readonly context?: Context }>

function callerOf<Context, Code extends string, State>(
  spec: ServiceSpec<Context, Code, State>,
  budget: BufferedBytes,
  refused: Refuse,
): CallRoute<Context, State> {
  const callRoute = routeCaller(spec, budget)
  const { encode = compactJson } = spec
  return async (exchange, route, params, notes) => {
    const context = await spec.context(exchange, { route, params })
    if (isRefused(context)) return { answered: refused(context.refusal, exchange) }
    if (notes) notes.caller = spec.callerOf?.(context) ?? null
    const result = await callRoute(route, params, context, exchange)
    if ('refusal' in result) return { answered: refused(result.refusal, exchange), context }
    const { raw, body } = result
    return {
      answered: answerOf(result, raw ?? (body === undefined ? undefined : encode(body, exchange))),
      context,
    }
  }
}

/** Answers a request: by the page of the service, by the route of its path, or with a refusal. */
function answererOf<Context, Code extends string, State>(
  spec: ServiceSpec<Context, Code, State>,
  parts: {
    readonly table: RouteTable<Context>['find']
    readonly describe: () => OpenApiDocument
    readonly refused: Refuse
    readonly call: CallRoute<Context, State>
  },
): (exchange: Own<State>, notes: RequestNotes | undefined) => Promise<Answered> {
  const { table, refused, call } = parts
  const pages = spec.page && browserAnswers(spec.page, spec.about ?? '', parts.describe)
  return async (exchange, notes) => {
    const early = spec.first && (await spec.first(exchange))
    if (early) return isRefused(early) ? refused(early.refusal, exchange) : early
    const { method, path } = exchange
    const shown = method === 'GET' || method === 'HEAD' ? pages?.get(path)?.(exchange) : undefined
    if (shown) return shown
    const match = spec.resolve ? await spec.resolve(exchange) : table(method, path)
    if (method === 'OPTIONS') return options(match, exchange, refused)
    switch (match.kind) {
      case 'none':
        return refused({ code: 'no_route', message: `no such path: ${path}` }, exchange)
      case 'malformed':
        return refused({ code: 'malformed_path', message: 'the path is not valid percent-encoded UTF-8' })
      case 'method': {
        const allow = match.allow.join(', ')
        const message = `${method} is not possible here: this path answers ${allow}`
        return refused({ code: 'method_not_allowed', message, detail: { headers: { allow } } })
      }
      case 'found': {
        const { route, params } = match.matched
        exchange.route = route.path
        if (notes) notes.route = route.id
        const { browser } = route
        if (browser === undefined || spec.page === undefined)
          return (await call(exchange, route, params, notes)).answered
        return answerWithPage(spec.page, { browser, params }, exchange, () =>
          call(exchange, route, params, notes),
        )
      }
      default: {
        const never: never = match
        return never
      }
    }
  }
}

interface RouteTable<Context> {
  readonly find: (method: string, path: string) => Match<Context>
  /** The first segments of the paths. */
  readonly firstSegments: ReadonlySet<string>
}

/** Tests create many services with the same routes: each list is read once. */
const tables = new WeakMap<object, RouteTable<never>>()

function tableOf<Context>(routes: readonly Route<Context>[]): RouteTable<Context> {
  const known = tables.get(routes)
  // The type of the list is also that of its table.
  if (known !== undefined) return known as unknown as RouteTable<Context>
  checkIds(routes)
  const table = {
    find: matcher(routes),
    firstSegments: new Set(routes.map(({ path }) => firstSegment(path))),
  }
  tables.set(routes, table as unknown as RouteTable<never>)
  return table
}

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? ''

const isRefused = (value: unknown): value is Refused<string> =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false && 'refusal' in value

/** A link on this host is below the mount path of the service. */
function relocate({ headers }: Answered, basePath: string): void {
  const { location } = headers
  if (typeof location === 'string' && location.startsWith('/') && !location.startsWith('//'))
    headers['location'] = basePath + location
}

const textOf = (texts: Readonly<Record<string, string>> | undefined, { code, message }: Refusal): string =>
  texts && Object.hasOwn(texts, code) ? (texts[code] ?? message) : message

/** A refusal may ask for headers (`Allow`, `Retry-After`) through `detail.headers`. */
const headersOf = ({ detail }: Refusal): Record<string, string> => {
  const headers = detail?.['headers']
  return typeof headers === 'object' && headers !== null ? Object.fromEntries(Object.entries(headers)) : {}
}

function checkIds<Context>(routes: readonly Route<Context>[]): void {
  const seen = new Set<string>()
  for (const { id } of routes) {
    if (seen.has(id)) throw new Error(`two routes are called ${id}`)
    seen.add(id)
  }
}

/** The methods of a path; `Allow` is the whole answer. */
function options<Context>(
  match: Match<Context>,
  { path }: Exchange,
  refused: (refusal: Refusal) => Answered,
): Answered {
  if (match.kind !== 'method') return refused({ code: 'no_route', message: `no such path: ${path}` })
  return { status: 204, headers: { allow: [...match.allow, 'OPTIONS'].join(', ') }, body: undefined }
}
