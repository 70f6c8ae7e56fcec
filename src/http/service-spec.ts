import type * as z from 'zod'
import type { Instant, Refusal, Refused } from '../kernel/index.ts'
import type { ErrorDialect } from './dialects.ts'
import type { Encoded } from './encode.ts'
import type { EdgeCode } from './errors.ts'
import type { Answered, Exchange } from './exchange.ts'
import type { ServiceFetch } from './fetch.ts'
import type { JsonLimits } from './json-limits.ts'
import type { Match } from './match.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { Credentials } from './openapi-edge.ts'
import type { Reply } from './reply.ts'
import type { RequestRecord } from './request-record.ts'
import type { RequestPart, Route } from './route.ts'
import type { ServicePage } from './service-page.ts'
import type { Words } from './words.ts'

/**
 * A call whose body was received.
 */
export interface ReceivedCall<Context, State = unknown> {
  /** The request as received, with the state of its service. */
  readonly exchange: Exchange<State>
  readonly route: Route<Context>
  readonly context: Context
  /** The captures of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The query as sent. */
  readonly query: Readonly<Record<string, string>>
  /** The body as sent, parsed; `undefined` if there is none. */
  readonly json: unknown
}

/**
 * A route table and the stages that its service adds around it.
 */
export interface ServiceSpec<Context, Code extends string, State = undefined> {
  /** The service's name, for the OpenAPI document and help texts. */
  readonly name: string
  /** One sentence about the service, for the OpenAPI document. */
  readonly about?: string | undefined
  /** The table. Every refusal that its routes foresee has a row in `statusOf`; otherwise it does not compile. */
  readonly routes: readonly Route<Context, Code>[]
  /**
   * Refusal → status: the codes of the routes, and those of `context`, `first` and `foreseen`, which the compiler does
   * not check.
   * Rows for the edge's codes override {@link edgeStatus}.
   */
  readonly statusOf: Readonly<Record<Code, number>> & { readonly [C in EdgeCode]?: number }
  /** The format of errors. */
  readonly dialect: ErrorDialect
  /** Other texts for the refusals of the edge; with an empty text the dialect decides. */
  readonly texts?: { readonly [C in EdgeCode]?: string } | undefined
  /** Creates the state of one request for the stages below; `undefined` by default. */
  readonly state?: (() => State) | undefined
  /** Finds the route; by default by the table. The secrets service looks its mounts up here. */
  readonly resolve?: ((exchange: Exchange<State>) => Match<Context> | Promise<Match<Context>>) | undefined
  /** Authenticates the caller, or refuses. Runs once per request, after the route is found. */
  readonly context: (
    exchange: Exchange<State>,
    found: {
      readonly route: Route<Context>
      readonly params: Readonly<Record<string, string>>
    },
  ) => Context | Refused<string> | Promise<Context | Refused<string>>
  /** Serializes a JSON answer; compact JSON by default. */
  readonly encode?: ((body: unknown, exchange: Exchange<State>) => Encoded) | undefined
  /** Formats the issues of a schema; by default part and paths. */
  readonly invalid?:
    | ((part: RequestPart, error: z.ZodError, route: Route<Context>) => Refused<string>)
    | undefined
  /** Checks rights again when the body has arrived, before it is parsed: some rights depend on the content. */
  readonly afterBody?:
    | ((
        call: ReceivedCall<Context, State>,
      ) => Refused<string> | undefined | Promise<Refused<string> | undefined>)
    | undefined
  /** Receives the reply of a route before it is encoded, and may replace it. */
  readonly afterReply?:
    | ((
        reply: Reply,
        call: ReceivedCall<Context, State>,
      ) => Reply | Refused<string> | Promise<Reply | Refused<string>>)
    | undefined
  /** Called last with every answer, errors included, and may change it: custom headers, counters. */
  readonly finish?: ((answered: Answered, exchange: Exchange<State>) => void | Promise<void>) | undefined
  /** Answers before a route is matched: redirects, CORS, required headers. */
  readonly first?:
    | ((
        exchange: Exchange<State>,
      ) => Answered | Refused<string> | undefined | Promise<Answered | Refused<string> | undefined>)
    | undefined
  /**
   * The page for browsers at `/` (requests whose `Accept` includes `text/html`), with the OpenAPI document at
   * `/openapi.json`. Neither requires authentication. Other requests are answered by the table.
   */
  readonly page?: ServicePage | undefined
  /** How callers authenticate, for the OpenAPI document. */
  readonly credentials?: Credentials<Context> | undefined
  /** The product words of header names, for the OpenAPI document. */
  readonly words?: Words | undefined
  /**
   * Suffixes of headers that decide who calls, and where: `['Token']`. A request that is refused with 401, 403 or 404
   * and has one of an unknown word is told so.
   */
  readonly decisiveHeaders?: readonly string[] | undefined
  /** The largest JSON body; 32 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  /** How many values a JSON body may have; 250,000 by default. */
  readonly jsonLimits?: JsonLimits | undefined
  /** The largest body of a route, where that is less than the service's and the listener's. */
  readonly bodyLimit?: ((route: Route<Context>) => number | undefined) | undefined
  /**
   * How many bytes of request bodies may be in memory at once, of all requests together; 64 MiB by default. A request
   * whose body does not fit is answered 503 with `Retry-After`.
   */
  readonly maxBufferedBytes?: number | undefined
  /** Whether a body may also be an HTML form (`application/x-www-form-urlencoded`), read as an object of texts. */
  readonly forms?: boolean | undefined
  /**
   * Whether texts of 1400 characters and more are compressed for callers that accept gzip; bytes and streams never are.
   * `'always'` compresses every body, for services that promise it and have only texts. Do not use it for a service
   * that returns long-lived secrets beside text of other callers: the length of the compressed answer would reveal
   * whether that text repeats a secret.
   */
  readonly gzip?: boolean | 'always' | undefined
  /** Turns an expected exception into a refusal; it is not reported then. */
  readonly foreseen?:
    | ((error: unknown) => Refused<string> | undefined | Promise<Refused<string> | undefined>)
    | undefined
  /**
   * Receives every unexpected error, with the opaque id in its caller's answer; without an id for an error of
   * `onRequest`, which no caller sees.
   */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
  /** Creates the opaque ids of unexpected errors. */
  readonly newId: () => string
  /** Called for every request, successful or not, once its answer is sent: for access logs and metrics. */
  readonly onRequest?: ((record: RequestRecord, exchange: Exchange) => void) | undefined
  /** The name of the caller for `onRequest`, never a secret. None by default. */
  readonly callerOf?: ((context: Context) => string | undefined) | undefined
  /** The clock for `onRequest`; the system's by default. */
  readonly now?: (() => Instant) | undefined
}

/**
 * The result of a route table: a fetch handler and its documentation.
 */
export interface HttpService<Context> {
  /** Answers a request; never rejects. */
  readonly fetch: ServiceFetch
  /** The table itself. */
  readonly routes: readonly Route<Context>[]
  /** The OpenAPI 3.1 document of the table. */
  readonly openapi: () => OpenApiDocument
  /** The help text: every endpoint at or below a path prefix. */
  readonly help: (prefix?: string) => string
  /** Formats a refusal as this service does, for answers outside the table. */
  readonly refused: (refusal: Refusal) => Answered
}
