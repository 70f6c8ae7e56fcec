import * as z from 'zod'
import type { Route } from './route.ts'

/**
 * An OpenAPI 3.1 document, as plain JSON.
 *
 * @public
 */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Schemas that others refer to, because they refer to themselves. */
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Describes a route table as OpenAPI 3.1: the same schemas that parse requests document them.
 *
 * @remarks
 * OpenAPI knows no `LIST` method: such a route is described as its twin, `GET` with `?list=true`.
 *
 * @param prefix - taken off the front of every path, for a document about one part of a service
 *
 * @public
 */
export function openapi<Context>(
  title: string,
  description: string,
  routes: readonly Route<Context>[],
  prefix = '',
): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas: Record<string, unknown> = {}
  for (const entry of routes) {
    const path = templated(entry.path.slice(prefix.length)) || '/'
    paths[path] ??= {}
    const item = paths[path]
    for (const method of entry.methods) {
      if (method === 'LIST') item['get'] = listing(entry, item['get'], schemas)
      else item[method.toLowerCase()] = operation(entry, method, schemas)
    }
  }
  return { openapi: '3.1.0', info: { title, description, version: '1' }, paths, components: { schemas } }
}

/** A route's path as OpenAPI and people write it: `/box/{username}/{name}`. */
export const templated = (path: string): string => path.replace(/:(\w+)/g, '{$1}').replace(/\*(\w+)/g, '{$1}')

function operation<Context>(entry: Route<Context>, method: string, shared: Shared): JsonObject {
  const primary = entry.methods[0] === method
  return {
    operationId: primary ? entry.id : `${entry.id}.${method.toLowerCase()}`,
    summary: entry.summary,
    ...(entry.description === undefined ? {} : { description: entry.description }),
    ...(entry.access === undefined ? {} : { 'x-access': entry.access }),
    parameters: [...pathParameters(entry, shared), ...queryParameters(entry.query, shared)],
    ...(method === 'GET' || method === 'HEAD' || method === 'LIST' ? {} : requestBody(entry, shared)),
    responses: {
      [String(entry.success)]: {
        description: 'success',
        ...(entry.reply
          ? { content: { 'application/json': { schema: jsonSchema(entry.reply, 'output', shared) } } }
          : {}),
      },
      default: {
        description: entry.refusals.length > 0 ? `refused: ${entry.refusals.join(', ')}` : 'refused',
      },
    },
  }
}

/** A listing shares its path's GET with a read: the parameter `list` chooses between them. */
function listing<Context>(entry: Route<Context>, read: unknown, shared: Shared): JsonObject {
  const list = {
    name: 'list',
    in: 'query',
    description: 'true lists instead of reading',
    schema: { type: 'boolean' },
  }
  const base =
    typeof read === 'object' && read !== null ? (read as JsonObject) : operation(entry, 'LIST', shared)
  const parameters = Array.isArray(base['parameters']) ? base['parameters'] : []
  return { ...base, parameters: [...parameters, list] }
}

function pathParameters<Context>(entry: Route<Context>, shared: Shared): readonly JsonObject[] {
  const names = [...entry.path.matchAll(/[:*](\w+)/g)].map((match) => match[1])
  const described = entry.params ? jsonSchema(entry.params, 'input', shared)['properties'] : undefined
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: propertyOf(described, name ?? '') ?? { type: 'string' },
  }))
}

function queryParameters(query: z.ZodType | undefined, shared: Shared): readonly JsonObject[] {
  if (!query) return []
  const schema = jsonSchema(query, 'input', shared)
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const properties = schema['properties']
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }))
}

const requestBody = <Context>({ body, streams }: Route<Context>, shared: Shared): JsonObject => {
  if (streams) {
    const schema = { type: 'string', format: 'binary' }
    return { requestBody: { content: { 'application/octet-stream': { schema } } } }
  }
  if (!body) return {}
  return { requestBody: { content: { 'application/json': { schema: jsonSchema(body, 'input', shared) } } } }
}

const propertyOf = (properties: unknown, name: string): unknown =>
  typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)
    ? (properties as JsonObject)[name]
    : undefined

/** The document's `components.schemas`, filled while its operations are described. */
type Shared = Record<string, unknown>

/** A schema for one place of the document; what it defines for itself moves to the shared schemas. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', shared: Shared): JsonObject {
  const { $schema: _dialect, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  if ($defs === undefined) return rest
  const names = new Map(
    Object.keys($defs).map((name, index) => [name, `shared${Object.keys(shared).length + index}`]),
  )
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const name = key === '$ref' ? names.get(String(inner).replace('#/$defs/', '')) : undefined
        return [key, name === undefined ? moved(inner) : `#/components/schemas/${name}`]
      }),
    )
  }
  for (const [name, definition] of Object.entries($defs)) shared[names.get(name) ?? name] = moved(definition)
  return moved(rest) as JsonObject // an object in, an object out
}
