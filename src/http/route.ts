import type * as z from 'zod'
import type { Refused } from '../kernel/index.ts'
import type { Reply } from './reply.ts'

/**
 * The request methods a route table may name. `LIST` is a real method of the secrets service.
 *
 * @public
 */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'LIST'

/** The names that a path pattern captures: `:name` one segment, `*name` all that is left. @public */
export type Captures<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Captures<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : Path extends `${string}*${infer Name}`
      ? Name
      : never

/**
 * What a path pattern captures, decoded.
 *
 * @public
 */
export type PathParams<Path extends string> = { readonly [Name in Captures<Path>]: string }

/**
 * One request on its way through a route, before its body is read.
 *
 * @public
 */
export interface Call<Context, Params, Query> {
  /** What the service knows about the caller and itself; see `ServiceSpec.context`. */
  readonly context: Context
  /** The request as it came: headers, signal, and the body stream where the route streams. */
  readonly request: Request
  /** The request's address, parsed; what `mount` put before it (`basePathOf`) is left out. */
  readonly url: URL
  /** What the path captured, decoded. */
  readonly params: Params
  /** The query, read by the route's schema. */
  readonly query: Query
}

/**
 * A call with its body.
 *
 * @public
 */
export interface CallWithBody<Context, Params, Query, Body> extends Call<Context, Params, Query> {
  /** The body, read by the route's schema. */
  readonly body: Body
  /** The body's text exactly as it came; empty when there was none or the route streams. */
  readonly text: string
}

/** A schema of a query or a body. @public */
export type Schema = z.ZodType

/**
 * What a part of a request is once its schema has read it. Object schemas ignore what they do not name; a query or body
 * schema that should refuse it says so itself.
 *
 * @public
 */
export type SchemaOutput<S, Otherwise> = S extends Schema ? z.output<S> : Otherwise

/**
 * One endpoint, declared: matching, documentation and behaviour in one place.
 *
 * @public
 */
export interface RouteSpec<
  Context,
  Path extends string,
  P extends Schema | undefined,
  Q extends Schema | undefined,
  B extends Schema | undefined,
  Code extends string,
> {
  /** A stable name, unique in its service: `kv2.write`. */
  readonly id: string
  /** The method, or methods that are synonyms here. A `GET` answers `HEAD` too. */
  readonly method: Method | readonly [Method, ...Method[]]
  /** The path pattern: `:name` captures one segment, a last `*name` captures the rest. */
  readonly path: Path
  /** One line for help texts and the OpenAPI document. */
  readonly summary: string
  /** What a reader of the documentation needs beyond the summary. */
  readonly description?: string | undefined
  /** The right a caller needs, in the service's own words; documentation. */
  readonly access?: string | undefined
  /** Checks and converts the captures; without it they are plain strings. */
  readonly params?: P | undefined
  /** Reads the query string (first value of each name, as text). */
  readonly query?: Q | undefined
  /** Reads the JSON body; `undefined` is given for an empty body. */
  readonly body?: B | undefined
  /** `true` leaves the request body unread, for uploads. */
  readonly streams?: boolean | undefined
  /** The answer's shape; documentation. */
  readonly reply?: Schema | undefined
  /** The status of a successful answer, for the documentation; 200 by default. */
  readonly success?: number | undefined
  /** Every refusal this endpoint foresees. */
  readonly refusals?: readonly Code[] | undefined
  /** Decides whether the caller may do this at all; runs before the body is read. */
  readonly before?:
    | ((
        call: Call<
          Context,
          SchemaOutput<P, PathParams<Path>>,
          SchemaOutput<Q, Readonly<Record<string, string>>>
        >,
      ) => Refused<Code> | undefined | Promise<Refused<Code> | undefined>)
    | undefined
  /** Does the work. */
  readonly handle: (
    call: CallWithBody<
      Context,
      SchemaOutput<P, PathParams<Path>>,
      SchemaOutput<Q, Readonly<Record<string, string>>>,
      SchemaOutput<B, unknown>
    >,
  ) => Reply | Refused<Code> | Promise<Reply | Refused<Code>>
}

/** What went wrong while reading a part of a request. */
export type RequestPart = 'params' | 'query' | 'body'

/** The body of a request as the rim received it. */
export interface ReceivedBody {
  readonly text: string
  readonly json: unknown
}

