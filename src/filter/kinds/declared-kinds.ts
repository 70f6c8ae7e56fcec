import { parseDuration } from '../../kernel/duration.ts'
import { nearest } from '../../kernel/nearest.ts'
import { type Misfit, parseFloating, parseInteger, parseTime } from './coerce.ts'
import { scalarKinds, shapeNamed } from './scalar-kinds.ts'
import { aTime, ownScalars, type Read, type Scalar, type Scalars } from './scalars.ts'
import { anyShape, type Computed, type FieldShape, type Kind, type Kinds, type Shape } from './shape.ts'

/** A 32-bit float; larger values are out of range. */
const parseNarrow = (text: string): number | Misfit => {
  const float = parseFloating(text)
  if (typeof float === 'string') return float
  const narrow = Math.fround(float)
  return Number.isFinite(float) && !Number.isFinite(narrow) ? 'range' : narrow
}

/** Nanoseconds, from a text in Go's syntax (`1h30m`) or from the number itself. */
const parseNanoseconds = (text: string): Read => {
  const ms = parseDuration(text)
  return ms === undefined ? parseFloating(text) : Math.round(ms * 1e6)
}

type Convert = (number: number) => number

/** A number since 1970, which may be written as a time or as the number itself. */
const counted = (onScale: Convert, fromScale: Convert): Scalar => ({
  read: (text) => {
    const time = parseTime(text)
    if (time !== 'syntax') return fromScale(time)
    // More digits than a double can represent.
    return /^-?\d{16,}$/.test(text) ? parseInteger(text, false) : parseFloating(text)
  },
  wanted: aTime,
  scale: 'moment',
  onScale,
  fromScale,
})

/** Every scalar kind: those that values have by themselves, and the ones that must be declared. */
export const allScalars: Scalars = {
  ...ownScalars,
  float32: { read: parseNarrow, wanted: 'a number', scale: 'number' },
  'unix-ms': counted(
    (ms) => ms * 1000,
    (us) => us / 1000,
  ),
  'unix-ns': counted(
    (ns) => ns / 1000,
    (us) => us * 1000,
  ),
  duration: {
    read: parseNanoseconds,
    wanted: 'a duration such as 1h30m',
    scale: 'duration',
  },
}

function shapeOfKind(kind: Kind): Shape {
  if (typeof kind === 'string') {
    // A hidden field has no shape of its own: its holder marks it (see fieldOfKind).
    if (kind === 'any' || kind === 'hidden') return anyShape
    const shape = shapeNamed(kind)
    if (shape !== undefined) return shape
  }
  if (typeof kind !== 'object' || kind === null) throw unknownKind(kind)
  if ('list' in kind) return { type: 'list', of: shapeOfKind(kind.list), fixed: kind.fixed === true }
  if ('map' in kind) return { type: 'map', of: shapeOfKind(kind.map), intKeys: kind.key === 'int' }
  if ('struct' in kind) return { type: 'struct', fields: fieldsOfKinds(kind.struct), open: false }
  if ('pointer' in kind) return { type: 'pointer', of: shapeOfKind(kind.pointer) }
  if ('optional' in kind) return { type: 'optional', of: shapeOfKind(kind.optional) }
  if ('alias' in kind) return shapeOfKind(kind.kind ?? 'any')
  throw unknownKind(kind)
}

/** Programs without types may pass other kinds, which would silently mean "anything". */
const unknownKind = (kind: unknown): TypeError => {
  const kindNames = [...scalarKinds, 'any', 'hidden'].map(String)
  const near = typeof kind === 'string' ? nearest(kind, kindNames) : undefined
  const hint = near === undefined ? `; there are ${kindNames.join(', ')}` : `; did you mean ${near}?`
  return new TypeError(`${JSON.stringify(kind)} is not a kind of field${hint}`)
}

const fieldOfKind = (name: string, kind: Kind): FieldShape => ({
  shape: shapeOfKind(kind),
  property: typeof kind === 'object' && 'alias' in kind ? kind.alias : name,
  access: kind === 'hidden' ? 'hidden' : 'open',
})

const fieldsOfKinds = (kinds: Kinds): Map<string, FieldShape> => {
  const fields = new Map(Object.entries(kinds).map(([name, kind]) => [name, fieldOfKind(name, kind)]))
  for (const { property } of [...fields.values()]) {
    if (!fields.has(property)) fields.set(property, { property, shape: anyShape, access: 'renamed' })
  }
  return fields
}

/** The shape of the whole datum: the schema's, overridden by the declared kinds and the computed fields. */
export function withKinds(base: Shape, kinds: Kinds = {}, computed: Computed<unknown> = {}): Shape {
  const fields = new Map(base.type === 'struct' ? base.fields : [])
  for (const [name, field] of fieldsOfKinds(kinds)) fields.set(name, field)
  for (const [name, { kind, of }] of Object.entries(computed)) {
    // Programs without types may pass a value.
    if (typeof of !== 'function') throw new TypeError(`computed.${name}.of is a function of the row`)
    fields.set(name, { ...fieldOfKind(name, kind), of })
  }
  return { type: 'struct', fields, open: base.type !== 'struct' || base.open }
}
