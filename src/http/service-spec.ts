import type * as z from 'zod'
import type { Instant, Refusal, Refused } from '../kernel/index.ts'
import type { ErrorDialect } from './dialects.ts'
import type { Encoded } from './encode.ts'
import type { EdgeCode } from './errors.ts'
import type { Match } from './match.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { Credentials } from './openapi-rim.ts'
import type { RequestPart } from './reading.ts'
import type { RequestRecord } from './request-record.ts'
import type { Route } from './route.ts'
import type { Words } from './words.ts'

/**
 * A route table and what its service adds around it.
 *
 * @public
 */
export interface ServiceSpec<Context, Code extends string> {
  /** The service's name, for the OpenAPI document and help texts. */
  readonly name: string
  /** One sentence about the service, for the OpenAPI document. */
  readonly about?: string | undefined
  /** The table. Every refusal its routes foresee has a row in `statusOf`: one without does not compile. */
  readonly routes: readonly Route<Context, Code>[]
  /**
   * Refusal → status: the codes of the routes, and those of `context`, `first` and `foreseen`, which no compiler asks for.
   * Rows for the rim's codes override {@link edgeStatus}.
   */
  readonly statusOf: Readonly<Record<Code, number>> & { readonly [C in EdgeCode]?: number }
  /** How errors are spelled. */
  readonly dialect: ErrorDialect
  /** Other words for what the rim refuses; an empty text sends what the dialect makes of it. */
  readonly texts?: { readonly [C in EdgeCode]?: string } | undefined
  /** Finds the route; by default by the table. The secrets service looks its mounts up here. */
  readonly resolve?:
    | ((method: string, url: URL, request: Request) => Match<Context> | Promise<Match<Context>>)
    | undefined
  /** Says who is calling (authentication), or refuses. Runs once per request, after the route is found. */
  readonly context: (
    request: Request,
    found: {
      readonly url: URL
      readonly route: Route<Context>
      readonly params: Readonly<Record<string, string>>
    },
  ) => Context | Refused<string> | Promise<Context | Refused<string>>
  /** Spells a JSON answer; compact JSON by default. */
  readonly encode?: ((body: unknown, request: Request, url: URL) => Encoded) | undefined
  /** Words a schema's complaint; by default part and paths. */
  readonly invalid?:
    | ((part: RequestPart, error: z.ZodError, route: Route<Context>) => Refused<string>)
    | undefined
  /** Sees every response last, errors included: custom headers, counters. */
  readonly finish?:
    | ((response: Response, request: Request, url: URL) => Response | Promise<Response>)
    | undefined
  /** Answers before anything is matched: redirects, CORS, required headers. */
  readonly first?:
    | ((
        request: Request,
        url: URL,
      ) => Response | Refused<string> | undefined | Promise<Response | Refused<string> | undefined>)
    | undefined
  /** How callers say who they are, for the OpenAPI document. */
  readonly credentials?: Credentials<Context> | undefined
  /** The product words of header names, for the OpenAPI document. */
  readonly words?: Words | undefined
  /** The largest JSON body; 32 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  /** Whether a body may also be an HTML form (`application/x-www-form-urlencoded`), read as an object of texts. */
  readonly forms?: boolean | undefined
  /**
   * Whether texts of 1400 characters and more are compressed for callers that accept gzip; bytes and streams never are.
   * `'always'` compresses every body, for services that promise so: they have texts only.
   * Not for a service that answers with lasting secrets beside text that others choose: how long the compressed answer is
   * tells them whether it repeats what they wrote.
   */
  readonly gzip?: boolean | 'always' | undefined
  /** Words an exception that is no fault, as a refusal; it is not reported then. */
  readonly foreseen?:
    | ((error: unknown) => Refused<string> | undefined | Promise<Refused<string> | undefined>)
    | undefined
  /**
   * Hears of every unforeseen error, with the opaque id that its caller was given; without one of what `onRequest` throws,
   * which no caller learns of.
   */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
  /** Makes the opaque ids of unforeseen errors. */
  readonly newId: () => string
  /** Hears of every request once its answer is made, of whatever kind: for access logs and metrics. */
  readonly onRequest?: ((record: RequestRecord, request: Request) => void) | undefined
  /** What `onRequest` hears of who asked: a name, never a secret. Nobody by default. */
  readonly callerOf?: ((context: Context) => string | undefined) | undefined
  /** The time that `onRequest` hears of; the system's by default. */
  readonly now?: (() => Instant) | undefined
}

/**
 * What a route table becomes: a fetch handler and its documentation.
 *
 * @public
 */
export interface HttpService<Context> {
  /** Answers a request; never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The table itself. */
  readonly routes: readonly Route<Context>[]
  /** The OpenAPI 3.1 document of the table. */
  readonly openapi: () => OpenApiDocument
  /** The help text: every endpoint at or below a path prefix. */
  readonly help: (prefix?: string) => string
  /** Spells a refusal as this service does, for responses made outside the table. */
  readonly refused: (refusal: Refusal) => Response
}
