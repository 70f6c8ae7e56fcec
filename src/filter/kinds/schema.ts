import { shapeNamed } from './scalar-kinds.ts'
import { anyShape, type FieldShape, type ScalarKind, type Shape, scalarShape } from './shape.ts'

/**
 * A schema of zod 4 or `zod/mini`, of any release: only its definition is read, and the filter does not depend on zod.
 */
export interface FilterSchema<T = unknown> {
  readonly _zod: { readonly output: T; readonly def: { readonly type: string } }
}

/**
 * Reads the shape that a schema declares.
 *
 * @throws TypeError for anything but a zod 4 schema: treating it as "anything" would silently check nothing
 */
export function shapeOfSchema(schema: unknown): Shape {
  if (!isSchema(schema)) {
    throw new TypeError(
      'not a zod 4 schema; jsonSchema(…) takes JSON Schema, TypeBox, OpenAPI components, valibot and arktype',
    )
  }
  const known = shapes.get(schema)
  if (known !== undefined) return known
  // Parts are read on first use, so that a schema may contain itself.
  const shape = readShape(schema)
  shapes.set(schema, shape)
  return shape
}

interface Schema {
  readonly _zod: { readonly def: Readonly<Record<string, unknown>> & { readonly type: string } }
  readonly meta?: () => unknown
}

const shapes = new WeakMap<Schema, Shape>()

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && '_zod' in value

function readShape(schema: Schema): Shape {
  const stated = statedShape(schema)
  if (stated !== undefined) return stated
  const { def } = schema._zod
  const read = readers[def.type]
  return read === undefined ? anyShape : read(def)
}

/** `z.string().meta({ kind: 'duration' })` declares a kind that zod does not have. */
const statedShape = (schema: Schema): Shape | undefined => {
  const meta = schema.meta?.()
  if (typeof meta !== 'object' || meta === null || !('kind' in meta)) return undefined
  return shapeNamed(meta.kind)
}

type Def = Readonly<Record<string, unknown>>

const inner = ({ innerType }: Def): Shape => shapeOfSchema(innerType)

const optional = (def: Def): Shape => optionalOf(() => shapeOfSchema(def['innerType']))

/** Any key of a map may be missing. */
const mapped = ({ keyType, valueType }: Def): Shape => {
  const of = optionalOf(() => shapeOfSchema(valueType))
  return { type: 'map', of, intKeys: isSchema(keyType) && keyType._zod.def.type === 'number' }
}

const readers: Readonly<Record<string, (def: Def) => Shape>> = {
  string: ({ format }) => scalarShape(format === 'datetime' ? 'time' : 'string'),
  number: (def) => scalarShape(numberFormat(def)),
  bigint: () => scalarShape('int64'),
  boolean: () => scalarShape('bool'),
  date: () => scalarShape('time'),
  template_literal: () => scalarShape('string'),
  enum: ({ entries }) => shapeOfValues(isRecord(entries) ? Object.values(entries) : []),
  literal: ({ values }) => shapeOfValues(Array.isArray(values) ? values : []),
  array: ({ element }) => listOf(() => shapeOfSchema(element)),
  set: () => anyShape,
  tuple: () => listOf(() => anyShape),
  record: mapped,
  map: mapped,
  object: structOf,
  optional,
  nullable: optional,
  default: inner,
  prefault: inner,
  nonoptional: inner,
  readonly: inner,
  catch: inner,
  success: () => scalarShape('bool'),
  // A datum is the schema's output.
  pipe: ({ out }) => shapeOfSchema(out),
  lazy: ({ getter }) => (typeof getter === 'function' ? shapeOfSchema(getter()) : anyShape),
  union: ({ options }) => shapeOfUnion(Array.isArray(options) ? options : []),
  intersection: ({ left, right }) => intersect(shapeOfSchema(left), shapeOfSchema(right)),
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const formats: Readonly<Record<string, ScalarKind>> = {
  safeint: 'int',
  int32: 'int32',
  uint32: 'uint32',
  float32: 'float32',
  float64: 'float64',
}

/** `z.int()` has a format of its own, `z.number().int()` a check. */
function numberFormat({ format, checks }: Def): ScalarKind {
  const inChecks = Array.isArray(checks) ? checks.filter(isSchema).map(({ _zod }) => _zod.def['format']) : []
  const [named = 'float64'] = [format, ...inChecks].flatMap((name) => formats[String(name)] ?? [])
  return named
}

/** The shape of a field with a fixed set of values. */
function shapeOfValues(values: readonly unknown[]): Shape {
  const stated = values.filter((value) => value !== null && value !== undefined)
  const shape = shapeOfStated(stated)
  return stated.length < values.length ? optionalOf(() => shape) : shape
}

function shapeOfStated(values: readonly unknown[]): Shape {
  const [first] = values
  if (first === undefined || values.some((value) => typeof value !== typeof first)) return anyShape
  if (typeof first === 'string') return { type: 'string', name: 'string', texts: values.map(String) }
  if (typeof first === 'number') return scalarShape('float64')
  return typeof first === 'boolean' ? scalarShape('bool') : anyShape
}

/** A union of null and one kind is that kind, optional; a union of several kinds is decided by each value. */
function shapeOfUnion(options: readonly unknown[]): Shape {
  const isNull = (option: unknown) =>
    isSchema(option) && (option._zod.def.type === 'null' || option._zod.def.type === 'undefined')
  const shapes = options.filter((option) => !isNull(option)).map(shapeOfSchema)
  const nullable = shapes.length < options.length || shapes.some(({ type }) => type === 'optional')
  const kinds = shapes.map((shape) => (shape.type === 'optional' ? shape.of : shape))
  const [first] = kinds
  const shape = first !== undefined && kinds.length === 1 ? first : commonKind(kinds)
  return nullable ? optionalOf(() => shape) : shape
}

/** The common scalar kind of all members, with the strings of all if each lists its own. */
function commonKind(kinds: readonly Shape[]): Shape {
  const scalars = kinds.filter((kind) => 'name' in kind)
  const [first] = scalars
  if (first === undefined || scalars.length < kinds.length || scalars.some(({ name }) => name !== first.name))
    return anyShape
  const texts = scalars.flatMap((kind) => kind.texts ?? [])
  return scalars.every((kind) => kind.texts !== undefined) ? { ...first, texts } : scalarShape(first.name)
}

const intersect = (left: Shape, right: Shape): Shape =>
  left.type === 'struct' && right.type === 'struct'
    ? { type: 'struct', fields: new Map([...left.fields, ...right.fields]), open: left.open || right.open }
    : anyShape

function structOf({ shape, catchall }: Def): Shape {
  const open = isSchema(catchall) && catchall._zod.def.type !== 'never'
  let fields: ReadonlyMap<string, FieldShape> | undefined
  return {
    type: 'struct',
    open,
    get fields() {
      fields ??= new Map(
        Object.entries(isRecord(shape) ? shape : {}).map(([name, field]) => [
          name,
          { property: name, shape: shapeOfSchema(field), access: 'open' },
        ]),
      )
      return fields
    },
  }
}

/** A kind derived from another, which is read on first use. */
function lazily<Kind extends object>(kind: Kind, read: () => Shape): Kind & { readonly of: Shape } {
  let of: Shape | undefined
  return {
    ...kind,
    get of() {
      of ??= read()
      return of
    },
  }
}

const listOf = (read: () => Shape): Shape => lazily({ type: 'list', fixed: false } as const, read)

const optionalOf = (read: () => Shape): Shape => lazily({ type: 'optional' } as const, read)
