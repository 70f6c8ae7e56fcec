import * as z from 'zod'

export type JsonObject = Readonly<Record<string, unknown>>

/** Which way a schema is looked at: what may be sent, or what is answered, where defaults are filled in. */
type Way = 'input' | 'output'

const suffixes: Readonly<Record<Way, string>> = { input: 'Input', output: 'Output' }

/** The schemas that many places of one document refer to. */
export interface SharedSchemas {
  /** A schema for one place of the document; what has a name, or refers to itself, stands among the shared ones. */
  readonly describe: (schema: z.ZodType, way: Way) => JsonObject
  /** The document's `components.schemas`; grows as places are described. */
  readonly schemas: Readonly<Record<string, unknown>>
}

/** Describes schemas for one document. Those with an `id` are shared under it. */
export function sharedSchemas(): SharedSchemas {
  const schemas: Record<string, unknown> = {}

  /** The name of each definition, by what it is called and looks like before its references are moved. */
  const names = new Map<string, string>()

  /** What is sent may look different from what is answered: the second of one name says which it is. */
  const nameOf = (id: string, definition: unknown, way: Way): string => {
    const known = `${id} ${JSON.stringify(definition)}`
    const wanted = id.startsWith('__') ? `Shared${names.size}` : id
    const name = names.get(known) ?? (Object.hasOwn(schemas, wanted) ? `${wanted}${suffixes[way]}` : wanted)
    names.set(known, name)
    schemas[name] ??= {}
    return name
  }

  const describe = (schema: z.ZodType, way: Way): JsonObject => {
    const {
      $schema: _dialect,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, {
      io: way,
      unrepresentable: 'any',
      override: withoutKind,
    })
    if ($defs === undefined) return rest
    const moves = new Map(
      Object.entries($defs).map(([id, definition]) => [`#/$defs/${id}`, nameOf(id, definition, way)]),
    )
    for (const [id, definition] of Object.entries($defs))
      schemas[moves.get(`#/$defs/${id}`) ?? id] = moved(definition, moves)
    return moved(rest, moves) as JsonObject // an object in, an object out
  }
  return { describe, schemas }
}

/** Leaves out what a schema says to filters alone: JSON Schema has no such word. */
const withoutKind = ({ jsonSchema }: { readonly jsonSchema: object }) => {
  Reflect.deleteProperty(jsonSchema, 'kind')
}

/** The same schema, whose references to definitions of its own lead to the shared ones. */
function moved(value: unknown, moves: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => moved(item, moves))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = key === '$ref' ? moves.get(String(inner)) : undefined
      return [key, name === undefined ? moved(inner, moves) : `#/components/schemas/${name}`]
    }),
  )
}
