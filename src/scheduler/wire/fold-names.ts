import type { ZodType } from 'zod'
import { defOf } from './schema-def.ts'

/**
 * Spells the fields of a body as their schema does, whatever their case was, and leaves out those that are null
 * where the schema knows no null: clients of this service may send either. Keys of maps are data and stay.
 */
export function foldNames(schema: ZodType, value: unknown): unknown {
  return fold(schema, value)
}

function fold(schema: unknown, value: unknown): unknown {
  const def = defOf(schema)
  if (def === undefined || value === null || typeof value !== 'object') return value
  if (def.innerType !== undefined) return fold(def.innerType, value)
  if (def.type === 'array' && Array.isArray(value)) return value.map((item) => fold(def.element, item))
  if (Array.isArray(value)) return value
  if (def.type === 'record') return mapped(value, (_, item) => fold(def.valueType, item))
  const { shape } = def
  if (def.type !== 'object' || shape === undefined) return value
  const folded: Record<string, unknown> = Object.create(null)
  for (const [given, item] of Object.entries(value)) {
    const name = Object.hasOwn(shape, given) ? given : lowerNames(shape).get(given.toLowerCase())
    // Of two spellings of one field the exact one holds.
    if (name === undefined || (name !== given && Object.hasOwn(value, name))) continue
    if (item === null && !takesNull(shape[name])) continue
    folded[name] = fold(shape[name], item)
  }
  return folded
}

/** The names of a schema's fields by their lower case. */
function lowerNames(shape: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const known = lowered.get(shape)
  if (known !== undefined) return known
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]))
  lowered.set(shape, names)
  return names
}

const lowered = new WeakMap<object, ReadonlyMap<string, string>>()

const takesNull = (schema: unknown): boolean => {
  const def = defOf(schema)
  if (def === undefined) return false
  return def.type === 'nullable' || (def.innerType !== undefined && takesNull(def.innerType))
}

const mapped = (value: object, change: (key: string, item: unknown) => unknown): Record<string, unknown> => {
  const copy: Record<string, unknown> = Object.create(null)
  for (const [key, item] of Object.entries(value)) copy[key] = change(key, item)
  return copy
}
