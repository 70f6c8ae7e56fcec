import type * as z from 'zod'
import type { Answer, Refused } from '../kernel/index.ts'
import type { ValueOf, Work } from '../operation/operation.ts'
import type { BrowserView } from './browser-view.ts'
import type { Call, CallWithBody, Method, PathParams } from './call.ts'
import type { Reply } from './reply.ts'

/** A schema of a part of a request. */
export type Schema = z.ZodType

/**
 * A part of a request after parsing by its schema. Object schemas ignore unknown fields; a query or body schema that
 * should refuse them must say so.
 */
export type SchemaOutput<S, Otherwise> = S extends Schema ? z.output<S> : Otherwise

/** The parts of a request that have a schema. */
export type RequestPart = 'params' | 'query' | 'body'

/**
 * An answer that is neither the usual success nor a refusal, for the documentation.
 */
export interface OtherAnswer {
  readonly description: string
  /** The schema of its body; it has no body without one. */
  readonly reply?: Schema | undefined
  /** Its media type, if it is not JSON. */
  readonly sends?: string | undefined
}

/** A call of a route with these schemas, before its body is read. */
type CallOf<Context, Path extends string, P extends Schema | undefined, Q extends Schema | undefined> = Call<
  Context,
  SchemaOutput<P, PathParams<Path>>,
  SchemaOutput<Q, Readonly<Record<string, string>>>
>

/** The same with its body. */
type WholeCallOf<
  Context,
  Path extends string,
  P extends Schema | undefined,
  Q extends Schema | undefined,
  B extends Schema | undefined,
> = CallWithBody<
  Context,
  SchemaOutput<P, PathParams<Path>>,
  SchemaOutput<Q, Readonly<Record<string, string>>>,
  SchemaOutput<B, unknown>
>

/**
 * One endpoint as it is matched and documented.
 */
export interface RouteHead<
  Context,
  Path extends string,
  P extends Schema | undefined,
  Q extends Schema | undefined,
  B extends Schema | undefined,
  Code extends string,
  Run extends string = never,
> {
  /** A stable name, unique in its service: `kv2.write`. */
  readonly id: string
  /** The method, or methods that are synonyms here. A `GET` answers `HEAD` too. */
  readonly method: Method | readonly [Method, ...Method[]]
  /** The path pattern: `:name` captures one segment, a last `*name` captures the rest. */
  readonly path: Path
  /** One line for help texts and the OpenAPI document. */
  readonly summary: string
  /** Documentation beyond the summary. */
  readonly description?: string | undefined
  /** The right a caller needs, in the service's own words; documentation. */
  readonly access?: string | undefined
  /** Checks and converts the captures; without it they are plain strings. */
  readonly params?: P | undefined
  /** The schema of the query string (first value of each name, as text). */
  readonly query?: Q | undefined
  /** The schema of the JSON body; it receives `undefined` for an empty body. */
  readonly body?: B | undefined
  /** The schema of a body that the handler reads itself; for documentation only. */
  readonly accepts?: Schema | undefined
  /** The media type of the request body, if it is not `application/json`; for documentation only. */
  readonly takes?: string | undefined
  /** `true` leaves the request body unread, for uploads. */
  readonly streams?: boolean | undefined
  /** The answer's shape; documentation. */
  readonly reply?: Schema | undefined
  /** The answer's media type, if it is not JSON; for documentation only. */
  readonly sends?: string | undefined
  /** Response headers that carry the product word, by suffix, with descriptions; for documentation only. */
  readonly emits?: Readonly<Record<string, string>> | undefined
  /** The status of a successful answer, for the documentation; 200 by default. */
  readonly success?: number | undefined
  /** Other responses than success and refusals, by status; for documentation only. */
  readonly also?: Readonly<Record<number, OtherAnswer>> | undefined
  /** Every refusal that the endpoint itself foresees. */
  readonly refusals?: readonly Code[] | undefined
  /** The page for browsers, which name `text/html` in `Accept`; they get the answer like all clients by default. */
  readonly browser?: BrowserView<Context> | undefined
  /** Decides whether the caller may do this at all; runs before the body is read. */
  readonly before?:
    | ((
        call: CallOf<Context, Path, P, Q>,
      ) => Refused<Code | Run> | undefined | Promise<Refused<Code | Run> | undefined>)
    | undefined
}

/**
 * One endpoint, declared: matching, documentation and behaviour in one place.
 */
export interface RouteSpec<
  Context,
  Path extends string,
  P extends Schema | undefined,
  Q extends Schema | undefined,
  B extends Schema | undefined,
  Code extends string,
> extends RouteHead<Context, Path, P, Q, B, Code> {
  /** Does the work. */
  readonly handle: (
    call: WholeCallOf<Context, Path, P, Q, B>,
  ) => Reply | Refused<Code> | Promise<Reply | Refused<Code>>
}

/**
 * One endpoint whose work is an operation: what is declared is what runs.
 */
export interface OperationRouteSpec<
  Context,
  Deps,
  Path extends string,
  P extends Schema | undefined,
  Q extends Schema | undefined,
  B extends Schema | undefined,
  Code extends string,
  Run extends string,
  Args extends readonly unknown[],
  Result,
