import type * as z from 'zod'
import { type EdgeCode, edgeStatus } from './errors.ts'
import { askedOf, type OpenApiEdge } from './openapi-edge.ts'
import type { JsonObject, SharedSchemas } from './openapi-schemas.ts'
import type { Route } from './route.ts'

/** One possible answer of an operation. */
interface Answer {
  readonly status: number | 'default'
  readonly description: string
  readonly headers?: JsonObject
  /** The schema of its body; missing if it has none. */
  readonly body?: { readonly type: string; readonly schema: JsonObject } | undefined
}

/** All possible answers of an operation, by status. */
export function responses<Context>({
  entry,
  list,
  edge,
  shared,
}: {
  readonly entry: Route<Context>
  readonly list: Route<Context> | undefined
  readonly edge: OpenApiEdge<Context>
  readonly shared: SharedSchemas
}): JsonObject {
  const routes = list === undefined || list === entry ? [entry] : [entry, list]
  const all: readonly Answer[] = [
    ...routes.flatMap((route) => successes(route, edge, shared)),
    ...refusals(routes, edge, shared, entry === list && !entry.methods.includes('GET')),
  ]
  const statuses = [...new Set(all.map(({ status }) => status))]
  return Object.fromEntries(
    statuses.map((status) => [status, together(all.filter((answer) => answer.status === status))]),
  )
}

/** The response for one status, which may have several variants. */
function together(answers: readonly Answer[]): JsonObject {
  const description = [...new Set(answers.map((answer) => answer.description))].join('; or ')
  const headers = Object.assign({}, ...answers.map((answer) => answer.headers))
  const bodies = answers.flatMap(({ body }) => (body ? [body] : []))
  const content = Object.fromEntries(
    bodies.map(({ type }) => {
      const schemas = bodies.filter((body) => body.type === type).map(({ schema }) => schema)
      return [type, { schema: eitherOf(schemas) }]
    }),
  )
  return {
    description,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(bodies.length > 0 ? { content } : {}),
  }
}

/** A schema that accepts everything that one of several schemas accepts. */
function eitherOf(schemas: readonly JsonObject[]): JsonObject {
  const [only = {}, ...more] = new Set(schemas)
  return more.length > 0 ? { anyOf: [only, ...more] } : only
}

function successes<Context>(
  entry: Route<Context>,
  { words }: OpenApiEdge<Context>,
  shared: SharedSchemas,
): readonly Answer[] {
  const headers = Object.entries(entry.emits).map(([suffix, description]) => [
    words ? `X-${words.canonical}-${suffix}` : suffix,
    { description, schema: { type: 'string' } },
  ])
  return [
    {
      status: entry.success,
      description: 'success',
      headers: Object.fromEntries(headers),
      body: bodyOf(entry.reply, entry.sends, shared),
    },
    ...Object.entries(entry.also).map(([status, { description, reply, sends }]) => ({
      status: Number(status),
      description,
      body: bodyOf(reply, sends, shared),
    })),
  ]
}

const bodyOf = (
  reply: z.ZodType | undefined,
  sends: string | undefined,
  shared: SharedSchemas,
): Answer['body'] => {
  if (reply === undefined && sends === undefined) return undefined
  return { type: sends ?? 'application/json', schema: reply ? shared.describe(reply, 'output') : {} }
}

/** The refusals, and a default response for failures. */
function refusals<Context>(
  routes: readonly Route<Context>[],
  edge: OpenApiEdge<Context>,
  shared: SharedSchemas,
  listsOnly: boolean,
): readonly Answer[] {
  const body = errorBody(edge, shared)
  const codes = new Set(
    routes.flatMap((entry) => [
      ...(askedOf(edge.credentials, entry) === 'never' ? [] : (edge.credentials?.refusals ?? [])),
      ...entry.refusals,
      ...edgeCodes(entry),
      ...(listsOnly ? (['method_not_allowed'] as const) : []),
    ]),
  )
  // A route may define an error status itself; the edge may return the same status.
  const own = routes.flatMap(({ also }) => Object.keys(also).map(Number))
  const byStatus = new Map<number, readonly string[]>(
    own.filter((status) => status >= 400).map((status) => [status, []]),
  )
  for (const code of codes) {
    const status = edge.statusOf?.[code] ?? usual[code]
    if (status !== undefined) byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return [
    ...[...byStatus].map(([status, refused]) => ({
      status,
      description: refused.length > 0 ? `refused: ${refused.join(', ')}` : 'refused, or failed',
      body,
    })),
    { status: 'default', description: 'refused, or failed', body },
  ]
}

const usual: Readonly<Record<string, number | undefined>> = edgeStatus

/** The refusals of the edge before the checks of a route. */
const edgeCodes = <Context>({ params, query, body, accepts }: Route<Context>): readonly EdgeCode[] => [
  ...(params ? (['invalid_params'] as const) : []),
  ...(query ? (['invalid_query'] as const) : []),
  ...(body ? (['invalid_body'] as const) : []),
  ...(body || accepts ? (['body_not_json', 'body_too_large', 'too_many_values'] as const) : []),
]

function errorBody<Context>({ dialect }: OpenApiEdge<Context>, shared: SharedSchemas): Answer['body'] {
  if (dialect === undefined) return undefined
  const { type = 'text/plain' } = dialect({ code: 'internal', message: 'as an example' }, 500)
  const schema = dialect.schema ? shared.describe(dialect.schema, 'output') : { type: 'string' }
  return { type: type.split(';', 1)[0] ?? type, schema }
}
