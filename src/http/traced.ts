import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from './fetch.ts'

/**
 * What {@link traced} uses of `@opentelemetry/api`: pass the module itself.
 */
export interface TracingApi<Context = unknown> {
  readonly trace: {
    readonly getTracer: (name: string) => TracingTracer<Context>
    readonly setSpan: (context: Context, span: never) => Context
  }
  readonly context: {
    readonly active: () => Context
    readonly with: <Result>(context: Context, work: () => Result) => Result
  }
  readonly propagation: {
    readonly extract: (context: Context, headers: Readonly<Record<string, string>>) => Context
  }
}

/** Starts spans. */
export interface TracingTracer<Context = unknown> {
  /** Starts the span of a request; kind 1 is a server. */
  startSpan(name: string, options: { readonly kind: 1 }, parent: Context): TracingSpan
}

/** A span. */
export interface TracingSpan {
  /** Names the span by its route, once it is known. */
  updateName(name: string): unknown
  /** Adds what is known about the request and its answer. */
  setAttributes(attributes: Readonly<Record<string, string | number>>): unknown
  /** Marks an answer of 500 and above; code 2 is an error. */
  setStatus(status: { readonly code: 2 }): unknown
  /** Ends the span. */
  end(): void
}

/**
 * Wraps a handler so that OpenTelemetry gets one span for each request, with its route and status. It is a child of the
 * caller's span (`traceparent`), and the parent of spans that a store or a hook starts meanwhile.
 *
 * @remarks
 * Names and attributes are those of the semantic conventions for HTTP servers: `GET /v1/jobs`, `http.route`,
 * `http.response.status_code`. Paths, queries and headers are left out, because they may contain names of secrets.
 * `@opentelemetry/api` is an optional peer: without `traced` nothing of it is loaded, and nothing is measured.
 *
 * @param api - the module: `import * as api from '@opentelemetry/api'`
 *
 * @example
 * ```ts
 * import * as api from '@opentelemetry/api'
 * import { traced } from 'plinth/http'
 * import { createRegistry } from 'plinth/registry'
 *
 * const registry = createRegistry()
 * const fetch = traced(registry.fetch, api)
 * const answer = await fetch(new Request('http://modules.test/v1/modules'))
 * answer.status // 200
 * await registry.close()
 * ```
 */
export function traced<Context>(fetch: FetchHandler, api: TracingApi<Context>): ServiceFetch {
  const { trace, context, propagation } = api
  const handler = exchangeHandlerOf(fetch)
  const tracer = trace.getTracer('plinth')
  return fetchOf(async (exchange) => {
    const carrier: Record<string, string> = {}
    for (const name of exchange.headerNames()) carrier[name] = exchange.header(name) ?? ''
    const { method } = exchange
    const parent = propagation.extract(context.active(), carrier)
    const span = tracer.startSpan(method, { kind: 1 }, parent)
    // The API takes spans of its own type only, which it just made.
    const within = trace.setSpan(parent, span as never)
    try {
      const answered = await context.with(within, () => handler(exchange))
      const { route } = exchange
      if (route !== undefined) {
        span.updateName(`${method} ${route}`)
        span.setAttributes({ 'http.route': route })
      }
      const { status } = answered
      span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status })
      if (status >= 500) span.setStatus({ code: 2 })
      return answered
    } catch (error) {
      span.setStatus({ code: 2 })
      throw error
    } finally {
      span.end()
    }
  })
}
