import type { ScalarType, Shape } from './shape.ts'

/** What a value is to the operators: the declared kind where the value can be of it, else the value's own. */
export type ValueKind = ScalarType | 'list' | 'map' | 'struct' | 'invalid' | 'other'

type Unwrapped = Exclude<Shape, { readonly type: 'pointer' | 'optional' }>

/** A pointer or optional is looked through. */
export function unwrap(shape: Shape): Unwrapped {
  let inner = shape
  while (inner.type === 'pointer' || inner.type === 'optional') inner = inner.of
  return inner
}

export function kindOf(value: unknown, declared: Shape): ValueKind {
  const shape = unwrap(declared)
  switch (typeof value) {
    case 'string':
      return shape.type === 'time' || shape.type === 'duration' ? shape.type : 'string'
    case 'number':
      return numberKinds.has(shape.type) ? (shape.type as ScalarType) : 'float64' // the set holds scalars only
    case 'bigint':
      return numberKinds.has(shape.type) && !shape.type.startsWith('float')
        ? (shape.type as ScalarType)
        : 'int'
    case 'boolean':
      return 'bool'
    case 'object':
    case 'undefined':
      break
    default:
      return 'other'
  }
  if (value === null || value === undefined) {
    // A nil list or map is an empty one; a nil pointer or interface is nothing at all.
    if (declared.type === 'pointer') return 'invalid'
    return shape.type === 'list' || shape.type === 'map' || shape.type === 'bytes' ? shape.type : 'invalid'
  }
  if (Array.isArray(value)) return 'list'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Date) return 'time'
  if (value instanceof Map) return 'map'
  if (shape.type === 'struct' || shape.type === 'map') return shape.type
  return isPlain(value) ? 'map' : 'struct'
}

const numberKinds: ReadonlySet<string> = new Set([
  'int',
  'uint',
  'float32',
  'float64',
  'unix-ms',
  'unix-ns',
  'duration',
] satisfies ScalarType[])

export const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || value instanceof Uint8Array

export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** An own property, or `undefined`: what a prototype says is never data. */
export const own = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined

/** The entry of a map under a key; a key whose value is `undefined` is not there. */
export function entry(map: unknown, key: string): unknown {
  if (!(map instanceof Map)) return typeof map === 'object' && map !== null ? own(map, key) : undefined
  const found: unknown = map.get(key)
  return found === undefined && integerKey.test(key) ? map.get(Number(key)) : found
}

const integerKey = /^-?\d+$/

/** The keys of a map, in its own order. */
export function keysOf(map: unknown): readonly string[] {
  if (map instanceof Map) return [...map.keys()].map(String)
  if (typeof map !== 'object' || map === null) return []
  return Object.keys(map).filter((key) => own(map, key) !== undefined)
}

/** How messages name the kind of a value: as it was declared, where it was. */
export function kindName(value: unknown, declared: Shape): string {
  const kind = kindOf(value, declared)
  const shape = unwrap(declared)
  return 'name' in shape && shape.type === kind ? shape.name : kind
}
