import { type Refused, refuse } from '../kernel/index.ts'
import { type BufferedBytes, emptyBody, readJson } from './body.ts'
import type { Call } from './call.ts'
import { describeIssues } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'
import type { RequestPart, Route, Schema } from './route.ts'
import type { ServiceSpec } from './service-spec.ts'

const maxJsonBytes = 32 * 1024 * 1024

/**
 * Runs a request with its route and its caller: parses path and query, authorises, reads and parses the body, and calls
 * the route.
 */
export function routeCaller<Context, Code extends string, State>(
  spec: ServiceSpec<Context, Code, State>,
  budget: BufferedBytes,
) {
  const { maxBodyBytes = maxJsonBytes } = spec

  const read = partReader(spec)
  return async (
    route: Route<Context>,
    captured: Readonly<Record<string, string>>,
    context: Context,
    exchange: Exchange<State>,
  ): Promise<Reply | Refused<string>> => {
    const params = read('params', route.params, captured, route)
    if ('refusal' in params) return params
    const query = read('query', route.query, exchange.query(), route)
    if ('refusal' in query) return query
    const call: Call<Context, unknown, unknown> = {
      context,
      exchange,
      params: params.value,
      query: query.value,
    }
    const problem = await route.before?.(call)
    if (problem) return problem
    const { method, maxBodyBytes: limit = maxBodyBytes } = exchange
    const received =
      route.streams || method === 'GET' || method === 'HEAD'
        ? emptyBody
        : await readJson(exchange, Math.min(limit, spec.bodyLimit?.(route) ?? limit), budget, spec)
    if ('refusal' in received) return received
    try {
      const { json, text } = received
      const whole =
        spec.afterBody || spec.afterReply
          ? { route, context, exchange, params: captured, query: exchange.query(), json }
          : undefined
      const late = whole && (await spec.afterBody?.(whole))
      if (late) return late
      const body = read('body', route.body, json, route)
      if ('refusal' in body) return body
      const reply = await route.handle({
        context,
        exchange,
        params: params.value,
        query: query.value,
        body: body.value,
        text,
      })
      if (whole === undefined || spec.afterReply === undefined || 'refusal' in reply) return reply
      return await spec.afterReply(reply, whole)
    } finally {
      budget.held -= received.reserved
    }
  }
}

/** Parses a part of a request by its schema, if it has one. */
const partReader =
  <Context, Code extends string, State>(spec: ServiceSpec<Context, Code, State>) =>
  (
    part: RequestPart,
    schema: Schema | undefined,
    input: unknown,
    route: Route<Context>,
  ): { readonly value: unknown } | Refused<string> => {
    const result = schema?.safeParse(input)
    if (result === undefined) return { value: input }
    if (result.success) return { value: result.data }
    return (
      spec.invalid?.(part, result.error, route) ??
      refuse(`invalid_${part}`, `invalid ${partName[part]}: ${describeIssues(result.error)}`)
    )
  }

const partName: Readonly<Record<RequestPart, string>> = { params: 'path', query: 'query', body: 'body' }
