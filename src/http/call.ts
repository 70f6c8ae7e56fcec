import type { Exchange } from './exchange.ts'

/**
 * The request methods a route table may name. `LIST` is a real method of the secrets service.
 */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'LIST' | 'SCAN'

/** The names that a path pattern captures: `:name` one segment, `*name` the rest. */
export type Captures<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Captures<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : Path extends `${string}*${infer Name}`
      ? Name
      : never

/**
 * The captures of the path pattern, decoded.
 */
export type PathParams<Path extends string> = { readonly [Name in Captures<Path>]: string }

/**
 * One request on its way through a route, before its body is read.
 */
export interface Call<Context, Params, Query> {
  /** The service's own context of the request; see `ServiceSpec.context`. */
  readonly context: Context
  /** The request as received: headers, path, and the body if the route streams. */
  readonly exchange: Exchange
  /** The captures of the path, decoded. */
  readonly params: Params
  /** The query, parsed by the route's schema. */
  readonly query: Query
}

/**
 * A call with its body.
 */
export interface CallWithBody<Context, Params, Query, Body> extends Call<Context, Params, Query> {
  /** The body, parsed by the route's schema. */
  readonly body: Body
  /** The body's text, unchanged; empty if there was none or the route streams. */
  readonly text: string
}
