import { checkFunctions } from '../kernel/check-functions.ts'
import { checkNumbers } from '../kernel/check-numbers.ts'
import { eventEmitter } from '../kernel/event-emitter.ts'
import { type Refusal, type Refused, refuse } from '../kernel/index.ts'
import { readJson } from './body.ts'
import { bodyLimitOf } from './body-limit.ts'
import type { Call } from './call.ts'
import { compactJson, compressed, toResponse, withoutBody } from './encode.ts'
import { describeIssues, edgeStatus } from './errors.ts'
import { failureOf } from './failure.ts'
import { helpText } from './help.ts'
import { type Match, matcher } from './match.ts'
import { addressOf, basePathOf } from './mount.ts'
import { type OpenApiDocument, openapi } from './openapi.ts'
import { Invalid, type Reader, type RequestPart } from './reading.ts'
import { type Met, recorded } from './request-record.ts'
import type { Route } from './route.ts'
import type { HttpService, ServiceSpec } from './service-spec.ts'

const maxJsonBytes = 32 * 1024 * 1024

/**
 * Builds a service from its route table. A request goes one straight way: match → authenticate → authorise →
 * parse → handle → encode.
 *
 * @remarks
 * `HEAD` is answered by the `GET` route without its body, `OPTIONS` by the methods of the path. A refusal
 * becomes the status of its row; an unforeseen exception becomes 500 with an opaque id, is reported through
 * `onError`, and says nothing else to the caller. A store that is away, or that others keep changing, is 503 with
 * `Retry-After`; one that lost the outcome of a change is 503 without it, and says that the change may have taken
 * effect; one without space is 507.
 *
 * @throws TypeError when something that it needs is missing, or is to be called and cannot be
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
 *
 * @public
 */