> extends RouteHead<Context, Path, P, Q, B, NoInfer<Code>, NoInfer<Run>> {
  /** The refusals that the route itself gives; unlisted ones do not compile. */
  readonly refusals?: readonly Code[] | undefined
  /** The operation: its refusals are those of the endpoint. */
  readonly run: Work<Deps, Args, Result, Run>
  /** The arguments of the operation; none by default. */
  readonly with?: (
    call: WholeCallOf<Context, Path, P, Q, B>,
  ) => readonly [...Args] | Refused<NoInfer<Code>> | Promise<readonly [...Args] | Refused<NoInfer<Code>>>
  /** The answer for a value; 204 by default. */
  readonly show?: (
    value: ValueOf<Awaited<NoInfer<Result>>>,
    call: WholeCallOf<Context, Path, P, Q, B>,
  ) => Reply | Refused<NoInfer<Code>> | Promise<Reply | Refused<NoInfer<Code>>>
  /** In place of `show`, the answer for a whole result, which may be a refusal. */
  readonly answer?: (
    result: Awaited<NoInfer<Result>>,
    call: WholeCallOf<Context, Path, P, Q, B>,
  ) => Reply | Refused<NoInfer<Code | Run>> | Promise<Reply | Refused<NoInfer<Code | Run>>>
}

/** A route needs `with` if its operation has a required argument. */
type NeedsWith<Args extends readonly unknown[]> = [] extends Args ? unknown : { readonly with: unknown }

/**
 * A declared endpoint with its types erased, ready for a route table.
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
  readonly accepts: z.ZodType | undefined
  readonly takes: string | undefined
  readonly streams: boolean
  readonly reply: z.ZodType | undefined
  readonly sends: string | undefined
  readonly emits: Readonly<Record<string, string>>
  readonly success: number
  readonly also: Readonly<Record<number, OtherAnswer>>
  readonly refusals: readonly Code[]
  readonly browser: BrowserView<Context> | undefined
  // Methods, whose parameters are bivariant: calls are created by the schemas above.
  /** Decides whether the caller may do this at all. */
  before?(
    call: Call<Context, unknown, unknown>,
  ): Refused<string> | undefined | Promise<Refused<string> | undefined>
  /** Does the work. */
  handle(
    call: CallWithBody<Context, unknown, unknown, unknown>,
  ): Reply | Refused<string> | Promise<Reply | Refused<string>>
}

/**
 * Every refusal that the routes of a table foresee.
 */
export type RefusalsOf<Routes extends readonly unknown[]> = Routes[number] extends infer Each
  ? Each extends Route<never, infer Code>
    ? Code
    : never
  : never

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
    accepts: spec.accepts,
    takes: spec.takes,
    streams: spec.streams ?? false,
    reply: spec.reply,
    sends: spec.sends,
    emits: spec.emits ?? {},
    success: spec.success ?? 200,
    also: spec.also ?? {},
    refusals: spec.refusals ?? [],
    browser: spec.browser,
    ...(spec.before ? { before: spec.before } : {}),
    handle: spec.handle,
  })

/**
 * Declares the routes of a service by the operations that do their work: `with` makes the arguments from the call, `show`
 * the reply from the value.
 *
 * @param depsOf - the parts of the service on which operations work
 * @param refused - the answer for a refusal of an operation; itself by default
 */
export const operationRoutes =
  <Context, Deps>(
    depsOf: (context: Context) => Deps | Promise<Deps>,
    refused: <Code extends string>(
      refusal: Refused<Code>,
      call: Call<Context, unknown, unknown>,
    ) => Refused<Code> = (refusal) => refusal,
  ) =>
  <
    const Path extends `/${string}` | '',
    Args extends readonly unknown[],
    Result,
    P extends Schema | undefined = undefined,
    Q extends Schema | undefined = undefined,
    B extends Schema | undefined = undefined,
    const Code extends string = never,
    const Run extends string = never,
  >(
    spec: OperationRouteSpec<Context, Deps, Path, P, Q, B, Code, Run, Args, Result> &
      NeedsWith<NoInfer<Args>>,
  ): Route<Context, Code | Run> => {
    const { run, with: given, show, answer, ...head } = spec
    // `NeedsWith` requires `with` for all other operations.
    const none = [] as readonly unknown[] as readonly [...Args]
    return route<Context>()<Path, P, Q, B, Code | Run>({
      success: show || answer ? 200 : 204,
      ...head,
      refusals: [...new Set<Code | Run>([...run.refuses, ...(head.refusals ?? [])])],
      handle: async (call) => {
        const made = given === undefined ? none : given(call)
        const args: readonly [...Args] | Refused<Code> = made instanceof Promise ? await made : made
        if ('ok' in args) return args
        const parts = depsOf(call.context)
        const result = await run.run(parts instanceof Promise ? await parts : parts, ...args)
        if (answer) return answer(result, call)
        // Operations answer with a value or with a refusal that they list.
        const answered = result as Answer<ValueOf<Awaited<Result>>, Run>
        if (!answered.ok) return refused(answered, call)
        return show ? show(answered.value, call) : { status: 204 }
      },
    })
  }
