import { isBytes } from '../../kernel/objects.ts'
import { foreignKind, isMap, isPlain } from './realms.ts'
import type { ScalarType, Shape, TextOrder } from './shape.ts'

/** The kind of a value for the operators: the declared kind if the value can have it, else the value's own. */
export type ValueKind = ScalarType | 'list' | 'map' | 'struct' | 'invalid' | 'other'

type Unwrapped = Exclude<Shape, { readonly type: 'pointer' | 'optional' }>

/** A pointer or optional is dereferenced. */
export function unwrap(shape: Shape): Unwrapped {
  let inner = shape
  while (inner.type === 'pointer' || inner.type === 'optional') inner = inner.of
  return inner
}

/** How the strings of a kind compare; `undefined` if they have no order. */
export function textOrderOf(declared: Shape): TextOrder | undefined {
  const shape = unwrap(declared)
  return 'order' in shape ? shape.order : undefined
}

export function kindOf(value: unknown, declared: Shape): ValueKind {
  const { type } = unwrap(declared)
  switch (typeof value) {
    case 'string':
      return type === 'time' || type === 'duration' ? type : 'string'
    case 'number':
      return isNumberKind(type) ? type : 'float64'
    case 'bigint':
      return isNumberKind(type) && !type.startsWith('float') ? type : 'int'
    case 'boolean':
      return 'bool'
  }
  if (value === null || value === undefined) {
    // A nil list or map is empty; a nil pointer or interface is absent.
    const isEmpty = type === 'list' || type === 'map' || type === 'bytes'
    return isEmpty && declared.type !== 'pointer' ? type : 'invalid'
  }
  if (typeof value !== 'object') return 'other'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Date) return 'time'
  if (value instanceof Map) return 'map'
  const foreign = foreignKind(value)
  if (foreign !== undefined && foreign !== 'plain') return foreign
  if (type === 'struct' || type === 'map') return type
  return foreign === 'plain' || isPlain(value) ? 'map' : 'struct'
}

const numberKinds: ReadonlySet<unknown> = new Set([
  'int',
  'uint',
  'float32',
  'float64',
  'unix-ms',
  'unix-ns',
  'duration',
] satisfies ScalarType[])

const isNumberKind = (type: Shape['type']): type is ScalarType => numberKinds.has(type)

export const isList = (value: unknown): value is readonly unknown[] | Uint8Array =>
  Array.isArray(value) || isBytes(value)

/** An own property, or `undefined`: properties of prototypes are never data. */
export const own = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined

/** The entry of a map under a key; a key whose value is `undefined` is not there. */
export function entry(map: unknown, key: string): unknown {
  if (!isMap(map)) return typeof map === 'object' && map !== null ? own(map, key) : undefined
  const found: unknown = map.get(key)
  return found === undefined && integerKey.test(key) ? map.get(Number(key)) : found
}

const integerKey = /^-?\d+$/

/** The keys of a map with their values, in the map's own order. */
export const entriesOf = (map: unknown): readonly (readonly [string, unknown])[] =>
  isMap(map)
    ? [...map].map(([key, value]) => [String(key), value])
    : Object.entries(map ?? {}).filter(([, value]) => value !== undefined)

/** Whether a map has no keys, in constant time. */
export function isEmptyMap(map: unknown): boolean {
  if (isMap(map)) return map.size === 0
  for (const key in map as object) if (own(map as object, key) !== undefined) return false
  return true
}

/** The name of a value's kind in messages: the declared one, if there is one. */
export function kindName(value: unknown, declared: Shape): string {
  const kind = kindOf(value, declared)
  const shape = unwrap(declared)
  const name = 'name' in shape && shape.type === kind ? shape.name : kind
  return name === 'float64' ? 'number' : name
}