export function defineService<Context, Code extends string = never>(
  spec: ServiceSpec<Context, Code>,
): HttpService<Context> {
  for (const name of ['routes', 'statusOf', 'context', 'dialect', 'newId'] as const)
    if (spec[name] === undefined) throw new TypeError(`defineService: ${name} is missing`)
  checkFunctions(spec, ['context', 'dialect', 'newId', 'foreseen', 'onRequest', 'onError'])
  checkIds(spec.routes)
  checkNumbers({ least: 1, unit: 'bytes' }, { maxBodyBytes: spec.maxBodyBytes })
  const table = matcher<Context>(spec.routes)
  const statuses: Readonly<Record<string, number>> = { ...edgeStatus, ...spec.statusOf }

  const refused = (refusal: Refusal): Response => {
    const status = statuses[refusal.code]
    if (status === undefined)
      throw new Error(`refusal ${refusal.code} has no status: name one in statusOf of service ${spec.name}`)
    const worded = { ...refusal, message: textOf(spec.texts, refusal) }
    const { content, type } = spec.dialect(worded, status)
    const headers = headersOf(refusal)
    const body = content === '' ? {} : { raw: { content, type } }
    return toResponse({ status, headers, ...body }, compactJson)
  }

  const read =
    (route: Route<Context>): Reader =>
    (part, schema, input) => {
      const result = schema.safeParse(input)
      if (result.success) return result.data
      return new Invalid(
        spec.invalid?.(part, result.error, route) ??
          refuse(`invalid_${part}`, `invalid ${partName[part]}: ${describeIssues(result.error)}`),
      )
    }

  const receive = (request: Request) =>
    readJson(request, bodyLimitOf(request) ?? spec.maxBodyBytes ?? maxJsonBytes, spec)

  const answer = async (request: Request, url: URL, met: Met | undefined): Promise<Response> => {
    const early = spec.first && (await spec.first(request, url))
    if (early) return early instanceof Response ? early : refused(early.refusal)
    if (request.method === 'OPTIONS') return options(spec, table, request, url, refused)

    const match = spec.resolve
      ? await spec.resolve(request.method, url, request)
      : table(request.method, url.pathname)
    if (match.kind === 'none') return refused({ code: 'no_route', message: `no such path: ${url.pathname}` })
    if (match.kind === 'malformed')
      return refused({ code: 'malformed_path', message: 'the path is not valid percent-encoded UTF-8' })
    if (match.kind === 'method') {
      const allow = match.allow.join(', ')
      const message = `${request.method} is not possible here: this path answers ${allow}`
      return refused({ code: 'method_not_allowed', message, detail: { headers: { allow } } })
    }
    const { route, params } = match.matched
    if (met) met.route = route.id
    const context = await spec.context(request, { url, route, params })
    if (isRefused(context)) return refused(context.refusal)
    if (met) met.caller = spec.callerOf?.(context) ?? null

    const call: Call<Context, Readonly<Record<string, string>>, Readonly<Record<string, string>>> = {
      context,
      request,
      url,
      params,
      query: queryOf(url),
    }
    const result = await route.answer(call, read(route), () =>
      route.streams || !carriesBody(request) ? unread : receive(request),
    )
    if ('refusal' in result) return refused(result.refusal)
    return toResponse(result, (body) => spec.encode?.(body, request, url) ?? compactJson(body))
  }

  const reported = (error: unknown): Refusal => {
    const id = spec.newId()
    // Who listens does not keep the caller from an answer.
    eventEmitter((thrown: unknown) => spec.onError?.(thrown, id))(error)
    return failureOf(error, id)
  }

  const respond = async (request: Request, met?: Met): Promise<Response> => {
    const url = addressOf(request)
    let response: Response
    try {
      response = await answer(request, url, met)
      if (spec.finish) response = await spec.finish(response, request, url)
    } catch (error) {
      if (request.signal.aborted) return new Response(null, { status: 499 })
      response = refused((await spec.foreseen?.(error))?.refusal ?? reported(error))
      if (spec.finish) response = await spec.finish(response, request, url)
    }
    relocate(response, basePathOf(request))
    if (spec.gzip) response = compressed(response, request, spec.gzip === 'always')
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  /** Made once it is asked for: it takes longer than hundreds of requests, and stays what it is. */
  let document: OpenApiDocument | undefined
  const { onRequest, now } = spec
  return {
    fetch:
      onRequest === undefined
        ? (request) => respond(request)
        : recorded(respond, onRequest, { now, onError: (error) => spec.onError?.(error) }),
    routes: spec.routes,
    openapi: () => {
      document ??= openapi(spec.name, spec.about ?? '', spec.routes, spec)
      return document
    },
    help: (prefix = '') => helpText(spec.routes, prefix),
    refused,
  }
}

const partName: Readonly<Record<RequestPart, string>> = { params: 'path', query: 'query', body: 'body' }

/** The body of a request that has none, or keeps it for its route. */
const unread = { text: '', json: undefined }

const isRefused = (value: unknown): value is Refused<string> =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false && 'refusal' in value

/** An address on this host is below the place where the service is mounted. */
function relocate({ headers }: Response, basePath: string): void {
  const location = basePath === '' ? null : headers.get('location')
  if (location?.startsWith('/') && !location.startsWith('//')) headers.set('location', basePath + location)
}

const carriesBody = (request: Request): boolean => request.method !== 'GET' && request.method !== 'HEAD'

const textOf = (texts: Readonly<Record<string, string>> | undefined, { code, message }: Refusal): string =>
  texts && Object.hasOwn(texts, code) ? (texts[code] ?? message) : message

/** A refusal may ask for headers (`Allow`, `Retry-After`) through `detail.headers`. */
const headersOf = ({ detail }: Refusal): Record<string, string> => {
  const headers = detail?.['headers']
  return typeof headers === 'object' && headers !== null ? Object.fromEntries(Object.entries(headers)) : {}
}

/** The first value of each name, own properties only. */
function queryOf(url: URL): Readonly<Record<string, string>> {
  const query: Record<string, string> = Object.create(null)
  if (url.search === '') return query
  for (const [name, value] of url.searchParams) query[name] ??= value
  return query
}

function checkIds<Context>(routes: readonly Route<Context>[]): void {
  const seen = new Set<string>()
  for (const { id } of routes) {
    if (seen.has(id)) throw new Error(`two routes are called ${id}`)
    seen.add(id)
  }
}

async function options<Context, Code extends string>(
  spec: ServiceSpec<Context, Code>,
  table: (method: string, path: string) => Match<Context>,
  { headers }: Request,
  url: URL,
  refused: (refusal: Refusal) => Response,
): Promise<Response> {
  const match = await (spec.resolve
    ? spec.resolve('OPTIONS', url, new Request(url, { method: 'OPTIONS', headers }))
    : table('OPTIONS', url.pathname))
  if (match.kind !== 'method') return refused({ code: 'no_route', message: `no such path: ${url.pathname}` })
  return new Response(null, { status: 204, headers: { allow: [...match.allow, 'OPTIONS'].join(', ') } })
}
