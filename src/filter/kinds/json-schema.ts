import { definition } from './definition.ts'
import type { FilterSchema } from './schema.ts'

/**
 * A schema that can write itself as JSON Schema, by the Standard Schema interface: one of arktype, of zod, or of valibot's
 * `toStandardJsonSchema`.
 */
export interface StandardJsonSchema<Output = unknown> {
  readonly '~standard': {
    readonly types?: { readonly output: Output } | undefined
    readonly jsonSchema: { readonly output: (options: { readonly target: 'draft-2020-12' }) => object }
  }
}

/**
 * Reads a JSON Schema as the schema of a row: a schema of TypeBox, a component of an OpenAPI document, or what another
 * library writes.
 *
 * Properties that are not `required` are optional, and properties that are not listed do not exist, unless
 * `additionalProperties` allows them. A string with the format `date-time` is a time; `kind` names a kind that JSON Schema
 * does not have, as in `{ type: 'string', kind: 'duration' }`. What only validates (`minimum`, `pattern`, `if`) is ignored.
 *
 * @param schema - the schema, or a document with `$ref`s such as `{ $ref: '#/components/schemas/Job', components }`
 * @throws TypeError when the schema is used and a `$ref` leads nowhere, to another document, or back to itself
 *
 * @example
 * ```ts
 * import { check, jsonSchema } from 'plinth/filter'
 *
 * const Job = jsonSchema({
 *   type: 'object',
 *   properties: { Status: { enum: ['running', 'dead'] }, Priority: { type: 'integer' } },
 *   required: ['Status', 'Priority'],
 * })
 * check('Status == "runing"', Job)[0]?.suggestion // '"running"'
 * ```
 */
export function jsonSchema<Output>(schema: StandardJsonSchema<Output>): FilterSchema<Output>
export function jsonSchema<T = unknown>(schema: object): FilterSchema<T>
export function jsonSchema<T>(schema: object): FilterSchema<T> {
  const document = isStandard(schema)
    ? schema['~standard'].jsonSchema.output({ target: 'draft-2020-12' })
    : schema
  return new Reader(document).read(document) as FilterSchema<T>
}

// arktype's schemas are functions.
const isStandard = (schema: object): schema is StandardJsonSchema =>
  '~standard' in schema && Object.hasOwn(Object(schema['~standard']), 'jsonSchema')

type Keywords = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Keywords =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Writes the definitions of zod, which is what `shapeOfSchema` reads. */
class Reader {
  readonly #document: object
  readonly #known = new Map<string, FilterSchema>()

  constructor(document: object) {
    this.#document = document
  }

  read(schema: unknown): FilterSchema {
    if (!isObject(schema)) return definition({ type: 'any' })
    const read = this.#notNull(schema)
    const isNullable =
      schema['nullable'] === true || (Array.isArray(schema['type']) && schema['type'].includes('null'))
    return isNullable ? definition({ type: 'nullable', innerType: read }) : read
  }

  #notNull(schema: Keywords): FilterSchema {
    const { $ref: ref, kind, type, enum: values } = schema
    if (typeof ref === 'string') return this.#referred(ref)
    if (typeof kind === 'string') return definition({ type: 'any' }, kind)
    if (Array.isArray(values)) return definition({ type: 'literal', values })
    if ('const' in schema) return definition({ type: 'literal', values: [schema['const']] })
    const options = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
    if (options.length > 0)
      return definition({ type: 'union', options: options.map((option) => this.read(option)) })
    if (Array.isArray(schema['allOf'])) return this.#together(schema['allOf'], schema)
    if (!Array.isArray(type)) return this.#typed(schema, type)
    const types = type.filter((each) => each !== 'null')
    return definition({ type: 'union', options: types.map((each) => this.#typed(schema, each)) })
  }

  #typed(schema: Keywords, type: unknown): FilterSchema {
    const { format, items, prefixItems, properties } = schema
    if (type === 'string')
      return definition({ type: 'string', format: format === 'date-time' ? 'datetime' : undefined })
    if (type === 'integer') return definition({ type: 'number', format: 'safeint' })
    if (type === 'number' || type === 'boolean' || type === 'null') return definition({ type })
    if (prefixItems !== undefined) return definition({ type: 'tuple' })
    if (type === 'array' || items !== undefined)
      return definition({ type: 'array', element: this.read(items) })
    return type === 'object' || properties !== undefined ? this.#object(schema) : definition({ type: 'any' })
  }

  #object({ properties, required, additionalProperties: others, patternProperties }: Keywords): FilterSchema {
    if (!isObject(properties)) {
      const [ofPattern] = isObject(patternProperties) ? Object.values(patternProperties) : []
      const valueType = this.read(isObject(others) ? others : ofPattern)
      return definition({ type: 'record', keyType: definition({ type: 'string' }), valueType })
    }
    const always = new Set(listOf(required))
    const fields = Object.entries(properties).map(([name, property]): [string, FilterSchema] => {
      const read = this.read(property)
      return [name, always.has(name) ? read : definition({ type: 'optional', innerType: read })]
    })
    const isOpen = others === true || isObject(others)
    return definition({
      type: 'object',
      shape: Object.fromEntries(fields),
      catchall: definition({ type: isOpen ? 'any' : 'never' }),
    })
  }

  #together(parts: readonly unknown[], { allOf: _, ...rest }: Keywords): FilterSchema {
    const all = 'properties' in rest ? [...parts, rest] : parts
    return all
      .map((part) => this.read(part))
      .reduce((left, right) => definition({ type: 'intersection', left, right }))
  }

  /** Read when it is needed, since a schema may contain itself. */
  #referred(ref: string): FilterSchema {
    const known = this.#known.get(ref)
    if (known !== undefined) return known
    const read = definition({ type: 'lazy', getter: () => this.read(this.#resolved(ref)) })
    this.#known.set(ref, read)
    return read
  }

  #resolved(first: string): unknown {
    const seen = new Set<string>()
    let ref = first
    for (;;) {
      if (seen.has(ref)) throw new TypeError(`the $ref ${JSON.stringify(first)} leads back to itself`)
      seen.add(ref)
      const found = this.#at(ref)
      if (!isObject(found) || typeof found['$ref'] !== 'string') return found
      ref = found['$ref']
    }
  }

  #at(ref: string): unknown {
    if (!/^#(?:\/|$)/.test(ref))
      throw new TypeError(
        `the $ref ${JSON.stringify(ref)} is of another document: bundle the schema into one`,
      )
    let found: unknown = this.#document
    for (const part of ref.split('/').slice(1)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      found = Object.hasOwn(Object(found), key) ? Reflect.get(Object(found), key) : undefined
      if (found === undefined) throw new TypeError(`the $ref ${JSON.stringify(ref)} leads to no schema`)
    }
    return found
  }
}
