import type * as z from 'zod'
import { ownValue } from '../kernel/objects.ts'
import type { Method } from './call.ts'
import { askedOf, type OpenApiEdge } from './openapi-edge.ts'
import { responses } from './openapi-responses.ts'
import { type JsonObject, type SharedSchemas, sharedSchemas } from './openapi-schemas.ts'
import type { Route } from './route.ts'

/**
 * An OpenAPI 3.1 document, as plain JSON.
 */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    /** Schemas with a name, and those that others refer to or that refer to themselves. */
    readonly schemas: Readonly<Record<string, unknown>>
    /** The authentication schemes. */
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

/**
 * Describes a route table as OpenAPI 3.1: the same schemas that parse requests document them.
 *
 * @remarks
 * OpenAPI has no `LIST` method: such a route is described as `GET` with `?list=true`. It also does not distinguish
 * paths by the names of their parameters, and has no parameters with slashes: if a path could be either, only the one
 * without slashes is described.
 */
export function openapi<Context>(
  title: string,
  description: string,
  routes: readonly Route<Context>[],
  edge: OpenApiEdge<Context> = {},
): OpenApiDocument {
  const shared = sharedSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { path, operations } of shapesOf(routes)) {
    const item: Record<string, unknown> = {}
    for (const [method, { entry, list }] of operations)
      item[method.toLowerCase()] = operation({ path, method, entry, list, edge, shared })
    paths[path] = item
  }
  const { schemas } = shared
  const securitySchemes = edge.credentials?.schemes ?? {}
  return {
    openapi: '3.1.0',
    info: { title, description, version: '1' },
    paths,
    components: { schemas, securitySchemes },
  }
}

/** A route's path in OpenAPI syntax: `/box/{username}/{name}`. */
export const templated = (path: string): string => path.replace(/[:*](\w+)/g, '{$1}')

/** Paths that are equal for OpenAPI, with their operations. */
interface Shape<Context> {
  path: string
  readonly operations: Map<Method, Shared<Context>>
}

/** The routes that share one method of a path: a listing is the `GET` beside, or instead of, a read. */
interface Shared<Context> {
  readonly entry: Route<Context>
  readonly list: Route<Context> | undefined
}

function shapesOf<Context>(routes: readonly Route<Context>[]): Iterable<Shape<Context>> {
  const shapes = new Map<string, Shape<Context>>()
  for (const entry of routes) {
    const path = templated(entry.path) || '/'
    const key = path.replace(/\{\w+\}/g, '{}')
    const shape = shapes.get(key) ?? { path, operations: new Map() }
    shapes.set(key, shape)
    for (const named of entry.methods) {
      // A scan is described with its list: OpenAPI has one `GET` for each path.
      if (named === 'SCAN') continue
      const method = named === 'LIST' ? 'GET' : named
      const there = shape.operations.get(method)
      const read = there?.entry.methods.includes('LIST') ? undefined : there?.entry
      if (named === 'LIST') shape.operations.set(method, { entry: read ?? entry, list: entry })
      else if (read === undefined || (isTail(read) && !isTail(entry))) {
        shape.operations.set(method, { entry, list: there?.list })
        if (!isTail(entry)) shape.path = path
      }
    }
  }
  return shapes.values()
}

/** Whether a route's path ends in a tail, which may contain slashes. */
const isTail = ({ path }: { readonly path: string }): boolean => path.includes('*')

/** One operation of the document, with the information to describe it. */
interface Telling<Context> extends Shared<Context> {
  readonly path: string
  readonly method: Method
  readonly edge: OpenApiEdge<Context>
  readonly shared: SharedSchemas
}

function operation<Context>(telling: Telling<Context>): JsonObject {
  const { method, entry, list, shared } = telling
  const primary = entry.methods[0] === method || entry === list
  const { description, access } = entry
  return {
    operationId: primary ? entry.id : `${entry.id}.${method.toLowerCase()}`,
    tags: [entry.id.split('.')[0]],
    summary: list === undefined || list === entry ? entry.summary : `${entry.summary}; ${list.summary}`,
    ...(description === undefined ? {} : { description }),
    ...(access === undefined ? {} : { 'x-access': access }),
    ...security(telling),
    parameters: [
      ...pathParameters(telling),
      ...queryParameters(entry.query, shared),
      ...(list === undefined || list.methods.includes('GET') ? [] : [listParameter(list === entry)]),
    ],
    ...(method === 'GET' || method === 'HEAD' ? {} : requestBody(entry, shared)),
    responses: responses(telling),
  }
}

/** A listing shares its path's `GET` with a read: the parameter `list` chooses between them. */
const listParameter = (only: boolean): JsonObject => ({
  name: 'list',
  in: 'query',
  required: only,
  description: only ? 'true for a listing' : 'true to list instead of read',
  schema: only ? { const: 'true' } : { enum: ['true', 'false'] },
})

/** Any one of the schemes is sufficient; none if authentication is optional. */
function security<Context>({ entry, edge: { credentials } }: Telling<Context>): JsonObject {
  if (credentials === undefined) return { security: [] }
  const asked = askedOf(credentials, entry)
  const any = Object.keys(credentials.schemes).map((name) => ({ [name]: [] }))
  return { security: asked === 'never' ? [] : asked === 'always' ? any : [{}, ...any] }
}

/** Captures, under the names that the shape of the path has for them. */
function pathParameters<Context>({ path, entry, shared }: Telling<Context>): readonly JsonObject[] {
  const own = [...entry.path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const described = entry.params && shared.describe(entry.params, 'input')['properties']
  return names.map((name, at) => ({
    name,
    in: 'path',
    required: true,
    schema: propertyOf(described, own[at] ?? name) ?? { type: 'string' },
  }))
}

function queryParameters(query: z.ZodType | undefined, shared: SharedSchemas): readonly JsonObject[] {
  if (!query) return []
  const schema = shared.describe(query, 'input')
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return propertiesOf(schema).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }))
}

function requestBody<Context>(
  { body, accepts, takes = 'application/json', streams }: Route<Context>,
  shared: SharedSchemas,
): JsonObject {
  if (streams) return { requestBody: { required: true, content: { 'application/octet-stream': {} } } }
  const schema = accepts ?? body
  if (!schema) return {}
  const required = !schema.safeParse(undefined).success
  const content = { [takes]: { schema: shared.describe(schema, 'input') } }
  return { requestBody: { required, content } }
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

/** The properties of the schema of an object, by name. */
export const propertiesOf = ({ properties }: JsonObject): readonly (readonly [string, JsonObject])[] =>
  isObject(properties)
    ? Object.entries(properties).map(([name, property]) => [name, isObject(property) ? property : {}])
    : []

const propertyOf = (properties: unknown, name: string): unknown =>
  isObject(properties) ? ownValue(properties, name) : undefined
