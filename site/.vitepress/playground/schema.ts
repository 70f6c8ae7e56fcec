import { schemaOfFields } from '../../../src/filter/checking/schema-of-fields.ts'
import { describeFields, type FieldDescription, type FilterSchema } from '../../../src/filter/index.ts'

/** What a row looks like, for the engine and for completion. */
export interface RowSchema {
  readonly schema: FilterSchema
  readonly fields: readonly FieldDescription[]
}

/** Reads a schema as it was typed: a JSON Schema, or fields in the form of `describeFields`. */
export function readSchema(text: string): RowSchema {
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { schema: schemaOfFields(value), fields: value }
  if (!isRecord(value))
    throw new TypeError('a schema is a JSON Schema, or an array in the form of describeFields')
  const schema = schemaOfJsonSchema(value)
  return { schema, fields: describeFields(schema) }
}

/** What the rows themselves look like; values that recur are offered, but no other is refused. */
export function inferSchema(rows: readonly unknown[]): RowSchema {
  const texts = new Map<string, Set<string>>()
  const schema = schemaOfValues(rows, '', texts, 0)
  const fields = describeFields(schema).map((field) => {
    const known = texts.get(field.selector)
    const isFew = known !== undefined && known.size <= mostTexts && known.size < rows.length
    return isFew ? { ...field, texts: [...known].sort() } : field
  })
  return { schema, fields }
}

/** With more values than these a field is not one of a few words. */
const mostTexts = 20
const mostLevels = 5

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Def = { readonly type: string } & Readonly<Record<string, unknown>>
const made = (def: Def, kind?: string): FilterSchema =>
  ({ _zod: { output: undefined, def }, ...(kind && { meta: () => ({ kind }) }) }) as FilterSchema

const anything = made({ type: 'any' })
const scalar = (kind: string) => made({ type: 'any' }, kind)
const oneOf = (texts: readonly string[]) =>
  made({ type: 'enum', entries: Object.fromEntries(texts.map((text) => [text, text])) })
const list = (element: FilterSchema) => made({ type: 'array', element })
const map = (valueType: FilterSchema) => made({ type: 'record', keyType: scalar('string'), valueType })
const struct = (shape: Readonly<Record<string, FilterSchema>>) => made({ type: 'object', shape })
const optional = (innerType: FilterSchema) => made({ type: 'optional', innerType })

function schemaOfValues(
  values: readonly unknown[],
  path: string,
  texts: Map<string, Set<string>>,
  level: number,
): FilterSchema {
  const stated = values.filter((value) => value !== null && value !== undefined)
  const known = schemaOfStated(stated, path, texts, level)
  return stated.length < values.length ? optional(known) : known
}

function schemaOfStated(
  values: readonly unknown[],
  path: string,
  texts: Map<string, Set<string>>,
  level: number,
): FilterSchema {
  const [first] = values
  if (first === undefined || level > mostLevels) return anything
  const all = (test: (value: unknown) => boolean) => values.every(test)
  if (all((value) => typeof value === 'string')) {
    keepTexts(values, path, texts)
    return scalar('string')
  }
  if (all((value) => typeof value === 'number')) return scalar('float64')
  if (all((value) => typeof value === 'boolean')) return scalar('bool')
  if (all(Array.isArray)) return list(schemaOfValues((values as unknown[][]).flat(), path, texts, level + 1))
  if (!all(isRecord)) return anything
  const records = values as readonly Readonly<Record<string, unknown>>[]
  const names = new Set<string>()
  for (const record of records) for (const name of Object.keys(record)) names.add(name)
  // An object of so many names is a map whose keys are data.
  if (names.size > 200) return map(anything)
  const below = (name: string) => (path === '' ? name : `${path}.${name}`)
  return struct(
    Object.fromEntries(
      [...names].map((name) => [
        name,
        schemaOfValues(
          records.map((record) => (Object.hasOwn(record, name) ? record[name] : undefined)),
          below(name),
          texts,
          level + 1,
        ),
      ]),
    ),
  )
}

function keepTexts(values: readonly unknown[], path: string, texts: Map<string, Set<string>>): void {
  const known = texts.get(path) ?? new Set()
  for (const value of values) if (known.size <= mostTexts) known.add(String(value))
  texts.set(path, known)
}

type Json = Readonly<Record<string, unknown>>

function schemaOfJsonSchema(schema: Json): FilterSchema {
  const types = [schema['type'] ?? []].flat()
  const type = types.find((each) => each !== 'null')
  const known = schemaOfType(schema, type)
  return types.includes('null') ? optional(known) : known
}

function schemaOfType(schema: Json, type: unknown): FilterSchema {
  const { enum: texts, properties, additionalProperties, items, required, format } = schema
  if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return oneOf(texts)
  if (type === 'string') return scalar(format === 'date-time' ? 'time' : 'string')
  if (type === 'integer') return scalar('int')
  if (type === 'number') return scalar('float64')
  if (type === 'boolean') return scalar('bool')
  if (type === 'array') return list(isRecord(items) ? schemaOfJsonSchema(items) : anything)
  if (isRecord(properties)) {
    const needed = Array.isArray(required) ? required : []
    return struct(
      Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const known = isRecord(property) ? schemaOfJsonSchema(property) : anything
          return [name, needed.includes(name) ? known : optional(known)]
        }),
      ),
    )
  }
  if (type === 'object')
    return map(isRecord(additionalProperties) ? schemaOfJsonSchema(additionalProperties) : anything)
  return anything
}
