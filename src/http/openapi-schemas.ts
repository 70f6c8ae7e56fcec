import * as z from 'zod'

export type JsonObject = Readonly<Record<string, unknown>>

/** The direction of a schema: input, or output, where defaults are filled in. */
type Way = 'input' | 'output'

const suffixes: Readonly<Record<Way, string>> = { input: 'Input', output: 'Output' }

/** The schemas that many places of one document refer to. */
export interface SharedSchemas {
  /** A schema for one place of the document; named and recursive schemas are shared components. */
  readonly describe: (schema: z.ZodType, way: Way) => JsonObject
  /** The document's `components.schemas`; grows as places are described. */
  readonly schemas: Readonly<Record<string, unknown>>
}

/** Describes schemas for one document. Those with an `id` are shared under it. */
export function sharedSchemas(): SharedSchemas {
  const schemas: Record<string, unknown> = {}

  /** The name of each definition, by its title and content before its references are moved. */
  const names = new Map<string, string>()

  /** Input and output of one name may differ: the second gets a suffix. */
  const nameOf = (id: string, definition: JsonObject, way: Way): string => {
    const known = `${id} ${JSON.stringify(definition)}`
    const wanted = id.startsWith('__') ? `Shared${names.size}` : id
    const name = names.get(known) ?? (Object.hasOwn(schemas, wanted) ? `${wanted}${suffixes[way]}` : wanted)
    names.set(known, name)
    schemas[name] ??= {}
    return name
  }

  /** A cache: most schemas occur in many places, that of errors everywhere. */
  const described: Readonly<Record<Way, Map<z.ZodType, JsonObject>>> = { input: new Map(), output: new Map() }

  const describe = (schema: z.ZodType, way: Way): JsonObject => {
    const known = described[way].get(schema) ?? convert(schema, way)
    described[way].set(schema, known)
    return known
  }

  const convert = (schema: z.ZodType, way: Way): JsonObject => {
    const { $schema: _dialect, $defs = {}, ...rest } = jsonSchema(schema, way)
    const moves = new Map<string, JsonObject>()
    for (const [id, definition] of Object.entries($defs)) {
      const name = isAnyJson(definition) ? undefined : nameOf(id, definition, way)
      moves.set(`#/$defs/${id}`, name === undefined ? {} : { $ref: `#/components/schemas/${name}` })
    }
    for (const [id, definition] of Object.entries($defs))
      if (!isAnyJson(definition)) schemas[nameOf(id, definition, way)] = moved(definition, moves)
    return moved(rest, moves) as JsonObject // an object in, an object out
  }
  return { describe, schemas }
}

/**
 * Removes parts that mislead readers of the document: keywords for filters only, and defaults of inputs, which client
 * generators treat as required. Outputs keep them.
 */
const jsonSchema = (schema: z.ZodType, way: Way) =>
  z.toJSONSchema(schema, {
    io: way,
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => {
      Reflect.deleteProperty(made, 'kind')
      if (way === 'input') Reflect.deleteProperty(made, 'default')
    },
  })

/** A definition without the name that the conversion gave it for self-references. */
const anonymous = ({ $schema: _, ...definition }: JsonObject): string =>
  JSON.stringify(definition).replace(/#\/\$defs\/__schema\d+/g, '#')

const anyJson = anonymous(z.toJSONSchema(z.json()))

/** Any JSON is expressed by an empty schema: client generators fail on one that only refers to itself. */
const isAnyJson = (definition: JsonObject): boolean => anonymous(definition) === anyJson

/** The same schema, with references to its own definitions changed to the shared ones. */
function moved(value: unknown, moves: ReadonlyMap<string, JsonObject>): unknown {
  if (Array.isArray(value)) return value.map((item) => moved(item, moves))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as JsonObject // neither a list nor null => an object
  const inner = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, moved(item, moves)]))
  return $ref === undefined ? inner : { ...(moves.get(String($ref)) ?? { $ref }), ...inner }
}
