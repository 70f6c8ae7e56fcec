import type { ZodType } from 'zod'
import { defOf } from './schema-def.ts'

/**
 * Renames the fields of a body to the spelling of their schema, case-insensitively, and removes nulls where the schema
 * does not allow null: clients may send either. Keys of maps are data and stay unchanged.
 */
export const foldNames = (schema: ZodType, value: unknown): unknown => fold(schema, value)

function fold(schema: unknown, value: unknown): unknown {
  const def = defOf(schema)
  if (def === undefined || value === null || typeof value !== 'object') return value
  if (def.innerType !== undefined) return fold(def.innerType, value)
  if (def.type === 'array' && Array.isArray(value)) return foldItems(def.element, value)
  if (Array.isArray(value)) return value
  if (def.type === 'record') return foldMap(def.valueType, value)
  return def.type === 'object' && def.shape !== undefined ? foldFields(def.shape, value) : value
}

/** Most bodies have the schema's spelling: these are returned without copying. */
function foldFields(shape: Readonly<Record<string, unknown>>, value: object): object {
  const folded: Record<string, unknown> = {}
  let isSame = true
  for (const [given, item] of Object.entries(value)) {
    const name = Object.hasOwn(shape, given) ? given : lowerNames(shape).get(given.toLowerCase())
    // Of two spellings of one field the exact one wins. Unknown fields are ignored.
    if (name === undefined || (name !== given && Object.hasOwn(value, name))) continue
    if (item === null && !takesNull(shape[name])) {
      isSame = false
      continue
    }
    const read = fold(shape[name], item)
    folded[name] = read
    isSame &&= name === given && read === item
  }
  return isSame ? value : folded
}

function foldItems(element: unknown, items: readonly unknown[]): readonly unknown[] {
  const folded = items.map((item) => fold(element, item))
  return folded.every((item, at) => item === items[at]) ? items : folded
}

function foldMap(valueType: unknown, value: object): object {
  // Its keys can be anything, `__proto__` included.
  const folded: Record<string, unknown> = Object.create(null)
  let isSame = true
  for (const [key, item] of Object.entries(value)) {
    folded[key] = fold(valueType, item)
    isSame &&= folded[key] === item
  }
  return isSame ? value : folded
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