/** Reads a part of a request by its schema, or refuses with the service's own wording. @public */
export type Reader = <S extends Schema>(part: RequestPart, schema: S, input: unknown) => z.output<S> | Invalid

/**
 * What a {@link Reader} gives for a part of a request that its schema refused. It is given, never thrown.
 *
 * @example
 * ```ts
 * import { Invalid, type Reader } from 'plinth/http'
 * import * as z from 'zod'
 *
 * const Page = z.object({ page: z.coerce.number() })
 * const pageOf = (read: Reader, query: unknown) => {
 *   const found = read('query', Page, query)
 *   return found instanceof Invalid ? found.refused : found.page
 * }
 * pageOf((_, schema, input) => schema.parse(input), { page: '2' }) // 2
 * ```
 *
 * @public
 */
export class Invalid {
  /** The refusal, in the service's own wording. */
  readonly refused: Refused<string>
  constructor(refused: Refused<string>) {
    this.refused = refused
  }
}

/**
 * A declared endpoint with its types closed over, ready for a route table.
 *
 * @public
 */
export interface Route<Context, Code extends string = string> {
  readonly id: string
  readonly methods: readonly Method[]
  readonly path: string
  readonly summary: string
  readonly description: string | undefined
  readonly access: string | undefined
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  readonly streams: boolean
  readonly reply: z.ZodType | undefined
  readonly success: number
  readonly refusals: readonly Code[]
  /** Reads params and query, asks `before`, then receives the body and does the work. */
  readonly answer: (
    call: Call<Context, Readonly<Record<string, string>>, Readonly<Record<string, string>>>,
    read: Reader,
    receive: () => ReceivedBody | Promise<ReceivedBody | Refused<string>>,
  ) => Promise<Reply | Refused<string>>
}

/**
 * Declares a route of a service whose calls carry `Context`. Every field of the call is inferred from the
 * path pattern and the schemas.
 *
 * @example
 * ```ts
 * import { reply, route } from 'plinth/http'
 *
 * interface Context {
 *   readonly greeting: string
 * }
 *
 * const hello = route<Context>()({
 *   id: 'hello',
 *   method: 'GET',
 *   path: '/hello/:name',
 *   summary: 'Say hello',
 *   handle: ({ context, params }) => reply({ text: `${context.greeting}, ${params.name}` }),
 * })
 * hello.methods // ['GET']
 * ```
 *
 * @public
 */
export const route =
  <Context>() =>
  <
    const Path extends `/${string}` | '',
    P extends Schema | undefined = undefined,
    Q extends Schema | undefined = undefined,
    B extends Schema | undefined = undefined,
    const Code extends string = never,
  >(
    spec: RouteSpec<Context, Path, P, Q, B, Code>,
  ): Route<Context, Code> => ({
    id: spec.id,
    methods: typeof spec.method === 'string' ? [spec.method] : spec.method,
    path: spec.path,
    summary: spec.summary,
    description: spec.description,
    access: spec.access,
    params: spec.params,
    query: spec.query,
    body: spec.body,
    streams: spec.streams ?? false,
    reply: spec.reply,
    success: spec.success ?? 200,
    refusals: spec.refusals ?? [],
    answer: async (raw, read, receive) => {
      const params = spec.params ? read('params', spec.params, raw.params) : raw.params
      if (params instanceof Invalid) return params.refused
      const query = spec.query ? read('query', spec.query, raw.query) : raw.query
      if (query instanceof Invalid) return query.refused
      // The schemas above are what the conditional types in RouteSpec are computed from.
      const { context, request, url } = raw
      const call = { context, request, url, params, query } as Call<
        Context,
        SchemaOutput<P, PathParams<Path>>,
        SchemaOutput<Q, Readonly<Record<string, string>>>
      >
      if (spec.before) {
        const refused = await spec.before(call)
        if (refused) return refused
      }
      const received = await receive()
      if ('refusal' in received) return received
      const { text, json } = received
      const body = spec.body ? read('body', spec.body, json) : json
      if (body instanceof Invalid) return body.refused
      const { params: path, query: asked } = call
      return await spec.handle({
        context,
        request,
        url,
        params: path,
        query: asked,
        body: body as SchemaOutput<B, unknown>,
        text,
      })
    },
  })
